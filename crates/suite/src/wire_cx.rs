//! What a passive check has to work with: one recorded session, read once for all of them.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::method::Side;
use protocol::{Era, Version};
use serde_json::Value;
use transport::Transport;
use wire::{Direction, Entry, Frame, Id, Kind, Payload, Transcript, What};

use crate::failed_checks::FailedChecks;
use crate::{Excerpt, Finding, Verdict};

/// What a passive check has to work with: one recorded session.
#[derive(Debug)]
pub struct WireCx<'a> {
    /// The revision that the session was opened in.
    pub version: Version,
    /// The transport.
    pub transport: Transport,
    /// Whose messages are judged.
    pub side: Side,
    /// The recorded messages.
    pub transcript: &'a Transcript,
    /// The checks that have failed in this revision so far. Passive checks that overlap with others look at it.
    pub(crate) failed: Arc<FailedChecks>,
    /// The capabilities that `server/discover` showed, perhaps on another connection: a modern server has no sessions.
    pub(crate) discovered: Option<Value>,
    /// The same, frame by frame.
    all: Vec<RecordedFrame<'a>>,
    /// The ids of invalid requests that the other side sent.
    invalid_requests: HashSet<Id>,
}

/// One frame of either side, with the entry that carried it.
#[derive(Debug)]
struct RecordedFrame<'a> {
    entry: &'a Entry,
    frame: Frame<'a>,
    /// Whether it came before on another stream, from which a broken one went on.
    replayed: bool,
}

impl<'a> WireCx<'a> {
    /// Reads `transcript`.
    pub fn new(version: Version, transport: Transport, side: Side, transcript: &'a Transcript) -> Self {
        let resumed = resumed_exchanges(transcript);
        let said = transcript.messages().flat_map(|entry| {
            let replayed = resumed.contains(&entry.exchange) && is_replayed(transcript, entry);
            parse_frames(entry).into_iter().map(move |frame| RecordedFrame { entry, frame, replayed })
        });
        let mut cx = Self {
            version,
            transport,
            side,
            transcript,
            failed: Arc::default(),
            discovered: None,
            all: said.collect(),
            invalid_requests: HashSet::new(),
        };
        cx.invalid_requests = cx.requests().filter(|frame| !is_proper(frame)).filter_map(Frame::id).collect();
        cx
    }

    /// Reads each of `transcripts`, which are all of one server. What one discovers of a modern server holds for all.
    pub fn all(
        version: Version,
        transport: Transport,
        side: Side,
        transcripts: impl IntoIterator<Item = &'a Transcript>,
    ) -> Vec<Self> {
        let mut all: Vec<_> =
            transcripts.into_iter().map(|one| Self::new(version, transport, side, one)).collect();
        let discovered = all.iter().find_map(Self::discovery).filter(|_| version.era() == Era::Modern);
        for cx in &mut all {
            cx.discovered.clone_from(&discovered);
        }
        all
    }

    /// The capabilities in the result of `server/discover`, if it was asked for here.
    fn discovery(&self) -> Option<Value> {
        let is_discovery = |frame: &&Frame<'_>| frame.method().as_deref() == Some("server/discover");
        let asked: Vec<Id> = self.requests().filter(is_discovery).filter_map(Frame::id).collect();
        let mut results = self.frames().filter(|(_, frame)| frame.id().is_some_and(|id| asked.contains(&id)));
        results.find_map(|(_, frame)| {
            let result: Value = serde_json::from_str(frame.result?.get()).ok()?;
            Some(result["capabilities"].clone()).filter(Value::is_object)
        })
    }

    /// The direction of the messages that are judged.
    pub const fn judged_direction(&self) -> Direction {
        match self.side {
            Side::Server => Direction::ToClient,
            Side::Client => Direction::ToServer,
        }
    }

    /// The direction of the messages that they answer.
    pub const fn answered_direction(&self) -> Direction {
        match self.side {
            Side::Server => Direction::ToServer,
            Side::Client => Direction::ToClient,
        }
    }

    /// Every frame of either side, in the order in which they were seen; bytes that are not a frame are left out.
    pub fn all_frames(&self) -> impl Iterator<Item = (&'a Entry, &Frame<'a>)> {
        self.all.iter().map(|said| (said.entry, &said.frame))
    }

    /// Like [`WireCx::all_frames`], without what was sent again on a resumed stream.
    pub(crate) fn distinct_frames(&self) -> impl Iterator<Item = (&'a Entry, &Frame<'a>)> {
        self.all.iter().filter(|said| !said.replayed).map(|said| (said.entry, &said.frame))
    }

    /// Every frame that the judged side sent. What was sent again on a resumed stream is judged where it came first;
    /// a result for an invalid request is wrong as a whole, which an active check says.
    pub fn frames(&self) -> impl Iterator<Item = (&'a Entry, &Frame<'a>)> {
        let sent =
            self.all.iter().filter(|said| said.entry.direction == self.judged_direction() && !said.replayed);
        sent.map(|said| (said.entry, &said.frame)).filter(|(_, frame)| !self.answers_invalid_request(frame))
    }

