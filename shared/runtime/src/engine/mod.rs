//! The agent loop's one iteration: render the transcript, ask the model, read its answer.
//!
//! The continuation holds a count and nothing else: the transcript is rows, so that the bytes
//! written for a turn stay the same however long the conversation is.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use openeve_domain::core_tools;
use openeve_domain::manifest::Manifest;
use openeve_domain::retry::Class;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::secret::Secret;
use openeve_domain::usage::Usage;
use openeve_integrations::models::{
    Completion, Config, Decoder, Delta, Endpoint, Protocol, Request, build_request, classify_error,
    split_model,
};
use serde_json::{Value, json};

use crate::ports::{
    Advance, AdvanceInput, Advanced, Clock, Engine, HttpClient, HttpError, HttpRequest,
    HttpResponse,
};

/// An error body is read up to this many bytes.
const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;

/// The engine: one model endpoint, reached over HTTP.
#[derive(Clone)]
pub struct ModelEngine {
    /// The one HTTP client.
    pub http: Arc<dyn HttpClient>,
    /// Time, for `Retry-After`.
    pub clock: Arc<dyn Clock>,
    /// Base URL of the provider, or of a server that speaks its protocol.
    pub base_url: String,
    /// The provider's key.
    pub api_key: Option<Secret>,
}

#[async_trait]
impl Engine for ModelEngine {
    fn name(&self) -> &'static str {
        "openeve"
    }

    fn version(&self) -> u32 {
        1
    }

    async fn advance(&self, input: AdvanceInput<'_>) -> Advanced {
        let mut usage = None;
        let advance = match self.ask(&input, &mut usage).await {
            Ok(completion) => decide(completion, next(input.continuation)),
            Err(failure) => Advance::Failed(failure),
        };
        Advanced { advance, usage }
    }
}

impl ModelEngine {
    async fn ask(
        &self,
        input: &AdvanceInput<'_>,
        usage: &mut Option<Usage>,
    ) -> Result<Completion, ModelFailure> {
        let endpoint = self.endpoint(input.manifest)?;
        let tools: Vec<_> = input
            .manifest
            .tools
            .iter()
            .chain(core_tools::all())
            .collect();
        let config = Config {
            endpoint: &endpoint,
            system: &input.manifest.instructions,
            reasoning: input.manifest.agent.reasoning,
        };
        let Request {
            path,
            headers,
            body,
            aliases,
        } = build_request(config, input.messages, &tools);
        let request = HttpRequest {
            method: Method::POST,
            url: format!("{}{path}", endpoint.base_url),
            headers: header_map(&headers),
            body: Bytes::from(body.to_string()),
            timeout_ms: input.budget_ms,
            follow_redirects: false,
        };
        let response = self
            .http
            .send(request)
            .await
            .map_err(|error| broken(&endpoint, &error))?;
        if response.status != 200 {
            return Err(self.refused(&endpoint, response).await);
        }
        let mut decoder = Decoder::new(&endpoint, aliases);
        let read = read(&mut decoder, response, input).await;
        *usage = decoder.usage();
        // A connection may break behind an answer that is already whole.
        match (decoder.finish(), read) {
            (Ok(completion), _) => {
                *usage = completion.usage.or(*usage);
                Ok(completion)
            }
            (Err(_), Err(error)) => Err(broken(&endpoint, &error)),
            (Err(failure), Ok(())) => Err(failure),
        }
    }

    fn endpoint(&self, manifest: &Manifest) -> Result<Endpoint, ModelFailure> {
        let (provider, model) = split_model(&manifest.agent.model).ok_or_else(|| ModelFailure {
            code: "model_unknown".to_owned(),
            message: format!(
                "agent.ts names the model {:?}; write `provider/model`",
                manifest.agent.model
            ),
            class: Class::Refused,
        })?;
        Ok(Endpoint {
            provider: provider.to_owned(),
            model: model.to_owned(),
            base_url: self.base_url.trim_end_matches('/').to_owned(),
            protocol: Protocol::OpenAiChat,
            api_key: self.api_key.clone(),
        })
    }

    async fn refused(&self, endpoint: &Endpoint, mut response: HttpResponse) -> ModelFailure {
        let mut body = Vec::new();
        while let Some(Ok(chunk)) = response.body.next().await {
            body.extend_from_slice(&chunk);
            if body.len() > ERROR_BODY_BYTES_MAX {
                break;
            }
        }
        classify_error(
            endpoint,
            response.status,
            &response.headers,
            &body,
            self.clock.now(),
        )
    }
}

/// Feeds the decoder until it is done or the body ends; shows text as it comes.
async fn read(
    decoder: &mut Decoder,
    mut response: HttpResponse,
    input: &AdvanceInput<'_>,
) -> Result<(), HttpError> {
    while let Some(chunk) = response.body.next().await {
        // A failure is kept by the decoder, which returns it at the end.
        let Ok(deltas) = decoder.feed(&chunk?) else {
            break;
        };
        for Delta::Text(text) in deltas {
            input.observer.delta(input.run_id, &text);
        }
        if decoder.is_done() {
            break;
        }
    }
    Ok(())
}

fn decide(completion: Completion, continuation: Value) -> Advance {
    let Completion {
        text, calls, extra, ..
    } = completion;
    if calls.is_empty() {
        Advance::Message {
            text,
            extra,
            continuation,
        }
    } else {
        Advance::ToolBatch {
            text,
            extra,
            calls,
            continuation,
        }
    }
}

fn next(continuation: Option<&Value>) -> Value {
    let done = continuation
        .and_then(|body| body.get("iteration"))
        .and_then(Value::as_u64)
        .unwrap_or(0);
    json!({"iteration": done + 1})
}

fn broken(endpoint: &Endpoint, error: &HttpError) -> ModelFailure {
    let class = match error {
        HttpError::Invalid(_) => Class::Refused,
        HttpError::Connect(_) | HttpError::Broken(_) => Class::Retry { after_ms: None },
    };
    ModelFailure {
        code: "model_unreachable".to_owned(),
        message: format!(
            "the model provider at {} gave no answer: {error}; check OPENEVE_MODEL_BASE_URL and the network",
            endpoint.host()
        ),
        class,
    }
}

fn header_map(headers: &[openeve_integrations::models::Header]) -> HeaderMap {
    let pairs = headers.iter().filter_map(|header| {
        let mut value = HeaderValue::from_str(header.value.reveal()).ok()?;
        value.set_sensitive(header.sensitive);
        Some((HeaderName::from_static(header.name), value))
    });
    pairs.collect()
}
