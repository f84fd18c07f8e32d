//! Streamable HTTP: who is let in, statuses, media types.

use protocol::{Span, Version};
use serde_json::json;
use server::fault::http as fault;
use transport::client::{Head, Request, Session};
use wire::Transcript;

use crate::{Check, Evidence, Finding, On, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[
    FOREIGN_ORIGIN,
    FOREIGN_ORIGIN_ANY_METHOD,
    FOREIGN_ORIGIN_STATUS,
    GET_OR_405,
    UNKNOWN_METHOD_404,
    NO_BUFFERING,
];

const SINCE_STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);

const FOREIGN_ORIGIN: Check = Check {
    id: "server/http/foreign-origin-refused",
    title: "a request from a foreign Origin is refused",
    cites: &[
        must("basic/transports#security-warning", SINCE_STREAMABLE),
        must("basic/transports/streamable-http#security-endpoint", Span::MODERN),
    ],
    aliases: &[],
    why: "any web page can reach a server on localhost through DNS rebinding",
    fix: "compare Origin with an allow-list before the body is parsed",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(foreign_origin(cx))),
    fault: &fault::ACCEPT_ANY_ORIGIN,
};

/// The second begins like one that is at home, which is all that some look at; the third is that of a page in a sandbox, which any
/// web page can open.
const ABROAD: [&str; 3] = ["https://attacker.example", "http://localhost.attacker.example", "null"];
/// What goes on without a session, or changes nothing, and is not looked at by some for that reason.
const UNGUARDED: [&str; 2] = ["initialize", "notifications/yardstick-unknown"];

async fn foreign_origin(cx: &ServerCx) -> Verdict {
    for origin in ABROAD {
        let answer = cx.request(cx.cheap()).await?.header("origin", origin).send().await?;
        match answer.reply.status() {
            Some(status) if status >= 400 => {}
            _ => {
                return Err(answer
                    .violated("a refusal, such as HTTP 403", format!("{} to {origin}", answer.summary())));
            }
        }
    }
    Ok(())
}

const FOREIGN_ORIGIN_ANY_METHOD: Check = Check {
    id: "server/http/foreign-origin-any-method",
    title: "whatever comes from a foreign Origin is refused: GET, DELETE, handshakes and notifications",
    cites: &[must("basic/transports#security-warning", SINCE_STREAMABLE)],
    aliases: &[],
    why: "a web page that opens the stream reads what the server tells others, and one that sends DELETE ends their sessions",
    fix: "compare Origin before the method is looked at",
    on: On::Http,
    run: Run::Alone(|cx| Box::pin(foreign_origin_any_method(cx))),
    fault: &fault::ORIGIN_ON_POST_ALONE,
};

async fn foreign_origin_any_method(cx: &ServerCx) -> Verdict {
    let post = from_abroad(cx).await?;
    if post.reply.status().is_none_or(|status| status < 400) {
        return Err(Finding::blocked_by(FOREIGN_ORIGIN.id, "a foreign Origin is not refused at all"));
    }
    for method in UNGUARDED {
        posted_from_abroad(cx, method).await?;
    }
    let session = cx.another().await?;
    for verb in [http::Method::GET, http::Method::DELETE] {
        let about = format!("{verb} from {}", ABROAD[0]);
        expect_refused(cx, &session, verb, &about, |request| request.header("origin", ABROAD[0])).await?;
    }
    Ok(())
}

/// The response to a request without a body, as far as its head, and what was said for it.
pub(super) struct HeadReply {
    pub(super) head: Head,
    said: Transcript,
}

impl HeadReply {
    /// Sends a GET or a DELETE that accepts an event stream. If one is opened, it is closed again.
    pub(super) async fn to(
        cx: &ServerCx,
        session: &Session,
        verb: http::Method,
        about: &str,
        refine: impl FnOnce(Request) -> Request,
    ) -> Result<Self, Finding> {
        let ask = cx.on(session, about);
        let ask = ask.with(|request| refine(request.verb(verb).header("accept", "text/event-stream")));
        let mark = session.recorder().mark();
        let pending = ask.start().await?;
        let Some(head) = pending.head().cloned() else {
            return Err(Finding::blocked(format!("{about} got no HTTP response")));
        };
        Ok(Self { head, said: session.recorder().since(mark) })
    }

    /// A violation that the heads show.
    pub(super) fn violated(&self, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
        Finding::Violated(Box::new(Evidence::new(expected, actual).showing_heads(&self.said)))
    }
}

/// That a GET or a DELETE is refused when `refine` makes it what it should not be. Where the method is not there at all, it is
/// refused as well.
pub(super) async fn expect_refused(
    cx: &ServerCx,
    session: &Session,
    verb: http::Method,
    about: &str,
    refine: impl FnOnce(Request) -> Request,
) -> Verdict {
    let reply = HeadReply::to(cx, session, verb, about, refine).await?;
    match reply.head.status {
        400.. => Ok(()),
        status => Err(reply.violated(format!("a refusal of {about}"), format!("HTTP {status}"))),
    }
}

