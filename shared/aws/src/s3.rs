//! Blobs in S3: content-addressed, written only where there is nothing yet.

use async_trait::async_trait;
use aws_sdk_s3::config::{BehaviorVersion, Region};
use aws_sdk_s3::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use bytes::Bytes;
use openeve_runtime::ports::{BlobId, Blobs, PortError};

use crate::{Account, client};

/// A bucket of blobs below `blobs/`.
#[derive(Debug, Clone)]
pub struct S3Blobs {
    client: aws_sdk_s3::Client,
    bucket: String,
}

impl S3Blobs {
    /// The blobs of one bucket.
    pub fn new(account: &Account, bucket: String) -> Self {
        let mut config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(account.region.clone()))
            .credentials_provider(account.credentials.clone())
            .http_client(account.http.clone())
            .timeout_config(client::timeouts());
        if let Some(endpoint) = &account.endpoint {
            // A stand-in has no host name for each bucket.
            config = config.endpoint_url(endpoint).force_path_style(true);
        }
        Self {
            client: aws_sdk_s3::Client::from_conf(config.build()),
            bucket,
        }
    }

    /// Creates the bucket, for tests; a deployment's template creates its own.
    pub async fn create_bucket(&self) -> Result<(), PortError> {
        let request = self.client.create_bucket().bucket(&self.bucket);
        request
            .send()
            .await
            .map(|_| ())
            .map_err(|error| failure("create", &self.bucket, &error))
    }

    fn key(id: &BlobId) -> String {
        format!("blobs/{}", id.as_str())
    }
}

#[async_trait]
impl Blobs for S3Blobs {
    async fn put(&self, bytes: Bytes) -> Result<BlobId, PortError> {
        let id = BlobId::of(&bytes);
        let request = self
            .client
            .put_object()
            .bucket(&self.bucket)
            .key(Self::key(&id));
        // S3 answers 412 when the blob exists: the same bytes, so there is nothing to do.
        match request.if_none_match("*").body(bytes.into()).send().await {
            Ok(_) => Ok(id),
            Err(error) if status(&error) == Some(412) => Ok(id),
            Err(error) => Err(failure("write", &self.bucket, &error)),
        }
    }

    async fn get(&self, id: &BlobId) -> Result<Option<Bytes>, PortError> {
        let request = self
            .client
            .get_object()
            .bucket(&self.bucket)
            .key(Self::key(id));
        let object = match request.send().await {
            Ok(object) => object,
            Err(error) if error.code() == Some("NoSuchKey") => return Ok(None),
            Err(error) => return Err(failure("read", &self.bucket, &error)),
        };
        let body = object.body.collect().await.map_err(|error| {
            PortError::retry(
                "blob_read",
                format!("a blob of bucket {} broke off: {error}", self.bucket),
            )
        })?;
        let bytes = body.into_bytes();
        if BlobId::of(&bytes) != *id {
            let why = format!(
                "blob {} of bucket {} does not hash to its name",
                id.as_str(),
                self.bucket
            );
            return Err(PortError::corrupt("blob_corrupt", why));
        }
        Ok(Some(bytes))
    }
}

fn status<E>(error: &SdkError<E>) -> Option<u16> {
    error
        .raw_response()
        .map(|response| response.status().as_u16())
}

fn failure<E>(what: &str, bucket: &str, error: &SdkError<E>) -> PortError
where
    E: std::error::Error + 'static,
{
    let message = format!(
        "S3 did not {what} a blob of bucket {bucket}: {}",
        DisplayErrorContext(error)
    );
    match status(error) {
        // Two writers of one blob at once: whoever asks again finds it there.
        Some(409) => PortError::retry("blob_unreachable", message),
        Some(400..=499) => PortError::refused("blob_refused", message),
        _ => PortError::retry("blob_unreachable", message),
    }
}
