-- Records what one model request cost. Called by: step, inside a commit. Rows: one.
INSERT INTO openeve.usage_records (
    run_id, seq, model, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_micros)
SELECT $1, (SELECT count(*) FROM openeve.usage_records WHERE run_id = $1), $2, $3, $4, $5, $6, $7
