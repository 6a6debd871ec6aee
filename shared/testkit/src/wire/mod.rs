//! A proxy before Postgres that counts what crosses it, exactly, and breaks it on demand.
//!
//! It understands the protocol's framing, the messages that begin and end work, and statement
//! texts; everything else passes through. What it counts is defined in [`Counts`].
//!
//! An answer can be lost (the server did the work, the client never hears), a request can be lost
//! (the server never hears), an answer can be held by a [`Gate`]. Each fault is armed for one
//! statement that contains a text, fires once, and is then gone.

mod frames;
mod ledger;
mod relay;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::gate::Gate;
use crate::loopback::Task;

/// What crossed the proxy since it started or was last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections whose login was answered.
    pub connections: u64,
    /// A round trip begins when the client sends anything while nothing of it is unanswered. The
    /// login is none.
    pub round_trips: u64,
    /// Executed portals and simple queries (one each, however many statements their text holds).
    pub statements: u64,
    /// Times the server became idle after work: one for each `COMMIT`, `ROLLBACK` or lone statement.
    pub transactions: u64,
    /// Statements prepared under a name, which a transaction-mode pooler would lose.
    pub named_statements: u64,
    /// Bytes from clients, login included.
    pub bytes_to_server: u64,
    /// Bytes to clients, login included.
    pub bytes_to_client: u64,
}

/// What happens to the statement that a fault is armed for.
#[derive(Debug, Clone)]
pub(crate) enum FaultKind {
    LoseAnswer,
    LoseRequest,
    HoldAnswer(Gate),
}

#[derive(Debug)]
struct Armed {
    contains: String,
    skip: usize,
    kind: FaultKind,
}

/// What all connections share.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: Counts,
    texts: Vec<String>,
    armed: Vec<Armed>,
    rewrites: Vec<Rewrite>,
}

/// A text of statements that is replaced by another on its way to the server.
#[derive(Debug)]
struct Rewrite {
    from: String,
    to: String,
    times: u64,
}

impl Tally {
    /// Changes the text of a statement that is being prepared, if it is to be changed.
    fn rewrite(&mut self, frame: &mut frames::Frame) {
        const PARSE: u8 = b'P';
        if frame.tag != Some(PARSE) {
            return;
        }
        for rewrite in &mut self.rewrites {
            if let Some(changed) = frame.replaced(rewrite.from.as_bytes(), rewrite.to.as_bytes()) {
                *frame = changed;
                rewrite.times += 1;
            }
        }
    }

    /// Records a statement and disarms the fault it triggers, if any.
    fn statement(&mut self, text: &str) -> Option<FaultKind> {
        self.counts.statements += 1;
        self.texts.push(text.to_owned());
        let mut fired = None;
        self.armed.retain_mut(|armed| {
            if fired.is_some() || !text.contains(&armed.contains) {
                return true;
            }
            if armed.skip > 0 {
                armed.skip -= 1;
                return true;
            }
            fired = Some(armed.kind.clone());
            false
        });
        fired
    }
}

/// A running proxy. Dropping it cuts every connection.
pub struct WireProxy {
    address: SocketAddr,
    upstream: Config,
    shared: Arc<Shared>,
    _server: Task,
}

/// What a connection needs of the proxy.
pub(crate) struct Shared {
    tally: Mutex<Tally>,
    /// Grows when all connections are to be cut.
    cuts: watch::Sender<u64>,
    refuses: watch::Sender<bool>,
}

impl Shared {
    pub(crate) fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("no holder panics")
    }
}

