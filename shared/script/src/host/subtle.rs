//! Cryptography for `crypto.subtle`: bytes in, bytes out, by ring. Keys are bytes that the prelude
//! keeps to itself.
//!
//! Source: W3C, "Web Cryptography API". What ring does not offer is not offered.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::digest::{self, digest};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED,
    ECDSA_P384_SHA384_FIXED_SIGNING, ED25519, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair,
    KeyPair as _, RsaEncoding, RsaKeyPair, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Result, TypedArray};

use super::data::copy;

type Bytes<'js> = TypedArray<'js, u8>;

/// Where private and public key stand in what ring writes for a new key on a curve, and their sizes.
const P256: (usize, usize, usize) = (36, 32, 65);
/// See [`P256`].
const P384: (usize, usize, usize) = (35, 48, 97);

fn refused(ctx: &Ctx<'_>, why: &str) -> rquickjs::Error {
    Exception::throw_message(ctx, why)
}

fn hash<'js>(ctx: Ctx<'js>, name: String, data: Bytes<'js>) -> Result<ArrayBuffer<'js>> {
    let algorithm = match name.as_str() {
        "SHA-1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "SHA-256" => &digest::SHA256,
        "SHA-384" => &digest::SHA384,
        "SHA-512" => &digest::SHA512,
        _ => return Err(refused(&ctx, "no such digest")),
    };
    ArrayBuffer::new_copy(ctx, digest(algorithm, &copy(&data)).as_ref())
}

fn mac(ctx: &Ctx<'_>, name: &str, key: &Bytes<'_>) -> Result<hmac::Key> {
    let algorithm = match name {
        "SHA-1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "SHA-256" => hmac::HMAC_SHA256,
        "SHA-384" => hmac::HMAC_SHA384,
        "SHA-512" => hmac::HMAC_SHA512,
        _ => return Err(refused(ctx, "no such digest")),
    };
    Ok(hmac::Key::new(algorithm, &copy(key)))
}

fn hmac_sign<'js>(
    ctx: Ctx<'js>,
    name: String,
    key: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<ArrayBuffer<'js>> {
    let tag = hmac::sign(&mac(&ctx, &name, &key)?, &copy(&data));
    ArrayBuffer::new_copy(ctx, tag.as_ref())
}

/// In constant time.
fn hmac_verify<'js>(
    ctx: Ctx<'js>,
    name: String,
    key: Bytes<'js>,
    tag: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<bool> {
    let key = mac(&ctx, &name, &key)?;
    Ok(hmac::verify(&key, &copy(&data), &copy(&tag)).is_ok())
}

/// Seals or opens; none if what is opened was tampered with.
fn aes_gcm<'js>(
    ctx: Ctx<'js>,
    seals: bool,
    key: Bytes<'js>,
    iv: Bytes<'js>,
    aad: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<Option<ArrayBuffer<'js>>> {
    let key = copy(&key);
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        32 => &AES_256_GCM,
        _ => return Err(refused(&ctx, "an AES-GCM key has 128 or 256 bits here")),
    };
    let key = UnboundKey::new(algorithm, &key).map_err(|_| refused(&ctx, "not a key"))?;
    let nonce = Nonce::try_assume_unique_for_key(&copy(&iv))
        .map_err(|_| refused(&ctx, "an AES-GCM iv has 12 bytes here"))?;
    let (key, aad, mut data) = (LessSafeKey::new(key), Aad::from(copy(&aad)), copy(&data));
    if seals {
        key.seal_in_place_append_tag(nonce, aad, &mut data)
            .map_err(|_| refused(&ctx, "too much to encrypt at once"))?;
        return ArrayBuffer::new_copy(ctx, data).map(Some);
    }
    match key.open_in_place(nonce, aad, &mut data) {
        Ok(opened) => ArrayBuffer::new_copy(ctx, &*opened).map(Some),
        Err(_) => Ok(None),
    }
}

fn curve(ctx: &Ctx<'_>, name: &str) -> Result<&'static EcdsaSigningAlgorithm> {
    match name {
        "P-256" => Ok(&ECDSA_P256_SHA256_FIXED_SIGNING),
        "P-384" => Ok(&ECDSA_P384_SHA384_FIXED_SIGNING),
        _ => Err(refused(ctx, "no such curve")),
    }
}

/// A new private key of a curve, and the public one behind it.
fn generate(ctx: Ctx<'_>, name: String) -> Result<Vec<ArrayBuffer<'_>>> {
    let random = SystemRandom::new();
    let failed = |_| refused(&ctx, "no key could be made");
    let (private, public) = if name == "Ed25519" {
        let mut seed = [0_u8; 32];
        ring::rand::SecureRandom::fill(&random, &mut seed).map_err(failed)?;
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed)
            .map_err(|_| refused(&ctx, "no key could be made"))?;
        (seed.to_vec(), pair.public_key().as_ref().to_vec())
    } else {
        let document =
            EcdsaKeyPair::generate_pkcs8(curve(&ctx, &name)?, &random).map_err(failed)?;
        let (at, private, public) = if name == "P-256" { P256 } else { P384 };
        let bytes = document.as_ref();
        let part = |from: usize, length: usize| {
            let part = bytes.get(from..from + length).map(<[u8]>::to_vec);
            part.ok_or_else(|| refused(&ctx, "no key could be made"))
        };
        (part(at, private)?, part(bytes.len() - public, public)?)
    };
    Ok(vec![
        ArrayBuffer::new_copy(ctx.clone(), private)?,
        ArrayBuffer::new_copy(ctx, public)?,
    ])
}

/// The public key behind an Ed25519 seed; none if it is no seed.
fn ed25519_public<'js>(ctx: Ctx<'js>, seed: Bytes<'js>) -> Result<Option<ArrayBuffer<'js>>> {
    match Ed25519KeyPair::from_seed_unchecked(&copy(&seed)) {
        Ok(pair) => ArrayBuffer::new_copy(ctx, pair.public_key().as_ref()).map(Some),
        Err(_) => Ok(None),
    }
}

fn sign<'js>(
    ctx: Ctx<'js>,
    name: String,
    private: Bytes<'js>,
    public: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<ArrayBuffer<'js>> {
    let (private, data) = (copy(&private), copy(&data));
    let bad = || refused(&ctx, "the private key is none of its kind");
    let signed = match name.as_str() {
        "Ed25519" => {
            let pair = Ed25519KeyPair::from_seed_unchecked(&private).map_err(|_| bad())?;
            pair.sign(&data).as_ref().to_vec()
        }
        "P-256" | "P-384" => {
            let (curve, random) = (curve(&ctx, &name)?, SystemRandom::new());
            let public = copy(&public);
            let pair =
                EcdsaKeyPair::from_private_key_and_public_key(curve, &private, &public, &random);
            let signed = pair.map_err(|_| bad())?.sign(&random, &data);
            signed.map_err(|_| bad())?.as_ref().to_vec()
        }
        rsa => {
            let pair = RsaKeyPair::from_pkcs8(&private).map_err(|_| bad())?;
            let mut signed = vec![0; pair.public().modulus_len()];
            let encoding = encoding(&ctx, rsa)?;
            pair.sign(encoding, &SystemRandom::new(), &data, &mut signed)
                .map_err(|_| bad())?;
            signed
        }
    };
    ArrayBuffer::new_copy(ctx, signed)
}

