//! DNS rebinding: the `Host` header. `Origin` is judged in `http`.

use protocol::{Span, Version};
use server::fault::http as fault;
use transport::Transport;

use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised};

pub(in crate::checks) const CHECKS: &[Check] = &[FOREIGN_HOST];

/// Servers must guard against DNS rebinding by validating `Origin`. The pages do not name `Host`, but browsers send no
/// `Origin` with some requests, so a local server is advised to check both.
const FOREIGN_HOST: Check = Check {
    id: "server/http/foreign-host-refused",
    title: "a local server refuses a request for a foreign Host",
    cites: &[
        advised(
            "basic/transports#security-warning",
            Span::between(Version::V2025_03_26, Version::V2025_11_25),
        ),
        advised("basic/transports/streamable-http#security-endpoint", Span::MODERN),
    ],
    aliases: &[],
    why: "a page whose name was rebound to this machine sends no Origin with a GET; only Host gives it away",
    fix: "compare Host with the names of the server, and answer 403 to any other",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(foreign_host(cx))),
    fault: &fault::ACCEPT_ANY_HOST,
};

async fn foreign_host(cx: &ServerCx) -> Verdict {
    let host = cx.endpoint()?.url.host_str().unwrap_or_default();
    if !is_loopback(host) {
        return Err(Finding::not_applicable("the server is not on this machine"));
    }
    let answer = cx.request(cx.cheap_method()).await?.header("host", "attacker.example").send().await?;
    match answer.reply.status() {
        Some(status) if status >= 400 => Ok(()),
        _ => Err(answer.violated("HTTP 403", answer.summary())),
    }
}

/// Whether a host, spelt as in a URL, is this machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
