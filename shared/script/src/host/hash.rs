//! Hashes and what is made of them, for `node:crypto`: by ring, and by `RustCrypto` where ring does not go.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use std::num::NonZeroU32;

use md5::Md5;
use ring::digest::{self, digest};
use ring::{hmac, pbkdf2};
use rquickjs::{ArrayBuffer, Ctx, Exception, Result, TypedArray};
use sha2::{Digest as _, Sha224, Sha512_224, Sha512_256};

use super::data::copy;

type Bytes<'js> = TypedArray<'js, u8>;

/// Blocks that one derivation may take, so that it ends within a tool's processor time.
const PBKDF2_BLOCKS_MAX: u64 = 20_000_000;

/// A hash of bytes; none if no hash has that name.
pub(super) fn hash(name: &str, data: &[u8]) -> Option<Vec<u8>> {
    let by_ring = |algorithm| digest(algorithm, data).as_ref().to_vec();
    Some(match name {
        "sha1" => by_ring(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        "sha256" => by_ring(&digest::SHA256),
        "sha384" => by_ring(&digest::SHA384),
        "sha512" => by_ring(&digest::SHA512),
        "md5" => Md5::digest(data).to_vec(),
        "sha224" => Sha224::digest(data).to_vec(),
        "sha512-224" => Sha512_224::digest(data).to_vec(),
        "sha512-256" => Sha512_256::digest(data).to_vec(),
        _ => return None,
    })
}

fn unknown(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_message(ctx, "Digest method not supported")
}

pub(super) fn digest_of<'js>(
    ctx: Ctx<'js>,
    name: String,
    data: Bytes<'js>,
) -> Result<ArrayBuffer<'js>> {
    let made = hash(&name, &copy(&data)).ok_or_else(|| unknown(&ctx))?;
    ArrayBuffer::new_copy(ctx, made)
}

/// RFC 2104. The hashes that ring has go through ring.
fn mac(name: &str, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let by_ring = |algorithm| {
        let key = hmac::Key::new(algorithm, key);
        hmac::sign(&key, data).as_ref().to_vec()
    };
    let block = match name {
        "sha1" => return Some(by_ring(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY)),
        "sha256" => return Some(by_ring(hmac::HMAC_SHA256)),
        "sha384" => return Some(by_ring(hmac::HMAC_SHA384)),
        "sha512" => return Some(by_ring(hmac::HMAC_SHA512)),
        "md5" | "sha224" => 64,
        _ => 128,
    };
    let mut key = if key.len() > block {
        hash(name, key)?
    } else {
        key.to_vec()
    };
    key.resize(block, 0);
    let padded = |pad: u8, rest: &[u8]| {
        let mut whole: Vec<u8> = key.iter().map(|byte| byte ^ pad).collect();
        whole.extend_from_slice(rest);
        hash(name, &whole)
    };
    let inner = padded(0x36, data)?;
    padded(0x5c, &inner)
}

pub(super) fn hmac_of<'js>(
    ctx: Ctx<'js>,
    name: String,
    key: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<ArrayBuffer<'js>> {
    let made = mac(&name, &copy(&key), &copy(&data)).ok_or_else(|| unknown(&ctx))?;
    ArrayBuffer::new_copy(ctx, made)
}

/// RFC 8018.
pub(super) fn pbkdf2_of<'js>(
    ctx: Ctx<'js>,
    name: String,
    password: Bytes<'js>,
    salt: Bytes<'js>,
    iterations: u32,
    length: u32,
) -> Result<ArrayBuffer<'js>> {
    let (algorithm, size) = match name.as_str() {
        "sha1" => (pbkdf2::PBKDF2_HMAC_SHA1, 20),
        "sha256" => (pbkdf2::PBKDF2_HMAC_SHA256, 32),
        "sha384" => (pbkdf2::PBKDF2_HMAC_SHA384, 48),
        "sha512" => (pbkdf2::PBKDF2_HMAC_SHA512, 64),
        _ => return Err(unknown(&ctx)),
    };
    let Some(rounds) = NonZeroU32::new(iterations) else {
        return Err(Exception::throw_message(&ctx, "no iterations"));
    };
    let blocks = u64::from(length).div_ceil(size);
    if blocks.saturating_mul(u64::from(iterations)) > PBKDF2_BLOCKS_MAX {
        let why = "pbkdf2: so many iterations take longer than a tool may run";
        return Err(Exception::throw_message(&ctx, why));
    }
    let mut made = vec![0; usize::try_from(length).unwrap_or(0)];
    pbkdf2::derive(algorithm, rounds, &copy(&salt), &copy(&password), &mut made);
    ArrayBuffer::new_copy(ctx, made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        super::super::encode::hex_text(bytes)
    }

    #[test]
    fn hashes_that_ring_does_not_have_match_their_published_vectors() {
        // RFC 1321, FIPS 180-4.
        let shown = |name| hex(&hash(name, b"abc").unwrap());
        assert_eq!(shown("md5"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(
            shown("sha224"),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
        );
        assert_eq!(
            shown("sha512-256"),
            "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"
        );
        assert!(hash("ripemd160", b"abc").is_none());
    }

    #[test]
    fn a_mac_of_them_matches_too() {
        // RFC 2202, test case 2, and RFC 4231, test case 6, whose key is longer than a block.
        let text = b"what do ya want for nothing?";
        assert_eq!(
            hex(&mac("md5", b"Jefe", text).unwrap()),
            "750c783e6ab0b503eaa86e310a5db738"
        );
        let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(
            hex(&mac("sha224", &[0xaa; 131], text).unwrap()),
            "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"
        );
    }
}
