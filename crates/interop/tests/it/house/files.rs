//! Rules about the text of files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::root;

/// No file that people write may be longer.
const LINE_CAP: usize = 600;
/// Folders that hold what others wrote, or what was built.
const FOREIGN: [&str; 4] = [".git", ".venv", "node_modules", "target"];
/// Written in two halves each, so that this file does not accuse itself.
const FORBIDDEN: [(&str, &str); 5] = [
    (concat!("/wo", "rk/"), "the path of somebody's machine"),
    (concat!("/ro", "ot/"), "the path of somebody's machine"),
    (concat!("/ho", "me/"), "the path of somebody's machine"),
    (concat!("TO", "DO"), "an open end; finish it, or file it where it will be seen"),
    (concat!("FIX", "ME"), "an open end; finish it, or file it where it will be seen"),
];
const CRATE_INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn no_source_file_is_too_long() {
    let written = ["rs", "js", "mjs", "css", "html"];
    let long: Vec<_> = files()
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|it| written.iter().any(|written| it == *written)))
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LINE_CAP)
        .collect();
    assert!(long.is_empty(), "files over {LINE_CAP} lines; split them by idea: {long:#?}");
}

#[test]
fn no_file_says_what_must_not_be_said() {
    let mut said = Vec::new();
    for (path, text) in files() {
        for (number, line) in text.lines().enumerate() {
            for (word, why) in FORBIDDEN.iter().filter(|(word, _)| line.contains(word)) {
                said.push(format!("{}:{}: {word} is {why}", path.display(), number + 1));
            }
        }
    }
    assert!(said.is_empty(), "{}", said.join("\n"));
}

#[test]
fn lock_files_name_no_registry_of_one_machine() {
    let crates = fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock is committed");
    let foreign: Vec<_> = crates
        .lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .filter(|source| source.trim_matches('"') != CRATE_INDEX)
        .collect();
    assert!(foreign.is_empty(), "Cargo.lock has crates from elsewhere: {foreign:?}");

    let packages =
        fs::read_to_string(root().join("peers/package-lock.json")).expect("the lock file is committed");
    assert!(
        !packages.contains("\"resolved\""),
        "peers/package-lock.json names a registry: run npm with peers/.npmrc in place, which leaves it out"
    );
    assert!(packages.contains("\"integrity\""), "peers/package-lock.json must pin what the packages contain");
}

/// Every text file that belongs to the repository.
fn files() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    found
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("the repository can be read") {
        let entry = entry.expect("the repository can be read");
        let foreign = FOREIGN.iter().any(|name| entry.file_name() == *name);
        let kind = entry.file_type().expect("a file has a type");
        if kind.is_dir() && !foreign {
            collect(&entry.path(), found);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            found.push((entry.path(), text));
        }
    }
}
