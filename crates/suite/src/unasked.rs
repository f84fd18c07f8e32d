//! Responses that come by themselves, on a pipe: to a notification, or to nothing at all.

use std::time::Duration;

use transport::client::{Message, Session};
use wire::{Direction, Frame};

use crate::Finding;

/// The next response that answers none of our requests, if one comes before it has been quiet for `silence`. A second
/// answer to a request is another matter.
pub(crate) async fn unasked(session: &Session, silence: Duration) -> Result<Option<Message>, Finding> {
    while let Some(message) = session.incoming(silence).await? {
        if message.frames().iter().any(|frame| is_response(frame) && !is_asked(session, frame)) {
            return Ok(Some(message));
        }
    }
    Ok(None)
}

/// Takes what has come so far out of the way.
pub(crate) async fn drain(session: &Session) {
    while let Ok(Some(_)) = session.incoming(Duration::ZERO).await {}
}

fn is_response(frame: &Frame<'_>) -> bool {
    frame.method.is_none() && (frame.result.is_some() || frame.error.is_some())
}

/// Whether we sent a request of that id.
fn is_asked(session: &Session, response: &Frame<'_>) -> bool {
    let Some(id) = response.id() else { return false };
    let transcript = session.recorder().transcript();
    let mut sent = transcript.messages().filter(|entry| entry.direction == Direction::ToServer);
    sent.any(|entry| {
        Frame::parse(&entry.bytes).is_ok_and(|f| f.method.is_some() && f.id().as_ref() == Some(&id))
    })
}
