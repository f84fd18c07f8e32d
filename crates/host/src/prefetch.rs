//! Reads documents ahead. A link that runs a tool tells the host which document its page will ask for first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

use crate::http::value;
use crate::server::SupervisedServer;
use crate::view::{UnfitDocument, ViewDocument, read_document};
use crate::{Shared, profile, random};

/// How many documents are kept for pages that may never ask for them.
const MAX_DOCUMENTS: usize = 4;

/// Documents that no page has asked for yet.
#[derive(Debug, Default)]
pub(crate) struct Prefetched {
    reads: Mutex<VecDeque<PrefetchedDocument>>,
}

#[derive(Debug)]
struct PrefetchedDocument {
    run: String,
    wanted: DocumentKey,
    document: JoinHandle<Result<ViewDocument, UnfitDocument>>,
}

/// Identifies a document and the host profile that it was read for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentKey {
    pub(crate) server: String,
    pub(crate) uri: String,
    pub(crate) profile: String,
}

impl Prefetched {
    /// If the query names a tool to run, starts to read its document and returns the name of the run.
    pub(crate) fn start(&self, shared: &Arc<Shared>, query: &[(String, String)]) -> Option<String> {
        let value = |name: &str| value(query, name);
        value("run").filter(|run| *run == "1")?;
        let tool = value("tool")?;
        let is_wanted = |server: &&Arc<SupervisedServer>| value("server").is_none_or(|id| *id == server.id);
        let (server, uri) = shared
            .servers
            .iter()
            .filter(is_wanted)
            .find_map(|server| Some((server.clone(), server.now().tool(tool)?.uri.clone()?)))?;
        let name = value("profile").unwrap_or(&shared.options.profile).to_owned();
        let profile = profile::named(&name).ok()?;
        let run = format!("run-{}", random::hex(4).ok()?);
        let wanted = DocumentKey { server: server.id.clone(), uri: uri.clone(), profile: name };
        let (shared, named) = (shared.clone(), run.clone());
        let document =
            tokio::spawn(async move { read_document(&shared, &server, &uri, &profile, Some(&named)).await });
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.push_back(PrefetchedDocument { run: run.clone(), wanted, document });
        if reads.len() > MAX_DOCUMENTS {
            reads.pop_front();
        }
        Some(run)
    }

    /// Takes the document that was read for a run, if it is the wanted one.
    pub(crate) async fn take(
        &self,
        run: &str,
        wanted: &DocumentKey,
    ) -> Option<Result<ViewDocument, UnfitDocument>> {
        let read = {
            let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
            let at = reads.iter().position(|read| read.run == run && read.wanted == *wanted)?;
            reads.remove(at)?
        };
        read.document.await.ok()
    }
}
