//! Unguessable names.

use ring::rand::{SecureRandom as _, SystemRandom};

use crate::Error;

/// Returns that many random bytes as hexadecimal digits.
pub(crate) fn hex(bytes: usize) -> Result<String, Error> {
    let mut buffer = vec![0; bytes];
    SystemRandom::new().fill(&mut buffer).map_err(|_| Error::NoRandom)?;
    Ok(buffer.iter().map(|byte| format!("{byte:02x}")).collect())
}