impl WireProxy {
    /// Starts a proxy to the database of a key-value or URL form connection string.
    pub async fn start(upstream_url: &str) -> Self {
        let upstream: Config = upstream_url
            .parse()
            .expect("the upstream's address is readable");
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("loopback has a free port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            tally: Mutex::default(),
            cuts: watch::Sender::new(0),
            refuses: watch::Sender::new(false),
        });
        let server = Task::spawn(accept(listener, upstream.clone(), Arc::clone(&shared)));
        Self {
            address,
            upstream,
            shared,
            _server: server,
        }
    }

    /// The address for clients: TCP on loopback, the upstream's user, password and database.
    pub fn url(&self) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
        let mut url = format!(
            "host=127.0.0.1 port={} sslmode=disable",
            self.address.port()
        );
        let password = self.upstream.get_password().map(String::from_utf8_lossy);
        for (name, value) in [
            ("user", self.upstream.get_user()),
            ("password", password.as_deref()),
            ("dbname", self.upstream.get_dbname()),
        ] {
            if let Some(value) = value {
                url.extend([" ", name, "=", &quoted(value)]);
            }
        }
        url
    }

    /// From now on this text of a statement reaches the server as that one: how mutants of SQL are
    /// made without touching what ships.
    pub fn rewrite(&self, from: &str, to: &str) {
        self.shared.tally().rewrites.push(Rewrite {
            from: from.to_owned(),
            to: to.to_owned(),
            times: 0,
        });
    }

    /// Whether every text that was to be rewritten was seen.
    pub fn rewrote_all(&self) -> bool {
        self.shared.tally().rewrites.iter().all(|one| one.times > 0)
    }

    /// What crossed so far.
    pub fn counts(&self) -> Counts {
        self.shared.tally().counts
    }

    /// The texts of the statements that were run, in order.
    pub fn statements(&self) -> Vec<String> {
        self.shared.tally().texts.clone()
    }

    /// Forgets the counts and the texts; armed faults stay.
    pub fn reset(&self) {
        let mut tally = self.shared.tally();
        tally.counts = Counts::default();
        tally.texts.clear();
    }

    /// Closes all connections, on both sides. New ones are accepted.
    pub fn cut(&self) {
        self.shared.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Whether to close every new connection at once, until told otherwise.
    pub fn refuse(&self, refuses: bool) {
        self.shared.refuses.send_replace(refuses);
    }

    /// The next statement that contains the text is done; its answer is lost with the connection.
    pub fn lose_answer_of(&self, contains: &str) {
        self.arm(contains, 0, FaultKind::LoseAnswer);
    }

    /// As [`Self::lose_answer_of`], for a later one: skips this many matches first.
    pub fn lose_later_answer_of(&self, contains: &str, skip: usize) {
        self.arm(contains, skip, FaultKind::LoseAnswer);
    }

    /// The next statement that contains the text never reaches the server; the connection ends.
    pub fn lose_request_of(&self, contains: &str) {
        self.arm(contains, 0, FaultKind::LoseRequest);
    }

    /// The next statement that contains the text is done; its answer waits for the gate.
    pub fn hold_answer_of(&self, contains: &str) -> Gate {
        let gate = Gate::new();
        self.arm(contains, 0, FaultKind::HoldAnswer(gate.clone()));
        gate
    }

    /// Faults that are armed and have not fired.
    pub fn armed(&self) -> usize {
        self.shared.tally().armed.len()
    }

    fn arm(&self, contains: &str, skip: usize, kind: FaultKind) {
        let armed = Armed {
            contains: contains.to_owned(),
            skip,
            kind,
        };
        self.shared.tally().armed.push(armed);
    }
}

impl Drop for WireProxy {
    fn drop(&mut self) {
        self.cut();
    }
}

async fn accept(listener: TcpListener, upstream: Config, shared: Arc<Shared>) {
    while let Ok((client, _)) = listener.accept().await {
        if *shared.refuses.borrow() {
            continue;
        }
        client.set_nodelay(true).ok();
        let mut cuts = shared.cuts.subscribe();
        let (upstream, shared) = (upstream.clone(), Arc::clone(&shared));
        tokio::spawn(async move {
            tokio::select! {
                _ = cuts.changed() => {}
                // Ends with an error when either side goes away; then so does the other.
                _ = relay::relay(client, &upstream, &shared) => {}
            }
        });
    }
}

/// Where the upstream's first host listens: a socket's path or an address.
pub(crate) fn target(upstream: &Config) -> Result<String, String> {
    let port = upstream.get_ports().first().copied().unwrap_or(5432);
    match upstream.get_hosts().first() {
        Some(Host::Unix(dir)) => Ok(dir.join(format!(".s.PGSQL.{port}")).display().to_string()),
        Some(Host::Tcp(host)) => Err(format!("{host}:{port}")),
        None => Err(format!("127.0.0.1:{port}")),
    }
}
