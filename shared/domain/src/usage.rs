//! What a model request cost, in tokens and in millionths of a US dollar.

use serde::{Deserialize, Serialize};

/// Usage of one model request, or a sum. `input` includes `cached`; `output` includes `reasoning`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the input that came from a cache.
    pub cached_tokens: u64,
    /// Tokens written, reasoning included.
    pub output_tokens: u64,
    /// Tokens of the output spent on reasoning.
    pub reasoning_tokens: u64,
    /// Price in millionths of a US dollar; zero when the model's price is unknown.
    pub cost_micros: u64,
}

impl Usage {
    /// The sum of two; saturates.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
        }
    }
}
