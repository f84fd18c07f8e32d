//! stdio: how the server reads lines, survives a bad one, keeps UTF-8 intact, and exits.

use std::time::Duration;

use protocol::{Span, Version};
use serde_json::Value;
use server::fault::stdio as fault;
use transport::Transport;
use transport::client::{Closing, Failure, Session, Step};
use wire::{Direction, Frame, Id};

use super::base::{BROKEN, ID_ECHOED};
use crate::expect::Answer;
use crate::{
    Applies, Check, Cite, Evidence, Excerpt, Finding, Party, Run, ServerCx, Verdict, advised, defined, must,
    should,
};

pub(in crate::checks) const CHECKS: &[Check] = &[
    ENDS_WITH_STDIN,
    LIVES_ON,
    MANY_IN_ONE_WRITE,
    ONE_IN_TWO_WRITES,
    LONG_LINE,
    CARRIAGE_RETURN,
    UTF8_INTACT,
];

/// Long enough for two writes to arrive separately.
const WRITE_PAUSE: Duration = Duration::from_millis(15);

/// Messages are separated by newlines, and by nothing else.
const FRAMING: &[Cite] =
    &[defined("basic/transports#stdio", Span::LEGACY), defined("basic/transports/stdio#", Span::MODERN)];

/// stdio, shutdown (2026-07-28): a server should exit promptly when its standard input is closed. Earlier revisions
/// only tell the client to close it and to wait.
const ENDS_WITH_STDIN: Check = Check {
    id: "server/stdio/ends-with-stdin",
    title: "the server exits when its standard input is closed",
    cites: &[should("basic/transports/stdio#shutdown", Span::MODERN)],
    aliases: &["test_shutdown_sequence", "test_stdio_transport_requirements"],
    why: "closing stdin is the only portable way to stop a server; one that stays is a leaked process",
    fix: "leave the main loop at the end of stdin, and exit",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Last(|cx| Box::pin(ends_with_stdin(cx))),
    fault: &fault::OUTLIVES_STDIN,
};

async fn ends_with_stdin(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    match cx.close_process(&session).await {
        Closing::Process(end) if matches!(end.step, Step::StdinClosed) => Ok(()),
        Closing::Process(end) if matches!(end.step, Step::AlreadyExited) => {
            Err(Finding::blocked("the server had ended before its input did"))
        }
        Closing::Process(end) => {
            let actual =
                format!("it lived on for {} ms and had to be stopped by a signal", end.took.as_millis());
            Err(Finding::violated("the process ends", actual))
        }
        Closing::Pipe { ended: true, .. } => Ok(()),
        Closing::Pipe { took, .. } => {
            let actual = format!("it was still open after {} ms", took.as_millis());
            Err(Finding::violated("the server closes its end", actual))
        }
        Closing::Deleted { .. } | Closing::HungUp => Err(Finding::not_applicable("there is no pipe here")),
    }
}

/// Messages follow JSON-RPC 2.0, which answers invalid JSON with an error; nothing lets it end the connection. The
/// pages imply this rather than state it.
pub(super) const LIVES_ON: Check = Check {
    id: "server/stdio/lives-on",
    title: "a request after an invalid line is answered",
    cites: BROKEN,
    aliases: &[],
    why: "one bad line must not take down a server that others depend on",
    fix: "catch the parser's error, answer -32700, and go on reading",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Alone(|cx| Box::pin(lives_on(cx))),
    fault: &fault::DIES_OF_BAD_LINE,
};

async fn lives_on(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    session.send_bytes(&b"this is not JSON\n"[..]).await?;
    session.send_bytes(&b"\n"[..]).await?;
    let lines = [line(cx, &session)];
    session.send_bytes(lines.concat()).await?;
    expect_answers(cx, &session, "after a bad line", &lines).await
}

/// Messages on stdio are delimited by newlines, so several may arrive in one read.
const MANY_IN_ONE_WRITE: Check = Check {
    id: "server/stdio/many-in-one-write",
    title: "several messages in one write are all answered",
    cites: FRAMING,
    aliases: &["test_stdio_transport_requirements"],
    why: "a pipe joins separate writes; a server that takes each read for one message loses some under load",
    fix: "split the input at every newline, and handle all the pieces",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Alone(|cx| Box::pin(many_in_one_write(cx))),
    fault: &fault::ONE_MESSAGE_A_READ,
};

async fn many_in_one_write(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let lines = [line(cx, &session), line(cx, &session), line(cx, &session)];
    session.send_bytes(lines.concat()).await?;
    expect_answers(cx, &session, "to three requests in one write", &lines).await
}

