//! Roots: what a server does when the client's roots change.

use protocol::Span;
use server::fault::asks as fault;
use transport::Transport;

use crate::liveness::has_anonymous_error;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, should};

pub(in crate::checks) const CHECKS: &[Check] = &[LIST_CHANGED];

/// What a client sends when its roots have changed.
const NOTIFICATION: &str = "notifications/roots/list_changed";

/// Roots, implementation guidelines: a server should handle changes of the list of roots gracefully. 2026-07-28 has no
/// such notification.
const LIST_CHANGED: Check = Check {
    id: "server/roots/list-changed-survived",
    title: "the server still answers after the client's roots have changed",
    cites: &[should("client/roots#implementation-guidelines/6", Span::LEGACY)],
    aliases: &[],
    why: "a user who opens another folder in the editor would lose the server",
    fix: "handle the notification, or ignore it; do not wait for roots/list in the loop that reads messages",
    applies: Applies::Everywhere,
    run: Run::SharedLast(|cx| Box::pin(list_changed(cx))),
    fault: &fault::ROOTS_CHANGE_DEAFENS,
};

async fn list_changed(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    if !cx.has_caught_up(session).await {
        return Err(Finding::blocked(format!("{} is not answered", cx.cheap_method())));
    }
    let mark = session.recorder().mark();
    cx.notification_on(session, NOTIFICATION).send().await?;
    let finding = if !cx.has_caught_up(session).await {
        let gone = session.ended().map(|failure| failure.to_string());
        let actual = gone.unwrap_or_else(|| format!("{} is no longer answered", cx.cheap_method()));
        Finding::violated("an answer to the request after the notification", actual)
    } else if cx.transport == Transport::Stdio && has_anonymous_error(session, mark) {
        Finding::violated("no response", "an error without an id")
    } else {
        return Ok(());
    };
    Err(finding.showing_request(session, NOTIFICATION))
}
