//! Sending replies: each channel's own way, chosen by what the manifest says of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::limits::DELIVERY_SEND_TIMEOUT_MS;
use openeve_domain::manifest::{Manifest, ReplySpec};
use openeve_domain::secret::Secret;
use openeve_integrations::channels::http::{classify_reply, render_reply};

use crate::config::Mode;
use crate::ports::{Clock, HttpClient, HttpError, HttpRequest, SendPlan, Sender};

/// Sends over HTTP with the variables the agent's folder names.
#[derive(Clone)]
pub struct ChannelSender {
    /// The one HTTP client.
    pub http: Arc<dyn HttpClient>,
    /// Time, for signatures and `Retry-After`.
    pub clock: Arc<dyn Clock>,
    /// The variables the agent's folder names.
    pub env: Arc<BTreeMap<String, Secret>>,
    /// How strict the host is.
    pub mode: Mode,
}

#[async_trait]
impl Sender for ChannelSender {
    fn plan(&self, _: &Manifest, _: &LeasedDelivery) -> SendPlan {
        // A webhook is one request, and its receiver drops a repetition by its webhook-id.
        SendPlan {
            parts: 1,
            dedupes: true,
        }
    }

    async fn send(&self, manifest: &Manifest, delivery: &LeasedDelivery, _: u32) -> SendOutcome {
        let via = |via: &str| SendOutcome::Sent {
            via: via.to_owned(),
            provider_id: None,
        };
        // A channel that was never declared to reply keeps its replies on the run [L.02].
        let Some(reply) = manifest
            .channel(&delivery.channel)
            .and_then(|channel| channel.reply.as_ref())
        else {
            return via("local-no-sender");
        };
        match (self.env.get(&reply.url.name), self.mode) {
            (Some(url), _) => self.post(reply, url, delivery).await,
            (None, Mode::Development) => via("dev-no-sender"),
            (None, Mode::Production) => SendOutcome::Retry {
                after_ms: None,
                error: format!(
                    "{} is not set; set it to the receiver's URL",
                    reply.url.name
                ),
            },
        }
    }
}

impl ChannelSender {
    async fn post(
        &self,
        reply: &ReplySpec,
        url: &Secret,
        delivery: &LeasedDelivery,
    ) -> SendOutcome {
        let secret = match &reply.secret {
            None => None,
            Some(named) => match (self.env.get(&named.name), self.mode) {
                (Some(secret), _) => Some(secret),
                (None, Mode::Development) => None,
                // An unsigned reply would be refused, or worse, believed.
                (None, Mode::Production) => {
                    let error = format!(
                        "{} is not set; set it to the receiver's signing secret",
                        named.name
                    );
                    return SendOutcome::Retry {
                        after_ms: None,
                        error,
                    };
                }
            },
        };
        let rendered = match render_reply(delivery, secret, self.clock.now()) {
            Ok(rendered) => rendered,
            Err(error) => {
                return SendOutcome::Refused {
                    error: error.to_string(),
                };
            }
        };
        let headers: HeaderMap = rendered
            .headers
            .iter()
            .filter_map(|(name, value)| {
                Some((
                    HeaderName::from_static(name),
                    HeaderValue::from_str(value).ok()?,
                ))
            })
            .collect();
        let request = HttpRequest {
            method: Method::POST,
            url: url.reveal().to_owned(),
            headers,
            body: Bytes::from(rendered.body),
            timeout_ms: DELIVERY_SEND_TIMEOUT_MS,
            follow_redirects: false,
        };
        match self.http.send(request).await {
            Ok(response) => {
                let after = response
                    .headers
                    .get("retry-after")
                    .and_then(|value| value.to_str().ok());
                classify_reply(response.status, after, self.clock.now())
            }
            Err(HttpError::Invalid(why)) => SendOutcome::Refused {
                error: format!("{} is not a usable URL: {why}", reply.url.name),
            },
            Err(HttpError::Connect(why)) => SendOutcome::Retry {
                after_ms: None,
                error: format!(
                    "the receiver of {} cannot be reached: {why}",
                    reply.url.name
                ),
            },
            // The receiver drops a repeat by its webhook-id, so an unknown outcome is sent again.
            Err(HttpError::Broken(why)) => SendOutcome::Retry {
                after_ms: None,
                error: format!("the receiver of {} gave no answer: {why}", reply.url.name),
            },
        }
    }
}
