//! What Node's built-in modules are granted: a module of plain functions that only they can import.
//!
//! Bytes in, bytes out. Nothing here is random or reaches outside: randomness comes from the global
//! `crypto`, which the engine that reads schemas does not have.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use rquickjs::module::{Declarations, Exports, ModuleDef};
use rquickjs::{ArrayBuffer, BigInt, Ctx, Exception, Function, Object, Result, TypedArray, Value};

use super::data::copy;
use super::{data, encode, hash, subtle, zip};
use crate::engine::{declare_builtin, monotonic_ns};
use crate::node;

type Bytes<'js> = TypedArray<'js, u8>;

fn text(bytes: Bytes<'_>) -> String {
    String::from_utf8_lossy(&copy(&bytes)).into_owned()
}

fn latin1(bytes: Bytes<'_>, mask: u8) -> String {
    copy(&bytes)
        .iter()
        .map(|byte| char::from(byte & mask))
        .collect()
}

fn hex(bytes: Bytes<'_>) -> String {
    encode::hex_text(&copy(&bytes))
}

fn hex_bytes(ctx: Ctx<'_>, text: String) -> Result<ArrayBuffer<'_>> {
    ArrayBuffer::new_copy(ctx, encode::hex_bytes(&text))
}

fn base64(bytes: Bytes<'_>, url: bool) -> String {
    encode::base64_text(&copy(&bytes), url)
}

fn base64_bytes(ctx: Ctx<'_>, text: String) -> Result<ArrayBuffer<'_>> {
    ArrayBuffer::new_copy(ctx, encode::base64_bytes(&text))
}

fn is_utf8(bytes: Bytes<'_>) -> bool {
    std::str::from_utf8(&copy(&bytes)).is_ok()
}

fn is_ascii(bytes: Bytes<'_>) -> bool {
    copy(&bytes).is_ascii()
}

fn monotonic(ctx: Ctx<'_>) -> Result<BigInt<'_>> {
    BigInt::from_u64(ctx, monotonic_ns())
}

/// The functions, by the names under which JavaScript imports them.
fn functions<'js>(ctx: &Ctx<'js>) -> Result<Vec<(&'static str, Function<'js>)>> {
    let ctx = || ctx.clone();
    Ok(vec![
        ("utf8", Function::new(ctx(), data::utf8)?),
        ("text", Function::new(ctx(), text)?),
        ("latin1", Function::new(ctx(), latin1)?),
        ("hex", Function::new(ctx(), hex)?),
        ("hexBytes", Function::new(ctx(), hex_bytes)?),
        ("base64", Function::new(ctx(), base64)?),
        ("base64Bytes", Function::new(ctx(), base64_bytes)?),
        ("isUtf8", Function::new(ctx(), is_utf8)?),
        ("isAscii", Function::new(ctx(), is_ascii)?),
        ("monotonicNs", Function::new(ctx(), monotonic)?),
        ("digest", Function::new(ctx(), hash::digest_of)?),
        ("hmac", Function::new(ctx(), hash::hmac_of)?),
        ("pbkdf2", Function::new(ctx(), hash::pbkdf2_of)?),
        ("zip", Function::new(ctx(), zip::zip)?),
        ("unzip", Function::new(ctx(), zip::unzip)?),
        ("crc32", Function::new(ctx(), zip::crc32)?),
        ("subtle", Function::new(ctx(), subtle::functions)?),
    ])
}

/// The names again, which a module has to declare before it has its functions.
const NAMES: [&str; 17] = [
    "utf8",
    "text",
    "latin1",
    "hex",
    "hexBytes",
    "base64",
    "base64Bytes",
    "isUtf8",
    "isAscii",
    "monotonicNs",
    "digest",
    "hmac",
    "pbkdf2",
    "zip",
    "unzip",
    "crc32",
    "subtle",
];

/// The module.
pub(crate) struct Native;

impl ModuleDef for Native {
    fn declare(declarations: &Declarations<'_>) -> Result<()> {
        for name in NAMES {
            declarations.declare(name)?;
        }
        Ok(())
    }

    fn evaluate<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
        for (name, function) in functions(ctx)? {
            exports.export(name, function)?;
        }
        Ok(())
    }
}

/// Evaluates one of Node's modules at once, for a global that is made of it; what it exports.
pub(crate) fn builtin(ctx: Ctx<'_>, name: String) -> Result<Object<'_>> {
    let Some(source) = node::source(&name) else {
        return Err(Exception::throw_reference(&ctx, "no such module of Node"));
    };
    let (module, evaluated) = declare_builtin(&ctx, &name, source)?.eval()?;
    if let Some(result) = evaluated.result::<Value<'_>>() {
        result?;
    }
    module.namespace()
}