fn encoding(ctx: &Ctx<'_>, name: &str) -> Result<&'static dyn RsaEncoding> {
    Ok(match name {
        "RSASSA-PKCS1-v1_5 SHA-256" => &signature::RSA_PKCS1_SHA256,
        "RSASSA-PKCS1-v1_5 SHA-384" => &signature::RSA_PKCS1_SHA384,
        "RSASSA-PKCS1-v1_5 SHA-512" => &signature::RSA_PKCS1_SHA512,
        "RSA-PSS SHA-256" => &signature::RSA_PSS_SHA256,
        "RSA-PSS SHA-384" => &signature::RSA_PSS_SHA384,
        "RSA-PSS SHA-512" => &signature::RSA_PSS_SHA512,
        _ => return Err(refused(ctx, "no such signature")),
    })
}

fn parameters(ctx: &Ctx<'_>, name: &str) -> Result<&'static RsaParameters> {
    Ok(match name {
        "RSASSA-PKCS1-v1_5 SHA-256" => &signature::RSA_PKCS1_2048_8192_SHA256,
        "RSASSA-PKCS1-v1_5 SHA-384" => &signature::RSA_PKCS1_2048_8192_SHA384,
        "RSASSA-PKCS1-v1_5 SHA-512" => &signature::RSA_PKCS1_2048_8192_SHA512,
        "RSA-PSS SHA-256" => &signature::RSA_PSS_2048_8192_SHA256,
        "RSA-PSS SHA-384" => &signature::RSA_PSS_2048_8192_SHA384,
        "RSA-PSS SHA-512" => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return Err(refused(ctx, "no such signature")),
    })
}

fn verify<'js>(
    ctx: Ctx<'js>,
    name: String,
    public: Bytes<'js>,
    signed: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<bool> {
    let (public, signed, data) = (copy(&public), copy(&signed), copy(&data));
    let verified = match name.as_str() {
        "Ed25519" => UnparsedPublicKey::new(&ED25519, public).verify(&data, &signed),
        "P-256" => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public).verify(&data, &signed),
        "P-384" => UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, public).verify(&data, &signed),
        rsa => UnparsedPublicKey::new(parameters(&ctx, rsa)?, public).verify(&data, &signed),
    };
    Ok(verified.is_ok())
}

/// The same with modulus and exponent of an RSA key, as a JSON Web Key has them.
fn verify_rsa<'js>(
    ctx: Ctx<'js>,
    name: String,
    n: Bytes<'js>,
    e: Bytes<'js>,
    signed: Bytes<'js>,
    data: Bytes<'js>,
) -> Result<bool> {
    let parameters = parameters(&ctx, &name)?;
    let key = RsaPublicKeyComponents {
        n: copy(&n),
        e: copy(&e),
    };
    Ok(key.verify(parameters, &copy(&data), &copy(&signed)).is_ok())
}

/// Every function, made when a script first asks for `crypto.subtle`.
pub(super) fn functions(ctx: Ctx<'_>) -> Result<Object<'_>> {
    let object = Object::new(ctx.clone())?;
    object.set("digest", Function::new(ctx.clone(), hash)?)?;
    object.set("hmacSign", Function::new(ctx.clone(), hmac_sign)?)?;
    object.set("hmacVerify", Function::new(ctx.clone(), hmac_verify)?)?;
    object.set("aesGcm", Function::new(ctx.clone(), aes_gcm)?)?;
    object.set("generate", Function::new(ctx.clone(), generate)?)?;
    object.set("ed25519Public", Function::new(ctx.clone(), ed25519_public)?)?;
    object.set("sign", Function::new(ctx.clone(), sign)?)?;
    object.set("verify", Function::new(ctx.clone(), verify)?)?;
    object.set("verifyRsa", Function::new(ctx, verify_rsa)?)?;
    Ok(object)
}

pub(super) fn install(object: &Object<'_>) -> Result<()> {
    object.set("subtle", Function::new(object.ctx().clone(), functions)?)
}
