//! MiniStack: SQS, S3, Lambda and CloudFormation on loopback, one process a test.

use std::fs::File;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use openeve_testkit::http_client::{HttpAnswer, request};
use openeve_testkit::patience::eventually;
use tempfile::TempDir;

use crate::paths::test_tool;

/// A running emulator. Dropping it ends it and its functions.
pub struct Emulator {
    endpoint: String,
    process: Child,
    folder: TempDir,
}

impl Emulator {
    /// Starts one on a free port and waits until it answers.
    pub async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .unwrap()
            .port();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let log = File::create(at("log")).unwrap();
        let endpoint = format!("http://127.0.0.1:{port}");
        for name in ["state", "s3", "tmp"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        let process = Command::new(test_tool("ministack"))
            .env("GATEWAY_PORT", port.to_string())
            .env("BIND_HOST", "127.0.0.1")
            .env("MINISTACK_HOST", "127.0.0.1")
            .env("MINISTACK_REGION", "us-east-1")
            // It would listen for MQTT on every interface.
            .env("IOT_MTLS_ENABLED", "0")
            .env("STATE_DIR", at("state"))
            .env("S3_DATA_DIR", at("s3"))
            .env("TMPDIR", at("tmp"))
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test")
            // Functions inherit this, and so find the emulator instead of AWS.
            .env("OPENEVE_AWS_ENDPOINT_URL", &endpoint)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .expect("the emulator starts");
        let emulator = Self {
            endpoint,
            process,
            folder,
        };
        eventually("the emulator answers", async || {
            let url = format!("{}/_ministack/health", emulator.endpoint);
            request("GET", &url, &[], b"")
                .await
                .ok()
                .filter(|answer| answer.status == 200)
                .map(|_| ())
        })
        .await;
        emulator
    }

    /// Where it listens.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Sends one request to a service; the emulator checks no signature but wants the service named.
    pub async fn call(
        &self,
        service: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> HttpAnswer {
        let auth = format!(
            "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host, Signature=00"
        );
        let mut all = vec![("authorization", auth.as_str())];
        all.extend_from_slice(headers);
        request(method, &format!("{}{path}", self.endpoint), &all, body)
            .await
            .expect("the emulator answers")
    }

    /// What it and its functions printed.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // SIGTERM lets it end its functions; a second later it is gone in any case.
        if let Some(pid) = rustix::process::Pid::from_raw(self.process.id().cast_signed()) {
            let _gone = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        drop(self.process.wait());
    }
}
