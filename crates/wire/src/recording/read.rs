//! From lines to a recording.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;

use super::fields::Fields;
use super::{
    About, FORMAT, FORMAT_VERSION, Medium, RecordedSession, Recording, UNNAMED_SESSION, content, spelling,
};
use crate::{Direction, Entry, Line, Lines, What};

/// Members that say who sent a message, ours first.
const SENDER: [&str; 5] = ["from", "direction", "dir", "sender", "source"];
/// Members that name a stream of a process.
const STREAM: [&str; 2] = ["channel", "stream"];

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct UnreadableRecording {
    /// Its number, counted from one.
    pub line: usize,
    /// What is wrong with it, and what to do.
    pub why: String,
}

/// The recording that has been read so far.
#[derive(Debug, Default)]
struct RecordingReader {
    recording: Recording,
    /// Where in the recording a session is.
    known: HashMap<String, usize>,
}

pub(super) fn parse_recording(file: &Bytes) -> Result<Recording, UnreadableRecording> {
    let mut lines = Lines::new(usize::MAX);
    lines.push(file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file));
    let mut reader = RecordingReader::default();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let (Line::Whole(bytes) | Line::Overlong(bytes) | Line::Unterminated(bytes)) = line;
        reader.line(&bytes).map_err(|why| UnreadableRecording { line: number, why })?;
    }
    if let Some(Line::Unterminated(rest)) = lines.finish() {
        number += 1;
        match reader.line(&rest) {
            Ok(()) => {}
            // The writer was stopped in the middle of a line; the lines before are whole.
            Err(_) if number > 1 && !is_json(&rest) => reader.recording.cut = Some(number),
            Err(why) => return Err(UnreadableRecording { line: number, why }),
        }
    }
    Ok(reader.recording)
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

impl RecordingReader {
    fn line(&mut self, line: &Bytes) -> Result<(), String> {
        let text = std::str::from_utf8(line).map_err(|why| {
            format!("not UTF-8 from byte {} on; such bytes belong into `base64`", why.valid_up_to())
        })?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let fields = Fields::parse(text)?;
        if fields.get("format").is_some() {
            return self.header(&fields);
        }
        if let Some((direction, exchange)) = windows(&fields) {
            return self.entry(&fields, direction, Some(exchange), line);
        }
        match sender(&fields)? {
            Some(direction) => self.entry(&fields, direction, None, line),
            None if fields.get("request").is_some() => self.pair(&fields, line),
            None if fields.get("jsonrpc").is_some() => Err(
                "a message that does not say who sent it; write {\"from\":\"client\",\"message\":…} around it"
                    .to_owned(),
            ),
            None if fields.get("session").is_some() => self.read_session(&fields),
            None => Err("neither `from` nor `session`; \
                         a message is {\"from\":\"client\",\"message\":…}"
                .to_owned()),
        }
    }

    fn header(&mut self, fields: &Fields<'_>) -> Result<(), String> {
        let format = fields.word("format").unwrap_or_default();
        if format != FORMAT {
            return Err(format!("the format is `{format}`, and only `{FORMAT}` can be read"));
        }
        let version = fields.get("version").map_or("none", |raw| raw.get());
        if version.parse::<u64>().is_ok_and(|version| version > FORMAT_VERSION) {
            return Err(format!("version {version} of the format is newer than this program; update it"));
        }
        // Concatenated files have several; the first one counts.
        if self.recording.about == About::default() {
            let word = |name| fields.word(name);
            self.recording.about =
                About { target: word("target"), tool: word("tool"), started: word("started") };
        }
        Ok(())
    }

    fn read_session(&mut self, fields: &Fields<'_>) -> Result<(), String> {
        let medium = match fields.text("transport")? {
            None => None,
            Some(word) => Some(spelling::medium_of(&word).ok_or_else(|| {
                format!("`{word}` is not a transport; there are stdio, http, http+sse and postmessage")
            })?),
        };
        let protocol = fields.text("protocol")?;
        let session = self.find_or_add_session(fields.name("session")?);
        session.medium = medium.or(session.medium);
        session.protocol = protocol.or(session.protocol.take());
        session.dropped += fields.get("dropped").and_then(|raw| raw.get().parse().ok()).unwrap_or(0);
        Ok(())
    }

