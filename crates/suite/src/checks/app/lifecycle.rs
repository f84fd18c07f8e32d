//! How a View begins and ends.

use protocol::Span;
use serde_json::{Value, json};
use server::fault::view as fault;

use crate::app::RowFinding;
use crate::app::rows::{STRICT, name};
use crate::{AppCx, Applies, Check, Evidence, Finding, Run, Verdict, Viewing, advice, advised, defined};

pub(in crate::checks) const CHECKS: &[Check] = &[INITIALIZES, BEFORE_NETWORK, PING, IDS, TEARDOWN];

/// Lifecycle: a View sends ui/initialize, gets the result, and sends ui/notifications/initialized. Nothing in the text makes
/// that depend on what the host offers.
pub(crate) const INITIALIZES: Check = Check {
    id: "app/lifecycle/initializes",
    title: "an app completes its handshake in every host",
    cites: &[defined("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "a host sends neither input nor result before the handshake, so the app stays empty",
    fix: "send ui/initialize when the document has loaded, then ui/notifications/initialized, whatever the host offers",
    applies: Applies::ToViews,
    run: Run::AppInTime(name::WITH_HANDSHAKE, initializes),
    fault: &fault::NEVER_INITIALIZES,
};

/// The specification has no word about when a View begins; it lets hosts deny any origin, and networks fail.
const BEFORE_NETWORK: Check = Check {
    id: "app/lifecycle/before-network",
    title: "an app completes its handshake without the network",
    cites: &[advice("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "where a library cannot be loaded, the app shows nothing and cannot even say why",
    fix: "bring along what the handshake needs, and load the rest afterwards",
    applies: Applies::ToViews,
    run: Run::AppInTime(&[STRICT, name::OFFLINE], before_network),
    fault: &fault::WAITS_FOR_NETWORK,
};

/// The messages of MCP that View and host may use include ping, a health check; in MCP whoever gets one answers with an empty
/// result.
const PING: Check = Check {
    id: "app/lifecycle/answers-ping",
    title: "an app answers a ping",
    cites: &[advised("apps.mdx#standard-mcp-messages", Span::ALWAYS)],
    aliases: &[],
    why: "a host that checks whether the app is alive takes it for dead",
    fix: "answer ping with an empty result",
    applies: Applies::ToViews,
    run: Run::AppInTime(&[name::CLOSED], |cx| {
        cx.judge(&[name::CLOSED], "an empty result for each ping", |viewing| {
            let pings = [json!(7001), json!(0), json!("text")];
            // Some ids alone are another check's.
            let silent = pings.iter().all(|id| viewing.response(id).is_none());
            silent.then(|| RowFinding::new("no answer to any ping").asking(viewing, "ping"))
        })
    }),
    fault: &fault::PING_UNANSWERED,
};

/// View and host speak JSON-RPC 2.0, in which the id of a request is a number, zero among them, or a string.
const IDS: Check = Check {
    id: "app/lifecycle/answers-any-id",
    title: "an app answers requests whose id is zero or a string",
    cites: &[defined("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "the SDK's first id is zero: a host made with it waits for ever for its first answer",
    fix: "compare the id with undefined instead of testing whether it is truthy, and return it unchanged",
    applies: Applies::ToViews,
    run: Run::AppInTime(&[name::CLOSED], any_id),
    fault: &fault::ZERO_ID_IGNORED,
};

/// Teardown: ui/resource-teardown is a request, and defines its response.
const TEARDOWN: Check = Check {
    id: "app/lifecycle/answers-teardown",
    title: "an app answers the request to close",
    cites: &[defined("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "the host waits for the answer before it removes the app, and the user waits with it",
    fix: "save what is to be saved, and answer ui/resource-teardown with an empty result",
    applies: Applies::ToViews,
    run: Run::AppInTime(&[name::CLOSED], |cx| {
        cx.judge(&[name::CLOSED], "a response to ui/resource-teardown", |viewing| {
            let (request, message) = viewing
                .messages_to_view()
                .find(|(_, message)| message["method"] == "ui/resource-teardown")?;
            let unanswered = viewing.response(&message["id"]).is_none();
            unanswered.then(|| RowFinding::new("no response before the host gave up").with_entry(request))
        })
    }),
    fault: &fault::TEARDOWN_UNANSWERED,
};

fn initializes(cx: &AppCx<'_>) -> Verdict {
    let here: Vec<&Viewing> = name::WITH_HANDSHAKE.iter().filter_map(|name| cx.row(name)).collect();
    let silent: Vec<&Viewing> = here.into_iter().filter(|viewing| viewing.initialized.is_none()).collect();
    let Some(first) = silent.first() else { return Ok(()) };
    // What stood in the way of one row is not the app's doing.
    if let Some((row, why)) =
        silent.iter().find_map(|viewing| Some((viewing.row.name, viewing.trouble.as_ref()?)))
    {
        return Err(Finding::blocked(format!("in the row {row}: {why}")));
    }
    if let Some(request) = first.failed_network_requests().next() {
        let why = format!("it waits for {}, which cannot be reached from here", request.url);
        return Err(Finding::blocked_by(BEFORE_NETWORK.id, why));
    }
    let rows: Vec<&str> = silent.iter().map(|viewing| viewing.row.name).collect();
    let did = match (first.sent_with_method("ui/initialize").next(), first.messages_of_view().next()) {
        (Some(_), _) => "ui/initialize, but never ui/notifications/initialized",
        (None, Some(_)) => "messages, but never ui/initialize",
        (None, None) => "no message at all",
    };
    let seconds = crate::app::HANDSHAKE_TIMEOUT.as_secs();
    let actual = format!("the View sent {did} within {seconds} s (host: {})", rows.join(", "));
    let mut evidence =
        Evidence::new("ui/initialize, and ui/notifications/initialized after its result", actual);
    let finding = RowFinding::new("").with_lines(first.exceptions.iter().map(String::as_str));
    evidence.frames.extend(first.messages_of_view().take(2).map(|(entry, _)| crate::Excerpt::entry(entry)));
    evidence.frames.extend(finding.frames);
    Err(Finding::Violated(Box::new(evidence)))
}

fn before_network(cx: &AppCx<'_>) -> Verdict {
    const EXPECTED: &str = "a complete handshake, though nothing outside of this machine can be reached";
    let silent = [STRICT, name::OFFLINE].iter().filter_map(|name| cx.row(name));
    for viewing in silent.filter(|viewing| viewing.initialized.is_none()) {
        if let Some(request) = viewing.failed_network_requests().next() {
            let actual = format!(
                "no handshake; {} failed ({}) (host: {})",
                request.url,
                request.failure.as_deref().unwrap_or_default(),
                viewing.row.name
            );
            return Err(Finding::violated(EXPECTED, actual));
        }
    }
    // Without any request there is nothing that it could have waited for.
    cx.ready_viewings(&[STRICT]).map(drop)
}

fn any_id(cx: &AppCx<'_>) -> Verdict {
    cx.judge(&[name::CLOSED], "an answer with the same id", |viewing| {
        let answered = |id: &Value| viewing.response(id).is_some();
        if !answered(&json!(7001)) {
            return None;
        }
        let missing = [json!(0), json!("text")].into_iter().find(|id| !answered(id))?;
        Some(RowFinding::new(format!("a ping with id 7001 is answered, one with id {missing} is not")))
    })?;
    match cx.row(name::CLOSED).is_some_and(|viewing| viewing.response(&json!(7001)).is_some()) {
        true => Ok(()),
        false => Err(Finding::blocked_by(PING.id, "the app answers no ping")),
    }
}

impl RowFinding {
    /// With the first message of that method that the View got.
    #[must_use]
    fn asking(self, viewing: &Viewing, method: &str) -> Self {
        match viewing.messages_to_view().find(|(_, message)| message["method"] == method) {
            Some((entry, _)) => self.with_entry(entry),
            None => self,
        }
    }
}
