//! How models are spoken to: one module a wire protocol, and what they share.
//!
//! [`build_request`] renders a request, [`Decoder`] reads the answer, [`classify_error`] reads a
//! refusal, each in the protocol of the [`Endpoint`]. What a provider does differently is decided in
//! its protocol's module by [`Endpoint::provider`], never by the host's name.

use openeve_domain::secret::{Secret, redact};

mod answer;
mod decoder;
mod error;
mod failures;
mod names;
mod openai_chat;
mod protocol;
mod request;

pub use answer::{Completion, Delta, Stop};
pub use decoder::Decoder;
pub use error::classify_error;
pub use names::Aliases;
pub use protocol::Protocol;
pub use request::{Config, Request, build_request};

/// Stable codes of model failures. Each has a page; none is ever renamed.
pub mod code {
    /// The provider refused the key.
    pub const AUTH: &str = "model_auth";
    /// The account has no quota or no credit left.
    pub const QUOTA: &str = "model_quota";
    /// Too many requests for now.
    pub const RATE_LIMITED: &str = "model_rate_limited";
    /// The provider is overloaded or down for now.
    pub const OVERLOADED: &str = "model_overloaded";
    /// The conversation is longer than the model reads.
    pub const CONTEXT_OVERFLOW: &str = "model_context_overflow";
    /// The provider does not know the model.
    pub const UNKNOWN: &str = "model_unknown";
    /// Nothing speaks this protocol at the base URL.
    pub const ENDPOINT: &str = "model_endpoint";
    /// The provider refused the request for another reason.
    pub const BAD_REQUEST: &str = "model_bad_request";
    /// The answer broke off before its end.
    pub const STREAM_ENDED: &str = "model_stream_ended";
    /// The answer reached the model's output limit before it was usable.
    pub const TRUNCATED: &str = "model_truncated";
    /// The provider's content filter stopped the answer.
    pub const REFUSED_CONTENT: &str = "model_refused_content";
    /// The answer is larger than we keep.
    pub const ANSWER_TOO_LARGE: &str = "model_answer_too_large";
    /// The answer asks for more tools at once than we run.
    pub const TOO_MANY_CALLS: &str = "model_too_many_calls";
}

/// Where a model is reached and under which names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The provider, such as `openai`; the part of `agent.ts`'s model before the first slash.
    pub provider: String,
    /// The model as the provider names it; the part after that slash.
    pub model: String,
    /// Base URL without a trailing slash, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The protocol that is spoken there.
    pub protocol: Protocol,
    /// The key. None for a server that wants none.
    pub api_key: Option<Secret>,
}

impl Endpoint {
    /// The host and port of the base URL, for messages: no path, no user, no query.
    pub fn host(&self) -> String {
        let uri = self.base_url.parse::<http::Uri>().ok();
        let host = uri
            .as_ref()
            .and_then(http::Uri::host)
            .unwrap_or("an unreadable base URL");
        match uri.as_ref().and_then(http::Uri::port_u16) {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Marks which model wrote something that only the same model may be given back.
    pub(crate) fn origin(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }

    /// A text without the key.
    pub(crate) fn redacted(&self, text: &str) -> String {
        let key = self.api_key.as_ref().map_or("", |key| key.reveal().trim());
        redact(text, &[key])
    }
}

/// One header of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name, lower case.
    pub name: &'static str,
    /// Its value. Always a [`Secret`], so that printing a header never gives one away.
    pub value: Secret,
    /// Whether the value is truly secret and must be marked so for the HTTP client.
    pub sensitive: bool,
}

impl Header {
    /// A header anyone may see.
    pub fn plain(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: Secret::new(value),
            sensitive: false,
        }
    }

    /// A header nobody may see.
    pub fn sensitive(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: Secret::new(value),
            sensitive: true,
        }
    }
}

/// Splits `provider/model`; the model may itself contain slashes. None if a side is empty.
pub fn split_model(model: &str) -> Option<(&str, &str)> {
    let (provider, model) = model.split_once('/')?;
    (!provider.is_empty() && !model.is_empty()).then_some((provider, model))
}

/// The base URL of a provider we know. None: it must be configured.
pub fn default_base_url(provider: &str) -> Option<&'static str> {
    Some(match provider {
        "openai" => "https://api.openai.com/v1",
        "openrouter" => "https://openrouter.ai/api/v1",
        "deepseek" => "https://api.deepseek.com",
        "mistral" => "https://api.mistral.ai/v1",
        "xai" => "https://api.x.ai/v1",
        "groq" => "https://api.groq.com/openai/v1",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint {
            provider: "openai".into(),
            model: "m".into(),
            base_url: base_url.into(),
            protocol: Protocol::OpenAiChat,
            api_key: Some(Secret::new("sk-live-1\n")),
        }
    }

    #[test]
    fn a_host_shows_neither_path_nor_user_nor_query() {
        assert_eq!(
            endpoint("https://u:p@api.example.com/v1?k=s").host(),
            "api.example.com"
        );
        assert_eq!(
            endpoint("http://localhost:8080/v1").host(),
            "localhost:8080"
        );
        assert_eq!(endpoint("not a url").host(), "an unreadable base URL");
    }

    #[test]
    fn a_model_may_contain_slashes() {
        assert_eq!(
            split_model("openrouter/openai/gpt-5"),
            Some(("openrouter", "openai/gpt-5"))
        );
        assert_eq!(split_model("gpt-5"), None);
        assert_eq!(split_model("openai/"), None);
    }

    #[test]
    fn printing_an_endpoint_or_a_header_shows_no_key() {
        let header = Header::sensitive("authorization", "Bearer sk-live-1");
        let printed = format!("{:?} {header:?}", endpoint("http://h"));
        assert!(!printed.contains("sk-live-1"), "{printed}");
    }
}
