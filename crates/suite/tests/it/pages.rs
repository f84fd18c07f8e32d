//! The pages name checks that there are.

use std::path::Path;

/// Words in backticks that look like the id of a check.
fn ids(page: &str) -> impl Iterator<Item = &str> {
    let steps = |word: &&str| word.split('/').count() == 3 && !word.contains([' ', '*', '<', '.', '#', '…']);
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.starts_with("server/") || word.starts_with("wire/")).filter(steps)
}

#[test]
fn every_check_that_a_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.clone(), root.join("docs")];
    let files = folders.iter().flat_map(|folder| folder.read_dir().unwrap()).map(|file| file.unwrap().path());
    let mut named = 0;
    let mut missing = Vec::new();
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let page = std::fs::read_to_string(&file).unwrap();
        for id in ids(&page) {
            named += 1;
            if suite::by_id(id).is_none() {
                missing.push(format!("{}: {id}", file.display()));
            }
        }
    }
    assert!(named > 0 && missing.is_empty(), "{missing:#?}");
}
