//! Finds out what a target speaks, in the way that the compatibility rules of the specification give.

mod contact;
mod legacy;

use std::time::Duration;

use protocol::{Era, Span, Version};
use serde_json::Value;

pub use contact::{FirstContact, Modern, first_contact};
pub use legacy::{Settled, settle};

use super::{Failure, Limits, Profile, Server, Target, Transport};

/// What a target speaks.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// Each revision that it speaks, oldest first.
    pub spoken: Vec<Spoken>,
    /// Versions that it names and that are no known revision.
    pub unknown: Vec<String>,
    /// What was found on the way and why a revision is not among the spoken ones, one line each.
    pub notes: Vec<String>,
    /// How long the first answer took; a process that starts slowly does so again.
    pub took: Duration,
}

/// One revision that a target speaks.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// The revision.
    pub version: Version,
    /// The wire that carried it.
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
    pub fn find(&self, version: Version) -> Option<&Spoken> {
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

/// Finds out which revisions a target speaks: asks for a discovery, and then tries every legacy revision by a handshake on a
/// connection of its own, one after the other.
pub async fn probe(target: &Target, limits: Limits) -> Result<Discovery, Failure> {
    let first = first_contact(target, &limits).await?;
    first.session.close().await;
    let mut found = Discovery { took: first.took, ..Discovery::default() };
    let mut failure = None;
    for version in Span::LEGACY.versions() {
        match settle(target, version, Profile::default(), limits.clone()).await {
            Settled::Spoken(session) => {
                let (transport, server) = (session.transport(), session.server());
                found.spoken.push(Spoken { version, transport, server });
                session.close().await;
            }
            Settled::Absent(why) | Settled::Unsettled(why) => {
                found.notes.push(format!("not {version}: {why}"));
                if let Failure::OtherVersion { offered, .. } = &why {
                    found.mention(std::slice::from_ref(offered));
                }
                // The newest attempt tells the most, unless an older one got further.
                if !matches!(failure, Some(Failure::BadEndpoint { .. })) {
                    failure = Some(why);
                }
            }
        }
    }
    found.take_modern(first.modern);
    match failure {
        Some(failure) if found.spoken.is_empty() && found.unknown.is_empty() => Err(failure),
        _ => Ok(found),
    }
}

impl Discovery {
    fn take_modern(&mut self, modern: Modern) {
        match modern {
            Modern::Spoken(spoken) => {
                self.mention(&spoken.server.supported);
                if spoken.is_supported() {
                    self.spoken.push(*spoken);
                } else {
                    self.notes.push(format!("not {}: it is not among its supportedVersions", spoken.version));
                }
            }
            Modern::Other { supported, why } => {
                self.mention(&supported);
                self.notes.push(format!("not {}: {why}", Version::LATEST));
            }
            Modern::Absent(why) => self.notes.push(format!("not {}: {why}", Version::LATEST)),
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

impl Spoken {
    /// Whether the server names the revision among those that it supports.
    pub fn is_supported(&self) -> bool {
        self.server.supported.iter().any(|version| version == self.version.as_str())
    }
}
