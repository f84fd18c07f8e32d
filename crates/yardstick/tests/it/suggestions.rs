//! A name that is misspelt is answered with the one that was meant.

use crate::{stderr, stdout, yardstick};

#[test]
fn what_was_meant_is_offered() {
    for (arguments, meant) in [
        (
            &["check", "--built-in", "--only", "server/tool/unkown-tool-refused"][..],
            "server/tools/unknown-tool-refused",
        ),
        (&["check", "--built-in", "--skip", "lifecylce"], "lifecycle"),
        (&["check", "--built-in", "--only", "sevrer/tools"], "server/tools"),
        (&["list", "tolls"], "tools"),
        (&["explain", "server/tools/name-uniqe"], "server/tools/name-unique"),
        (&["serve", "--fault", "unknown-tool-suceeds"], "unknown-tool-succeeds"),
        (&["check", "--protocol", "2025-06"], "2025-06-18"),
        (&["list", "--protocol", "2025-11-52"], "2025-11-25"),
        (&["host", "--no-open", "--profile", "chatgtp"], "chatgpt"),
        (&["check", "--format", "jnuit"], "junit"),
        (&["check", "app", "--row", "drak"], "dark"),
    ] {
        let output = yardstick(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        let told = stderr(&output);
        assert!(told.contains(&format!("did you mean `{meant}`?")), "{arguments:?}: {told}");
    }
    // These are clap's own.
    for (arguments, meant) in [(&["chekc"][..], "check"), (&["check", "--allow-calls", "al"], "all")] {
        let told = stderr(&yardstick(arguments));
        assert!(told.contains("similar") && told.contains(meant), "{arguments:?}: {told}");
    }
}
