//! Connections: taken for one boundary, replaced when stale, never made before they are needed.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openeve_domain::secret::Secret;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::failure::{Failure, chain};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection may answer nothing before the kernel gives it up.
const SILENCE: Duration = Duration::from_secs(10);

/// An idle connection older than this is replaced: a frozen function cannot tell whether the far
/// end is still there.
const IDLE_MAX: Duration = Duration::from_mins(1);

/// A `DATABASE_URL` that cannot be used. It never quotes the URL, which holds a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not a Postgres URL or key-value string.
    #[error(
        "DATABASE_URL is not a Postgres address: {0}; write postgres://user:password@host:5432/name"
    )]
    Url(String),
    /// A CA file that does not parse.
    #[error("the certificate authority in OPENEVE_DATABASE_CA is not PEM: {0}")]
    Ca(String),
}

/// A bounded set of connections to one database.
pub struct Pool {
    config: Config,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<(Client, Instant)>>,
    permits: Semaphore,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

impl Pool {
    /// A pool of at most `size` connections; a function on Lambda needs one. Nothing connects yet.
    ///
    /// TLS is used whenever the server offers it, and required by `sslmode=require`; a certificate
    /// is always verified, against the public authorities and `ca_pem`, if given.
    pub fn new(url: &Secret, size: usize, ca_pem: Option<&str>) -> Result<Self, ConfigError> {
        let (url, strict) = plain_ssl_mode(url.reveal());
        // The driver's own words may quote the address, password and all.
        let form = "it is neither a URL nor key=value pairs that Postgres knows";
        if url.contains("://")
            && !url.starts_with("postgres://")
            && !url.starts_with("postgresql://")
        {
            return Err(ConfigError::Url("it begins with another scheme".to_owned()));
        }
        let mut config = Config::from_str(&url).map_err(|_| ConfigError::Url(form.to_owned()))?;
        if config.get_hosts().is_empty() {
            return Err(ConfigError::Url("it names no host".to_owned()));
        }
        if strict {
            config.ssl_mode(SslMode::Require);
        }
        config
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(SILENCE)
            .keepalives_idle(SILENCE)
            .application_name("openeve");
        Ok(Self {
            config,
            tls: MakeRustlsConnect::new(tls(ca_pem)?),
            idle: Mutex::new(Vec::new()),
            permits: Semaphore::new(size.max(1)),
        })
    }

    /// Takes a connection, a fresh one if asked or if none is idle.
    pub(crate) async fn take(&self, fresh: bool) -> Result<Lease<'_>, Failure> {
        let permit = self
            .permits
            .acquire()
            .await
            .map_err(|error| Failure::Connection(error.to_string()))?;
        if fresh {
            self.idle().clear();
        }
        let idle = loop {
            match self.idle().pop() {
                Some((client, since)) if client.is_closed() || since.elapsed() > IDLE_MAX => {}
                other => break other.map(|(client, _)| client),
            }
        };
        let client = match idle {
            Some(client) => client,
            None => self.connect().await?,
        };
        Ok(Lease {
            client: Some(client),
            pool: self,
            _permit: permit,
        })
    }

    async fn connect(&self) -> Result<Client, Failure> {
        let connecting = self.config.connect(self.tls.clone());
        let (client, connection) = tokio::time::timeout(CONNECT_TIMEOUT, connecting)
            .await
            .map_err(|_| Failure::Connection("no answer within 5 s".to_owned()))?
            .map_err(|error| Failure::of(&error))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %chain(&error), "a database connection ended");
            }
        });
        Ok(client)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<(Client, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use; given back when [`Lease::keep`] is called, closed otherwise.
pub(crate) struct Lease<'a> {
    client: Option<Client>,
    pool: &'a Pool,
    _permit: SemaphorePermit<'a>,
}

impl Lease<'_> {
    /// The connection. There is one until the lease is given back.
    pub(crate) fn client(&self) -> Result<&Client, Failure> {
        self.client
            .as_ref()
            .ok_or_else(|| Failure::Connection("given back".to_owned()))
    }

    /// Gives the connection back for the next boundary.
    pub(crate) fn keep(mut self) {
        if let Some(client) = self.client.take() {
            self.pool.idle().push((client, Instant::now()));
        }
    }
}

/// The driver knows no `verify-ca` and `verify-full`; we always verify, so they mean `require`.
fn plain_ssl_mode(url: &str) -> (String, bool) {
    let mut strict = false;
    let mut plain = url.to_owned();
    for mode in ["sslmode=verify-full", "sslmode=verify-ca"] {
        if plain.contains(mode) {
            plain = plain.replace(mode, "sslmode=require");
            strict = true;
        }
    }
    (plain, strict)
}

fn tls(ca_pem: Option<&str>) -> Result<rustls::ClientConfig, ConfigError> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;

    let mut roots = rustls::RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(pem) = ca_pem {
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            let certificate = certificate.map_err(|error| ConfigError::Ca(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| ConfigError::Ca(error.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ConfigError::Ca(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_address_is_refused_without_quoting_its_password() {
        for wrong in [
            "postgres://u:hunter22@h:port/db",
            "postgre://u:hunter22@h/db?sslmode=require",
            "postgresql+psycopg://u:hunter22@h/db",
            "hunter22",
        ] {
            let error = Pool::new(&Secret::new(wrong), 1, None).unwrap_err();
            assert!(error.to_string().contains("DATABASE_URL"), "{error}");
            assert!(!error.to_string().contains("hunter22"), "{error}");
        }
    }

    #[test]
    fn a_verifying_mode_is_understood() {
        assert!(
            Pool::new(
                &Secret::new("postgres://u:p@h/db?sslmode=verify-full"),
                1,
                None
            )
            .is_ok()
        );
    }
}
