//! Every selection of crates builds the same code of others, so that changing the selection rebuilds nothing.
//!
//! Cargo unites the features that the selected crates ask for. Where one crate alone asks for less than all together, what
//! others wrote is built a second time, and so is everything that depends on it. The remedy is in the root's `Cargo.toml`:
//! `[workspace.dependencies]` names the features that anybody needs.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::harness::root;

/// The crates that may be built, tested and linted alone without another build of what they depend on.
const SELECTIONS: [&str; 8] = [
    "yardstick",
    "yardstick-gateway",
    "yardstick-host",
    "yardstick-interop",
    "yardstick-report",
    "yardstick-server",
    "yardstick-suite",
    "yardstick-transport",
];
/// The others use so little of others that asking for all of it would cost them more than it saves.
const SMALL_CRATES: [&str; 3] = ["yardstick-browser", "yardstick-protocol", "yardstick-wire"];
/// Crates that only tests use and that build in seconds.
const TEST_ONLY_CRATES: [&str; 2] = ["console", "getrandom"];

#[test]
fn a_crate_alone_builds_what_the_workspace_builds() {
    let all = features(&["--workspace", "--edges", "normal,build,dev"]);
    let mut differing = Vec::new();
    let mut compare = |selection: &[&str]| {
        for (package, found) in features(selection) {
            let expected = &all[&package];
            if !found.is_subset(expected)
                && !TEST_ONLY_CRATES.iter().any(|leaf| package.starts_with(&format!("{leaf} ")))
            {
                differing
                    .push(format!("{package} in {selection:?}: {found:?}, in the workspace {expected:?}"));
            }
        }
    };
    compare(&["--edges", "normal,build"]);
    compare(&["--workspace", "--edges", "normal,build"]);
    for name in SELECTIONS {
        compare(&["--package", name, "--edges", "normal,build,dev"]);
    }
    assert!(differing.is_empty(), "add the features to [workspace.dependencies]:\n{}", differing.join("\n"));
}

#[test]
fn every_crate_is_compared_or_known_to_be_small() {
    let folders = std::fs::read_dir(root().join("crates")).expect("the crates are there").count();
    assert_eq!(
        SELECTIONS.len() + SMALL_CRATES.len(),
        folders,
        "name every crate in SELECTIONS or in SMALL_CRATES"
    );
}

/// The packages by others that a selection builds, each with its sets of features: one for programs, one for macros.
fn features(selection: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "--no-dedupe", "--prefix", "none", "--format", "{p}|{f}"])
        .args(selection)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo tree fails; did scripts/setup run?\n{errors}");
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((package, features)) = line.split_once('|') else { continue };
        // A path behind the version is one of ours.
        if !package.contains("(/") {
            found.entry(package.to_owned()).or_default().insert(features.to_owned());
        }
    }
    found
}
