//! Elicitation: what a server may ask of users, and where it may send them.

use std::cell::Cell;

use ::wire::integer_of;
use protocol::{Span, Version};
use serde_json::Value;
use server::fault::asks as fault;

use super::asks::{asked, each_asked, parsed};
use super::{frames, violated};
use crate::formats::is_uri;
use crate::{
    Applies, Check, Finding, Run, Sides, Verdict, WireCx, advised, must, must_not, schema, should, should_not,
};

pub(in crate::checks) const CHECKS: &[Check] =
    &[URL_VALID, URL_HTTPS, NO_SECRETS, NO_LINKS, DEFAULTS, URL_REQUIRED, COMPLETE_KNOWN];

const URL_MODE: Span = Span::since(Version::V2025_11_25);

/// An elicitation in URL mode must have a valid URL in `url`.
const URL_VALID: Check = Check {
    id: "wire/elicitation/url-valid",
    title: "the URL that the user is sent to is valid",
    cites: &[must("client/elicitation#url-mode-elicitation-requests", URL_MODE)],
    aliases: &[],
    why: "the client has nothing that it could show to the user and open",
    fix: "send an absolute URL, with its scheme",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| {
        each_url(cx, |url| {
            let whole = url.as_str().is_some_and(is_uri);
            if whole { Ok(()) } else { Err(("an absolute URL".to_owned(), format!("url: {url}"))) }
        })
    }),
    fault: &fault::ELICIT_URL_BROKEN,
};

/// Safe URL handling: a server should use https URLs outside of development. Plain http to this machine passes.
const URL_HTTPS: Check = Check {
    id: "wire/elicitation/url-https",
    title: "the user is sent to https URLs",
    cites: &[should("client/elicitation#safe-url-handling", URL_MODE)],
    aliases: &[],
    why: "anybody on the way could read what the user enters there",
    fix: "serve the page over TLS; plain http is for your own machine only",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| {
        each_url(cx, |url| {
            let text = url.as_str().unwrap_or_default();
            let host = text.strip_prefix("http://").and_then(|rest| rest.split(['/', ':', '?']).next());
            let local = |host: &str| host == "localhost" || host.starts_with("127.") || host.starts_with('[');
            match host {
                Some(host) if !local(host) => Err(("https://".to_owned(), format!("url: {url}"))),
                Some(_) | None => Ok(()),
            }
        })
    }),
    fault: &fault::ELICIT_URL_PLAIN,
};

fn each_url(cx: &WireCx<'_>, judge: impl Fn(&Value) -> Result<(), (String, String)>) -> Verdict {
    each_asked(cx, "elicitation/create", |asked| {
        let by_url = asked.params["mode"] == "url";
        if by_url {
            judge(&asked.params["url"])?;
        }
        Ok(by_url)
    })
}

/// A server must not ask for sensitive information in a form, such as passwords, keys, tokens or payment data. Since
/// 2025-11-25 it must use URL mode for them. Only unmistakable names of fields are judged.
const NO_SECRETS: Check = Check {
    id: "wire/elicitation/form-without-secrets",
    title: "forms do not ask for passwords, keys or cards",
    cites: &[must_not("client/elicitation#user-interaction-model", Span::since(Version::V2025_06_18))],
    aliases: &[],
    why: "input to a form passes through the client and may reach the model",
    fix: "send the user to a page of yours by URL mode instead",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, no_secrets),
    fault: &fault::ELICIT_PASSWORD,
};

/// Names of fields that can only mean a secret.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesstoken",
    "refreshtoken",
    "secretkey",
    "clientsecret",
    "privatekey",
    "creditcard",
    "creditcardnumber",
    "cardnumber",
    "cvv",
    "cvc",
];

fn no_secrets(cx: &WireCx<'_>) -> Verdict {
    each_asked(cx, "elicitation/create", |asked| {
        let Some(fields) = asked.params["requestedSchema"]["properties"].as_object() else {
            return Ok(false);
        };
        let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
        match fields.keys().find(|name| SECRETS.contains(&plain(name).as_str())) {
            Some(name) => Err(("nothing secret".to_owned(), format!("a field `{name}`"))),
            None => Ok(true),
        }
    })
}

/// Safe URL handling: a server should not put URLs that users may click into any field of a form.
const NO_LINKS: Check = Check {
    id: "wire/elicitation/form-without-links",
    title: "forms have no links in their texts",
    cites: &[should_not("client/elicitation#safe-url-handling", URL_MODE)],
    aliases: &[],
    why: "a link in a form evades everything that clients do to protect users from harmful pages",
    fix: "use URL mode to send the user somewhere",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, no_links),
    fault: &fault::ELICIT_FORM_LINK,
};

