//! Deflate and its wrappings, for `node:zlib`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use std::io::{self, Read as _, Write as _};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use flate2::{Compression, Crc};
use openeve_domain::limits::MIB;
use rquickjs::{ArrayBuffer, Ctx, Exception, Result, TypedArray};

use super::data::copy;

type Bytes<'js> = TypedArray<'js, u8>;

/// What is unpacked at once, whatever the caller admits: a few bytes may stand for gigabytes.
const UNPACKED_BYTES_MAX: usize = 48 * MIB;
/// How a member of gzip begins.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

fn packed(kind: &str, level: Compression, data: &[u8]) -> io::Result<Vec<u8>> {
    match kind {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(data)?;
            encoder.finish()
        }
        "deflate" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(data)?;
            encoder.finish()
        }
        _ => {
            let mut encoder = DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(data)?;
            encoder.finish()
        }
    }
}

pub(super) fn zip<'js>(
    ctx: Ctx<'js>,
    kind: String,
    level: u32,
    data: Bytes<'js>,
) -> Result<ArrayBuffer<'js>> {
    match packed(&kind, Compression::new(level.min(9)), &copy(&data)) {
        Ok(made) => ArrayBuffer::new_copy(ctx, made),
        Err(error) => Err(Exception::throw_message(&ctx, &error.to_string())),
    }
}

/// Reads at most one byte more than is admitted, so that the caller sees that there was more.
fn unpacked(kind: &str, data: &[u8], max: usize) -> io::Result<Vec<u8>> {
    let mut made = Vec::new();
    let room = |made: &Vec<u8>| u64::try_from((max + 1).saturating_sub(made.len())).unwrap_or(0);
    match kind {
        "gzip" => {
            let mut rest = data;
            loop {
                let mut decoder = GzDecoder::new(rest);
                let admitted = room(&made);
                decoder.by_ref().take(admitted).read_to_end(&mut made)?;
                rest = decoder.into_inner();
                if made.len() > max || !rest.starts_with(&GZIP_MAGIC) {
                    break;
                }
            }
        }
        "deflate" => {
            let admitted = room(&made);
            ZlibDecoder::new(data)
                .take(admitted)
                .read_to_end(&mut made)?;
        }
        _ => {
            let admitted = room(&made);
            DeflateDecoder::new(data)
                .take(admitted)
                .read_to_end(&mut made)?;
        }
    }
    Ok(made)
}

/// What failed is named as zlib's codes name it.
pub(super) fn unzip<'js>(
    ctx: Ctx<'js>,
    kind: String,
    data: Bytes<'js>,
    max: f64,
) -> Result<ArrayBuffer<'js>> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number outside of the range becomes the nearest inside"
    )]
    let max = (max as usize).min(UNPACKED_BYTES_MAX);
    match unpacked(&kind, &copy(&data), max) {
        Ok(made) if made.len() > max => Err(Exception::throw_message(&ctx, "ERR_BUFFER_TOO_LARGE")),
        Ok(made) => ArrayBuffer::new_copy(ctx, made),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(Exception::throw_message(&ctx, "Z_BUF_ERROR"))
        }
        Err(_) => Err(Exception::throw_message(&ctx, "Z_DATA_ERROR")),
    }
}

pub(super) fn crc32(data: Bytes<'_>, before: u32) -> u32 {
    let data = copy(&data);
    if before == 0 {
        let mut crc = Crc::new();
        crc.update(&data);
        return crc.sum();
    }
    // The sum of what came before is where the register stands.
    data.iter().fold(!before, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    }) ^ u32::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked_and_no_more_than_is_admitted() {
        let data = vec![7; 100_000];
        for kind in ["gzip", "deflate", "raw"] {
            let made = packed(kind, Compression::new(6), &data).unwrap();
            assert!(made.len() < 1_000, "{kind}");
            assert_eq!(unpacked(kind, &made, 100_000).unwrap(), data);
            assert_eq!(unpacked(kind, &made, 10).unwrap().len(), 11, "{kind}");
            let cut = made.get(..made.len() - 12).unwrap();
            assert!(unpacked(kind, cut, 1_000_000).is_err(), "{kind}");
        }
        let twice = [b"a", b"b"].map(|part| packed("gzip", Compression::new(6), part).unwrap());
        assert_eq!(unpacked("gzip", &twice.concat(), 10).unwrap(), b"ab");
    }
}
