//! The sweep function: one pass over what retention no longer keeps, and over the queues' dead
//! letters. Wiring only.

use std::collections::BTreeMap;
use std::sync::Arc;

use openeve_aws::lambda::serve_clock;
use openeve_aws::{Account, SqsDeadLetters};
use openeve_host::environment;
use openeve_runtime::dead_letters::{LetterBoxes, LetterDeps};
use openeve_runtime::ports::DeadLetters;
use openeve_runtime::sweep::{SweepDeps, sweep};

/// The queues, and the knobs that name their dead letters.
const QUEUES: [(&str, &str); 2] = [
    ("step", "OPENEVE_STEP_DEAD_LETTERS_URL"),
    ("delivery", "OPENEVE_DELIVERY_DEAD_LETTERS_URL"),
];

fn main() -> anyhow::Result<()> {
    openeve_boot::run(|boot| {
        let endpoint = boot.values.given("OPENEVE_AWS_ENDPOINT_URL");
        let account = Account::read(environment::variable, endpoint)?;
        let mut queues = BTreeMap::<_, Arc<dyn DeadLetters>>::new();
        for (queue, knob) in QUEUES {
            if let Some(url) = boot.values.given(knob) {
                queues.insert(queue, Arc::new(SqsDeadLetters::new(&account, url)));
            }
        }
        let through = LetterDeps {
            rows: boot.store.clone(),
            doorbell: boot.doorbell,
            agent_id: boot.artifact.manifest.agent.id.clone(),
        };
        let deps = Arc::new(SweepDeps {
            store: boot.store,
            letters: Some(LetterBoxes { through, queues }),
        });
        Ok(serve_clock(move || {
            let deps = Arc::clone(&deps);
            async move { sweep(&deps).await }
        }))
    })
}