fn no_links(cx: &WireCx<'_>) -> Verdict {
    each_asked(cx, "elicitation/create", |asked| {
        let schema = &asked.params["requestedSchema"];
        if !schema.is_object() {
            return Ok(false);
        }
        let fields = schema["properties"].as_object().into_iter().flatten();
        let texts = fields.flat_map(|(_, field)| [&field["title"], &field["description"]]);
        let linked =
            |text: &&Value| text.as_str().is_some_and(|t| t.contains("https://") || t.contains("http://"));
        match [&asked.params["message"]].into_iter().chain(texts).find(linked) {
            Some(text) => Err(("texts without URLs".to_owned(), text.to_string())),
            None => Ok(true),
        }
    })
}

/// The fields of a form may have defaults, with which clients should fill them in. That a default is valid for its
/// field is implied.
const DEFAULTS: Check = Check {
    id: "wire/elicitation/defaults-valid",
    title: "the default of a field matches the schema of the field",
    cites: &[advised("client/elicitation#requested-schema", URL_MODE)],
    aliases: &["test_elicitation_support"],
    why: "a form that the user sends unchanged would be refused",
    fix: "check every default against the schema of its own field",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, defaults),
    fault: &fault::ELICIT_DEFAULT_WRONG,
};

fn defaults(cx: &WireCx<'_>) -> Verdict {
    let unjudged = Cell::new(None);
    each_asked(cx, "elicitation/create", |asked| {
        let fields = asked.params["requestedSchema"]["properties"].as_object().into_iter().flatten();
        let mut seen = false;
        for (name, field) in fields {
            let Some(default) = field.get("default") else { continue };
            let fits = schema::accepts_now(field, cx.version, default);
            let Some(fits) = fits.inspect_err(|why| unjudged.set(Some(*why))).ok().flatten() else {
                continue;
            };
            seen = true;
            if !fits {
                return Err((format!("a default of `{name}` that fits {field}"), default.to_string()));
            }
        }
        Ok(seen)
    })
    .and_then(|()| match unjudged.get() {
        Some(why) => Err(Finding::blocked(format!("the schema of a field with a default is {why}"))),
        None => Ok(()),
    })
}

/// 2025-11-25: error -32042 must list the elicitations that have to be completed first. Each must be in URL mode and
/// have an `elicitationId`.
const URL_REQUIRED: Check = Check {
    id: "wire/elicitation/url-required-lists",
    title: "error -32042 lists the pages that have to be visited first",
    cites: &[must("client/elicitation#url-elicitation-required-error", Span::only(Version::V2025_11_25))],
    aliases: &[],
    why: "without the list the client cannot tell the user where to go",
    fix: "put data.elicitations into the error, each with mode url, url, message and elicitationId",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, url_required),
    fault: &fault::URL_REQUIRED_WITHOUT_LIST,
};

fn url_required(cx: &WireCx<'_>) -> Verdict {
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        let error = frame.error.map(parsed).unwrap_or_default();
        if integer_of(&error["code"]) != Some(-32042) {
            continue;
        }
        seen = true;
        let sound = |e: &Value| e["mode"] == "url" && e["elicitationId"].is_string() && e["url"].is_string();
        let list = error["data"]["elicitations"].as_array();
        if !list.is_some_and(|list| !list.is_empty() && list.iter().all(sound)) {
            let expected = "data.elicitations, all of mode url and with an elicitationId";
            return Err(violated(entry, expected, format!("data: {}", error["data"])));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no request was refused with -32042")) }
}

/// 2025-11-25: a notification that an elicitation is complete must name the `elicitationId` of the original request,
/// and must go only to the client that was asked.
const COMPLETE_KNOWN: Check = Check {
    id: "wire/elicitation/complete-known",
    title: "an elicitation that is reported complete was asked for",
    cites: &[must(
        "client/elicitation#completion-notifications-for-url-mode-elicitation",
        Span::only(Version::V2025_11_25),
    )],
    aliases: &[],
    why: "the client looks the id up to resume the request that waits for it",
    fix: "repeat the elicitationId of the request, to the client that it was sent to",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, complete_known),
    fault: &fault::COMPLETE_UNKNOWN,
};

fn complete_known(cx: &WireCx<'_>) -> Verdict {
    let requests = asked(cx).into_iter().map(|asked| asked.params["elicitationId"].clone());
    let mut known: Vec<Value> = requests.collect();
    for (_, frame) in frames(cx).filter(|(_, frame)| frame.error.is_some()) {
        let error = frame.error.map(parsed).unwrap_or_default();
        let listed = error["data"]["elicitations"].as_array().into_iter().flatten();
        known.extend(listed.map(|e| e["elicitationId"].clone()));
    }
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        if frame.method().as_deref() != Some("notifications/elicitation/complete") {
            continue;
        }
        seen = true;
        let id = frame.params.map(parsed).unwrap_or_default()["elicitationId"].clone();
        if !id.is_string() || !known.contains(&id) {
            return Err(violated(entry, "the elicitationId of a request", format!("elicitationId: {id}")));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no elicitation was said to be complete")) }
}
