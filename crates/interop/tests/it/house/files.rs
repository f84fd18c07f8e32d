//! Rules about the text of files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::root;

/// The most lines of a file that people write.
const MAX_LINES: usize = 600;
/// The width of our scripts, which is the one that a formatter is told: `prettier --print-width 120 --object-wrap collapse`.
const SCRIPT_WIDTH: usize = 120;
/// Where our scripts are.
const SCRIPTS: [&str; 2] = ["crates/host/web", "crates/host/sandbox"];
/// Folders that hold what others wrote, or what was built.
const FOREIGN: [&str; 4] = [".git", ".venv", "node_modules", "target"];
/// Each is written in two halves, so that this file does not contain it.
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
        .filter(|(_, lines)| *lines > MAX_LINES)
        .collect();
    assert!(long.is_empty(), "files over {MAX_LINES} lines; split them by idea: {long:#?}");
}

#[test]
fn no_line_of_a_script_is_too_wide() {
    let mut wide = Vec::new();
    for (path, text) in files() {
        let is_script =
            ["js", "mjs", "ts"].iter().any(|it| path.extension().is_some_and(|found| found == *it));
        if is_script && SCRIPTS.iter().any(|folder| path.starts_with(root().join(folder))) {
            let over = text.lines().enumerate().filter(|(_, line)| line.chars().count() > SCRIPT_WIDTH);
            wide.extend(over.map(|(number, _)| format!("{}:{}", path.display(), number + 1)));
        }
    }
    assert!(wide.is_empty(), "lines over {SCRIPT_WIDTH} characters; break them:\n{}", wide.join("\n"));
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
    for lock in ["Cargo.lock", "peers/rmcp/Cargo.lock"] {
        let crates = fs::read_to_string(root().join(lock)).expect("the lock file is committed");
        let foreign: Vec<_> = crates
            .lines()
            .filter_map(|line| line.strip_prefix("source = "))
            .filter(|source| source.trim_matches('"') != CRATE_INDEX)
            .collect();
        assert!(foreign.is_empty(), "{lock} has crates from elsewhere: {foreign:?}");
    }

    let packages =
        fs::read_to_string(root().join("peers/package-lock.json")).expect("the lock file is committed");
    assert!(
        !packages.contains("\"resolved\""),
        "peers/package-lock.json names a registry: run npm with peers/.npmrc in place, which leaves it out"
    );
    assert!(packages.contains("\"integrity\""), "peers/package-lock.json must pin what the packages contain");
}

/// A reader of a check learns from its file what the specification asks, without opening the page.
#[test]
fn every_check_says_what_is_asked() {
    let mut files = Vec::new();
    collect(&root().join("crates/suite/src/checks"), &mut files);
    let (mut checks, mut silent) = (0, Vec::new());
    for (path, text) in &files {
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[1].contains(": Check =")) {
            checks += 1;
            if !pair[0].starts_with("///") {
                silent.push(format!("{}: {}", path.display(), pair[1]));
            }
        }
    }
    assert!(checks > 0 && silent.is_empty(), "of {checks} checks these have no doc comment: {silent:#?}");
}

/// Every text file that belongs to the repository.
pub(super) fn files() -> Vec<(PathBuf, String)> {
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
