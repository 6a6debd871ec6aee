//! Migrations: idempotent, refused on drift, and equal to the dumped schema.

use openeve_domain::secret::Secret;
use openeve_postgres::migrate::{MigrateError, State};
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::ports::Store as _;
use openeve_testkit::database::TestDatabase;

async fn empty() -> (TestDatabase, PgStore) {
    let database = TestDatabase::create("template0").await;
    let store = PgStore::new(Pool::new(&Secret::new(database.url()), 2, None).unwrap());
    (database, store)
}

#[tokio::test]
async fn planning_changes_nothing_and_applying_twice_is_applying_once() {
    let (_database, store) = empty().await;
    let plan = store.plan_migrations().await.unwrap();
    assert!(plan.iter().all(|one| one.state == State::Pending));
    assert_eq!(store.plan_migrations().await.unwrap(), plan);
    assert_eq!(store.ready().await.unwrap_err().code, "database_schema");
    store.migrate().await.unwrap();
    let again = store.migrate().await.unwrap();
    assert!(again.iter().all(|one| one.state == State::Applied));
    store.ready().await.unwrap();
}

#[tokio::test]
async fn several_migrators_at_once_apply_each_migration_once() {
    let (database, store) = empty().await;
    let other = PgStore::new(Pool::new(&Secret::new(database.url()), 1, None).unwrap());
    let (one, two) = tokio::join!(store.migrate(), other.migrate());
    one.unwrap();
    two.unwrap();
    let applied = store.plan_migrations().await.unwrap();
    assert!(applied.iter().all(|one| one.state == State::Applied));
}

#[tokio::test]
async fn a_file_that_changed_after_it_was_applied_is_refused_by_name() {
    let (database, store) = empty().await;
    store.migrate().await.unwrap();
    let client = database.connect().await;
    let tamper =
        "UPDATE openeve.openeve_schema_migrations SET checksum = 'other' WHERE id = '0001_init'";
    client.batch_execute(tamper).await.unwrap();
    let error = store.migrate().await.unwrap_err();
    assert_eq!(
        error,
        MigrateError::Drift {
            id: "0001_init".into()
        }
    );
    assert!(error.to_string().contains("0001_init"));
}

#[tokio::test]
async fn every_migration_records_what_it_is() {
    let (database, store) = empty().await;
    store.migrate().await.unwrap();
    let client = database.connect().await;
    let sql = "SELECT id, checksum, description, package_version, applied_at::text FROM openeve.openeve_schema_migrations";
    for row in client.query(sql, &[]).await.unwrap() {
        for column in 0..5 {
            assert!(!row.get::<_, String>(column).is_empty());
        }
    }
}

#[tokio::test]
async fn the_dumped_schema_is_the_file_beside_the_migrations() {
    let file = std::fs::read_to_string(openeve_tests::schema::file()).unwrap();
    let dumped = openeve_tests::schema::dump().await;
    assert!(
        file == dumped,
        "migrations/schema.sql is out of date; run `tests/run --update` and read the difference"
    );
}
