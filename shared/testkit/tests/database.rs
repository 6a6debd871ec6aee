//! Test databases: a template is built once, every copy is its own, dropping leaves nothing.

use openeve_testkit::database::{TestDatabase, TestServer};

#[tokio::test]
async fn a_template_is_built_once_and_its_copies_are_separate() {
    let server = TestServer::shared();
    // A key of this process, so that it is new in every run.
    let key = format!("testkit_{}", std::process::id());
    let mut builds = 0;
    for _ in 0..2 {
        let name = server
            .template(&key, async |url: String| {
                builds += 1;
                let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
                    .await
                    .unwrap();
                tokio::spawn(connection);
                client
                    .batch_execute("CREATE TABLE t AS SELECT 1 AS n")
                    .await
                    .unwrap();
            })
            .await;
        assert_eq!(name, format!("template_{key}"));
    }
    assert_eq!(builds, 1);

    let template = format!("template_{key}");
    let (one, two) = tokio::join!(
        TestDatabase::create(&template),
        TestDatabase::create(&template)
    );
    let count = async |database: &TestDatabase| -> i64 {
        let client = database.connect().await;
        client
            .query_one("SELECT count(*) FROM t", &[])
            .await
            .unwrap()
            .get(0)
    };
    one.connect()
        .await
        .batch_execute("INSERT INTO t VALUES (2)")
        .await
        .unwrap();
    assert_eq!((count(&one).await, count(&two).await), (2, 1));

    let names = [one.name().to_owned(), two.name().to_owned(), template];
    drop((one, two));
    let mine = TestDatabase::create("template0").await;
    let admin = mine.connect().await;
    admin
        .batch_execute(&format!("DROP DATABASE {}", names[2]))
        .await
        .unwrap();
    let sql = "SELECT count(*) FROM pg_database WHERE datname = ANY($1)";
    let left: i64 = admin
        .query_one(sql, &[&names.as_slice()])
        .await
        .unwrap()
        .get(0);
    assert_eq!(left, 0);
}
