//! `yardstick check wire`: recorded sessions.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use protocol::method::Side;
use suite::{Judged, Options, Recorded};
use wire::recording::{RecordedSession, Recording};

use super::check::{read_baseline, read_selection, write_baseline};
use crate::args::{Sides, WireArguments};
use crate::exit::{Exit, Usage};
use crate::format::Places;
use crate::terminal;

pub(super) fn run(arguments: &WireArguments) -> anyhow::Result<Exit> {
    let WireArguments { files, side, judging } = arguments;
    let selection = read_selection(judging)?;
    if files.is_empty() {
        let repair = "yardstick check wire FILE…, or `-` for stdin";
        return Err(Usage(format!("which recording is to be judged? {repair}")).into());
    }
    let mut sessions = Vec::new();
    for file in files {
        sessions.extend(read_sessions(file, files.len() > 1)?);
    }
    let recorded =
        Recorded { description: names(files, ", "), arguments: reproduction_arguments(files), sessions };
    let sides: &[Side] = match side.unwrap_or_default() {
        Sides::Server => &[Side::Server],
        Sides::Client => &[Side::Client],
        Sides::Both => &[Side::Server, Side::Client],
    };
    let baseline = read_baseline(judging)?;
    let options = Options { protocols: judging.protocol.clone(), selection, baseline, ..Options::default() };
    let judged = suite::judge(&recorded, sides, &options);
    let places = Places::open(&judging.output)?;
    places.write(&judged.report.clone().into(), judging.output.detail(), |_| false)?;
    write_baseline(judging, std::iter::once(&judged.report))?;
    Ok(explain_exit(&judged))
}

/// Says what was not judged. A recording that could be read only in part is not a success.
pub(super) fn explain_exit(judged: &Judged) -> Exit {
    for why in &judged.skipped {
        terminal::warn(&format!("not judged: {}", report::visible(why)));
    }
    if judged.report.cases.is_empty() && judged.skipped.is_empty() {
        terminal::warn("not judged: there is no message in the recording");
    }
    match Exit::from(judged.report.verdict()) {
        Exit::Success if !judged.skipped.is_empty() => Exit::Untested,
        exit => exit,
    }
}

fn read_sessions(file: &Path, many: bool) -> anyhow::Result<Vec<RecordedSession>> {
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("stdin cannot be read")?;
        bytes
    } else {
        std::fs::read(file).with_context(|| format!("`{}` cannot be read", file.display()))?
    };
    let recording =
        Recording::parse(bytes).with_context(|| format!("`{}` is not a recording", file.display()))?;
    if let Some(line) = recording.cut {
        terminal::warn(&format!("note: line {line} of `{}` is cut short and was left out", file.display()));
    }
    let mut sessions = recording.sessions;
    for session in sessions.iter_mut().filter(|_| many) {
        session.name = format!("{} of {}", session.name, file.display());
    }
    Ok(sessions)
}

fn names(files: &[PathBuf], between: &str) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(between)
}

/// The arguments that name the same files again.
pub(super) fn reproduction_arguments(files: &[PathBuf]) -> String {
    let quoted = |file: &PathBuf| {
        let name = file.display().to_string();
        let plain = |c: char| c.is_alphanumeric() || "-_./+=:,@".contains(c);
        if name.chars().all(plain) { name } else { format!("'{}'", name.replace('\'', r"'\''")) }
    };
    let names: Vec<_> = files.iter().map(quoted).collect();
    format!("wire {}", names.join(" "))
}
