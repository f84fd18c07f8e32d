//! Responses that come by themselves, on a pipe: to a notification, or to nothing at all.

use std::time::Duration;

use transport::client::{Message, Session};
use wire::{Direction, Frame, Mark};

use crate::{Finding, ServerCx, Verdict};

/// The next response that answers none of our requests, if one comes before it has been quiet for `silence`. A second
/// answer to a request is another matter.
async fn unasked(session: &Session, since: Mark, silence: Duration) -> Result<Option<Message>, Finding> {
    while let Some(message) = session.incoming(silence).await? {
        if message.frames().iter().any(|frame| frame.is_response() && !is_asked(session, since, frame)) {
            return Ok(Some(message));
        }
    }
    Ok(None)
}

/// Nothing that was sent last on `session` gets a response: none has come once the server has answered requests after it. What
/// comes later still is a response to nothing, which a passive check tells. A server that does not answer that request any more was broken by what came before.
pub(crate) async fn expect_no_response(cx: &ServerCx, session: &Session, since: Mark) -> Verdict {
    if !cx.has_caught_up(session).await {
        let actual = session.ended().map_or_else(
            || "the next request is not answered any more".to_owned(),
            |failure| failure.to_string(),
        );
        return Err(Finding::violated("no response, and an answer to the next request", actual));
    }
    match unasked(session, since, Duration::ZERO).await? {
        Some(message) => Err(Finding::violated_in(&message.bytes, "no response", "a response")),
        None => Ok(()),
    }
}

/// Takes what has come so far out of the way: where the record stands after that.
pub(crate) async fn drain(session: &Session) -> Mark {
    while let Ok(Some(_)) = session.incoming(Duration::ZERO).await {}
    session.recorder().mark()
}

/// Whether a message answers a request, or is a batch in which one of them does.
pub(crate) fn has_response(message: &Message) -> bool {
    message.frames().iter().any(Frame::is_response)
}

/// Whether the response answers a request that we have sent since. A request that was already answered does not count.
fn is_asked(session: &Session, since: Mark, response: &Frame<'_>) -> bool {
    let Some(id) = response.id() else { return false };
    let transcript = session.recorder().since(since);
    let mut sent = transcript.messages().filter(|entry| entry.direction == Direction::ToServer);
    sent.any(|entry| {
        Frame::parse(&entry.bytes).is_ok_and(|f| f.method.is_some() && f.id().as_ref() == Some(&id))
    })
}
