//! The model of `dev`: the configured one, else the offline demo model of this process.

use anyhow::Context as _;
use openeve_domain::secret::Secret;
use openeve_runtime::config::Values;
use tokio::net::TcpListener;

use crate::demo_model;

/// A model to ask.
pub(super) struct Model {
    base_url: String,
    api_key: Option<Secret>,
    demo: bool,
}

impl Model {
    /// The configured model if there is a key or another base URL; else the demo model.
    pub(super) async fn choose(values: &Values) -> anyhow::Result<Self> {
        let base_url = values.text("OPENEVE_MODEL_BASE_URL");
        let api_key = values.given("OPENEVE_MODEL_API_KEY").map(Secret::new);
        if api_key.is_some() || base_url != "https://api.openai.com/v1" {
            return Ok(Self {
                base_url,
                api_key,
                demo: false,
            });
        }
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .context("no port is free on loopback")?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        tokio::spawn(demo_model::serve(listener, jiff::Timestamp::now));
        Ok(Self {
            base_url,
            api_key: Some(Secret::new("demo-model-needs-no-key")),
            demo: true,
        })
    }

    /// Where it is.
    pub(super) fn base_url(&self) -> String {
        self.base_url.clone()
    }

    /// Its key.
    pub(super) fn api_key(&self) -> Option<Secret> {
        self.api_key.clone()
    }

    /// One line for people.
    pub(super) fn describe(&self, model: &str) -> String {
        if self.demo {
            format!(
                "OFFLINE DEMO, not a real model: it picks tools by matching words and needs no account.\n       \
                 Set OPENEVE_MODEL_API_KEY to use {model}."
            )
        } else {
            format!("{model} at {}", self.base_url)
        }
    }
}
