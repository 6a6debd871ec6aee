//! The AWS adapters against servers that speak the real wire protocols.

use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use openeve_aws::{Account, S3Blobs, SqsDoorbell};
use openeve_domain::bell::Bell;
use openeve_domain::ids::{DeliveryId, RunId};
use openeve_runtime::ports::{BlobId, Blobs as _, Doorbell as _};
use openeve_testkit::http_client::request;
use openeve_testkit::patience::eventually;
use openeve_testkit::sqs::SqsServer;
use openeve_testkit::sqs::local::LocalSqs;
use openeve_tests::emulator::Emulator;
use openeve_tests::paths::test_tool;
use serde_json::Value;
use uuid::Uuid;

fn account(endpoint: &str) -> Account {
    let variable = |name: &str| match name {
        "AWS_REGION" => Some("us-east-1".to_owned()),
        "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("test".to_owned()),
        _ => None,
    };
    Account::read(variable, Some(endpoint.to_owned())).unwrap()
}

/// SeaweedFS: an S3 whose conditional writes hold under a race.
struct Seaweed {
    process: Child,
    endpoint: String,
    _folder: tempfile::TempDir,
}

impl Seaweed {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let identities = serde_json::json!({"identities": [{"name": "test", "credentials": [{"accessKey": "test", "secretKey": "test"}], "actions": ["Admin", "Read", "Write", "List"]}]});
        let config = folder.path().join("s3.json");
        std::fs::write(&config, identities.to_string()).unwrap();
        let [master, volume, filer, s3] = ports();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let process = Command::new(test_tool("weed"))
            .args([
                "server",
                "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1",
                "-filer",
                "-s3",
            ])
            .arg(format!("-dir={}", folder.path().display()))
            .arg(format!("-s3.config={}", config.display()))
            .arg(format!("-master.port={master}"))
            .arg(format!("-volume.port={volume}"))
            .arg(format!("-filer.port={filer}"))
            .arg(format!("-s3.port={s3}"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .expect("SeaweedFS starts");
        let endpoint = format!("http://127.0.0.1:{s3}");
        let seaweed = Self {
            process,
            endpoint,
            _folder: folder,
        };
        // Any answer will do: without a signature it is a refusal.
        eventually("SeaweedFS answers", async || {
            request("GET", &seaweed.endpoint, &[], b"")
                .await
                .ok()
                .map(|_| ())
        })
        .await;
        seaweed
    }
}

impl Drop for Seaweed {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Free ports whose neighbour 10,000 above exists too, where SeaweedFS puts its gRPC.
fn ports() -> [u16; 4] {
    let mut held = Vec::new();
    while held.len() < 4 {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        if port < 55_000 && std::net::TcpListener::bind(("127.0.0.1", port + 10_000)).is_ok() {
            held.push((port, listener));
        }
    }
    [held[0].0, held[1].0, held[2].0, held[3].0]
}

#[tokio::test]
async fn blobs_are_content_addressed_and_written_only_where_there_is_nothing() {
    let seaweed = Seaweed::start().await;
    let blobs = S3Blobs::new(&account(&seaweed.endpoint), "blobs".into());
    let created = eventually("the bucket is created", async || {
        blobs.create_bucket().await.ok()
    })
    .await;
    assert_eq!(created, ());
    let bytes = Bytes::from_static(b"a context bundle");
    let puts = (0..20).map(|_| blobs.put(bytes.clone()));
    for put in futures_util::future::join_all(puts).await {
        assert_eq!(
            put.unwrap(),
            BlobId::of(&bytes),
            "whoever loses the race is as happy as who wins"
        );
    }
    assert_eq!(blobs.get(&BlobId::of(&bytes)).await.unwrap(), Some(bytes));
    assert_eq!(blobs.get(&BlobId::of(b"another")).await.unwrap(), None);
}

/// What a doorbell owes, whatever server stands in for SQS.
async fn rings_in_its_own_queue_and_later_if_delayed(sqs: &SqsServer) {
    let (step, _) = sqs.create_pair("step", 30, 5).await;
    let (delivery, _) = sqs.create_pair("delivery", 30, 5).await;
    let doorbell = SqsDoorbell::new(
        &account(sqs.endpoint()),
        step.url.clone(),
        delivery.url.clone(),
    );
    let (run, reply) = (
        RunId::new(Uuid::from_u128(7)),
        DeliveryId::new(Uuid::from_u128(8)),
    );
    doorbell.ring(&Bell::run(run), 0).await.unwrap();
    doorbell.ring(&Bell::delivery(reply), 0).await.unwrap();
    for (queue, bell) in [(&step, Bell::run(run)), (&delivery, Bell::delivery(reply))] {
        let received = sqs.receive(queue, 10, 1).await.unwrap();
        assert_eq!(received.len(), 1);
        let body = received[0]["Body"].as_str().unwrap();
        assert_eq!(Bell::decode(body).unwrap(), bell);
        assert_eq!(received[0]["Attributes"]["MessageGroupId"], Value::Null);
    }
    doorbell.ring(&Bell::run(run), 60_000).await.unwrap();
    assert_eq!(sqs.depth(&step).await.delayed, 1);
    doorbell.ring(&Bell::run(run), 3_600_000).await.unwrap();
    assert_eq!(
        sqs.depth(&step).await.delayed,
        1,
        "an hour is too long for SQS; the tick will ring"
    );
}

#[tokio::test]
async fn a_doorbell_rings_in_its_own_queue_and_a_delayed_one_later() {
    let ministack = Emulator::start().await;
    rings_in_its_own_queue_and_later_if_delayed(&SqsServer::new(ministack.endpoint())).await;
    let local = LocalSqs::start().await;
    rings_in_its_own_queue_and_later_if_delayed(&local.client()).await;
}

#[tokio::test]
async fn a_bell_of_a_tenant_is_a_message_of_its_group_whatever_the_name() {
    let local = LocalSqs::start().await;
    let sqs = local.client();
    let (step, _) = sqs.create_pair("step", 30, 5).await;
    let (account, none) = (account(sqs.endpoint()), String::new());
    let doorbell = SqsDoorbell::new(&account, step.url.clone(), none);
    let bell = Bell::run(RunId::new(Uuid::from_u128(7)));
    for (tenant, group) in [
        ("org:7/team-a", "org:7/team-a"),
        ("Café Müller", "0d756dd43f9870e2cb09135a5f770dd6"),
    ] {
        let bell = bell.clone().of_tenant(tenant);
        doorbell.ring(&bell, 0).await.unwrap();
        let received = sqs.receive(&step, 10, 0).await.unwrap();
        assert_eq!(received[0]["Attributes"]["MessageGroupId"], group);
        let body = received[0]["Body"].as_str().unwrap();
        assert_eq!(Bell::decode(body).unwrap(), bell, "the bell keeps the name");
    }
}

#[tokio::test]
async fn a_queue_that_does_not_answer_is_said_to_be_unreachable() {
    let doorbell = SqsDoorbell::new(
        &account("http://127.0.0.1:9"),
        "http://127.0.0.1:9/q".into(),
        String::new(),
    );
    let error = doorbell
        .ring(&Bell::run(RunId::new(Uuid::from_u128(7))), 0)
        .await
        .unwrap_err();
    assert_eq!(error.code, "queue_unreachable");
    let error = doorbell
        .ring(&Bell::delivery(DeliveryId::new(Uuid::from_u128(7))), 0)
        .await
        .unwrap_err();
    assert_eq!(error.code, "queue_not_configured");
}
