//! What a shell and `man` are given.

use crate::{stdout, yardstick};

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = yardstick(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = stdout(&output);
        assert!(script.contains("yardstick") && script.contains("allow-calls"), "{shell}: {script}");
    }
}

#[test]
fn there_is_a_page_for_every_subcommand() {
    let page = stdout(&yardstick(&["man"]));
    assert!(page.contains(".TH yardstick 1") && page.contains("check"), "{page}");
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    assert!(yardstick(&["man", "--output", folder.to_str().unwrap()]).status.success());
    for name in [
        "yardstick.1",
        "yardstick-check.1",
        "yardstick-check-wire.1",
        "yardstick-serve.1",
        "yardstick-report.1",
    ] {
        let page = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(page.contains(".SH"), "{name}: {page}");
    }
}
