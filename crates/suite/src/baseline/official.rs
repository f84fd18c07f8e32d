//! The expected failures of the official suite, in our terms.
//!
//! A scenario is mapped only where checks of ours ask for the same thing. Excusing more than the list names would hide
//! failures, so what has no counterpart is left aside and said.

use super::{Baseline, BaselineError, Entry, yaml};

/// What a scenario, or one check of it, corresponds to.
type Row = (&'static str, &'static [&'static str]);

const CONTENT: &[&str] = &["server/tools/content-present"];
const READ: &[&str] = &["server/resources/contents-complete", "server/resources/listed-readable"];
const PROMPT: &[&str] = &["server/prompts/messages-present"];
const ORIGIN: &[&str] = &["server/http/foreign-origin-refused", "server/http/foreign-origin-status"];
const NOT_FOUND: &[&str] = &["server/resources/not-found-code", "server/resources/not-found-refused"];
const HINTS: &[&str] = &["server/caching/hints-present"];
const META: &[&str] = &["server/discovery/meta-required"];
const VERSION: &[&str] =
    &["server/discovery/unsupported-version-refused", "server/discovery/unsupported-version-lists"];
const HEADERS: &[&str] = &["server/headers/mismatch-refused", "server/headers/mismatch-code"];
const UNKNOWN: &[&str] = &["server/http/unknown-method-404", "server/base/unknown-method-code"];

const SCENARIOS: &[Row] = &[
    ("server-initialize", &["server/lifecycle/handshake-complete", "server/lifecycle/version-agreed"]),
    ("ping", &["server/lifecycle/ping-answered"]),
    ("logging-set-level", &["server/logging/level-checked"]),
    ("completion-complete", &["server/completion"]),
    (
        "tools-list",
        &["server/tools/schema-valid", "server/tools/name-characters", "server/tools/name-unique"],
    ),
    ("tools-call-simple-text", CONTENT),
    ("tools-call-image", CONTENT),
    ("tools-call-audio", CONTENT),
    ("tools-call-embedded-resource", CONTENT),
    ("tools-call-mixed-content", CONTENT),
    ("tools-call-error", CONTENT),
    ("tools-call-with-progress", &["wire/message/progress-increases"]),
    ("json-schema-2020-12", &["server/tools/schema-valid"]),
    ("resources-read-text", READ),
    ("resources-read-binary", READ),
    ("sep-2164-resource-not-found", NOT_FOUND),
    ("prompts-get-simple", PROMPT),
    ("prompts-get-with-args", PROMPT),
    ("prompts-get-embedded-resource", PROMPT),
    ("prompts-get-with-image", PROMPT),
    ("dns-rebinding-protection", ORIGIN),
    ("server-session-lifecycle", &["server/sessions"]),
    ("caching", &["server/caching"]),
    ("http-header-validation", HEADERS),
    ("server-stateless", &["server/discovery", "server/subscriptions", "server/http/unknown-method-404"]),
];

const CHECKS: &[Row] = &[
    ("wire-schema-valid", &["wire/message/schema"]),
    ("server-initialize", &["server/lifecycle/handshake-complete"]),
    ("tools-name-format", &["server/tools/name-characters"]),
    ("localhost-host-rebinding-rejected", ORIGIN),
    ("server-session-id-visible-ascii", &["server/sessions/id-visible-ascii"]),
    ("server-session-terminated-returns-404", &["server/sessions/terminated-404"]),
    ("server-session-initialized-accepted", &["server/http/notification-accepted"]),
    ("sep-2164-error-code", &["server/resources/not-found-code"]),
    ("sep-2164-no-empty-contents", &["server/resources/not-found-refused"]),
    ("sep-2243-server-reject-invalid-headers", &["server/headers/mismatch-refused"]),
    ("sep-2243-server-reject-error-code", &["server/headers/mismatch-code"]),
    ("sep-2322-result-type-included", &["wire/message/result-type"]),
    ("sep-2549-ttl-non-negative", &["server/caching/ttl-not-negative"]),
    ("sep-2549-caching-hints", HINTS),
    ("sep-2549-tools-list-caching-hints", HINTS),
    ("sep-2549-prompts-list-caching-hints", HINTS),
    ("sep-2549-resources-list-caching-hints", HINTS),
    ("sep-2549-resources-read-caching-hints", HINTS),
    ("sep-2549-resources-templates-list-caching-hints", HINTS),
    ("sep-2575-server-implements-discover", &["server/discovery/answered"]),
    ("sep-2575-server-identifies-in-result-meta", &["wire/message/server-info"]),
    ("sep-2575-server-unsupported-version-error", VERSION),
    ("sep-2575-http-server-unsupported-version-400", VERSION),
    ("sep-2575-http-server-header-mismatch-400", HEADERS),
    ("sep-2575-http-server-meta-invalid-400", META),
    ("sep-2575-request-meta-invalid-missing-meta", META),
    ("sep-2575-request-meta-invalid-missing-protocol-version", META),
    ("sep-2575-http-server-method-not-found-404", UNKNOWN),
    ("sep-2575-server-no-log-without-loglevel", &["server/logging/only-when-asked"]),
    ("sep-2575-server-sends-subscription-ack", &["server/subscriptions/acknowledged-first"]),
    ("sep-2575-server-tags-subscription-id", &["server/subscriptions/tagged"]),
];

/// Reads the list.
pub(super) fn read(text: &str) -> Result<Baseline, BaselineError> {
    let mut baseline = Baseline::default();
    for item in yaml::items(text)? {
        let known = match item.key.as_str() {
            "server" => checks(&item.value),
            // Clients are not what is measured here.
            "client" => continue,
            other => {
                let what = format!("`{other}` is no part of a list of expected failures: `server`, `client`");
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
    fn every_row_names_checks_that_exist() {
        for (row, names) in SCENARIOS.iter().chain(CHECKS) {
            for name in *names {
                assert!(crate::registry().any(|check| crate::plan::matches(check, name)), "{row}: {name}");
            }
        }
    }

    #[test]
    fn what_has_no_counterpart_is_set_aside_and_named() {
        let text = "server:\n  - tools-list\n  - caching:sep-2549-ttl-non-negative\n  - tools-call-sampling\n\
                    \x20 - tools-list:no-such\nclient:\n  - initialize\n";
        let read = read(text).unwrap();
        assert_eq!(read.entries.len(), 2);
        assert_eq!(read.entries[1].checks, ["server/caching/ttl-not-negative"]);
        assert_eq!(read.aside, ["tools-call-sampling", "tools-list:no-such"]);
        assert_eq!(super::read("elsewhere:\n  - x\n").unwrap_err().line, 2);
    }
}
