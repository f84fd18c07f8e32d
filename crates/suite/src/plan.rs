//! What will run: checks, paired with the revisions that a target speaks.

use protocol::Version;
use transport::Transport;

use crate::{Applies, Check, Level, registry};

/// A check in one revision over one transport.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The check.
    pub check: &'static Check,
    /// The revision.
    pub version: Version,
    /// The transport.
    pub transport: Transport,
    /// How strongly it binds in that revision.
    pub level: Level,
}

/// Which checks are wanted.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Ids, prefixes of ids, sections, aliases, or the levels `must`, `should` and `advice`; all checks when empty.
    pub only: Vec<String>,
    /// What is left out, named in the same ways.
    pub skip: Vec<String>,
}

/// What will run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The cases, revision by revision, in the order of the registry.
    pub cases: Vec<Case>,
    /// Active checks that were not selected and still run, without a report: the selected passive checks judge what the
    /// server answers to them.
    pub unreported: Vec<Case>,
}

impl Plan {
    /// The selected checks that bind in one of `versions` and make sense over `transport`.
    pub fn new(versions: &[Version], transport: Transport, selection: &Selection) -> Self {
        let mut plan = Self { cases: Vec::new(), unreported: Vec::new() };
        for version in versions.iter().copied() {
            let (taken, left) = selection.divide(version, transport);
            // A passive check finds the same with `--only` as in a whole run only if the server is asked the same.
            if taken.iter().any(|case| case.check.is_passive()) {
                let provokes = |case: &Case| !case.check.is_passive() && !selection.skips(case);
                plan.unreported.extend(left.into_iter().filter(provokes));
            }
            plan.cases.extend(taken);
        }
        plan
    }

    /// Whether all active checks that bind in `version` over `transport` run, and a passive one judges the messages.
    pub fn says_everything(&self, version: Version, transport: Transport) -> bool {
        let (all, _) = Selection::default().divide(version, transport);
        let active = all.iter().filter(|case| !case.check.is_passive()).count();
        self.cases.iter().any(|case| case.check.is_passive()) && self.active().count() == active
    }

    /// The cases that talk to the server, also those that are not reported, in the order of a whole run: what one of them
    /// does can change what a later one provokes.
    pub fn active(&self) -> impl Iterator<Item = &Case> {
        let all = self.cases.iter().chain(&self.unreported);
        let mut active: Vec<_> = all.filter(|case| !case.check.is_passive()).collect();
        active.sort_by_key(|case| registry().position(|check| check.id == case.check.id));
        active.into_iter()
    }

    /// The selected checks of what View and host say to each other. Their messages are made of the types of one revision.
    pub fn of_bridge(selection: &Selection) -> Self {
        let version = Version::V2025_11_25;
        let of_bridge = registry().filter(|check| check.applies == Applies::BetweenViewAndHost);
        let cases = of_bridge.filter_map(|check| {
            let level = check.level(version).filter(|level| selection.takes_as(check, *level))?;
            Some(Case { check, version, transport: Transport::Stdio, level })
        });
        Self { cases: cases.collect(), unreported: Vec::new() }
    }
}

impl Selection {
    /// Whether `check` is wanted in any revision.
    pub fn takes(&self, check: &Check) -> bool {
        [Level::Must, Level::Should, Level::Advice].into_iter().any(|level| {
            check.versions().any(|version| check.level(version) == Some(level)) && self.takes_as(check, level)
        })
    }

    /// Whether `check` is wanted where it binds with `level`. Names add up; levels narrow what they leave.
    pub fn takes_as(&self, check: &Check, level: Level) -> bool {
        let fits = |name: &String| level_of(name).is_none_or(|named| named == level);
        let (levels, names): (Vec<_>, Vec<_>) = self.only.iter().partition(|name| level_of(name).is_some());
        let by_level = levels.is_empty() || levels.into_iter().any(fits);
        let by_name = names.is_empty() || names.into_iter().any(|name| matches(check, name));
        by_level && by_name && !self.leaves_out(check, level)
    }

