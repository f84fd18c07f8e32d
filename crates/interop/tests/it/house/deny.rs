//! Reads `deny.toml`, as far as it is written: tables of lists of texts, or of `{ crate = "…", reason = "…" }`.

use std::fs;

use crate::harness::root;

/// The texts of a list.
pub(super) fn texts(table: &str, key: &str) -> Vec<String> {
    quoted(&list(table, key))
}

/// The crates of a list, each with its reason.
pub(super) fn crates(table: &str, key: &str) -> Vec<(String, String)> {
    let entry = |line: &str| match &quoted(line)[..] {
        [name, reason] => Some((name.clone(), reason.clone())),
        [name] => Some((name.clone(), String::new())),
        _ => None,
    };
    list(table, key).lines().filter_map(entry).collect()
}

/// What stands between the brackets of `key` in `table`.
fn list(table: &str, key: &str) -> String {
    let text = fs::read_to_string(root().join("deny.toml")).expect("deny.toml is committed");
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let text = lines.join("\n");
    let (_, after) = text.split_once(&format!("[{table}]\n")).expect("the table is there");
    let after = after.split("\n[").next().unwrap_or_default();
    let (_, after) = after.split_once(&format!("{key} = [")).expect("the list is there");
    after.split_once("]").map(|(list, _)| list.to_owned()).expect("the list ends")
}

fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}
