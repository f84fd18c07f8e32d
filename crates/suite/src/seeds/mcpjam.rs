//! MCPJam's seven checks of MCP Apps, and how its verdicts follow from ours.
//!
//! Its rules are spread over several of our checks, which carry its ids as aliases: ours keep apart what the
//! specification asks with MUST and with SHOULD, and blame the message that is wrong. [`judge`] puts them together.

use crate::{Outcome, Report};

/// One of its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: &'static str,
    /// Its category.
    pub category: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it asks for, in our words.
    pub about: &'static str,
    /// Those of our checks that decide it; the worst counts.
    pub checks: &'static [&'static str],
    /// A check of ours without which it does not run: its client drops a list in which one tool is malformed.
    pub needs: Option<&'static str>,
    /// What it says when there is nothing to look at.
    pub absent: Verdict,
    /// What it says when ours could not look.
    pub blocked: Verdict,
}

/// What it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `passed`
    Passed,
    /// `failed`
    Failed,
    /// `skipped`, because there is nothing to look at.
    NotApplicable,
    /// `skipped`, because something stood in the way.
    CouldNotRun,
}

/// Its check that there are UI tools, which also stands for the connection.
const PRESENT: &str = "server/apps/tools-listed";

/// Its checks, in its order.
pub const RULES: [Rule; 7] = [
    Rule {
        id: "ui-tools-present",
        category: "tools",
        title: "UI Tools Present",
        about: "some tool names a user interface",
        checks: &[PRESENT],
        needs: None,
        absent: Verdict::Failed,
        blocked: Verdict::Failed,
    },
    Rule {
        id: "ui-tool-metadata-valid",
        category: "tools",
        title: "UI Tool Metadata Valid",
        about: "tools with a user interface name a ui:// resource and known visibilities",
        checks: &["server/apps/uri-scheme", "server/apps/tool-metadata-valid"],
        needs: Some(PRESENT),
        absent: Verdict::NotApplicable,
        blocked: Verdict::CouldNotRun,
    },
    Rule {
        id: "ui-tool-input-schema-valid",
        category: "tools",
        title: "UI Tool Input Schema Valid",
        about: "tools with a user interface have an input schema that is an object",
        checks: &["server/apps/tool-input-schema"],
        needs: Some(PRESENT),
        absent: Verdict::NotApplicable,
        blocked: Verdict::CouldNotRun,
    },
    Rule {
        id: "ui-listed-resources-valid",
        category: "resources",
        title: "Listed UI Resources Valid",
        about: "listed user interfaces have a ui:// address and the media type of MCP Apps",
        checks: &[
            "server/apps/resources-listed",
            "server/apps/listed-uri-scheme",
            "server/apps/listed-media-type",
        ],
        needs: None,
        absent: Verdict::NotApplicable,
        blocked: Verdict::CouldNotRun,
    },
    Rule {
        id: "ui-resources-readable",
        category: "resources",
        title: "UI Resources Readable",
        about: "every user interface that is named or listed can be read",
        checks: &["server/apps/resource-exists", "server/apps/content-body"],
        needs: None,
        absent: Verdict::NotApplicable,
        blocked: Verdict::NotApplicable,
    },
    Rule {
        id: "ui-resource-contents-valid",
        category: "resources",
        title: "UI Resource Contents Valid",
        about: "reading a user interface gives one HTML document",
        checks: &["server/apps/one-content", "server/apps/content-media-type", "server/apps/content-html"],
        needs: None,
        absent: Verdict::NotApplicable,
        blocked: Verdict::NotApplicable,
    },
    Rule {
        id: "ui-resource-meta-valid",
        category: "resources",
        title: "UI Resource Metadata Valid",
        about: "the metadata of a user interface has the shapes that the extension gives it",
        checks: &["server/apps/resource-metadata-valid"],
        needs: None,
        absent: Verdict::NotApplicable,
        blocked: Verdict::NotApplicable,
    },
];

/// Where its checks ask for something else than the specification.
pub const NOTES: &[(&str, &str)] = &[
    (
        "ui-tools-present",
        "fails a server without UI tools, which is free not to have any; here that is not applicable",
    ),
    (
        "ui-tool-metadata-valid",
        "looks at tools with a resourceUri alone; server/apps/tool-metadata-sound looks at the others",
    ),
    (
        "ui-tool-input-schema-valid",
        "cannot run where it would fail, since its client drops the list; here the tool is named",
    ),
    ("ui-listed-resources-valid", "fails a listed media type that SEP-1865 asks for with SHOULD"),
    (
        "ui-resources-readable",
        "also fails contents that its client cannot decode, which is server/apps/content-body here",
    ),
    ("ui-resource-contents-valid", "never sees text beside blob, which is server/apps/text-or-blob here"),
    (
        "ui-resource-meta-valid",
        "takes any text for an origin and any member of csp; see server/apps/csp-sources and metadata-spelling",
    ),
];

/// What it would say, check by check, of what a run found. Cases that were not run decide nothing; a check of whose
/// cases none was run is `None`.
pub fn judge(report: &Report) -> [(Rule, Option<Verdict>); 7] {
    let connected = !outcomes(report, &[PRESENT]).contains(&Outcome::Blocked);
    RULES.map(|rule| (rule, verdict(report, &rule, connected)))
}

fn verdict(report: &Report, rule: &Rule, connected: bool) -> Option<Verdict> {
    let outcomes = outcomes(report, rule.checks);
    if outcomes.is_empty() {
        return None;
    }
    if !connected && rule.id != RULES[0].id {
        return Some(Verdict::CouldNotRun);
    }
    if rule.needs.is_some_and(|needed| self::outcomes(report, &[needed]).iter().any(is_violation)) {
        return Some(Verdict::CouldNotRun);
    }
    let has = |wanted: fn(&Outcome) -> bool| outcomes.iter().any(wanted);
    Some(if has(is_violation) {
        Verdict::Failed
    } else if has(|outcome| matches!(outcome, Outcome::Blocked | Outcome::Broke)) {
        rule.blocked
    } else if has(|outcome| matches!(outcome, Outcome::Passed | Outcome::UnexpectedPass)) {
        Verdict::Passed
    } else {
        rule.absent
    })
}

const fn is_violation(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Failed | Outcome::Warned | Outcome::KnownFailure => true,
        Outcome::Passed
        | Outcome::Blocked
        | Outcome::NotApplicable
        | Outcome::Broke
        | Outcome::UnexpectedPass => false,
    }
}

fn outcomes(report: &Report, checks: &[&str]) -> Vec<Outcome> {
    let cases = report.cases.iter().filter(|case| checks.contains(&case.check.as_str()));
    cases.map(|case| case.outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_id;

    #[test]
    fn every_rule_names_checks_that_answer_to_it() {
        for rule in RULES {
            let named: Vec<_> =
                crate::registry().filter(|check| check.aliases.contains(&rule.id)).map(|c| c.id).collect();
            let mut ours = rule.checks.to_vec();
            ours.sort_unstable_by_key(|id| crate::registry().position(|check| check.id == *id));
            assert_eq!(named, ours, "{}", rule.id);
            assert!(rule.needs.is_none_or(|needed| by_id(needed).is_some()));
        }
    }
}