    fn leaves_out(&self, check: &Check, level: Level) -> bool {
        self.skip.iter().any(|name| match level_of(name) {
            Some(named) => named == level,
            None => matches(check, name),
        })
    }

    /// Whether the user asked to leave `case` out.
    fn skips(&self, case: &Case) -> bool {
        self.leaves_out(case.check, case.level)
    }

    /// The cases of a revision: those that are wanted, and the others.
    fn divide(&self, version: Version, transport: Transport) -> (Vec<Case>, Vec<Case>) {
        let binding = registry().filter(|check| check.suits(transport)).filter_map(|check| {
            let level = check.level_over(version, transport)?;
            Some(Case { check, version, transport, level })
        });
        binding.partition(|case| self.takes_as(case.check, case.level))
    }

    /// The first name that selects nothing, which is most likely a misspelling.
    pub fn unknown(&self) -> Option<&str> {
        let names = self.only.iter().chain(&self.skip).filter(|name| level_of(name).is_none());
        names.map(String::as_str).find(|name| !registry().any(|check| matches(check, name)))
    }
}

/// The level that a name means, if it means one.
fn level_of(name: &str) -> Option<Level> {
    match name.to_ascii_lowercase().as_str() {
        "must" => Some(Level::Must),
        "should" => Some(Level::Should),
        "advice" => Some(Level::Advice),
        _ => None,
    }
}

/// Whether `name` is the check's id, its beginning, its section or an alias.
pub(crate) fn matches(check: &Check, name: &str) -> bool {
    let prefix = name.trim_end_matches('/');
    let below = check.id.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below || check.section().0 == name || check.aliases.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[&str], skip: &[&str]) -> Vec<(&'static str, Level)> {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection { only: texts(only), skip: texts(skip) };
        assert_eq!(selection.unknown(), None);
        let plan = Plan::new(&[Version::V2025_11_25], Transport::Stdio, &selection);
        plan.cases.iter().map(|case| (case.check.id, case.level)).collect()
    }

    #[test]
    fn checks_are_chosen_by_id_prefix_section_and_level() {
        let ids = |only: &[&str]| chosen(only, &[]).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids(&["server/tools/name-unique"]), ["server/tools/name-unique"]);
        assert!(ids(&["server/tools"]).iter().all(|id| id.starts_with("server/tools/")));
        assert_eq!(ids(&["tools"]), ids(&["server/tools/"]));
        assert!(!ids(&["tools"]).is_empty());
    }

    #[test]
    fn a_passive_check_brings_all_active_ones_that_are_not_left_out() {
        let plan = |only: &str, skip: &[&str]| {
            let skip = skip.iter().map(|name| (*name).to_owned()).collect();
            let selection = Selection { only: vec![only.to_owned()], skip };
            Plan::new(&[Version::V2025_11_25], Transport::Stdio, &selection)
        };
        let passive = plan("wire/roots/declared", &[]);
        assert_eq!(passive.cases.len(), 1);
        assert!(passive.says_everything(Version::V2025_11_25, Transport::Stdio));
        let narrowed = plan("wire/roots/declared", &["server/tools"]);
        assert!(!narrowed.unreported.is_empty());
        assert!(narrowed.unreported.iter().all(|case| !case.check.id.starts_with("server/tools/")));
        let active = plan("server/tools/listed", &[]);
        assert_eq!((active.cases.len(), active.unreported.len()), (1, 0));
    }

    #[test]
    fn levels_narrow_what_names_choose() {
        let strict = chosen(&["tools", "must"], &[]);
        assert!(
            !strict.is_empty()
                && strict
                    .iter()
                    .all(|(id, level)| { id.starts_with("server/tools/") && *level == Level::Must })
        );
        let lenient = chosen(&["tools"], &["MUST"]);
        assert!(!lenient.is_empty() && lenient.iter().all(|(_, level)| *level < Level::Must));
        assert_eq!(chosen(&["tools"], &[]).len(), strict.len() + lenient.len());
    }
}