/// Messages on stdio are delimited by newlines, so one may arrive in several reads.
const ONE_IN_TWO_WRITES: Check = Check {
    id: "server/stdio/one-in-two-writes",
    title: "a message that arrives in two writes is one message",
    cites: FRAMING,
    aliases: &[],
    why: "a pipe may cut a long message anywhere; a server that takes each read for a message breaks it",
    fix: "keep what follows the last newline, and append the next read to it",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Alone(|cx| Box::pin(one_in_two_writes(cx))),
    fault: &fault::READ_IS_MESSAGE,
};

async fn one_in_two_writes(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let whole = line(cx, &session);
    let (first, second) = whole.split_at(whole.len() / 2);
    session.send_bytes(first.to_vec()).await?;
    tokio::time::sleep(WRITE_PAUSE).await;
    session.send_bytes(second.to_vec()).await?;
    expect_answers(cx, &session, "to a request in two writes", &[whole]).await
}

/// Messages on stdio are delimited by newlines, and no page says how long a line may be. All messages must follow JSON-RPC 2.0, in
/// which every request gets a response. A server may refuse what is too long for it, so one error that names no request passes.
const LONG_LINE: Check = Check {
    id: "server/stdio/long-line-answered",
    title: "a request on a long line is answered",
    cites: FRAMING,
    aliases: &[],
    why: "a file as an argument makes a long line; one that is dropped or cut leaves its request open for ever",
    fix: "read up to the newline, however many reads that takes, and answer what you refuse with an error",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Alone(|cx| Box::pin(long_line(cx))),
    fault: &fault::LONG_LINE_DROPPED,
};

/// One line is longer than the buffers that readers often have, and the other one longer than a pipe holds.
async fn long_line(cx: &ServerCx) -> Verdict {
    // Another check reports a server that takes each read for a message.
    one_in_two_writes(cx).await.map_err(|finding| finding.into_obstacle_of(ONE_IN_TWO_WRITES.id))?;
    let session = cx.exclusive_session().await?;
    for length in [10_000, 100_000] {
        let request = session.request(cx.cheap_method()).meta("yardstick/padding", "x".repeat(length));
        let line = format!("{}\n", request.message()).into_bytes();
        session.send_bytes(line.clone()).await?;
        let what = format!("to a request on a line of {} bytes", line.len());
        let lines = std::slice::from_ref(&line);
        let verdict = expect_answers(cx, &session, &what, lines).await;
        // A line that was cut is refused once for each piece.
        if matches!(verdict, Err(Finding::Violated(_))) && count_lost_ids(&session, lines) == 1 {
            return Ok(());
        }
        verdict?;
    }
    Ok(())
}

/// Messages on stdio are delimited by newlines. A carriage return before one is white space to JSON, so that the line is a
/// valid message is implied. No page speaks of carriage returns.
const CARRIAGE_RETURN: Check = Check {
    id: "server/stdio/carriage-return-skipped",
    title: "a carriage return before the newline does no harm",
    cites: &[
        advised("basic/transports#stdio", Span::LEGACY),
        advised("basic/transports/stdio#", Span::MODERN),
    ],
    aliases: &[],
    why: "it is white space to JSON, and libraries on Windows write it",
    fix: "hand the line to a JSON parser as it is, or trim it first",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Alone(|cx| Box::pin(carriage_return(cx))),
    fault: &fault::CARRIAGE_RETURN_REFUSED,
};

async fn carriage_return(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let mut whole = line(cx, &session);
    whole.truncate(whole.len() - 1);
    whole.extend(b"\r\n");
    session.send_bytes(whole.clone()).await?;
    expect_answers(cx, &session, "to a line that ends with CR LF", &[whole]).await
}

/// JSON-RPC messages must be encoded in UTF-8. 2024-11-05 does not say so.
const UTF8_INTACT: Check = Check {
    id: "server/transport/utf8-intact",
    title: "text beyond ASCII comes back as it was sent",
    cites: &[
        must("basic/transports#", Span::between(Version::V2025_03_26, Version::V2025_11_25)),
        must("basic/transports/index#messages", Span::MODERN),
    ],
    aliases: &[],
    why: "a server that reads or writes another encoding mangles every text that is not English",
    fix: "read and write UTF-8, whatever the locale of the process is",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(utf8_intact(cx))),
    fault: &fault::NON_ASCII_LOST,
};

