//! Finds out what a target speaks, by the compatibility rules of the specification.

mod contact;
mod settle;

use std::time::Duration;

use protocol::{Era, Version};
use serde_json::Value;

pub use contact::{FirstContact, Modern, ModernClaim, first_contact};
pub use settle::{Settled, settle};

use super::{Failure, Limits, Profile, Server, Target};
use crate::Transport;

/// What a target speaks.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// Each revision that it speaks, oldest first.
    pub spoken: Vec<SpokenRevision>,
    /// Versions that it names and that are not known revisions.
    pub unknown: Vec<String>,
    /// Notes on what was found, and why each other revision is not spoken, one line each.
    pub notes: Vec<String>,
    /// How long the first answer took; a process that starts slowly does so again.
    pub took: Duration,
}

/// One revision that a target speaks.
#[derive(Clone, Debug)]
pub struct SpokenRevision {
    /// The revision.
    pub version: Version,
    /// The transport that carried it.
    pub transport: Transport,
    /// What the server said about itself in it.
    pub server: Server,
}

impl Discovery {
    /// The revisions, oldest first.
    pub fn versions(&self) -> Vec<Version> {
        self.spoken.iter().map(|spoken| spoken.version).collect()
    }

    /// What was learnt in `version`, if the target speaks it.
    pub fn find(&self, version: Version) -> Option<&SpokenRevision> {
        self.spoken.iter().find(|spoken| spoken.version == version)
    }

    /// Whether it speaks a revision of `era`.
    pub fn has(&self, era: Era) -> bool {
        self.spoken.iter().any(|spoken| spoken.version.era() == era)
    }

    /// The server's name and version, from the newest revision that gives them.
    pub fn name(&self) -> Option<String> {
        self.spoken.iter().rev().find_map(|spoken| spoken.server.name())
    }

    /// The server's capabilities in the newest revision that it speaks.
    pub fn capabilities(&self) -> Option<&Value> {
        self.spoken.last().map(|spoken| &spoken.server.capabilities)
    }
}

/// Finds out which revisions a target speaks: asks for a discovery, and then tries every other revision with a
/// handshake on a connection of its own, one after the other. Modern revisions are only tried if the discovery names
/// them.
pub async fn probe(target: &Target, limits: Limits) -> Result<Discovery, Failure> {
    let first = first_contact(target, &limits).await?;
    first.session.close().await;
    let mut found = Discovery { took: first.took, ..Discovery::default() };
    let mut failure = None;
    for version in Era::Legacy.versions() {
        found.try_handshake(target, version, &limits, &mut failure).await;
    }
    found.mention(first.modern.supported());
    for version in Era::Modern.versions() {
        match (first.claim(version), &first.modern) {
            (ModernClaim::Spoken, Modern::Spoken(spoken)) => found.spoken.push((**spoken).clone()),
            (ModernClaim::Spoken | ModernClaim::Named, _) => {
                found.try_handshake(target, version, &limits, &mut failure).await;
            }
            (ModernClaim::Unnamed, _) => {
                found.notes.push(format!("not {version}: it is not among its supportedVersions"));
            }
            (ModernClaim::Absent(why), _) => found.notes.push(format!("not {version}: {why}")),
        }
    }
    match failure {
        Some(failure) if found.spoken.is_empty() && found.unknown.is_empty() => Err(failure),
        _ => Ok(found),
    }
}

impl Discovery {
    /// Tries `version`. `failure` keeps the most telling failure so far.
    async fn try_handshake(
        &mut self,
        target: &Target,
        version: Version,
        limits: &Limits,
        failure: &mut Option<Failure>,
    ) {
        match settle(target, version, Profile::default(), limits.clone()).await {
            Settled::Spoken(session) => {
                let (transport, server) = (session.transport(), session.server());
                self.spoken.push(SpokenRevision { version, transport, server });
                session.close().await;
            }
            Settled::Absent(why) | Settled::Unsettled(why) => {
                self.notes.push(format!("not {version}: {why}"));
                if let Failure::OtherVersion { offered, .. } = &why {
                    self.mention(std::slice::from_ref(offered));
                }
                // The newest revision is the most telling, unless an older one got further.
                if !matches!(failure, Some(Failure::BadEndpoint { .. })) {
                    *failure = Some(why);
                }
            }
        }
    }

    fn mention(&mut self, versions: &[String]) {
        for version in versions {
            if version.parse::<Version>().is_err() && !self.unknown.contains(version) {
                self.unknown.push(version.clone());
            }
        }
    }
}
