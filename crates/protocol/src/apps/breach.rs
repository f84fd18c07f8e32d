//! A broken rule of the bridge, and the rule itself.

use std::fmt;

use serde_json::{Value, json};

use super::BridgeParty;

/// A message that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The rule that is broken.
    pub rule: &'static BridgeRule,
    /// How strongly it binds here: an ambiguity of the text may weaken a rule.
    pub gravity: Gravity,
    /// Who breaks it.
    pub by: BridgeParty,
    /// Where in the message, if it is one part of it.
    pub at: String,
    /// What is wrong, in one line.
    pub says: String,
}

/// A rule of the bridge.
#[derive(Debug, PartialEq, Eq)]
pub struct BridgeRule {
    /// `ui/AREA/WHAT`, frozen once released.
    pub id: &'static str,
    /// The heading of the text that it stands under.
    pub place: &'static str,
    /// How strongly it binds.
    pub gravity: Gravity,
    /// What the rule asks for, in one line.
    pub about: &'static str,
}

/// How strongly a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gravity {
    /// Nothing forbids it, but it is hardly what the author wants.
    Note,
    /// A recommendation.
    Should,
    /// A requirement, or what follows from the definition of a message.
    Must,
}

/// Where the text stands.
const TEXT: &str = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/";

impl BridgeRule {
    /// A breach of this rule.
    pub(super) fn broken(&'static self, by: BridgeParty, says: impl Into<String>) -> Breach {
        Breach { rule: self, gravity: self.gravity, by, at: String::new(), says: says.into() }
    }

    /// The address of the place.
    pub fn link(&self) -> String {
        format!("{TEXT}{}", self.place)
    }
}

impl Breach {
    #[must_use]
    pub(super) fn at(self, at: impl Into<String>) -> Self {
        Self { at: at.into(), ..self }
    }

    /// The same breach, with at most this gravity.
    #[must_use]
    pub(super) fn at_most(self, gravity: Gravity) -> Self {
        Self { gravity: self.gravity.min(gravity), ..self }
    }

    /// The breach as JSON: `level`, `text`, `rule`, `place`, `link` and `by`.
    pub fn to_value(&self) -> Value {
        json!({
            "level": self.gravity.as_str(),
            "text": self.to_string(),
            "rule": self.rule.id,
            "place": self.rule.place,
            "link": self.rule.link(),
            "by": self.by.as_str(),
        })
    }
}

impl Gravity {
    /// The name in records and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Should => "should",
            Self::Must => "must",
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            return f.write_str(&self.says);
        }
        write!(f, "{}: {}", self.at, self.says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: BridgeRule =
        BridgeRule { id: "ui/a/b", place: "apps.mdx#lifecycle", gravity: Gravity::Must, about: "a holds" };
    static ONE: BridgeRule = RULE;

    #[test]
    fn a_breach_tells_who_what_and_where() {
        let breach = ONE.broken(BridgeParty::Host, "is wrong").at("/params").at_most(Gravity::Should);
        assert_eq!(breach.to_string(), "/params: is wrong");
        assert_eq!(breach.to_value()["level"], "should");
        assert_eq!(breach.to_value()["by"], "host");
        assert!(breach.rule.link().ends_with("2026-01-26/apps.mdx#lifecycle"));
    }
}
