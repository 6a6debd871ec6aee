//! Blobs in a folder, for `dev` and `serve`.

use std::io::ErrorKind;
use std::path::PathBuf;

use async_trait::async_trait;
use bytes::Bytes;
use openeve_runtime::ports::{BlobId, Blobs, PortError};

/// A content-addressed folder. A blob appears whole or not at all.
#[derive(Debug, Clone)]
pub struct FolderBlobs {
    root: PathBuf,
}

impl FolderBlobs {
    /// A store below a folder, which is made when first written to.
    pub const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn path(&self, id: &BlobId) -> PathBuf {
        let (fan, rest) = id.as_str().split_at(2);
        self.root.join(fan).join(rest)
    }
}

#[async_trait]
impl Blobs for FolderBlobs {
    async fn put(&self, bytes: Bytes) -> Result<BlobId, PortError> {
        let id = BlobId::of(&bytes);
        let path = self.path(&id);
        let failed = |error: std::io::Error| {
            PortError::retry(
                "blob_write",
                format!("cannot write {}: {error}", path.display()),
            )
        };
        if path.exists() {
            return Ok(id);
        }
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).map_err(failed)?;
        let part = path.with_extension(format!("{}.part", std::process::id()));
        std::fs::write(&part, &bytes).map_err(failed)?;
        std::fs::rename(&part, &path).map_err(failed)?;
        Ok(id)
    }

    async fn get(&self, id: &BlobId) -> Result<Option<Bytes>, PortError> {
        let path = self.path(id);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => Bytes::from(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let why = format!("cannot read {}: {error}", path.display());
                return Err(PortError::retry("blob_read", why));
            }
        };
        if BlobId::of(&bytes) != *id {
            let why = format!("{} does not hash to its name; delete it", path.display());
            return Err(PortError::corrupt("blob_corrupt", why));
        }
        Ok(Some(bytes))
    }
}
