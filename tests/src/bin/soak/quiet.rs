//! Waiting until nothing is owed any more, with an end.

use crate::clock::{Start, pause};
use crate::stage::Stage;

/// How often the database is asked.
const ASK_MS: u64 = 500;

/// How the wait ended.
#[derive(Debug, Clone)]
pub(crate) struct Settled {
    /// How long it took.
    pub(crate) after_ms: u64,
    /// What was still open when patience ended; none if it became quiet.
    pub(crate) open: Option<String>,
}

/// Waits until no run and no delivery is open. The tick and the queues go on meanwhile.
pub(crate) async fn until_quiet(stage: &Stage, patience_ms: u64) -> Settled {
    let start = Start::now();
    let sql = "SELECT (SELECT count(*) FROM openeve.runs WHERE finished_at IS NULL), \
               (SELECT count(*) FROM openeve.deliveries WHERE settled_at IS NULL)";
    let client = stage.connect().await;
    loop {
        let row = client.query_one(sql, &[]).await.expect("Postgres runs");
        let (runs, deliveries): (i64, i64) = (row.get(0), row.get(1));
        let after_ms = start.elapsed_ms();
        if runs + deliveries == 0 {
            return Settled {
                after_ms,
                open: None,
            };
        }
        if after_ms > patience_ms {
            let open = format!("{runs} runs and {deliveries} deliveries are still open");
            return Settled {
                after_ms,
                open: Some(open),
            };
        }
        pause(ASK_MS).await;
    }
}
