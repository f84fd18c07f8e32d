//! Files that are written whole or not at all.
//!
//! A new file gets a temporary name in the same folder, and its own name once it is complete. So a run that fails or a disk
//! that is full leaves an older file as it was, and two runs never write into one file. Devices and pipes are written to
//! directly.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::exit::Usage;

/// What the name of an unfinished file ends with.
const UNFINISHED_SUFFIX: &str = ".part";

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// As the user has it, or as the older file had it.
    Usual,
    /// The user alone: what was said in a session may be private.
    Owner,
}

/// A file that is being written. Unless it is finished, dropping it removes it.
#[derive(Debug)]
pub(crate) struct NewFile {
    file: File,
    /// Its temporary name and its final name; `None` where it is written to directly.
    names: Option<(PathBuf, PathBuf)>,
}

impl NewFile {
    pub(crate) fn create(path: &Path, readers: Readers) -> io::Result<Self> {
        // The target of a link is written, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let older = fs::metadata(&path).ok();
        if older.as_ref().is_some_and(|older| !older.is_file()) {
            return Ok(Self { file: OpenOptions::new().write(true).open(&path)?, names: None });
        }
        let part = unfinished_name(&path);
        let file = open_for(OpenOptions::new().write(true).create_new(true), readers).open(&part)?;
        let new = Self { file, names: Some((part, path)) };
        match (readers, older) {
            (Readers::Usual, Some(older)) => new.file.set_permissions(older.permissions())?,
            (Readers::Usual | Readers::Owner, _) => {}
        }
        Ok(new)
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((part, path)) = &self.names else { return Ok(()) };
        // Some file systems report only now that the disk is full.
        self.file.sync_all()?;
        fs::rename(part, path)?;
        self.names = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.names {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(part);
        }
    }
}

/// Writes a whole file. The error names it.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let write = || {
        let mut file = NewFile::create(path, Readers::Usual)?;
        file.write_all(bytes)?;
        file.finish()
    };
    write().map_err(|error| unwritten(path, &error))
}

/// The error for a file that could not be written to its end. It is not a mistake on the command line.
pub(crate) fn unwritten(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow::anyhow!("`{}` could not be written: {error}; an older file is as it was", path.display())
}

/// The error for a place that cannot be written to, reported before the run.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Usage {
    Usage(format!("`{}` cannot be written: {error}", path.display()))
}

/// A name in the folder of `path` that no other unfinished file has.
fn unfinished_name(path: &Path) -> PathBuf {
    static NEXT_NUMBER: AtomicUsize = AtomicUsize::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}-{number}{UNFINISHED_SUFFIX}", std::process::id()))
}

/// Keeps other runs out of a folder until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock(
    #[expect(dead_code, reason = "the lock lasts as long as the file is open")] File,
);

impl FolderLock {
    /// An error names the process that holds the lock. On a file system without locks this always succeeds.
    pub(crate) fn take(folder: &Path) -> Result<Option<Self>, Usage> {
        let Ok(file) = open_folder(folder) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => {
                let other =
                    other_run(folder).map(|process| format!(" (process {process})")).unwrap_or_default();
                Err(Usage(format!(
                    "another run{other} writes into `{}`; wait for its end, or give this one another folder",
                    folder.display()
                )))
            }
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

#[cfg(unix)]
fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// This system cannot open folders, so a file in the folder is locked instead.
#[cfg(not(unix))]
fn open_folder(folder: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(".yardstick.lock"))
}

/// The process that has unfinished files in a folder.
fn other_run(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let process = |name: String| {
        let (_, number) = name.strip_suffix(UNFINISHED_SUFFIX)?.rsplit_once('.')?;
        number.split_once('-').map(|(process, _)| process.to_owned())
    };
    names.filter_map(process).find(|process| *process != std::process::id().to_string())
}

/// A file that several processes may append lines to. Each write is complete or has no effect.
#[derive(Debug)]
pub(crate) struct SharedLog(File);

impl SharedLog {
    /// Opens the file; with `fresh`, fails if it exists already. Nobody but the user may read it.
    pub(crate) fn open(path: &Path, fresh: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).create_new(fresh);
        let file = open_for(&mut options, Readers::Owner).open(path)?;
        if file.metadata()?.is_file() {
            keep_private(&file)?;
        }
        Ok(Self(file))
    }
}

impl Write for SharedLog {
    /// Writes all of it, or removes the part that was written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_file = self.0.metadata()?.is_file();
        // On a file system without locks, concurrent writers are not kept apart.
        let locked = is_file && self.0.lock().is_ok();
        let before = self.0.metadata()?.len();
        let written = self.0.write_all(bytes);
        if written.is_err() && locked {
            let _ = self.0.set_len(before);
        }
        if locked {
            let _ = self.0.unlock();
        }
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(unix)]
fn open_for(options: &mut OpenOptions, readers: Readers) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    match readers {
        Readers::Usual => options,
        Readers::Owner => options.mode(0o600),
    }
}

#[cfg(not(unix))]
fn open_for(options: &mut OpenOptions, _: Readers) -> &mut OpenOptions {
    options
}

/// Lets nobody but the user read the file, whoever could read it before.
#[cfg(unix)]
fn keep_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn keep_private(_: &File) -> io::Result<()> {
    Ok(())
}
