//! Saves the sessions of a run.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use transport::client::Target;
use transport::tap::Redactor;
use wire::recording::{About, RecordedSession, write};

use crate::exit::Usage;
use crate::files::{NewFile, Readers, unwritten};
use crate::target::ServerUnderTest;

/// The file that sessions are saved in.
#[derive(Debug)]
pub(crate) struct RunRecording {
    path: PathBuf,
    saving: Arc<Mutex<Option<OpenRecording>>>,
}

#[derive(Debug)]
struct OpenRecording {
    file: NewFile,
    /// Why it could not be written any further.
    failed: Option<io::Error>,
    sessions: usize,
}

impl RunRecording {
    /// Begins the file before the run, so that a file that cannot be written is an error at once.
    pub(crate) fn create(path: &Path, servers: &[ServerUnderTest]) -> anyhow::Result<Self> {
        let subjects = servers.iter().flat_map(|server| &server.subjects);
        let target = subjects.map(|subject| subject.target.describe()).next();
        let mut file = NewFile::create(path, Readers::Owner).map_err(|why| {
            Usage(format!("cannot write `{}`: {why}; name another file with --record", path.display()))
        })?;
        file.write_all(&write::header(&recording_header(target))).map_err(|why| unwritten(path, &why))?;
        let saving = Arc::new(Mutex::new(Some(OpenRecording { file, failed: None, sessions: 0 })));
        Ok(Self { path: path.to_owned(), saving })
    }

    /// A function that saves the sessions with one target, without its secrets.
    pub(crate) fn session_saver(&self, target: &Target) -> impl Fn(RecordedSession) + Send + Sync + 'static {
        let saving = Arc::clone(&self.saving);
        let redactor = Mutex::new(Redactor::for_target(target));
        move |session| {
            let mut redactor = redactor.lock().unwrap_or_else(PoisonError::into_inner);
            let entries = session.transcript.entries.into_iter().map(|entry| redactor.entry(entry)).collect();
            let session = RecordedSession { transcript: wire::Transcript { entries }, ..session };
            if let Some(saving) = saving.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                saving.save(session);
            }
        }
    }

    /// Gives the file its name, unless a write failed.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        let saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(OpenRecording { file, failed, .. }) = saving else { return Ok(()) };
        failed.map_or_else(|| file.finish(), Err).map_err(|why| unwritten(&self.path, &why))
    }
}

impl OpenRecording {
    fn save(&mut self, mut session: RecordedSession) {
        self.sessions += 1;
        session.name = self.sessions.to_string();
        if self.failed.is_none() {
            self.failed = self.file.write_all(&write::session(&session)).err();
        }
    }
}

/// The first line of a recording that starts now.
pub(crate) fn recording_header(target: Option<String>) -> About {
    About {
        target,
        tool: Some(concat!("yardstick ", env!("CARGO_PKG_VERSION")).to_owned()),
        started: Some(wire::rfc3339::format_millis(SystemTime::now())),
    }
}
