//! Files of facts that are kept beside the project, in `../shared`.

use std::path::Path;

/// A file of `../shared`. Where it is missing there is nothing to compare with, which is said; in CI it may not be missing.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what was left out")]
pub(crate) fn load(file: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(file);
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "there is no shared/{file} beside the project, and this is CI"
        );
        eprintln!("not compared: there is no shared/{file} beside the project");
    }
    text
}
