//! The registry as a whole: ids, words, places.

use std::collections::HashSet;

use suite::{Basis, Level, registry};

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = HashSet::new();
    for check in registry() {
        assert!(seen.insert(check.id), "{} twice", check.id);
        let parts: Vec<_> = check.id.split('/').collect();
        assert_eq!(parts.len(), 3, "{}", check.id);
        assert!(check.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"/-".contains(&b)));
    }
}

/// An id is a promise: baselines and reports of others depend on it.
#[test]
fn ids_are_frozen() {
    let ids: Vec<_> = registry().map(|check| check.id).collect();
    insta::assert_snapshot!(ids.join("\n"));
}

#[test]
fn every_check_says_what_it_has_to() {
    for check in registry() {
        for (what, text) in [("title", check.title), ("why", check.why), ("fix", check.fix)] {
            assert!(
                !text.is_empty() && !text.ends_with('.') && text.len() < 160,
                "{}: {what}: {text}",
                check.id
            );
        }
        assert!(!check.cites.is_empty(), "{} cites nothing", check.id);
        assert!(check.versions().next().is_some(), "{} binds in no revision", check.id);
    }
}

/// Every place that is cited exists, in every revision of its span, and what is said to be stated there with a keyword
/// is in the list of such statements.
#[test]
fn cited_places_exist() {
    let Some(text) = crate::shared::load("spec/requirements.tsv") else { return };
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let mut wrong = Vec::new();
    for check in registry() {
        for cite in check.cites.iter().filter(|cite| !cite.is_extension() && !cite.is_elsewhere()) {
            let (page, rest) = cite.place.split_once('#').unwrap();
            let anchor = rest.split('/').next().unwrap();
            for version in cite.span.versions() {
                let there: Vec<_> = rows
                    .iter()
                    .filter(|r| r[1] == version.as_str() && r[3] == page && r[4] == anchor)
                    .collect();
                let word = if cite.level == Level::Must { "MUST" } else { "SHOULD" };
                let fits = match cite.basis {
                    Basis::Stated => there.iter().any(|r| r[2].starts_with(word) || r[5].contains(word)),
                    Basis::Requested => false,
                    Basis::Defined | Basis::Advised => {
                        rows.iter().any(|r| r[1] == version.as_str() && r[3] == page)
                    }
                };
                if !fits {
                    wrong.push(format!("{} {version} {} {}", check.id, cite.level, cite.place));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
