//! The wire proxy before a real Postgres: exact counts, lost answers, cut connections.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails loudly, its helpers too"
)]

use futures_util::future::join5;
use openeve_testkit::database::TestDatabase;
use openeve_testkit::wire::{Counts, WireProxy};
use tokio_postgres::{Client, NoTls};

async fn connect(proxy: &WireProxy) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(&proxy.url(), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn setup() -> (TestDatabase, WireProxy, Client) {
    let database = TestDatabase::create("template0").await;
    let proxy = WireProxy::start(&database.url()).await;
    let client = connect(&proxy).await.unwrap();
    client
        .batch_execute("CREATE TABLE t (n int8 PRIMARY KEY)")
        .await
        .unwrap();
    proxy.reset();
    (database, proxy, client)
}

async fn rows(client: &Client) -> i64 {
    client
        .query_typed("SELECT count(*) FROM t", &[])
        .await
        .unwrap()[0]
        .get(0)
}

#[tokio::test]
async fn a_pipelined_transaction_is_one_round_trip() {
    let (_database, proxy, client) = setup().await;
    let insert = |n: i64| {
        let client = &client;
        async move {
            let sql = "INSERT INTO t VALUES ($1)";
            client
                .query_typed(sql, &[(&n, tokio_postgres::types::Type::INT8)])
                .await
        }
    };
    let (begin, a, b, c, commit) = join5(
        client.batch_execute("BEGIN"),
        insert(1),
        insert(2),
        insert(3),
        client.batch_execute("COMMIT"),
    )
    .await;
    begin.and(commit).unwrap();
    a.and(b).and(c).unwrap();
    let counts = proxy.counts();
    let expected = Counts {
        round_trips: 1,
        statements: 5,
        transactions: 1,
        bytes_to_server: counts.bytes_to_server,
        bytes_to_client: counts.bytes_to_client,
        ..Counts::default()
    };
    assert_eq!(counts, expected);
    assert!(
        counts.bytes_to_server > 200 && counts.bytes_to_client > 100,
        "{counts:?}"
    );
    let insert = "INSERT INTO t VALUES ($1)";
    assert_eq!(
        proxy.statements(),
        ["BEGIN", insert, insert, insert, "COMMIT"]
    );
}

#[tokio::test]
async fn statements_one_by_one_are_round_trips_and_transactions_of_their_own() {
    let (_database, proxy, client) = setup().await;
    client.batch_execute("BEGIN").await.unwrap();
    client
        .batch_execute("INSERT INTO t VALUES (1)")
        .await
        .unwrap();
    client.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(rows(&client).await, 0);
    let counts = proxy.counts();
    assert_eq!(
        (counts.round_trips, counts.statements, counts.transactions),
        (4, 4, 2)
    );
    assert_eq!(counts.named_statements, 0);
    client.prepare("SELECT 1").await.unwrap();
    assert_eq!(proxy.counts().named_statements, 1);
    assert_eq!(proxy.counts().statements, 4);
}

#[tokio::test]
async fn a_lost_answer_is_done_and_a_lost_request_is_not() {
    let (_database, proxy, client) = setup().await;
    proxy.lose_answer_of("COMMIT");
    client
        .batch_execute("BEGIN; INSERT INTO t VALUES (1)")
        .await
        .unwrap();
    assert!(client.batch_execute("COMMIT").await.is_err());
    assert_eq!(proxy.armed(), 0);

    let client = connect(&proxy).await.unwrap();
    assert_eq!(rows(&client).await, 1);
    proxy.lose_request_of("VALUES (2)");
    assert!(
        client
            .batch_execute("INSERT INTO t VALUES (2)")
            .await
            .is_err()
    );

    let client = connect(&proxy).await.unwrap();
    assert_eq!(rows(&client).await, 1);
    proxy.lose_later_answer_of("INSERT", 1);
    client
        .batch_execute("INSERT INTO t VALUES (3)")
        .await
        .unwrap();
    assert!(
        client
            .batch_execute("INSERT INTO t VALUES (4)")
            .await
            .is_err()
    );
    assert_eq!(rows(&connect(&proxy).await.unwrap()).await, 3);
}

#[tokio::test]
async fn an_answer_can_be_held_until_the_test_says_so() {
    let (_database, proxy, client) = setup().await;
    let gate = proxy.hold_answer_of("INSERT");
    let insert = tokio::spawn(async move {
        client
            .batch_execute("INSERT INTO t VALUES (1)")
            .await
            .unwrap();
        client
    });
    gate.arrived(1).await;
    // The server is done with it; only the answer is missing.
    assert_eq!(rows(&connect(&proxy).await.unwrap()).await, 1);
    assert!(!insert.is_finished());
    gate.open();
    assert_eq!(rows(&insert.await.unwrap()).await, 1);
}

#[tokio::test]
async fn a_cut_ends_every_connection_and_refusing_ends_new_ones() {
    let (_database, proxy, client) = setup().await;
    proxy.refuse(true);
    assert!(connect(&proxy).await.is_err());
    proxy.refuse(false);
    assert_eq!(rows(&client).await, 0);
    proxy.cut();
    assert!(client.batch_execute("SELECT 1").await.is_err());
    assert_eq!(rows(&connect(&proxy).await.unwrap()).await, 0);
}
