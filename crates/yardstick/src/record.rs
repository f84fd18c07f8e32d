//! Saves the sessions of a run.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use transport::client::Target;
use transport::tap::Veil;
use wire::recording::{About, Tape, write};

use crate::exit::Usage;
use crate::target::MeasuredServer;

/// The file that sessions are saved in.
#[derive(Debug)]
pub(crate) struct Record(Arc<Mutex<Saving>>);

#[derive(Debug)]
struct Saving {
    /// None once it took no more.
    file: Option<File>,
    sessions: usize,
}

impl Record {
    /// Begins the file before the run: one that cannot be written is better known at once.
    pub(crate) fn create(path: &Path, servers: &[MeasuredServer]) -> Result<Self, Usage> {
        let subjects = servers.iter().flat_map(|server| &server.subjects);
        let target = subjects.map(|subject| subject.target.describe()).next();
        let begin = || {
            let mut file = File::create(path)?;
            file.write_all(&write::header(&about(target)))?;
            Ok(file)
        };
        let file = begin().map_err(|why: std::io::Error| {
            Usage(format!("cannot write `{}`: {why}; name another file with --record", path.display()))
        })?;
        Ok(Self(Arc::new(Mutex::new(Saving { file: Some(file), sessions: 0 }))))
    }

    /// What saves a session with one target, its secrets left out.
    pub(crate) fn saver(&self, target: &Target) -> impl Fn(Tape) + Send + Sync + 'static {
        let saving = Arc::clone(&self.0);
        let veil = Mutex::new(Veil::of(target));
        move |tape| {
            let mut veil = veil.lock().unwrap_or_else(PoisonError::into_inner);
            let entries = tape.transcript.entries.into_iter().map(|entry| veil.entry(entry)).collect();
            let tape = Tape { transcript: wire::Transcript { entries }, ..tape };
            saving.lock().unwrap_or_else(PoisonError::into_inner).save(tape);
        }
    }
}

impl Saving {
    fn save(&mut self, mut tape: Tape) {
        self.sessions += 1;
        tape.name = self.sessions.to_string();
        let Some(file) = &mut self.file else { return };
        if let Err(why) = file.write_all(&write::tape(&tape)) {
            anstream::eprintln!("warning: the recording ends before session {}: {why}", tape.name);
            self.file = None;
        }
    }
}

/// The first line of a file that is begun now.
pub(crate) fn about(target: Option<String>) -> About {
    About {
        target,
        tool: Some(concat!("yardstick ", env!("CARGO_PKG_VERSION")).to_owned()),
        started: Some(server::moment::rfc3339(SystemTime::now())),
    }
}
