//! A value that must never be seen: its `Debug` and `Display` print a mark instead.

use std::fmt;

/// A secret text. Only [`Secret::reveal`] gives it out; grep for that to find every use.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret itself, for the one call that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// Replaces each secret value in a text with a mark. Values under four bytes are left: they
/// would tear ordinary words apart and protect nothing.
pub fn redact(text: &str, secrets: &[&str]) -> String {
    let mut out = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
        if out.contains(secret) {
            out = out.replace(secret, "[secret]");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_prints_as_a_mark() {
        let secret = Secret::new("sk-live-1");
        assert_eq!(format!("{secret:?} {secret}"), "Secret(…) [secret]");
    }

    #[test]
    fn a_secret_inside_a_text_is_replaced() {
        assert_eq!(
            redact("key sk-live-1 refused", &["sk-live-1", ""]),
            "key [secret] refused"
        );
    }
}
