//! Where things are.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate lies in the repository")
}

/// A fresh folder for the files of one test; cargo keeps it inside the target folder.
pub(crate) fn scratch(name: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("{name}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// The pinned Node.
pub(crate) fn node() -> PathBuf {
    installed("node_modules/.bin/node")
}

/// A file of a pinned npm package.
pub(crate) fn package(path: &str) -> PathBuf {
    installed(&format!("node_modules/{path}"))
}

/// One of our scripts in `peers/`, which work only when their packages are installed.
pub(crate) fn script(name: &str) -> PathBuf {
    installed("node_modules/.stamp");
    installed(name)
}

/// The binary under test: `YARDSTICK_BIN`, or the one beside this test binary in the target folder.
pub(crate) fn yardstick() -> PathBuf {
    if let Some(path) = std::env::var_os("YARDSTICK_BIN") {
        return path.into();
    }
    built("yardstick", "`cargo build -p yardstick`")
}

/// A peer on the official Rust SDK, which has a workspace of its own and shares our target folder.
pub(crate) fn rmcp(name: &str) -> PathBuf {
    built(name, "`scripts/setup`")
}

/// A binary in the target folder, beside this test binary; `command` is what puts it there.
fn built(name: &str, command: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("a test binary knows where it is");
    let folder = tests.ancestors().nth(2).expect("cargo puts test binaries into target/PROFILE/deps");
    let binary = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(binary.exists(), "{} is missing: run {command} first, or scripts/test", binary.display());
    binary
}

fn installed(path: &str) -> PathBuf {
    let file = root().join("peers").join(path);
    assert!(file.exists(), "{} is missing: run scripts/setup first", file.display());
    file
}
