//! Streamable HTTP: foreign origins, status codes and media types.

use protocol::{Span, Version};
use serde_json::json;
use server::fault::http as fault;
use transport::Transport;
use transport::client::{Head, Request, Session};
use wire::Transcript;

use crate::{Applies, Check, Evidence, Finding, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[
    FOREIGN_ORIGIN,
    FOREIGN_ORIGIN_ANY_METHOD,
    FOREIGN_ORIGIN_STATUS,
    GET_OR_405,
    UNKNOWN_METHOD_404,
    NO_BUFFERING,
];

const SINCE_STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);

/// Servers must validate `Origin` on every incoming connection, against DNS rebinding. Before 2025-11-25 any refusal
/// will do. 2024-11-05 says the same of HTTP+SSE, which is not judged here. No page says which origins are valid, so only
/// those of strangers are tried, and not `null`, which programs send too.
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
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(foreign_origin(cx))),
    fault: &fault::ACCEPT_ANY_ORIGIN,
};

/// The second starts like a local one, and so passes where only the beginning is compared.
const ABROAD: [&str; 2] = ["https://attacker.example", "http://localhost.attacker.example"];
/// Messages that need no session or change nothing, so that some servers do not check them.
const UNGUARDED: [&str; 2] = ["initialize", "notifications/yardstick-unknown"];

async fn foreign_origin(cx: &ServerCx) -> Verdict {
    for origin in ABROAD {
        let answer = cx.request(cx.cheap_method()).await?.header("origin", origin).send().await?;
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

/// Servers must validate `Origin` on every incoming connection: not only for requests, but also for GET, DELETE, the
/// handshake and notifications. 2026-07-28 has only POST.
const FOREIGN_ORIGIN_ANY_METHOD: Check = Check {
    id: "server/http/foreign-origin-any-method",
    title: "GET, DELETE, handshakes and notifications from a foreign Origin are refused too",
    cites: &[must("basic/transports#security-warning", SINCE_STREAMABLE)],
    aliases: &[],
    why: "a web page that opens the stream reads what the server tells others, and one that sends DELETE ends their sessions",
    fix: "check Origin before you look at the method",
    applies: Applies::Over(Transport::StreamableHttp),
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
    let session = cx.another_session().await?;
    for verb in [http::Method::GET, http::Method::DELETE] {
        let about = format!("{verb} from {}", ABROAD[0]);
        expect_refused(cx, &session, verb, &about, |request| request.header("origin", ABROAD[0])).await?;
    }
    Ok(())
}

/// The head of the response to a request without a body, and the record of the exchange.
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
        let ask = cx.request_on(session, about);
        let ask = ask.with(|request| refine(request.verb(verb).header("accept", "text/event-stream")));
        let mark = session.recorder().mark();
        let pending = ask.start().await?;
        let Some(head) = pending.head().cloned() else {
            return Err(Finding::blocked(format!("{about} got no HTTP response")));
        };
        Ok(Self { head, said: session.recorder().since(mark) })
    }

    /// A violation, shown with the heads of the exchange.
    pub(super) fn violated(&self, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
        Finding::Violated(Box::new(Evidence::new(expected, actual).showing_heads(&self.said)))
    }
}

/// Expects that a GET or a DELETE is refused once `refine` has made it illegal. A server without that method refuses it too.
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

/// Expects that a notification is refused once `refine` has made it illegal.
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
    let session = cx.unjudged_http().await?;
    let ask = if method == "initialize" {
        let client = session.profile();
        let capabilities = client.capabilities_in(cx.version);
        cx.request_on(&session, method).params(
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
    cx.request(cx.cheap_method()).await?.header("origin", ABROAD[0]).send().await
}

/// Since 2025-11-25 a server must answer an invalid `Origin` with 403. Earlier revisions leave the status open.
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
    applies: Applies::Over(Transport::StreamableHttp),
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

/// A server must answer GET with an event stream, or with 405 if it has none to offer. 2026-07-28 has no GET.
const GET_OR_405: Check = Check {
    id: "server/http/get-stream-or-405",
    title: "GET opens an event stream or is answered with 405",
    cites: &[must("basic/transports#listening-for-messages-from-the-server", SINCE_STREAMABLE)],
    aliases: &["test_http_transport_requirements"],
    why: "clients open the stream to hear of changes; any other answer makes them retry for ever",
    fix: "answer GET with text/event-stream, or with 405 if the server never sends anything on its own",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(get_or_405(cx))),
    fault: &fault::GET_NOT_A_STREAM,
};

async fn get_or_405(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let reply = HeadReply::to(cx, &session, http::Method::GET, "GET", |request| request).await?;
    match (reply.head.status, reply.head.media_type().as_deref()) {
        (405, _) | (200, Some("text/event-stream")) => Ok(()),
        (status, media) => {
            let actual = format!("HTTP {status}, content-type {}", media.unwrap_or("missing"));
            Err(reply.violated("text/event-stream, or HTTP 405", actual))
        }
    }
}

/// If a server does not implement the method of a request, it must answer 404 with error -32601 (2026-07-28; before,
/// the status of such an error is open).
const UNKNOWN_METHOD_404: Check = Check {
    id: "server/http/unknown-method-404",
    title: "the error for an unknown method comes with 404",
    cites: &[must("basic/transports/streamable-http#protocol-version-header", Span::MODERN)],
    aliases: &[],
    why: "gateways and clients act on the status without reading the body",
    fix: "send -32601 with status 404",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(unknown_method_404(cx))),
    fault: &fault::UNKNOWN_METHOD_200,
};

async fn unknown_method_404(cx: &ServerCx) -> Verdict {
    cx.request("yardstick/no-such-method").await?.send().await?.expect_status(&[404])
}

/// A response that starts an event stream should have the header `X-Accel-Buffering: no`, which stops proxies from
/// buffering.
const NO_BUFFERING: Check = Check {
    id: "server/http/no-buffering",
    title: "event streams ask proxies not to buffer",
    cites: &[should("basic/transports/streamable-http#receiving-messages", Span::MODERN)],
    aliases: &[],
    why: "behind nginx, progress arrives all at once at the end",
    fix: "send X-Accel-Buffering: no with every text/event-stream",
    applies: Applies::Over(Transport::StreamableHttp),
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
