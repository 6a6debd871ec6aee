//! Reads what a request cost, from all the places where servers put it.

use openeve_domain::usage::Usage;
use serde_json::Value;

/// The usage a chunk or body carries: beside the choices, in a choice (Moonshot), or in Groq's own
/// field. None if it carries none.
pub(super) fn of_chunk(chunk: &Value) -> Option<Usage> {
    let in_choice = || chunk.pointer("/choices/0/usage").and_then(parse);
    let of_groq = || chunk.pointer("/x_groq/usage").and_then(parse);
    chunk
        .get("usage")
        .and_then(parse)
        .or_else(in_choice)
        .or_else(of_groq)
}

fn parse(usage: &Value) -> Option<Usage> {
    let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    if number("/prompt_tokens").is_none() && number("/completion_tokens").is_none() {
        return None;
    }
    let input = number("/prompt_tokens").unwrap_or(0);
    let cached = number("/prompt_tokens_details/cached_tokens")
        .or_else(|| number("/prompt_cache_hit_tokens"))
        .or_else(|| number("/cached_tokens"))
        .unwrap_or(0);
    let reasoning = number("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let mut output = number("/completion_tokens").unwrap_or(0);
    // xAI counts reasoning beside the output; the total tells.
    if reasoning > 0
        && number("/total_tokens") == Some(input.saturating_add(output).saturating_add(reasoning))
    {
        output = output.saturating_add(reasoning);
    }
    Some(Usage {
        input_tokens: input,
        cached_tokens: cached.min(input),
        output_tokens: output,
        reasoning_tokens: reasoning.min(output),
        cost_micros: usage.get("cost").and_then(Value::as_f64).map_or(0, micros),
    })
}

/// Dollars in millionths; nothing for a price that is no price.
fn micros(dollars: f64) -> u64 {
    const DOLLARS_MAX: f64 = 1e9;
    if !(0.0..=DOLLARS_MAX).contains(&dollars) {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded just above"
    )]
    let micros = (dollars * 1e6).round() as u64;
    micros
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn usage(input: u64, cached: u64, output: u64, reasoning: u64) -> Usage {
        Usage {
            input_tokens: input,
            cached_tokens: cached,
            output_tokens: output,
            reasoning_tokens: reasoning,
            cost_micros: 0,
        }
    }

    #[test]
    fn openai_counts_cached_and_reasoning_tokens_inside() {
        let chunk = json!({"choices": [], "usage": {"prompt_tokens": 80, "completion_tokens": 17,
            "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 9},
            "total_tokens": 97}});
        assert_eq!(of_chunk(&chunk), Some(usage(80, 64, 17, 9)));
    }

    #[test]
    fn deepseek_and_kimi_name_cached_tokens_differently() {
        let deepseek = json!({"usage": {"prompt_tokens": 8, "completion_tokens": 1, "prompt_cache_hit_tokens": 5}});
        let kimi =
            json!({"usage": {"prompt_tokens": 8, "completion_tokens": 1, "cached_tokens": 5}});
        assert_eq!(of_chunk(&deepseek), Some(usage(8, 5, 1, 0)));
        assert_eq!(of_chunk(&kimi), Some(usage(8, 5, 1, 0)));
    }

    #[test]
    fn moonshot_puts_usage_in_the_choice() {
        let chunk = json!({"choices": [{"usage": {"prompt_tokens": 8, "completion_tokens": 1}}]});
        assert_eq!(of_chunk(&chunk), Some(usage(8, 0, 1, 0)));
    }

    #[test]
    fn xai_counts_reasoning_beside_the_output() {
        let chunk = json!({"usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 112,
            "completion_tokens_details": {"reasoning_tokens": 100}}});
        assert_eq!(of_chunk(&chunk), Some(usage(10, 0, 102, 100)));
    }

    #[test]
    fn openrouter_says_the_price() {
        let chunk =
            json!({"usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.000_123_4}});
        assert_eq!(of_chunk(&chunk).map(|usage| usage.cost_micros), Some(123));
        assert_eq!(micros(f64::NAN) + micros(-1.0) + micros(1e300), 0);
    }

    #[test]
    fn a_chunk_without_usage_carries_none() {
        assert_eq!(of_chunk(&json!({"usage": null, "choices": []})), None);
        assert_eq!(of_chunk(&json!({})), None);
    }
}
