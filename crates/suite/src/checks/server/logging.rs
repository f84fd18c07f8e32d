//! Log messages: only for clients that asked for them, and not below the level that they asked for.

use protocol::capability::LOGGING;
use protocol::meta::{LOG_LEVEL, LogLevel};
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::{asks, resources, tools};

use crate::expect::Answer;
use crate::policy::is_fixture;
use crate::sweep::logs;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] = &[
    LEVEL_CHECKED,
    LEVELS_ACCEPTED,
    LEVEL_RESPECTED,
    ASKED_FOR,
    META_LEVEL_CHECKED,
    META_LEVEL_RESPECTED,
    META_LEVEL_FORGOTTEN,
];

/// Logging, error handling: a server should answer logging/setLevel with an unknown level with -32602.
const LEVEL_CHECKED: Check = Check {
    id: "server/logging/level-checked",
    title: "a log level that does not exist is refused with -32602",
    cites: &[should("server/utilities/logging#error-handling", Span::LEGACY)],
    aliases: &["test_logging_capability"],
    why: "a client that misspells a level would wait for messages that never come",
    fix: "accept the eight levels of RFC 5424, and answer -32602 to any other",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(level_checked(cx))),
    fault: &resources::LEVEL_UNCHECKED,
};

async fn level_checked(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    let answer = cx.request("logging/setLevel").await?.params(json!({ "level": "chatty" })).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}

/// Log levels are the eight severities of RFC 5424. The page defines them without a keyword.
const LEVELS_ACCEPTED: Check = Check {
    id: "server/logging/levels-accepted",
    title: "a server that declares logging accepts all eight levels",
    cites: &[defined("server/utilities/logging#log-levels", Span::LEGACY)],
    aliases: &["test_logging_capability"],
    why: "a client that sets the level gets an error for doing what the capability invites it to",
    fix: "implement logging/setLevel for debug, info, notice, warning, error, critical, alert and emergency",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(levels_accepted(cx))),
    fault: &asks::LEVEL_REFUSED,
};

async fn levels_accepted(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    let session = cx.exclusive_session().await?;
    for level in LogLevel::ALL {
        let params = json!({ "level": level.as_str() });
        cx.request_on(&session, "logging/setLevel").params(params).send().await?.expect_result()?;
    }
    Ok(())
}

/// logging/setLevel sets the minimum level of the log messages that the client wants.
const LEVEL_RESPECTED: Check = Check {
    id: "server/logging/level-respected",
    title: "no log message is below the level that was set",
    cites: &[defined("server/utilities/logging#setting-log-level", Span::LEGACY)],
    aliases: &["test_logging_capability"],
    why: "a client that wants only errors drowns in details",
    fix: "keep the level of the session, and compare it before you send a message",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(level_respected(cx))),
    fault: &tools::LOG_UNWANTED,
};

async fn level_respected(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    let logging = talkative(cx).await?;
    let session = cx.exclusive_session().await?;
    let set = |level: LogLevel| {
        cx.request_on(&session, "logging/setLevel").params(json!({ "level": level.as_str() }))
    };
    let mut heard = false;
    for least in [LogLevel::Debug, LogLevel::Error] {
        if set(least).send().await?.reply.result().is_none() {
            return Err(Finding::blocked("logging/setLevel was refused"));
        }
        for (tool, good) in &logging {
            let answer = cx.call_on(&session, tool, good).send().await?;
            heard |= answer.reply.notifications("notifications/message").next().is_some();
            not_below(&answer, least)?;
        }
        while let Some(message) = session.incoming(cx.pace().moment()).await? {
            heard |= message.is_notification("notifications/message");
        }
    }
    if heard { Ok(()) } else { Err(Finding::not_applicable("no tool logged anything")) }
}

