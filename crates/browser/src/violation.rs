//! What a Content Security Policy forbids and a page tried nevertheless.

use serde_json::Value;

/// A violation of a Content Security Policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The directive, for example `connect-src`.
    pub directive: String,
    /// What was blocked; empty for inline code and `eval`.
    pub blocked: String,
    /// The document whose policy it is.
    pub document: String,
    /// Where it was tried: a script or the document.
    pub source: String,
    /// The line of that, from one on; zero when unknown.
    pub line: u64,
    /// What was tried: `url`, `inline`, `eval`, `wasm-eval` or one of the rarer ones, as the browser names it.
    pub kind: String,
    /// Whether it was only reported, not blocked.
    pub report_only: bool,
}

impl Violation {
    /// Reads an issue, if it is such a one. Which document it is about is for the caller to say.
    pub(crate) fn read(issue: &Value) -> Option<Self> {
        let details = &issue["details"]["contentSecurityPolicyIssueDetails"];
        let directive = details["violatedDirective"].as_str()?;
        let place = &details["sourceCodeLocation"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Some(Self {
            directive: directive.into(),
            blocked: word(&details["blockedURL"]),
            document: String::new(),
            source: word(&place["url"]),
            line: place["lineNumber"].as_u64().map_or(0, |line| line + 1),
            kind: kind(details["contentSecurityPolicyViolationType"].as_str().unwrap_or_default()),
            report_only: details["isReportOnly"].as_bool().unwrap_or_default(),
        })
    }
}

fn kind(named: &str) -> String {
    match named {
        "kURLViolation" => "url".into(),
        "kInlineViolation" => "inline".into(),
        "kEvalViolation" => "eval".into(),
        "kWasmEvalViolation" => "wasm-eval".into(),
        other => other.into(),
    }
}
