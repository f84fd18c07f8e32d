//! How a secret may be written: as it is, in base64 at any place within something longer, in hex. Escapes are undone before
//! (`unescape.rs`), so they are not listed here.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// One way to write a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spelling {
    pub(super) text: Vec<u8>,
    pub(super) base64: bool,
}

/// The base64 of a shorter text occurs in other base64 by chance.
const MIN_ENCODED: usize = 5;

/// Every way to write `secret`.
pub(super) fn spellings(secret: &str) -> Vec<Spelling> {
    let plain = |text: String| Spelling { text: text.into_bytes(), base64: false };
    let mut all = vec![plain(secret.to_owned())];
    if secret.contains(' ') {
        all.push(plain(secret.replace(' ', "+")));
    }
    if secret.len() >= MIN_ENCODED {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        all.push(plain(hex.to_ascii_uppercase()));
        all.push(plain(hex));
        for before in 0..3 {
            all.extend(
                within_base64(secret, before).map(|text| Spelling { text: text.into_bytes(), base64: true }),
            );
        }
    }
    all.sort();
    all.dedup();
    all
}

/// The digits that do not depend on the text around the secret, when `before` bytes (modulo three) come before it.
fn within_base64(secret: &str, before: usize) -> [String; 2] {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret.as_bytes());
    let from = (8 * before).div_ceil(6);
    let to = 8 * bytes.len() / 6;
    let core = |text: String| text.get(from..to).unwrap_or_default().to_owned();
    [core(STANDARD_NO_PAD.encode(&bytes)), core(URL_SAFE_NO_PAD.encode(&bytes))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_known_at_every_place() {
        let secret = "s3cr3t?>~value";
        let all = spellings(secret);
        for around in ["", "a", "ab", "abc", "user:", "{\"token\":\""] {
            let whole = format!("{around}{secret}{around}");
            for text in [STANDARD_NO_PAD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
                let known = |spelling: &Spelling| text.contains(std::str::from_utf8(&spelling.text).unwrap());
                assert!(all.iter().filter(|spelling| spelling.base64).any(known), "{around}: {text}");
            }
        }
    }
}