    fn answers_invalid_request(&self, frame: &Frame<'_>) -> bool {
        frame.kind() == Kind::Result && frame.id().is_some_and(|id| self.invalid_requests.contains(&id))
    }

    /// The verdict of a passive check. A violation that shows only a response shows the request before it too.
    pub(crate) fn judge(&self, judge: fn(&Self) -> Verdict) -> Verdict {
        judge(self).map_err(|finding| match finding {
            Finding::Violated(mut evidence) => {
                if let [response] = &evidence.frames[..]
                    && let Some(request) = self.find_request(response)
                {
                    evidence.frames.insert(0, request);
                }
                Finding::Violated(evidence)
            }
            finding @ (Finding::Blocked(_) | Finding::NotApplicable(_) | Finding::Broke(_)) => finding,
        })
    }

    /// The request that a response of the judged side answers: the last one with its id before it.
    fn find_request(&self, response: &Excerpt) -> Option<Excerpt> {
        let is_shown = |said: &RecordedFrame<'_>| {
            said.entry.direction == self.judged_direction() && *response == Excerpt::entry(said.entry)
        };
        let at = self.all.iter().position(is_shown)?;
        let id = Some(&self.all[at].frame).filter(|frame| frame.method.is_none())?.id();
        let asked = self.all[..at].iter().rev().find(|said| {
            said.entry.direction == self.answered_direction()
                && said.frame.method.is_some()
                && said.frame.id() == id
        })?;
        Some(Excerpt::entry(asked.entry))
    }

    /// Every frame that the other side sent.
    pub fn requests(&self) -> impl Iterator<Item = &Frame<'a>> {
        let sent = self.all.iter().filter(|said| said.entry.direction == self.answered_direction());
        sent.map(|said| &said.frame)
    }
}

/// The exchanges on which a broken stream went on.
fn resumed_exchanges(transcript: &Transcript) -> HashSet<u32> {
    let heads = transcript.entries.iter().filter(|entry| entry.what == What::Head);
    let resuming = |entry: &&Entry| {
        let head = String::from_utf8_lossy(&entry.bytes).to_ascii_lowercase();
        entry.direction == Direction::ToServer && head.contains("\nlast-event-id:")
    };
    heads.filter(resuming).map(|entry| entry.exchange).collect()
}

/// What came before on another stream: the same bytes, or a response to the same request.
fn is_replayed(transcript: &Transcript, entry: &Entry) -> bool {
    let answers = answered_by(entry);
    let mut earlier = transcript.messages().take_while(|other| !std::ptr::eq(*other, entry));
    earlier.any(|other| {
        let same = other.bytes == entry.bytes || (answers.is_some() && answered_by(other) == answers);
        other.exchange != entry.exchange && other.direction == entry.direction && same
    })
}

/// The request that a message responds to.
fn answered_by(entry: &Entry) -> Option<Id> {
    Frame::parse(&entry.bytes).ok().filter(|frame| frame.method.is_none())?.id()
}

/// Whether a frame is a request as it should be, or none at all.
pub(crate) fn is_proper(frame: &Frame<'_>) -> bool {
    match frame.kind() {
        Kind::Request => frame.is_2_0() && frame.params.is_none_or(|raw| raw.get().starts_with('{')),
        Kind::Result | Kind::Error | Kind::Notification => true,
        Kind::Invalid(_) => false,
    }
}

fn parse_frames(entry: &Entry) -> Vec<Frame<'_>> {
    match Payload::parse(&entry.bytes) {
        Ok(Payload::Single(frame)) => vec![frame],
        Ok(Payload::Batch(items)) => items.into_iter().flatten().collect(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evidence;
    use wire::Recorder;

    #[test]
    fn a_violation_in_a_response_shows_the_request() {
        let recorder = Recorder::new();
        let said = [
            (Direction::ToServer, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
            (Direction::ToServer, r#"{"jsonrpc":"2.0","id":"1","method":"tools/call"}"#),
            (Direction::ToClient, r#"{"jsonrpc":"2.0","id":"1","result":{}}"#),
        ];
        for (direction, text) in said {
            recorder.record(direction, What::Message, 0, text.into());
        }
        let transcript = recorder.transcript();
        let cx = WireCx::new(Version::V2025_11_25, Transport::Stdio, Side::Server, &transcript);
        let verdict = cx.judge(|cx| {
            let evidence = Evidence::new("something else", "this");
            let response = cx.frames().next().map(|(entry, _)| Excerpt::entry(entry));
            Err(Finding::Violated(Box::new(response.into_iter().fold(evidence, Evidence::showing))))
        });
        let Err(Finding::Violated(evidence)) = verdict else { panic!("{verdict:?}") };
        let shown: Vec<_> = evidence.frames.iter().map(|excerpt| excerpt.text.as_str()).collect();
        assert_eq!(shown, [said[1].1, said[2].1]);
    }
}
