//! What a host may leave out: capabilities, context and permissions.

use protocol::Span;
use serde_json::Value;
use server::fault::view as fault;

use crate::app::rows::{STRICT, name};
use crate::app::{RowFinding, first_line};
use crate::{AppCx, Applies, Check, Finding, Run, Verdict, Viewing, advised, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[MINIMAL, PERMISSION_DECLARED, PERMISSION_ASSUMED];

/// Every member of the host's capabilities and of its context is optional.
const MINIMAL: Check = Check {
    id: "app/host/minimal-survived",
    title: "an app runs in a host that offers nothing but the handshake",
    cites: &[advised("apps.mdx#host-capabilities", Span::ALWAYS)],
    aliases: &[],
    why: "the app breaks in the first host that leaves something out",
    fix: "look whether a member of hostCapabilities or hostContext is there before you use it",
    applies: Applies::ToViews,
    run: Run::App(&[name::MINIMAL], |cx| {
        cx.judge(&[name::MINIMAL], "no error without optional capabilities and context", |viewing| {
            let errors: Vec<&str> =
                cx.new_errors(viewing).into_iter().filter(|error| !is_owned(viewing, error)).collect();
            let first = errors.first()?;
            Some(RowFinding::new(format!("an uncaught error: {}", first_line(first))).with_lines(errors))
        })
    }),
    fault: &fault::CONTEXT_EXPECTED,
};

/// A server declares which permissions its app needs; hosts grant no others.
const PERMISSION_DECLARED: Check = Check {
    id: "app/host/permissions-declared",
    title: "an app uses only permissions that its resource declares",
    cites: &[advised("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "the browser refuses it in every host",
    fix: "declare the permission in _meta.ui.permissions of the resource",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::PRESSED], |cx| {
        cx.judge(&[STRICT, name::PRESSED], "no use of a permission that is not granted", undeclared)
    }),
    fault: &fault::PERMISSION_UNDECLARED,
};

/// Apps should not assume that permissions are granted, and should detect what is there.
const PERMISSION_ASSUMED: Check = Check {
    id: "app/host/permissions-not-assumed",
    title: "an app copes with a host that grants no permission",
    cites: &[should_not("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "hosts may leave a permission out, and users may refuse it",
    fix: "catch the refusal, and offer the app without what it would have allowed",
    applies: Applies::ToViews,
    run: Run::App(&[name::MINIMAL], not_assumed),
    fault: &fault::PERMISSION_ASSUMED,
};

fn undeclared(viewing: &Viewing) -> Option<RowFinding> {
    let notice = viewing.notices.iter().find(|notice| is_policy_notice(notice))?;
    Some(
        RowFinding::new("the browser refused a permission that the resource does not declare")
            .with_lines([notice.as_str()]),
    )
}

fn not_assumed(cx: &AppCx<'_>) -> Verdict {
    let declared = cx.declared_meta("permissions");
    if declared.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(Finding::not_applicable("the resource declares no permission"));
    }
    cx.judge(&[name::MINIMAL], "no uncaught error when a permission is refused", |viewing| {
        let errors: Vec<&str> =
            cx.new_errors(viewing).into_iter().filter(|error| is_of_permission(error)).collect();
        let first = errors.first()?;
        let names: Vec<&str> = declared
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _): (&String, &Value)| name.as_str())
            .collect();
        let actual = format!("without {}: {}", names.join(", "), first_line(first));
        Some(RowFinding::new(actual).with_lines(errors))
    })
}

/// Whether another check is there for an error: that of permissions, or that of requests that the host refuses.
fn is_owned(viewing: &Viewing, error: &str) -> bool {
    let is_refusal = |message: &Value| {
        let text = message["error"]["message"].as_str().filter(|text| !text.is_empty());
        text.is_some_and(|text| error.contains(text))
    };
    is_of_permission(error) || viewing.messages_to_view().any(|(_, message)| is_refusal(&message))
}

/// Whether an error says that a permission is missing.
fn is_of_permission(error: &str) -> bool {
    ["NotAllowedError", "GeolocationPositionError", "permissions policy", "Permissions policy"]
        .iter()
        .any(|word| error.contains(word))
}

fn is_policy_notice(notice: &str) -> bool {
    notice.contains("ermissions policy")
}