/// That a notification is refused when `refine` makes it what it should not be.
pub(super) async fn expect_notification_refused(
    cx: &ServerCx,
    session: &Session,
    about: &str,
    refine: impl FnOnce(Request) -> Request,
) -> Verdict {
    let told = cx.notification_on(session, "notifications/yardstick-unknown").with(refine).send().await?;
    match told.reply.status() {
        Some(status) if status < 400 => {
            Err(told.violated(format!("HTTP 400 for a notification {about}"), told.summary()))
        }
        Some(_) | None => Ok(()),
    }
}

async fn posted_from_abroad(cx: &ServerCx, method: &str) -> Verdict {
    let session = cx.beside().await?;
    let ask = if method == "initialize" {
        let client = session.profile();
        let capabilities = client.capabilities_in(cx.version);
        cx.on(&session, method).params(
            json!({ "protocolVersion": cx.version, "capabilities": capabilities, "clientInfo": client.info }),
        )
    } else {
        cx.notification_on(cx.session().await?, method)
    };
    let answer = ask.header("origin", ABROAD[0]).send().await?;
    match answer.reply.status() {
        Some(status) if status >= 400 => Ok(()),
        _ => Err(answer.violated(format!("a refusal of {method} from {}", ABROAD[0]), answer.summary())),
    }
}

async fn from_abroad(cx: &ServerCx) -> Result<crate::expect::Answer, Finding> {
    cx.request(cx.cheap()).await?.header("origin", ABROAD[0]).send().await
}

const FOREIGN_ORIGIN_STATUS: Check = Check {
    id: "server/http/foreign-origin-status",
    title: "the refusal of a foreign Origin is 403",
    cites: &[
        must("basic/transports#security-warning", Span::only(Version::V2025_11_25)),
        must("basic/transports/streamable-http#security-endpoint", Span::MODERN),
    ],
    aliases: &[],
    why: "403 tells an operator at once that an allow-list is in the way, and not the request",
    fix: "answer 403 Forbidden",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(foreign_origin_status(cx))),
    fault: &fault::FOREIGN_ORIGIN_WRONG_STATUS,
};

async fn foreign_origin_status(cx: &ServerCx) -> Verdict {
    let answer = from_abroad(cx).await?;
    match answer.reply.status() {
        Some(status) if status >= 400 => answer.expect_status(&[403]),
        _ => Err(Finding::blocked_by(FOREIGN_ORIGIN.id, "a foreign Origin is not refused at all")),
    }
}

const GET_OR_405: Check = Check {
    id: "server/http/get-stream-or-405",
    title: "GET opens an event stream, or is 405",
    cites: &[must("basic/transports#listening-for-messages-from-the-server", SINCE_STREAMABLE)],
    aliases: &["test_http_transport_requirements"],
    why: "clients open the stream to hear of changes; what is neither stream nor 405 makes them retry for ever",
    fix: "answer GET with text/event-stream, or with 405 if you never speak first",
    on: On::Http,
    run: Run::Alone(|cx| Box::pin(get_or_405(cx))),
    fault: &fault::GET_NOT_A_STREAM,
};

async fn get_or_405(cx: &ServerCx) -> Verdict {
    let session = cx.alone().await?;
    let reply = HeadReply::to(cx, &session, http::Method::GET, "GET", |request| request).await?;
    match (reply.head.status, reply.head.media_type().as_deref()) {
        (405, _) | (200, Some("text/event-stream")) => Ok(()),
        (status, media) => {
            let actual = format!("HTTP {status}, content-type {}", media.unwrap_or("missing"));
            Err(reply.violated("text/event-stream, or HTTP 405", actual))
        }
    }
}

const UNKNOWN_METHOD_404: Check = Check {
    id: "server/http/unknown-method-404",
    title: "the error for an unknown method comes with 404",
    cites: &[must("basic/transports/streamable-http#protocol-version-header", Span::MODERN)],
    aliases: &[],
    why: "gateways and clients act on the status without reading the body",
    fix: "send -32601 with status 404",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(unknown_method_404(cx))),
    fault: &fault::UNKNOWN_METHOD_200,
};

async fn unknown_method_404(cx: &ServerCx) -> Verdict {
    cx.request("yardstick/no-such-method").await?.send().await?.expect_status(&[404])
}

const NO_BUFFERING: Check = Check {
    id: "server/http/no-buffering",
    title: "event streams ask proxies not to buffer",
    cites: &[should("basic/transports/streamable-http#receiving-messages", Span::MODERN)],
    aliases: &[],
    why: "behind nginx, progress arrives all at once at the end",
    fix: "send X-Accel-Buffering: no with every text/event-stream",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(no_buffering(cx))),
    fault: &fault::BUFFERING_ALLOWED,
};

async fn no_buffering(cx: &ServerCx) -> Verdict {
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    let pending = cx.request("subscriptions/listen").await?.params(filter).start().await?;
    let head = pending.head().cloned().ok_or_else(|| Finding::blocked("no HTTP response"))?;
    if head.media_type().as_deref() != Some("text/event-stream") {
        return Err(Finding::not_applicable("no event stream was opened"));
    }
    match head.header("x-accel-buffering") {
        Some(value) if value.eq_ignore_ascii_case("no") => Ok(()),
        other => Err(Finding::violated("X-Accel-Buffering: no", format!("{other:?}"))),
    }
}
