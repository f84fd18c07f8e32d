//! Our own list: `CHECK [REVISION] [TRANSPORT]  # reason`, one a line.

use transport::Transport;

use super::{Baseline, BaselineError, Entry};

/// Reads the list.
pub(super) fn parse_lines(text: &str) -> Result<Baseline, BaselineError> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let written = line.split('#').next().unwrap_or_default().trim();
        if written.is_empty() {
            continue;
        }
        entries.push(entry(written).map_err(|what| BaselineError { line: number + 1, what })?);
    }
    Ok(Baseline { entries, aside: Vec::new() })
}

fn entry(written: &str) -> Result<Entry, String> {
    let transports = Transport::ALL.map(Transport::name);
    let mut words = written.split_whitespace();
    let check = words.next().unwrap_or_default();
    if !crate::registry().any(|known| crate::plan::matches(known, check)) {
        return Err(format!("no check `{check}`; `yardstick list` shows them"));
    }
    let mut entry =
        Entry { text: written.to_owned(), checks: vec![check.to_owned()], protocol: None, transport: None };
    for word in words {
        match word.parse() {
            Ok(version) if entry.protocol.is_none() => entry.protocol = Some(version),
            Err(_) if transports.contains(&word) && entry.transport.is_none() => {
                entry.transport = Some(word.to_owned());
            }
            Ok(_) | Err(_) => {
                return Err(format!(
                    "`{word}` is neither a revision nor a transport ({}), or it is there twice",
                    transports.join(", ")
                ));
            }
        }
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use protocol::Version;

    use super::*;

    #[test]
    fn a_line_names_a_check_and_may_narrow_it() {
        let text = "# ours\n\nserver/tools\nserver/tools/name-unique 2025-11-25 stdio # because\n";
        let read = parse_lines(text).unwrap();
        assert_eq!(read.entries.len(), 2);
        assert_eq!(read.entries[0].protocol, None);
        assert_eq!(read.entries[1].protocol, Some(Version::V2025_11_25));
        assert_eq!(read.entries[1].transport.as_deref(), Some("stdio"));
    }

    #[test]
    fn nonsense_is_refused_with_its_line() {
        for (text, line, part) in [
            ("\nserver/no-such", 2, "`server/no-such`"),
            ("server/tools 2025-01-01", 1, "`2025-01-01`"),
            ("server/tools stdio http", 1, "`http`"),
        ] {
            let error = parse_lines(text).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(error.what.contains(part), "{error}");
        }
    }
}
