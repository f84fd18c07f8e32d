//! Seals state that the client stores and must return unchanged.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::{hmac, rand};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long sealed state is valid.
const VALIDITY: Duration = Duration::from_secs(600);

/// Seals state with a key that only this process has.
#[derive(Debug)]
pub(crate) struct Sealer {
    key: Option<hmac::Key>,
}

/// The sealed content, bound to one request and to a time.
#[derive(Serialize, Deserialize)]
struct Sealed {
    /// The subject of the state: the method and the relevant params.
    subject: String,
    expires: u64,
    state: Value,
}

/// Why state is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnsealError {
    #[error("requestState was changed, or is not from this server")]
    Forged,
    #[error("requestState belongs to another request")]
    Foreign,
    #[error("requestState has expired; send the request anew")]
    Expired,
}

impl Sealer {
    pub(crate) fn new() -> Self {
        Self { key: hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()).ok() }
    }

    /// Seals `state` for `subject`; `None` when the system gives no random bytes for a key.
    pub(crate) fn seal(&self, subject: &str, state: Value) -> Option<String> {
        let expires = now() + VALIDITY.as_secs();
        let sealed = Sealed { subject: subject.to_owned(), expires, state };
        let payload = BASE64.encode(serde_json::to_vec(&sealed).ok()?);
        let tag = hmac::sign(self.key.as_ref()?, payload.as_bytes());
        Some(format!("{payload}.{}", BASE64.encode(tag)))
    }

    /// The state, if it was sealed here for `subject` and has not expired.
    pub(crate) fn open(&self, subject: &str, text: &str) -> Result<Value, UnsealError> {
        let (payload, tag) = text.split_once('.').ok_or(UnsealError::Forged)?;
        let tag = BASE64.decode(tag).map_err(|_| UnsealError::Forged)?;
        let key = self.key.as_ref().ok_or(UnsealError::Forged)?;
        hmac::verify(key, payload.as_bytes(), &tag).map_err(|_| UnsealError::Forged)?;
        let bytes = BASE64.decode(payload).map_err(|_| UnsealError::Forged)?;
        let sealed: Sealed = serde_json::from_slice(&bytes).map_err(|_| UnsealError::Forged)?;
        if sealed.subject != subject {
            return Err(UnsealError::Foreign);
        }
        if sealed.expires < now() {
            return Err(UnsealError::Expired);
        }
        Ok(sealed.state)
    }
}

/// A random name.
pub(crate) fn random_name() -> Option<String> {
    let bytes: [u8; 16] = rand::generate(&SystemRandom::new()).ok()?.expose();
    Some(BASE64.encode(bytes))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn state_comes_back_only_as_it_went_out() {
        let sealer = Sealer::new();
        let text = sealer.seal("tools/call a", json!({ "n": 1 })).unwrap();
        assert_eq!(sealer.open("tools/call a", &text), Ok(json!({ "n": 1 })));
        assert_eq!(sealer.open("tools/call b", &text), Err(UnsealError::Foreign));
        assert_eq!(sealer.open("tools/call a", &text.replace('.', "A.")), Err(UnsealError::Forged));
        assert_eq!(sealer.open("tools/call a", "nonsense"), Err(UnsealError::Forged));
        assert_eq!(Sealer::new().open("tools/call a", &text), Err(UnsealError::Forged));
    }
}
