//! Checks who calls.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use openeve_domain::secret::Secret;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::InboundError;

/// Checks the `Authorization` header against the channel's token, in constant time.
///
/// Hashes are compared, so that not even the token's length shows. A blank token lets nobody in.
pub fn check_bearer(headers: &HeaderMap, token: &Secret) -> Result<(), InboundError> {
    let header = headers
        .get(AUTHORIZATION)
        .ok_or(InboundError::Unauthorized(
            "no Authorization header; send `Authorization: Bearer <the channel's token>`",
        ))?;
    let given = header.to_str().ok().and_then(bearer).ok_or(InboundError::Unauthorized(
        "the Authorization header is no bearer token; send `Authorization: Bearer <the channel's token>`",
    ))?;
    let expected = token.reveal().trim();
    let is_equal = Sha256::digest(given)
        .as_slice()
        .ct_eq(Sha256::digest(expected).as_slice());
    if bool::from(is_equal) && !expected.is_empty() {
        return Ok(());
    }
    Err(InboundError::Unauthorized(
        "the bearer token is not the channel's token",
    ))
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.trim().split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}
