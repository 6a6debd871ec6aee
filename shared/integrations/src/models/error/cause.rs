//! What is wrong, and the message that says so.

use openeve_domain::retry::Class;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::text::prefix;

use super::report::Report;
use crate::models::{Endpoint, code};

/// How much of the provider's words is quoted.
const QUOTE_BYTES_MAX: usize = 500;

const OVERFLOW: [&str; 18] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "too_many_prompt_tokens",
    "too_many_tokens",
    "prompt is too long",
    "prompt too long",
    "exceeds the context window",
    "exceed the context window",
    "exceeds the available context size",
    "maximum context length",
    "context length exceeded",
    "exceeded max context length",
    "input token count",
    "number of input tokens exceeds",
    "too many tokens: size limit",
    "tokens) is too large to process",
    "reduce the length of the messages",
    "reduce your message size",
];
const THROTTLE: [&str; 4] = ["please wait", "tokens per min", "rate limit", "rate_limit"];
const UNKNOWN: [&str; 8] = [
    "model_not_found",
    "is not a valid model",
    "model not found",
    "model not exist",
    "no such model",
    "unknown model",
    "invalid model:",
    "invalid_model",
];
const QUOTA: [&str; 11] = [
    "insufficient_quota",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credits",
    "billing",
    "credit balance",
    "quota exceeded",
    "exceeded your current quota",
    "usage limit reached",
    "usage_limit_reached",
    "\n1308\n",
];
const AUTH: [&str; 7] = [
    "invalid_api_key",
    "api_key_invalid",
    "incorrect api key",
    "invalid api key",
    "api key not valid",
    "authentication_error",
    "security token included in the request is invalid",
];
const RATE: [&str; 5] = [
    "rate limit",
    "rate_limit",
    "ratelimitreached",
    "resource_exhausted",
    "too many requests",
];
/// Servers that answer 500 to a request they will never take.
const SETUP: [&str; 2] = ["requires --jinja", "cannot use both"];

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Overflow,
    UnknownModel,
    Quota,
    Auth,
    RateLimit,
    Endpoint,
    Overload,
    BadRequest,
}

impl Cause {
    /// Asks the questions in the order that the module above explains.
    pub(super) fn of(report: &Report) -> Self {
        let status = report.status.unwrap_or(0);
        if status == 413 || (report.says(&OVERFLOW) && !report.says(&THROTTLE)) {
            return Self::Overflow;
        }
        if is_unknown_model(status, report) {
            return Self::UnknownModel;
        }
        // Gemini's rate limit speaks of the current quota and of billing, too.
        if status == 402 || (report.says(&QUOTA) && !report.says(&["resource_exhausted"])) {
            return Self::Quota;
        }
        if matches!(status, 401 | 403) || (status < 500 && report.says(&AUTH)) {
            return Self::Auth;
        }
        match status {
            429 => Self::RateLimit,
            501 => Self::BadRequest,
            300..=399 | 404 | 405 => Self::Endpoint,
            500.. if report.says(&SETUP) => Self::BadRequest,
            408 | 409 | 425 | 500.. => Self::Overload,
            400..=499 => Self::BadRequest,
            // An error inside a stream that names no status.
            _ if report.says(&RATE) => Self::RateLimit,
            _ if report.says(&["invalid_request", "invalid-argument", "bad_request"]) => {
                Self::BadRequest
            }
            _ => Self::Overload,
        }
    }

    /// Whether it passes by itself.
    pub(super) const fn passes(self) -> bool {
        matches!(self, Self::RateLimit | Self::Overload)
    }

    /// The failure: what happened, where, and what to do. The key is cut out before the provider's
    /// words are cut to size, so that no part of it survives.
    pub(super) fn failure(
        self,
        endpoint: &Endpoint,
        report: &Report,
        class: Class,
    ) -> ModelFailure {
        let said = said(endpoint, report);
        let status = report.status.map_or_else(
            || "an error inside its answer".into(),
            |status| format!("HTTP {status}"),
        );
        let message = self.message(endpoint, &status, &said);
        ModelFailure {
            code: self.code().into(),
            message: endpoint.redacted(&message),
            class,
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Overflow => code::CONTEXT_OVERFLOW,
            Self::UnknownModel => code::UNKNOWN,
            Self::Quota => code::QUOTA,
            Self::Auth => code::AUTH,
            Self::RateLimit => code::RATE_LIMITED,
            Self::Endpoint => code::ENDPOINT,
            Self::Overload => code::OVERLOADED,
            Self::BadRequest => code::BAD_REQUEST,
        }
    }

    fn message(self, endpoint: &Endpoint, status: &str, said: &str) -> String {
        let (host, model) = (endpoint.host(), &endpoint.model);
        match self {
            Self::Overflow => format!(
                "the conversation is longer than {model} reads ({status} from {host}{said}); start a \
                 new conversation, shorten instructions.md or the tools' output, or change `model` \
                 in agent.ts"
            ),
            Self::UnknownModel => format!(
                "{host} does not offer the model {model:?} ({status}{said}); change `model` in agent.ts"
            ),
            Self::Quota => format!(
                "the account at {host} has no quota left ({status}{said}); check its plan and \
                 billing, or set OPENEVE_MODEL_API_KEY to the key of another account"
            ),
            Self::Auth if endpoint.api_key.is_none() => format!(
                "the provider at {host} wants a key and none was sent ({status}{said}); set \
                 OPENEVE_MODEL_API_KEY to a valid key"
            ),
            Self::Auth => format!(
                "the provider at {host} refused the key with {status}{said}; set \
                 OPENEVE_MODEL_API_KEY to a valid key"
            ),
            Self::RateLimit => format!(
                "{host} takes no more requests for now ({status}{said}); wait, or ask there for a \
                 higher limit"
            ),
            Self::Endpoint => format!(
                "nothing at {host} takes {} under the base URL ({status}{said}); set \
                 OPENEVE_MODEL_BASE_URL to the API's base URL, which often ends in /v1",
                endpoint.protocol.shown()
            ),
            Self::Overload => format!(
                "{host} cannot answer for now ({status}{said}); if it lasts, see the provider's \
                 status page or change `model` in agent.ts"
            ),
            Self::BadRequest => format!(
                "{host} refused the request ({status}{said}); most often a tool's input schema or a \
                 setting in agent.ts does not suit {model}"
            ),
        }
    }
}

fn is_unknown_model(status: u16, report: &Report) -> bool {
    if !matches!(status, 0 | 400 | 403 | 404 | 422) {
        return false;
    }
    let names_a_model = report.says(&["model"]);
    report.says(&UNKNOWN)
        || (names_a_model && report.says(&["does not exist", "not_found_error"]))
        || (names_a_model && status == 404 && !report.says(&["url"]))
        || (status == 404 && report.says(&["no endpoints found"]))
}

fn said(endpoint: &Endpoint, report: &Report) -> String {
    let words = endpoint.redacted(&report.message);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        String::new()
    } else {
        format!(": \"{}\"", prefix(&words, QUOTE_BYTES_MAX))
    }
}