    /// Reads an entry; `posted` is the exchange that it belongs to, if it names the windows of an app.
    fn entry(
        &mut self,
        fields: &Fields<'_>,
        direction: Direction,
        posted: Option<u32>,
        line: &Bytes,
    ) -> Result<(), String> {
        let what = what(fields)?;
        let bytes = match (content::read_content(fields, what, line)?, what) {
            (Some(bytes), _) => bytes,
            (None, What::End | What::Event | What::Noise | What::Stderr) => Bytes::new(),
            (None, What::Message | What::Head) => {
                return Err("no `message`, nor a `text` or `base64` in its place".to_owned());
            }
        };
        let exchange = posted.unwrap_or_else(|| fields.number("exchange").map_or(0, whole));
        let entry = Entry { at: moment(fields), direction, what, exchange, bytes };
        let session = self.find_or_add_session(fields.name("session")?);
        if posted.is_some() {
            // Only windows have these names.
            session.medium.get_or_insert(Medium::PostMessage);
        }
        session.transcript.entries.push(entry);
        Ok(())
    }

    /// A request and what came back, on one line, as some tools keep their history.
    fn pair(&mut self, fields: &Fields<'_>, line: &Bytes) -> Result<(), String> {
        let at = moment(fields);
        let session = fields.name("session")?;
        for (name, direction) in [("request", Direction::ToServer), ("response", Direction::ToClient)] {
            let Some(raw) = fields.get(name) else { continue };
            let bytes = content::read_message(raw, line)?;
            let entry = Entry { at, direction, what: What::Message, exchange: 0, bytes };
            self.find_or_add_session(session.clone()).transcript.entries.push(entry);
        }
        Ok(())
    }

    fn find_or_add_session(&mut self, name: Option<String>) -> &mut RecordedSession {
        let name = name.unwrap_or_else(|| UNNAMED_SESSION.to_owned());
        let sessions = &mut self.recording.sessions;
        let at = *self.known.entry(name).or_insert_with_key(|name| {
            sessions.push(RecordedSession::new(name.clone(), None, None));
            sessions.len() - 1
        });
        &mut sessions[at]
    }
}

/// Which window of an app spoke to which; `None` when the line names no windows.
fn windows(fields: &Fields<'_>) -> Option<(Direction, u32)> {
    let from = SENDER.iter().find_map(|name| fields.word(name))?;
    spelling::windows_of(&from, fields.word("to").as_deref())
}

/// Who sent it; `None` when the line does not say.
fn sender(fields: &Fields<'_>) -> Result<Option<Direction>, String> {
    let named = SENDER.iter().find_map(|name| Some((*name, fields.word(name)?)));
    if let Some((name, word)) = named {
        return match spelling::direction_of(&word) {
            Some(direction) => Ok(Some(direction)),
            None => Err(format!("`{name}` is `{word}`; write `client` or `server`, whoever sent it")),
        };
    }
    Ok(STREAM.iter().find_map(|name| spelling::direction_of(&fields.word(name)?)))
}

fn what(fields: &Fields<'_>) -> Result<What, String> {
    if let Some(word) = fields.text("what")? {
        let known = spelling::what_of(&word);
        return known.ok_or_else(|| format!("`what` is `{word}`; there are {}", spelling::WHAT_WORDS));
    }
    let stderr = STREAM.iter().any(|name| fields.word(name).as_deref() == Some("stderr"));
    Ok(if stderr { What::Stderr } else { What::Message })
}

/// The time in milliseconds; 0 if it is not a number, since the order of lines is what matters.
fn moment(fields: &Fields<'_>) -> Duration {
    let micros = (fields.number("at").unwrap_or(0.0) * 1000.0).round() / 1e6;
    Duration::try_from_secs_f64(micros).unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
const fn whole(number: f64) -> u32 {
    number as u32
}
