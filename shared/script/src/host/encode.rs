//! Bytes as texts of hexadecimal, base64 and Latin-1, and back, as leniently as Node reads them.

/// Lower-case hexadecimal.
pub(super) fn hex_text(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    let both = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    both.map(digit).collect()
}

/// Up to the first pair that is none.
pub(super) fn hex_bytes(text: &str) -> Vec<u8> {
    let (pairs, _) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|one| u8::try_from(one).ok())
    };
    pairs
        .iter()
        .map_while(|[high, low]| Some((digit(*high)? << 4) | digit(*low)?))
        .collect()
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Padded, or of the alphabet for URLs and without padding.
pub(super) fn base64_text(bytes: &[u8], url: bool) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    let letter = |six: u32| {
        let index = usize::try_from(six & 63).unwrap_or(0);
        match STANDARD.get(index).copied().map_or('A', char::from) {
            '+' if url => '-',
            '/' if url => '_',
            letter => letter,
        }
    };
    for part in bytes.chunks(3) {
        let bits = part.iter().enumerate().fold(0, |bits, (at, byte)| {
            bits | (u32::from(*byte) << (16 - 8 * at))
        });
        for place in 0..4 {
            if place <= part.len() {
                text.push(letter(bits >> (18 - 6 * place)));
            } else if !url {
                text.push('=');
            }
        }
    }
    text
}

/// Both alphabets; what is no letter is skipped, and `=` ends it.
pub(super) fn base64_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).unwrap_or(0));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_leniently_as_node_does() {
        assert_eq!(hex_text(&[0, 255, 16]), "00ff10");
        assert_eq!(hex_bytes("00fFzz11"), [0, 255]);
        assert_eq!(hex_bytes("123"), [0x12]);
        assert_eq!(base64_text(&[251, 255], false), "+/8=");
        assert_eq!(base64_text(&[251, 255], true), "-_8");
        assert_eq!(base64_bytes("-_8"), [251, 255]);
        assert_eq!(base64_bytes("aG\n k="), b"hi");
        assert_eq!(base64_bytes("aGk=aGk="), b"hi");
    }
}
