//! Older catalogues whose ids the checks answer to, and how their verdicts follow from ours.

pub mod host_catalogue;
pub mod mcpjam;
pub mod validator;
pub mod yams;

use crate::registry;

/// Where the row of an older catalogue asks for something else than the specification does, in one line.
pub fn note(alias: &str) -> Option<&'static str> {
    let notes = yams::NOTES.iter().chain(mcpjam::NOTES).chain(validator::NOTES);
    notes.into_iter().find(|(id, _)| *id == alias).map(|(_, note)| *note)
}

/// The ids of the checks that answer to an alias together, where it takes more than one.
pub fn answered_by(alias: &str) -> Option<Vec<&'static str>> {
    let ids: Vec<_> =
        registry().filter(|check| check.aliases.contains(&alias)).map(|check| check.id).collect();
    (ids.len() > 1).then_some(ids)
}
