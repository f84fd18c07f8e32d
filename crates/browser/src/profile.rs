//! A new profile folder for every browser, removed with it.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::BrowserError;

/// How long dying processes may still write to the folder.
const REMOVE_TIMEOUT: Duration = Duration::from_secs(3);

/// A folder that nobody else uses. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct ProfileFolder(PathBuf);

impl ProfileFolder {
    pub(crate) fn create() -> Result<Self, BrowserError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("yardstick-browser-{}-{now:x}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Fails if the folder exists, so that nobody can prepare a profile for us.
        private().create(&path).map_err(|why| BrowserError::disk(&path, &why))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The folder for the downloads of one context.
    pub(crate) fn downloads(&self, context: &str) -> Result<PathBuf, BrowserError> {
        let path = self.0.join("downloads").join(context);
        fs::create_dir_all(&path).map_err(|why| BrowserError::disk(&path, &why))?;
        Ok(path)
    }
}

impl Drop for ProfileFolder {
    fn drop(&mut self) {
        let end = Instant::now() + REMOVE_TIMEOUT;
        while let Err(why) = fs::remove_dir_all(&self.0) {
            if why.kind() == std::io::ErrorKind::NotFound || Instant::now() > end {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(unix)]
fn private() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_goes_with_all_that_is_in_it() {
        let profile = ProfileFolder::create().unwrap();
        let path = profile.path().to_owned();
        fs::write(profile.downloads("c1").unwrap().join("file"), "x").unwrap();
        assert!(path.is_dir());
        drop(profile);
        assert!(!path.exists());
    }
}
