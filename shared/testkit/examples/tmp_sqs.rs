//! x
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "x")]
use openeve_testkit::sqs::{SqsServer, poller::*};
use openeve_testkit::lambda::*;
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = SqsServer::new("http://127.0.0.1:5871");
    let (q, dead) = server.create_pair("steps", 2, 3).await;
    println!("{q:?} {dead:?}");
    for n in 0..20 { server.send(&q, &format!("{{\"n\":{n}}}")).await; }
    server.send(&q, "crash").await;
    println!("{:?}", server.depth(&q).await);
    let f = LambdaFunction::start("/work/main/target/debug/examples/echo_lambda", [], LambdaOptions::default());
    let p = Poller::start(&server, &q, &f, Mapping { redelivers_at_once: true, batch_size: 1, delivers_twice: true, reversal_window: 5, ..Mapping::default() });
    server.empty(&q).await;
    println!("{:?} {:?}", p.stats(), f.stats());
    drop(p);
    println!("{:?}", server.receive(&dead, 10, 0).await.unwrap());
}
