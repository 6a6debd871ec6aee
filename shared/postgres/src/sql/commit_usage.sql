-- Records what model requests cost. Called by: step, inside a commit. Rows: one a request.
INSERT INTO openeve.usage_records (
    run_id, seq, model, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros)
SELECT $1, (SELECT count(*) FROM openeve.usage_records WHERE run_id = $1) + u.position, u.model,
    u.input_tokens, u.cached_tokens, u.output_tokens, u.reasoning_tokens, u.cost_micros
FROM unnest($2::text[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])
    WITH ORDINALITY AS u (
        model, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros, position)
