//! Failures of an answer that began with 200: what happened, where, and what to do.

use openeve_domain::limits::{BATCH_CALLS_MAX, MODEL_ANSWER_BYTES_MAX};
use openeve_domain::retry::Class;
use openeve_domain::run::model_failed::ModelFailure;

use super::{Endpoint, code};

/// The answer is larger than we keep; asking again would give as much.
pub(super) fn too_large(endpoint: &Endpoint) -> ModelFailure {
    ModelFailure {
        code: code::ANSWER_TOO_LARGE.into(),
        message: format!(
            "the answer of {} from {} is larger than {MODEL_ANSWER_BYTES_MAX} bytes and was dropped; \
             ask for less at once in instructions.md",
            endpoint.model,
            endpoint.host()
        ),
        class: Class::Refused,
    }
}

/// The answer has no usable end. No tool ran; another try may go well.
pub(super) fn ended(endpoint: &Endpoint, what: &str) -> ModelFailure {
    ModelFailure {
        code: code::STREAM_ENDED.into(),
        message: format!(
            "the answer of {} from {} {}; no tool of it ran, and the request is safe to repeat",
            endpoint.model,
            endpoint.host(),
            endpoint.redacted(what)
        ),
        class: Class::Retry { after_ms: None },
    }
}

/// The output limit cut the answer where nothing of it is usable.
pub(super) fn truncated(endpoint: &Endpoint) -> ModelFailure {
    ModelFailure {
        code: code::TRUNCATED.into(),
        message: format!(
            "the answer of {} from {} reached the model's output limit before it was usable, and no tool of it \
             ran; ask for less at once in instructions.md, or lower `reasoning` or change `model` in agent.ts",
            endpoint.model,
            endpoint.host()
        ),
        class: Class::Refused,
    }
}

/// The provider's content filter stopped the answer.
pub(super) fn filtered(endpoint: &Endpoint) -> ModelFailure {
    ModelFailure {
        code: code::REFUSED_CONTENT.into(),
        message: format!(
            "the content filter of {} stopped the answer of {}; rephrase the message or instructions.md, or \
             change `model` in agent.ts",
            endpoint.host(),
            endpoint.model
        ),
        class: Class::Refused,
    }
}

/// The answer asks for more than we run at once.
pub(super) fn too_many_calls(endpoint: &Endpoint, count: usize) -> ModelFailure {
    ModelFailure {
        code: code::TOO_MANY_CALLS.into(),
        message: format!(
            "{} from {} asked for {count} tool calls at once, more than {BATCH_CALLS_MAX}, and none ran; ask for \
             less at once in instructions.md",
            endpoint.model,
            endpoint.host()
        ),
        class: Class::Refused,
    }
}

/// The base URL leads to a web page.
pub(super) fn web_page(endpoint: &Endpoint) -> ModelFailure {
    ModelFailure {
        code: code::ENDPOINT.into(),
        message: format!(
            "{} answered with a web page and not as a model; set OPENEVE_MODEL_BASE_URL to the API's base URL, \
             which often ends in /v1",
            endpoint.host()
        ),
        class: Class::Refused,
    }
}
