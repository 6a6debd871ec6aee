//! Where large things are kept, named by their content.

use async_trait::async_trait;
use bytes::Bytes;

use super::PortError;

/// A content address: the lower-case SHA-256 of the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobId(String);

impl BlobId {
    /// The address of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(openeve_domain::canonical::sha256_hex(bytes))
    }

    /// Reads an address.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The blob store. Writing the same bytes twice is one blob; a blob never changes.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Stores bytes and returns their address. Idempotent; the write is conditional on absence.
    async fn put(&self, bytes: Bytes) -> Result<BlobId, PortError>;

    /// Reads a blob back and checks it against its address. `None` if there is none.
    async fn get(&self, id: &BlobId) -> Result<Option<Bytes>, PortError>;
}
