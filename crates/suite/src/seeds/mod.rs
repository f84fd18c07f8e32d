//! Older catalogues whose ids the checks answer to, and how their verdicts follow from ours.

pub mod mcpjam;
pub mod yams;

/// Where the row of an older catalogue asks for something else than the specification does, in one line.
pub fn note(alias: &str) -> Option<&'static str> {
    yams::NOTES.iter().chain(mcpjam::NOTES).find(|(id, _)| *id == alias).map(|(_, note)| *note)
}

/// The checks that answer to an alias together, where it takes more than one.
pub fn answered_by(alias: &str) -> Option<&'static [&'static str]> {
    mcpjam::RULES.iter().find(|rule| rule.id == alias && rule.checks.len() > 1).map(|rule| rule.checks)
}
