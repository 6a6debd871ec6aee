//! Looking at the row a dead letter names, without taking it.

use async_trait::async_trait;
use openeve_domain::bell::Place;
use openeve_runtime::ports::{Need, Needs, PortError};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::pipeline::{Statement, repeated, single};
use crate::rows::get;
use crate::store::PgStore;

#[async_trait]
impl Needs for PgStore {
    async fn need(&self, agent_id: &str, at: Place) -> Result<Need, PortError> {
        repeated(self.pool(), |client| {
            let agent_id = agent_id.to_owned();
            Box::pin(async move { need(client, &agent_id, at).await })
        })
        .await
        .map_err(Failure::into_port)
    }
}

async fn need(client: &Client, agent_id: &str, at: Place) -> Result<Need, Failure> {
    let (sql, id) = match at {
        Place::Run { run_id } => (include_str!("sql/need_run.sql"), run_id.uuid()),
        Place::Delivery { delivery_id } => {
            (include_str!("sql/need_delivery.sql"), delivery_id.uuid())
        }
    };
    let statement = Statement::new(sql)
        .bind(id, Type::UUID)
        .bind(agent_id.to_owned(), Type::TEXT);
    let answer = single(client, &statement).await?;
    let Some(row) = answer.rows.first() else {
        return Ok(Need::Unknown);
    };
    Ok(
        match (get::<bool>(row, "open")?, get::<bool>(row, "due")?) {
            (false, _) => Need::Nothing,
            (true, false) => Need::Later,
            (true, true) => Need::Now {
                tenant: get(row, "tenant")?,
            },
        },
    )
}
