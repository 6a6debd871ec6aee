//! Content addresses: SHA-256 over length-prefixed parts, so that no two lists hash alike.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Lower-case hexadecimal SHA-256 of some bytes.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The same value with the keys of every object in order, so that what is built from it does not
/// depend on how a build of the JSON library keeps them. The value is not nested without bound.
pub fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
            fields.sort_by(|one, two| one.0.cmp(&two.0));
            let fields = fields.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Hashes parts in order, each behind its length, so that moving a byte across a border shows.
#[derive(Debug, Default)]
pub struct PartsHash(Sha256);

impl PartsHash {
    /// Adds one part.
    pub fn part(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// The hash so far.
    pub fn finish(&self) -> String {
        hex(&self.0.clone().finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_a_byte_from_one_part_to_the_next_changes_the_hash() {
        let one = PartsHash::default().part("ab").part("c").finish();
        let two = PartsHash::default().part("a").part("bc").finish();
        assert_ne!(one, two);
    }

    #[test]
    fn keys_come_in_order_however_they_were_written() {
        let value: Value = serde_json::from_str(r#"{"b":[{"z":1,"y":2}],"a":null}"#).unwrap();
        assert_eq!(
            sorted(value).to_string(),
            r#"{"a":null,"b":[{"y":2,"z":1}]}"#
        );
    }

    #[test]
    fn the_empty_hash_is_the_known_one() {
        assert!(sha256_hex(b"").starts_with("e3b0c442"));
    }
}
