//! What will run: checks, paired with the revisions that a target speaks.

use protocol::Version;
use transport::serve::Via;

use crate::{Check, Level, registry};

/// A check in one revision over one transport.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The check.
    pub check: &'static Check,
    /// The revision.
    pub version: Version,
    /// The transport.
    pub via: Via,
    /// How strongly it binds in that revision.
    pub level: Level,
}

/// Which checks are wanted.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Ids, aliases or prefixes of ids; all checks when empty.
    pub only: Vec<String>,
    /// Ids, aliases or prefixes of ids that are left out.
    pub skip: Vec<String>,
}

/// What will run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cases, revision by revision, in the order of the registry.
    pub cases: Vec<Case>,
}

impl Plan {
    /// The selected checks that bind in one of `versions` and make sense over `via`.
    pub fn new(versions: &[Version], via: Via, selection: &Selection) -> Self {
        let mut cases = Vec::new();
        for version in versions.iter().copied() {
            for check in registry().filter(|check| check.suits(via) && selection.takes(check)) {
                if let Some(level) = check.level(version) {
                    cases.push(Case { check, version, via, level });
                }
            }
        }
        Self { cases }
    }
}

impl Selection {
    /// Whether `check` is wanted.
    pub fn takes(&self, check: &Check) -> bool {
        let named = |names: &[String]| names.iter().any(|name| matches(check, name));
        (self.only.is_empty() || named(&self.only)) && !named(&self.skip)
    }

    /// The first name that selects nothing, which is most likely a misspelling.
    pub fn unknown(&self) -> Option<&str> {
        let names = self.only.iter().chain(&self.skip);
        names.map(String::as_str).find(|name| !registry().any(|check| matches(check, name)))
    }
}

/// Whether `name` is the check's id, its beginning, its section or an alias.
pub(crate) fn matches(check: &Check, name: &str) -> bool {
    let prefix = name.trim_end_matches('/');
    let below = check.id.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below || check.section().0 == name || check.aliases.contains(&name)
}
