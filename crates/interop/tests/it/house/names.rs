//! One name for one thing: a type's name is defined once, or `names.tsv` says why more often.

use std::collections::BTreeMap;

use crate::harness::root;
use crate::house::files::files;

/// The words before the name of a type.
const KEYWORDS: [&str; 4] = ["enum", "struct", "trait", "type"];

#[test]
fn no_two_types_have_one_name_without_a_reason() {
    let list = std::fs::read_to_string(root().join("crates/interop/tests/it/house/names.tsv"))
        .expect("names.tsv is committed");
    let reasons: BTreeMap<&str, &str> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a line is NAME, a tab and a reason"))
        .collect();
    let unreasoned: Vec<_> = reasons.iter().filter(|(_, reason)| reason.trim().is_empty()).collect();
    assert!(unreasoned.is_empty(), "each name in names.tsv needs a reason: {unreasoned:?}");

    let defined = definitions();
    let several = |name: &str| defined.get(name).is_some_and(|places| places.len() > 1);
    let new: Vec<_> = defined
        .iter()
        .filter(|(name, places)| places.len() > 1 && !reasons.contains_key(name.as_str()))
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert!(
        new.is_empty(),
        "defined more than once; rename, or give a reason in names.tsv:\n{}",
        new.join("\n")
    );
    let gone: Vec<_> = reasons.keys().filter(|name| !several(name)).collect();
    assert!(gone.is_empty(), "names.tsv lists what is defined once or not at all: {gone:?}");
}

/// The types of all sources, each with the places that define it. Tests are their own world.
fn definitions() -> BTreeMap<String, Vec<String>> {
    let crates = root().join("crates");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in files() {
        let Ok(path) = path.strip_prefix(&crates) else { continue };
        let is_source = path.iter().nth(1).is_some_and(|folder| folder == "src");
        if !is_source || path.extension().is_none_or(|it| it != "rs") || path.ends_with("tests.rs") {
            continue;
        }
        let product = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in product.lines().enumerate() {
            if let Some(name) = defined_type(line) {
                found.entry(name.to_owned()).or_default().push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    found
}

/// The name of the type that `line` begins to define, if it does so outside of traits and impls.
fn defined_type(line: &str) -> Option<&str> {
    let public = line.strip_prefix("pub").filter(|rest| rest.starts_with([' ', '(']));
    let item = match public {
        Some(rest) => rest.trim_start_matches(|c| c != ' ').trim_start(),
        None => line,
    };
    let (keyword, rest) = item.split_once(' ')?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (KEYWORDS.contains(&keyword) && name.starts_with(char::is_uppercase)).then_some(name)
}

#[test]
fn definitions_are_found() {
    for (line, name) in [
        ("pub struct Frame<'a> {", Some("Frame")),
        ("pub(crate) enum Kind {", Some("Kind")),
        ("type Rest = u8;", Some("Rest")),
        ("pub(in crate::apps) trait Judge: Sized {}", None),
        ("    type Item = u8;", None),
        ("public struct Frame;", None),
        ("// struct Frame", None),
    ] {
        assert_eq!(defined_type(line), name, "{line}");
    }
}
