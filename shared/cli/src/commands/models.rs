//! `openeve models [--provider P]`: the local catalogue.

use std::process::ExitCode;

use clap::Args;
use openeve_domain::nearest::nearest;
use serde_json::json;

use crate::catalogue::{Catalogue, Model};
use crate::output::{self, Usage};

/// Which models.
#[derive(Args)]
#[command(after_help = "\
Prices are US dollars for a million tokens; `-` where no source gives one.

Example:
  openeve models --provider openai
  openeve models --json")]
pub(crate) struct ModelsArguments {
    /// Only this provider's.
    #[arg(long, value_name = "PROVIDER")]
    provider: Option<String>,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Lists them. Exits 2 if no provider is called so.
pub(crate) fn run(arguments: &ModelsArguments) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::read()?;
    if let Some(provider) = &arguments.provider {
        let known = catalogue.providers();
        if !known.contains(&provider.as_str()) {
            let meant = nearest(provider, known.iter().copied());
            let meant = meant.map_or(String::new(), |one| format!("; did you mean {one:?}?"));
            return Err(Usage(format!(
                "the catalogue has no provider {provider:?}{meant} It has {}",
                known.join(", ")
            ))
            .into());
        }
    }
    let wanted = |model: &&Model| {
        let provider = arguments.provider.as_deref();
        provider.is_none_or(|provider| model.provider() == provider)
    };
    let models: Vec<&Model> = catalogue.models.iter().filter(wanted).collect();
    if arguments.json {
        output::json(&json!({"sources": catalogue.sources, "models": models}));
        return Ok(ExitCode::SUCCESS);
    }
    let width = models.iter().map(|model| model.id.len()).max();
    let width = width.unwrap_or_default();
    output::answer(&format!(
        "{:<width$}  {:>9}  {:>7}  {:>7}  reasoning",
        "model", "context", "input", "output"
    ));
    for model in models {
        let context = model.context.map_or("-".to_owned(), |one| one.to_string());
        let [input, output] = match &model.price {
            Some(price) => [price.input, price.output].map(|one| format!("{one}")),
            None => ["-", "-"].map(str::to_owned),
        };
        output::answer(&format!(
            "{:<width$}  {context:>9}  {input:>7}  {output:>7}  {}",
            model.id,
            model.reasoning.join(" ")
        ));
    }
    for (name, source) in &catalogue.sources {
        output::say(&format!("source {name}: {source}"));
    }
    Ok(ExitCode::SUCCESS)
}