/// The text is the id of a request. A response with a mangled id matches no request, so on a pipe the line is sent as bytes,
/// and we look at everything that comes back.
async fn utf8_intact(cx: &ServerCx) -> Verdict {
    const ID: &str = "gr\u{fc}\u{df}e-\u{6e2c}\u{8a66}-\u{1f4cf}";
    let session = cx.exclusive_session().await?;
    let request = session.request(cx.cheap_method()).id(Value::from(ID).to_string());
    if cx.transport != Transport::Stdio {
        let reply = Answer::new(request.send().await?, session.clone());
        return match reply.reply.frame().and_then(|frame| serde_json::from_str(frame.id?.get()).ok()) {
            Some(Value::String(id)) if id == ID => Ok(()),
            Some(other) => Err(reply.violated(format!("id {ID:?}"), format!("id {other}"))),
            None => Err(Finding::blocked("the answer has no id")),
        };
    }
    let line = format!("{}\n", request.message()).into_bytes();
    session.send_bytes(line.clone()).await?;
    let verdict =
        expect_answers(cx, &session, "with the id of the request", std::slice::from_ref(&line)).await;
    match verdict {
        Err(Finding::Violated(_)) if count_lost_ids(&session, std::slice::from_ref(&line)) > 0 => {
            Err(Finding::blocked_by(ID_ECHOED.id, "the error for an id that is text has none"))
        }
        verdict => verdict,
    }
}

/// A line with a request that every server answers.
fn line(cx: &ServerCx, session: &Session) -> Vec<u8> {
    format!("{}\n", session.request(cx.cheap_method()).message()).into_bytes()
}

/// Waits for an answer to each of the lines that were sent. A request that is sent after them shows whether it is late.
async fn expect_answers(cx: &ServerCx, session: &Session, what: &str, lines: &[Vec<u8>]) -> Verdict {
    let expected = format!("an answer {what}");
    let shown = |actual: String| {
        let sent = lines.iter().map(|line| Excerpt::from_bytes(Party::Client, line));
        let evidence = Evidence::new(expected.clone(), actual);
        Finding::Violated(Box::new(sent.fold(evidence, Evidence::showing)))
    };
    let mut open: Vec<Id> = lines.iter().filter_map(|line| Frame::parse(line).ok()?.id()).collect();
    if !cx.has_caught_up(session).await {
        let gone = session.ended().map(|failure| failure.to_string());
        return Err(shown(gone.unwrap_or_else(|| "none, nor to anything after it".to_owned())));
    }
    strike_answered(session, &mut open, cx.pace().benefit_of_doubt())
        .await
        .map_err(|failure| shown(failure.to_string()))?;
    match &open[..] {
        [] => Ok(()),
        missing => {
            let missing: Vec<_> = missing.iter().map(ToString::to_string).collect();
            Err(shown(format!("none to {}", missing.join(", "))))
        }
    }
}

/// Strikes from `open` the ids of all that is answered within `limit`.
async fn strike_answered(session: &Session, open: &mut Vec<Id>, limit: Duration) -> Result<(), Failure> {
    let deadline = tokio::time::Instant::now() + limit;
    while !open.is_empty() {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let Some(message) = session.incoming(left).await? else { break };
        let answered = message.frames().into_iter().filter(|f| f.method.is_none());
        let ids: Vec<Id> = answered.filter_map(|frame| frame.id()).collect();
        open.retain(|id| !ids.iter().any(|other| is_same_id(other, id)));
    }
    Ok(())
}

/// How many errors without an id came after the lines were sent.
fn count_lost_ids(session: &Session, lines: &[Vec<u8>]) -> usize {
    let transcript = session.recorder().transcript();
    let first = lines.first().map(|line| line.trim_ascii()).unwrap_or_default();
    let sent = transcript.entries.iter().rposition(|entry| entry.bytes.trim_ascii() == first);
    let since = transcript.entries.iter().skip(sent.unwrap_or_default());
    since.filter(|entry| is_anonymous_error(entry)).count()
}

/// An error that does not say which request it is for.
fn is_anonymous_error(entry: &wire::Entry) -> bool {
    let anonymous = |frame: &Frame<'_>| frame.error.is_some() && !frame.id().is_some_and(|id| id.is_legal());
    entry.direction == Direction::ToClient && Frame::parse(&entry.bytes).is_ok_and(|frame| anonymous(&frame))
}

/// Whether two ids are the same. A number and its digits count as the same: that difference is another check's business.
fn is_same_id(one: &Id, other: &Id) -> bool {
    let text = |id: &Id| id.to_string().trim_matches('"').to_owned();
    one == other || text(one) == text(other)
}
