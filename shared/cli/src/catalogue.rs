//! The local catalogue of models: `data/models.json`, as it was when this version was built.
//!
//! A row says which public source it was taken from and on which day. A price that no source gives
//! is absent, never guessed; prices are US dollars for a million tokens. The catalogue decides
//! nothing: a model outside of it runs as well as one in it.

use std::collections::BTreeMap;

use anyhow::Context as _;
use openeve_domain::nearest::nearest;
use serde::{Deserialize, Serialize};

const DATA: &str = include_str!("../data/models.json");

/// The whole catalogue.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Catalogue {
    /// Source's short name → what it is.
    pub(crate) sources: BTreeMap<String, String>,
    /// Every model, by id.
    pub(crate) models: Vec<Model>,
}

/// One model.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    /// As `agent.ts` names it: `provider/model`.
    pub(crate) id: String,
    /// As people name it.
    pub(crate) name: String,
    /// Tokens that a request and its answer may have together.
    pub(crate) context: Option<u64>,
    /// Tokens of an answer at most.
    pub(crate) output: Option<u64>,
    /// The levels of `reasoning` that it knows; a level it lacks maps to the nearest lower one.
    pub(crate) reasoning: Vec<String>,
    /// Whether it reads images.
    pub(crate) images: bool,
    /// What it costs, if a source says so.
    pub(crate) price: Option<Price>,
    /// What it costs when a request has more tokens than `above`.
    pub(crate) tiers: Vec<Tier>,
    /// Which of the sources says so.
    pub(crate) source: String,
    /// On which day that was read.
    pub(crate) checked: String,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    /// Of what is sent.
    pub(crate) input: f64,
    /// Of what is answered.
    pub(crate) output: f64,
    /// Of what is sent and was cached.
    pub(crate) cached: Option<f64>,
}

/// The price of large requests, in US dollars for a million tokens.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tier {
    /// Tokens of a request from which on it counts.
    pub(crate) above: u64,
    /// Of what is sent.
    pub(crate) input: f64,
    /// Of what is answered.
    pub(crate) output: f64,
    /// Of what is sent and was cached.
    pub(crate) cached: Option<f64>,
}

impl Model {
    /// The provider, which is what stands before the first slash.
    pub(crate) fn provider(&self) -> &str {
        self.id.split_once('/').map_or("", |(provider, _)| provider)
    }
}

impl Catalogue {
    /// Reads what this binary holds.
    pub(crate) fn read() -> anyhow::Result<Self> {
        serde_json::from_str(DATA).context("this binary's model catalogue cannot be read")
    }

    /// Whether a model is in it.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.models.iter().any(|model| model.id == id)
    }

    /// The id that was most likely meant: of the same provider if there is one.
    pub(crate) fn near(&self, id: &str) -> Option<&str> {
        let provider = id.split_once('/').map_or("", |(provider, _)| provider);
        let ids = |own: bool| {
            let wanted = move |model: &&Model| !own || model.provider() == provider;
            self.models.iter().filter(wanted).map(|one| one.id.as_str())
        };
        nearest(id, ids(true)).or_else(|| nearest(id, ids(false)))
    }

    /// Every provider, once.
    pub(crate) fn providers(&self) -> Vec<&str> {
        let mut providers: Vec<&str> = self.models.iter().map(Model::provider).collect();
        providers.dedup();
        providers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_says_where_it_is_from() {
        let catalogue = Catalogue::read().unwrap();
        assert!(catalogue.models.len() > 100);
        let levels = ["off", "minimal", "low", "medium", "high", "xhigh"];
        for model in &catalogue.models {
            assert!(!model.provider().is_empty(), "{model:?}");
            assert!(catalogue.sources.contains_key(&model.source), "{model:?}");
            assert!(model.checked.parse::<jiff::civil::Date>().is_ok());
            assert!(!model.reasoning.is_empty(), "{model:?}");
            for level in &model.reasoning {
                assert!(levels.contains(&level.as_str()), "{model:?}");
            }
            if let Some(price) = &model.price {
                assert!(price.input > 0.0 || price.output > 0.0, "{model:?}");
            }
        }
        let ids: Vec<&str> = catalogue.models.iter().map(|one| one.id.as_str()).collect();
        assert!(ids.is_sorted_by(|one, next| one < next), "sorted, and once");
    }

    #[test]
    fn a_misspelt_model_finds_the_one_of_its_provider() {
        let catalogue = Catalogue::read().unwrap();
        assert!(catalogue.has("openai/gpt-5.4-mini"));
        assert_eq!(
            catalogue.near("openai/gpt-5.4-mnii"),
            Some("openai/gpt-5.4-mini")
        );
        assert_eq!(catalogue.near("nobody/nothing-like-it-anywhere"), None);
    }
}
