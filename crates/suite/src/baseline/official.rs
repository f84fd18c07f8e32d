//! The expected failures of the official suite, in our terms.
//!
//! A scenario is mapped only where checks of ours ask for the same thing. Excusing more than the list names would hide
//! failures, so what has no counterpart is left aside and said.

use super::names::{CHECKS, Row, SCENARIOS};
use super::{Baseline, BaselineError, Entry, yaml};

/// Reads the list.
pub(super) fn parse_official(text: &str) -> Result<Baseline, BaselineError> {
    let mut baseline = Baseline::default();
    for item in yaml::items(text)? {
        let known = match item.key.as_str() {
            "server" => checks(&item.value),
            // Clients are not what is measured here.
            "client" => continue,
            other => {
                let what =
                    format!("`{other}` is not a part of a list of expected failures: `server`, `client`");
                return Err(BaselineError { line: item.line, what });
            }
        };
        match known {
            Some(names) => {
                let checks = names.iter().map(|name| (*name).to_owned()).collect();
                let entry = Entry { text: item.value.clone(), checks, protocol: None, transport: None };
                baseline.entries.push(entry);
            }
            None => baseline.aside.push(item.value),
        }
    }
    Ok(baseline)
}

/// The checks of ours that ask for the same; one of them under a name of ours is understood too.
fn checks(entry: &str) -> Option<Vec<&str>> {
    let look_up = |table: &'static [Row], name: &str| {
        table.iter().find(|(known, _)| *known == name).map(|(_, checks)| checks.to_vec())
    };
    match entry.split_once(':') {
        Some((scenario, check)) if scenario == check => look_up(SCENARIOS, scenario),
        Some((_, check)) => look_up(CHECKS, check),
        None => look_up(SCENARIOS, entry).or_else(|| crate::by_id(entry).map(|_| vec![entry])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_counterpart_is_set_aside_and_named() {
        let text = "server:\n  - tools-list\n  - caching:sep-2549-ttl-non-negative\n  - sep-2640-skills-manifest\n\
                    \x20 - tools-list:no-such\nclient:\n  - initialize\n";
        let read = parse_official(text).unwrap();
        assert_eq!(read.entries.len(), 2);
        assert_eq!(read.entries[1].checks, ["server/caching/ttl-not-negative"]);
        assert_eq!(read.aside, ["sep-2640-skills-manifest", "tools-list:no-such"]);
        assert_eq!(parse_official("elsewhere:\n  - x\n").unwrap_err().line, 2);
    }
}
