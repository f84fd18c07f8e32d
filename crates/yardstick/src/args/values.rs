//! What the values of options may be.

use std::time::Duration;

use protocol::Version;
use suite::Tolerance;

use crate::suggest::did_you_mean;

pub(super) fn revision(text: &str) -> Result<Version, String> {
    text.parse().map_err(|error: protocol::UnknownVersion| {
        let near = did_you_mean(text, Version::ALL.iter().map(|version| version.as_str()));
        format!("{error}{near}")
    })
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=1000).contains(count));
    count.ok_or_else(|| format!("`{text}` is not between 1 and 1000"))
}

/// A share of pixels, as `0.001` or `0.1%`.
pub(super) fn tolerance(text: &str) -> Result<Tolerance, String> {
    let (digits, whole) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits.trim_end(), 100.0));
    let share = digits.parse::<f64>().ok().and_then(|share| Tolerance::new(share / whole));
    share.ok_or_else(|| format!("`{text}` is not a share of the pixels: 0 to 1, or 0% to 100%"))
}

/// A number of bytes, as `4194304`, `4096K` or `4M`.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1024),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1024 * 1024),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1024 * 1024 * 1024),
        _ => (text, 1),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|count| count.checked_mul(unit));
    let bytes = bytes.ok_or_else(|| format!("`{text}` is not a size such as 4M"))?;
    let allowed = 64 * 1024..=1024 * 1024 * 1024;
    allowed.contains(&bytes).then_some(bytes).ok_or_else(|| format!("`{text}` is not between 64K and 1G"))
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero() && *limit <= Duration::from_secs(3600))
        .ok_or_else(|| format!("`{text}` is not between 0 and 3600 seconds"))
}
