//! Defects of SDKs, so that the author of a server learns that a finding is not theirs to mend. `docs/findings.md` says how
//! each was measured.
//!
//! A server does not say what it is made with. An SDK is recognised by words of its own in what the server answered, in
//! any case of the run; silence tells nothing. A name is a hint, and changes no outcome.

use protocol::{Span, Version};
use transport::Transport;

use crate::{CaseReport, Outcome};

/// An SDK that is known to break rules.
struct Sdk {
    /// Its name, with the versions that are affected.
    name: &'static str,
    /// The version that was measured.
    seen_in: &'static str,
    /// When.
    date: &'static str,
    /// What only this SDK says: all parts of one entry in one message.
    signs: &'static [&'static [&'static str]],
    defects: &'static [Defect],
}

/// What it breaks, and where.
struct Defect {
    check: &'static str,
    span: Span,
    transports: &'static [Transport],
}

const SDKS: &[Sdk] = &[
    Sdk {
        name: "TypeScript SDK 1.x",
        seen_in: "1.32.2",
        date: "2026-11-16",
        signs: &[
            &["Server does not support task creation (required for "],
            &["Server does not support task creation for tools/call (required for "],
            &["HTTP/1.1 400", "Invalid message: [{"],
        ],
        defects: &[
            Defect {
                check: "server/base/batch-answered",
                span: Span::only(Version::V2025_03_26),
                transports: &[Transport::Stdio, Transport::HttpSse],
            },
            Defect {
                check: "server/base/batch-not-served",
                span: Span::between(Version::V2025_06_18, Version::V2025_11_25),
                transports: &[Transport::StreamableHttp],
            },
            Defect {
                check: "server/tasks/undeclared-ignored",
                span: Span::only(Version::V2025_11_25),
                transports: &[Transport::Stdio, Transport::StreamableHttp],
            },
            Defect {
                check: "server/tasks/required-enforced",
                span: Span::only(Version::V2025_11_25),
                transports: &[Transport::Stdio, Transport::StreamableHttp],
            },
        ],
    },
    Sdk {
        name: "Python SDK",
        seen_in: "2.3.0",
        date: "2026-11-16",
        signs: &[&["Validation error: ", "JSONRPCRequest"]],
        defects: &[Defect {
            check: "server/base/batch-answered",
            span: Span::only(Version::V2025_03_26),
            transports: &[Transport::Stdio, Transport::StreamableHttp],
        }],
    },
    Sdk {
        name: "Python SDK 1.x",
        seen_in: "1.30.0",
        date: "2026-11-17",
        signs: &[&[r#""id":"server-error""#], &["-32602", "Invalid request parameters"]],
        defects: &[
            Defect {
                check: "server/base/unknown-method-code",
                span: Span::LEGACY,
                transports: &[Transport::Stdio, Transport::StreamableHttp, Transport::HttpSse],
            },
            Defect {
                check: "wire/jsonrpc/id-known",
                span: Span::LEGACY,
                transports: &[Transport::StreamableHttp],
            },
            Defect {
                check: "server/base/batch-answered",
                span: Span::only(Version::V2025_03_26),
                transports: &[Transport::Stdio, Transport::StreamableHttp],
            },
        ],
    },
    Sdk {
        name: "Go SDK",
        seen_in: "1.8.0",
        date: "2026-11-17",
        signs: &[&["JSON RPC not handled: "]],
        defects: &[Defect {
            check: "server/base/unknown-method-refused",
            span: Span::LEGACY,
            transports: &[Transport::StreamableHttp, Transport::HttpSse],
        }],
    },
    Sdk {
        name: "rmcp",
        seen_in: "3.8.0",
        date: "2026-11-16",
        signs: &[&["fail to deserialize request body"], &["missing required Mcp-Name header"]],
        defects: &[
            Defect {
                check: "server/base/batch-answered",
                span: Span::only(Version::V2025_03_26),
                transports: &[Transport::Stdio, Transport::StreamableHttp],
            },
            Defect {
                check: "server/discovery/removed-methods-unknown",
                span: Span::MODERN,
                transports: &[Transport::StreamableHttp],
            },
            Defect {
                check: "wire/message/result-type",
                span: Span::MODERN,
                transports: &[Transport::Stdio, Transport::StreamableHttp],
            },
        ],
    },
];

/// Names the SDK in every finding that is one of its known defects.
pub(crate) fn name(cases: &mut [CaseReport]) {
    for sdk in SDKS {
        if !sdk.shows_in(cases) {
            continue;
        }
        for case in cases.iter_mut().filter(|case| case.known.is_none() && sdk.has(case)) {
            case.known =
                Some(format!("known defect of the {} (seen in {}, {})", sdk.name, sdk.seen_in, sdk.date));
        }
    }
}

impl Sdk {
    fn shows_in(&self, cases: &[CaseReport]) -> bool {
        cases.iter().filter(|case| is_violated(case)).any(|case| {
            let said: Vec<_> = case.frames.iter().map(|frame| frame.text.as_str()).collect();
            let said = said.join("\n");
            self.signs.iter().any(|parts| parts.iter().all(|part| said.contains(part)))
        })
    }

    fn has(&self, case: &CaseReport) -> bool {
        is_violated(case)
            && self.defects.iter().any(|defect| {
                defect.check == case.check
                    && defect.span.contains(case.protocol)
                    && defect.transports.iter().any(|transport| transport.name() == case.transport)
            })
    }
}

const fn is_violated(case: &CaseReport) -> bool {
    matches!(case.outcome, Outcome::Failed | Outcome::Warned | Outcome::KnownFailure)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use transport::Transport;

    use super::*;
    use crate::{Case, Evidence, Excerpt, Finding, Level, Party};

    fn case(check: &str, version: Version, said: &str) -> CaseReport {
        let case = Case {
            check: crate::by_id(check).unwrap(),
            version,
            transport: Transport::Stdio,
            level: Level::Must,
        };
        let evidence = Evidence::new("a", "b").showing(Excerpt::from_bytes(Party::Server, said.as_bytes()));
        CaseReport::new(&case, &Err(Finding::Violated(Box::new(evidence))), Duration::ZERO)
    }

    const REFUSED: &str =
        r#"{"error":{"message":"Server does not support task creation (required for tools/list)"}}"#;

    #[test]
    fn an_sdk_that_shows_itself_once_is_named_in_all_its_defects() {
        let mut cases = [
            case("server/base/batch-answered", Version::V2025_03_26, ""),
            case("server/tasks/undeclared-ignored", Version::V2025_11_25, REFUSED),
            case("server/tools/name-unique", Version::V2025_11_25, ""),
        ];
        name(&mut cases);
        let known = "known defect of the TypeScript SDK 1.x (seen in 1.32.2, 2026-11-16)";
        assert_eq!(cases[0].known.as_deref(), Some(known));
        assert_eq!(cases[1].known.as_deref(), Some(known));
        assert_eq!(cases[2].known, None);
    }

    #[test]
    fn an_older_sdk_of_the_same_language_is_named_by_its_own_words() {
        let said = r#"{"id":7,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}"#;
        let mut cases = [case("server/base/unknown-method-code", Version::V2025_06_18, said)];
        name(&mut cases);
        assert!(cases[0].known.as_deref().is_some_and(|known| known.contains("Python SDK 1.x")));
    }

    #[test]
    fn silence_names_nobody() {
        let mut cases = [case("server/base/batch-answered", Version::V2025_03_26, "")];
        name(&mut cases);
        assert_eq!(cases[0].known, None);
    }

    #[test]
    fn the_list_names_checks_that_bind_there() {
        for defect in SDKS.iter().flat_map(|sdk| sdk.defects) {
            let check = crate::by_id(defect.check).unwrap();
            for version in defect.span.versions() {
                assert!(check.level(version).is_some(), "{} {version}", check.id);
            }
        }
    }
}
