//! Starts and stops the Postgres server that all tests share, and rewrites what is generated.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a tool of the test command"
)]

use openeve_testkit::database::TestServer;
use openeve_tests::schema;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("start") => {
            let server = TestServer::shared();
            println!("the tests' Postgres answers at {}", server.url("postgres"));
        }
        Some("stop") => {
            TestServer::stop_shared();
            println!("the tests' Postgres is stopped");
        }
        Some("update") => {
            std::fs::write(schema::file(), schema::dump().await).unwrap();
            std::fs::write(
                schema::configuration_file(),
                openeve_runtime::config::reference_page(),
            )
            .unwrap();
            println!("schema.sql and configuration.md are written");
        }
        other => panic!("say start, stop or update, not {other:?}"),
    }
}
