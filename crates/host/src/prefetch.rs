//! Documents that are read ahead: a link that names a tool to run says which one its page will ask for first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

use crate::http::value;
use crate::server::Server;
use crate::view::{Document, Unfit, read};
use crate::{Shared, profile, random};

/// How many are kept for pages that never ask.
const KEPT: usize = 4;

/// The documents that nobody has asked for yet.
#[derive(Debug, Default)]
pub(crate) struct Prefetched {
    reads: Mutex<VecDeque<Read>>,
}

#[derive(Debug)]
struct Read {
    run: String,
    wanted: Wanted,
    document: JoinHandle<Result<Document, Unfit>>,
}

/// Which document, for which host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) server: String,
    pub(crate) uri: String,
    pub(crate) profile: String,
}

impl Prefetched {
    /// Begins to read what a page with this query will ask for, if that is clear: the name of the run that it is for.
    pub(crate) fn begin(&self, shared: &Arc<Shared>, query: &[(String, String)]) -> Option<String> {
        let value = |name: &str| value(query, name);
        value("run").filter(|run| *run == "1")?;
        let tool = value("tool")?;
        let of = |server: &&Arc<Server>| value("server").is_none_or(|id| *id == server.id);
        let (server, uri) = shared
            .servers
            .iter()
            .filter(of)
            .find_map(|server| Some((server.clone(), server.now().tool(tool)?.uri.clone()?)))?;
        let name = value("profile").unwrap_or(&shared.options.profile).to_owned();
        let profile = profile::named(&name).ok()?;
        let run = format!("run-{}", random::hex(4).ok()?);
        let wanted = Wanted { server: server.id.clone(), uri: uri.clone(), profile: name };
        let (shared, named) = (shared.clone(), run.clone());
        let document =
            tokio::spawn(async move { read(&shared, &server, &uri, &profile, Some(&named)).await });
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.push_back(Read { run: run.clone(), wanted, document });
        if reads.len() > KEPT {
            reads.pop_front();
        }
        Some(run)
    }

    /// What was read for a run, if that is what is wanted.
    pub(crate) async fn take(&self, run: &str, wanted: &Wanted) -> Option<Result<Document, Unfit>> {
        let read = {
            let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
            let at = reads.iter().position(|read| read.run == run && read.wanted == *wanted)?;
            reads.remove(at)?
        };
        read.document.await.ok()
    }
}
