//! Finds the browser's program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::BrowserError;

/// The names of Chromium and of browsers that are built from it.
const PROGRAM_NAMES: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const PROGRAM_VARIABLE: &str = "YARDSTICK_BROWSER";

/// The browser that the environment variable names, or else the first that is installed.
pub(crate) fn browser() -> Result<PathBuf, BrowserError> {
    search(env::var_os(PROGRAM_VARIABLE), &env::var_os("PATH").unwrap_or_default())
}

fn search(named: Option<OsString>, path: &OsStr) -> Result<PathBuf, BrowserError> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        let tried = format!("{} (from {PROGRAM_VARIABLE})", Path::new(&named).display());
        return lookup(Path::new(&named), path).ok_or(BrowserError::NotFound { tried });
    }
    let found = PROGRAM_NAMES.iter().find_map(|name| lookup(Path::new(name), path));
    found.ok_or_else(|| BrowserError::NotFound { tried: format!("{} in PATH", PROGRAM_NAMES.join(", ")) })
}

fn lookup(program: &Path, path: &OsStr) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return is_program(program).then(|| program.to_owned());
    }
    env::split_paths(path).map(|folder| folder.join(program)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_browser_the_error_says_what_to_do() {
        let error = search(None, OsStr::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("chromium, chromium-browser"), "{error}");
        assert!(error.contains("apt-get install chromium"), "{error}");
        assert!(error.contains(PROGRAM_VARIABLE), "{error}");
    }

    #[test]
    fn a_named_browser_is_the_only_one_tried() {
        let path = env::var_os("PATH").unwrap();
        let error = search(Some("/nowhere/chromium".into()), &path).unwrap_err().to_string();
        assert!(
            error.starts_with("no browser found, tried /nowhere/chromium (from YARDSTICK_BROWSER);"),
            "{error}"
        );
        assert!(search(Some("sh".into()), &path).unwrap().ends_with("sh"));
    }
}
