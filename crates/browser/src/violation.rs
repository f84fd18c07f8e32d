//! Violations of content security policies.

use serde_json::Value;

/// A violation of a content security policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The violated directive, for example `connect-src`.
    pub directive: String,
    /// The blocked URL; empty for inline code and `eval`.
    pub blocked: String,
    /// The document with the policy.
    pub document: String,
    /// The URL of the script or document that caused the violation.
    pub source: String,
    /// The line in that source, starting at 1; 0 if unknown.
    pub line: u64,
    /// The kind of violation: `url`, `inline`, `eval`, `wasm-eval`, or a rarer one as the browser names it.
    pub kind: String,
    /// Whether the browser only reported it and did not block it.
    pub report_only: bool,
}

impl Violation {
    /// Parses an issue; none if it is not a violation. The caller fills in the document.
    pub(crate) fn parse(issue: &Value) -> Option<Self> {
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
