//! Finds out what a target speaks, in the way that the compatibility rules of the specification give.

mod contact;
mod legacy;

use std::time::Duration;

use protocol::{Era, Version};
use serde_json::Value;

use contact::Contact;

use super::{Failure, Limits, Server, Target, Transport};

/// How long each rung of a shutdown may take here: nothing of value is lost.
const RUNG: Duration = Duration::from_millis(250);

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
    /// How long it was silent where an answer was due.
    pub silent: Duration,
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

/// Finds out which revisions a target speaks: asks for a discovery, falls back to the handshake where the answer is
/// not of the modern era, and then tries every legacy revision on a connection of its own.
pub async fn probe(target: &Target, limits: Limits) -> Result<Discovery, Failure> {
    let first = contact::first(target, &limits).await?;
    let mut found = Discovery { took: first.took, ..Discovery::default() };
    let mut failure = None;
    let (_, attempts) = tokio::join!(first.session.close(), legacy::all(target, &limits, first.took));
    for attempt in attempts {
        match attempt.outcome {
            Ok(spoken) => found.spoken.push(spoken),
            Err(why) => {
                found.notes.push(format!("not {}: {why}", attempt.version));
                if let Failure::OtherVersion { offered, .. } = &why {
                    found.mention(std::slice::from_ref(offered));
                }
                if let Failure::TimedOut { after, .. } = &why {
                    found.silent = found.silent.max(*after);
                }
                // The newest attempt tells the most, unless an older one got further.
                if !matches!(failure, Some(Failure::BadEndpoint { .. })) {
                    failure = Some(why);
                }
            }
        }
    }
    match first.contact {
        Contact::Modern(spoken) => {
            found.mention(&spoken.server.supported);
            if spoken.server.supported.iter().any(|v| v == spoken.version.as_str()) {
                found.spoken.push(*spoken);
            } else {
                found.notes.push(format!("not {}: it is not among its supportedVersions", spoken.version));
            }
        }
        Contact::OtherModern { supported, why } => {
            found.mention(&supported);
            found.notes.push(format!("not {}: {why}", Version::LATEST));
        }
        Contact::NotModern(why) => found.notes.push(format!("not {}: {why}", Version::LATEST)),
    }
    match failure {
        Some(failure) if found.spoken.is_empty() && found.unknown.is_empty() => Err(failure),
        _ => Ok(found),
    }
}

impl Discovery {
    fn mention(&mut self, versions: &[String]) {
        for version in versions {
            if version.parse::<Version>().is_err() && !self.unknown.contains(version) {
                self.unknown.push(version.clone());
            }
        }
    }
}
