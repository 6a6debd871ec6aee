//! Texts, bytes and randomness.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Result, TypedArray};
use rustix::rand::{GetRandomFlags, getrandom};

/// Random bytes that are given at once.
const RANDOM_BYTES_MAX: usize = 65_536;

/// The bytes of a typed array; none if its buffer was detached.
pub(super) fn copy(array: &TypedArray<'_, u8>) -> Vec<u8> {
    #[expect(unsafe_code, reason = "the binding's only way to read bytes at once")]
    // SAFETY: the slice is copied before any JavaScript can run, on the engine's own thread.
    let bytes = unsafe { array.as_bytes() };
    bytes.map(<[u8]>::to_vec).unwrap_or_default()
}

/// Buffers are made by the engine's allocator, so that its memory limit counts them.
pub(super) fn utf8(ctx: Ctx<'_>, text: String) -> Result<ArrayBuffer<'_>> {
    ArrayBuffer::new_copy(ctx, text.into_bytes())
}

fn text<'js>(ctx: Ctx<'js>, bytes: TypedArray<'js, u8>, fatal: bool) -> Result<String> {
    match String::from_utf8(copy(&bytes)) {
        Ok(text) => Ok(text),
        Err(_) if fatal => Err(Exception::throw_type(&ctx, "the bytes are not UTF-8")),
        Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

fn random(ctx: Ctx<'_>, count: usize) -> Result<ArrayBuffer<'_>> {
    let mut bytes = vec![0_u8; count.min(RANDOM_BYTES_MAX)];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += getrandom(rest, GetRandomFlags::empty())
            .map_err(|error| Exception::throw_message(&ctx, &format!("no randomness: {error}")))?;
    }
    ArrayBuffer::new_copy(ctx, bytes)
}

pub(super) fn install(object: &Object<'_>) -> Result<()> {
    let ctx = object.ctx();
    object.set("utf8", Function::new(ctx.clone(), utf8)?)?;
    object.set("text", Function::new(ctx.clone(), text)?)?;
    object.set("random", Function::new(ctx.clone(), random)?)
}