/// A server must not send log messages for a request whose `_meta` has no `logLevel`.
const ASKED_FOR: Check = Check {
    id: "server/logging/only-when-asked",
    title: "a request without a log level gets no log messages",
    cites: &[must_not("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &[],
    why: "a client that did not ask has no use for them, and pays for the stream",
    fix: "send notifications/message only when the request's _meta has a logLevel, and from that level on",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(asked_for(cx))),
    fault: &tools::LOG_UNWANTED,
};

async fn asked_for(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for called in cx.calls().await? {
        for answer in called.answers.iter().flatten() {
            judged += 1;
            if answer.reply.notifications("notifications/message").next().is_some() {
                let actual = format!("tool {} logs", called.tool["name"]);
                return Err(answer.violated("no notifications/message", actual));
            }
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no call was answered")) } else { Ok(()) }
}

/// Logging, error handling: a server should refuse a request whose `logLevel` in `_meta` is not a known level, with
/// -32602.
const META_LEVEL_CHECKED: Check = Check {
    id: "server/logging/meta-level-checked",
    title: "a log level in _meta that does not exist is refused with -32602",
    cites: &[should("server/utilities/logging#error-handling", Span::MODERN)],
    aliases: &[],
    why: "a client that misspells a level would wait for messages that never come",
    fix: "accept the eight levels of RFC 5424, and answer -32602 to any other",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(meta_level_checked(cx))),
    fault: &asks::META_LEVEL_UNCHECKED,
};

async fn meta_level_checked(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    let answer = cx.request("server/discover").await?.with(|r| r.meta(LOG_LEVEL, "chatty")).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}

/// For a request with a `logLevel` in `_meta`, the server may send log messages at that level or above.
const META_LEVEL_RESPECTED: Check = Check {
    id: "server/logging/meta-level-respected",
    title: "no log message is below the level that the request asked for",
    cites: &[defined("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &["test_logging_capability"],
    why: "a client that wants only errors drowns in details",
    fix: "compare every message with the logLevel in the request's _meta",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(meta_level_respected(cx))),
    fault: &tools::LOG_UNWANTED,
};

async fn meta_level_respected(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    let logging = talkative(cx).await?;
    let session = cx.exclusive_session().await?;
    let mut heard = false;
    for least in [LogLevel::Debug, LogLevel::Error] {
        for (tool, good) in &logging {
            let ask = cx.call_on(&session, tool, good).with(|r| r.meta(LOG_LEVEL, least.as_str()));
            let answer = ask.send().await?;
            heard |= answer.reply.notifications("notifications/message").next().is_some();
            not_below(&answer, least)?;
        }
    }
    if heard { Ok(()) } else { Err(Finding::not_applicable("no tool logged anything")) }
}

/// A server must not send log messages for a request whose `_meta` has no `logLevel`, also if an earlier request had one.
const META_LEVEL_FORGOTTEN: Check = Check {
    id: "server/logging/meta-level-forgotten",
    title: "the log level of a request does not hold for the next one",
    cites: &[must_not("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &[],
    why: "many clients may share a server; one of them gets log messages because another one asked",
    fix: "take the level from the _meta of each request, and keep it nowhere",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(meta_level_forgotten(cx))),
    fault: &asks::META_LEVEL_REMEMBERED,
};

async fn meta_level_forgotten(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    // Another check reports a server that logs for everybody.
    asked_for(cx).await.map_err(|finding| finding.into_obstacle_of(ASKED_FOR.id))?;
    let logging = talkative(cx).await?;
    let session = cx.exclusive_session().await?;
    let mut heard = false;
    for (tool, good) in &logging {
        let ask = || cx.call_on(&session, tool, good);
        let asked = ask().with(|r| r.meta(LOG_LEVEL, LogLevel::Debug.as_str())).send().await?;
        if asked.reply.notifications("notifications/message").next().is_none() {
            continue;
        }
        heard = true;
        let next = ask().send().await?;
        if next.reply.notifications("notifications/message").next().is_some() {
            let actual = format!("tool {} logs, as for the request before", tool["name"]);
            return Err(next.violated("no notifications/message without a logLevel", actual));
        }
    }
    if heard { Ok(()) } else { Err(Finding::not_applicable("no tool logged anything")) }
}

/// The tools that look as if they logged. The fixtures of the official suite are left out, because they may log whatever the
/// level.
async fn talkative(cx: &ServerCx) -> Result<Vec<(&Value, Value)>, Finding> {
    let tools = cx.tools().await?;
    let callable = cx.callable().await?.into_iter().filter_map(|(tool, good)| Some((tool, good?)));
    let own = |tool: &Value| logs(tool) && !is_fixture(tool, tools);
    let logging: Vec<_> = callable.filter(|(tool, _)| own(tool)).take(4).collect();
    if logging.is_empty() {
        return Err(cx.no_tool("looks as if it logged").await);
    }
    Ok(logging)
}

fn not_below(answer: &Answer, least: LogLevel) -> Verdict {
    for message in answer.reply.notifications("notifications/message") {
        let level = message.params().map(|params| params["level"].clone()).unwrap_or_default();
        let known = level.as_str().and_then(|text| text.parse::<LogLevel>().ok());
        if known.is_some_and(|level| level < least) {
            return Err(
                answer.violated(format!("nothing below {}", least.as_str()), format!("level {level}"))
            );
        }
    }
    Ok(())
}
