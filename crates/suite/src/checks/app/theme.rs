//! Colours: whether an app follows its host, and can be read.

use protocol::Span;
use server::fault::view as fault;

use super::{facts_of, judge_document, listed};
use crate::app::RowFinding;
use crate::app::rows::{STRICT, name};
use crate::{AppCx, Applies, Check, Finding, Run, Verdict, advice, should};

pub(in crate::checks) const CHECKS: &[Check] = &[DARK, CONTRAST, CHANGED, VARIABLES];

/// A host says whether it is light or dark; a View can follow.
const DARK: Check = Check {
    id: "app/theme/dark-followed",
    title: "an app is dark in a dark host",
    cites: &[advice("apps.mdx#theming", Span::ALWAYS)],
    aliases: &[],
    why: "a light app in a dark host dazzles its user",
    fix: "set color-scheme from hostContext.theme, and use the host's variables or light-dark() for colours",
    applies: Applies::ToViews,
    run: Run::App(&[name::DARK], |cx| {
        cx.judge(&[name::DARK], "a background that is dark", |viewing| {
            judge_document(viewing, |facts| {
                let light = facts.background.luminance > BRIGHT;
                light.then(|| format!("the background is rgb({})", facts.background.color))
            })
        })
    }),
    fault: &fault::ALWAYS_LIGHT,
};

/// Views should have their own values for the variables that a host leaves out. What comes of a mixture must be readable.
const CONTRAST: Check = Check {
    id: "app/theme/readable",
    title: "the texts of an app can be read in light, dark and unstyled hosts",
    cites: &[advice("https://www.w3.org/TR/WCAG22/#contrast-minimum", Span::ALWAYS)],
    aliases: &[],
    why: "text that is nearly as bright as what is behind it cannot be read",
    fix: "take text and background from the same source: both from the host's variables, or both your own",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::DARK, name::MINIMAL], |cx| {
        cx.judge(
            &[STRICT, name::DARK, name::MINIMAL],
            "a contrast of 3 to 1 or more for every text",
            |viewing| {
                judge_document(viewing, |facts| {
                    let worst = facts.worst_contrasts.first().filter(|worst| worst.ratio < READABLE)?;
                    Some(format!("a contrast of {} to 1 in {}", worst.ratio, worst.node))
                })
            },
        )
    }),
    fault: &fault::UNREADABLE,
};

/// ui/notifications/host-context-changed has some members of the context; a View should merge them into what it has.
const CHANGED: Check = Check {
    id: "app/theme/change-followed",
    title: "an app follows the host from light to dark",
    cites: &[should("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "after sunset the app stays as it was, in the middle of a page that has changed",
    fix: "merge the params of ui/notifications/host-context-changed into the context, and apply theme and styles again",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::DARK, name::CHANGED], changed),
    fault: &fault::CONTEXT_CHANGE_IGNORED,
};

/// A host gives values for the standard variables; a View that uses one should use the host's value.
const VARIABLES: Check = Check {
    id: "app/theme/variables-followed",
    title: "the style variables of an app have the values of its host",
    cites: &[advice("apps.mdx#theming", Span::ALWAYS)],
    aliases: &[],
    why: "an app with its own colours and fonts looks like a stranger in every host",
    fix: "set the variables of hostContext.styles.variables on the root element, over your own defaults",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], variables),
    fault: &fault::VARIABLES_IGNORED,
};

/// From here on a background is light.
const BRIGHT: f64 = 0.5;
/// What the Web Content Accessibility Guidelines ask for even of large letters.
const READABLE: f64 = 3.0;

fn changed(cx: &AppCx<'_>) -> Verdict {
    let background = |row: &str| Some(facts_of(cx.row(row)?)?.background.color.clone());
    cx.ready_viewings(&[name::CHANGED])?;
    let (Some(light), Some(dark)) = (background(STRICT), background(name::DARK)) else {
        return Err(Finding::blocked("the app is blank"));
    };
    if light == dark {
        return Err(Finding::not_applicable("the app has the same colours in light and dark hosts"));
    }
    cx.judge(&[name::CHANGED], "the colours of a dark host after the change", |viewing| {
        let now = facts_of(viewing)?.background.color.clone();
        let told = viewing
            .messages_to_view()
            .filter(|(_, message)| message["method"] == "ui/notifications/host-context-changed");
        let (told, _) = told.last()?;
        (now == light)
            .then(|| RowFinding::new(format!("the background is still rgb({now})")).with_entry(told))
    })
}

fn variables(cx: &AppCx<'_>) -> Verdict {
    cx.ready_viewings(&[STRICT])?;
    let Some(viewing) = cx.row(STRICT) else { return Err(Finding::blocked("the app was not shown")) };
    let Some(facts) = facts_of(viewing) else { return Err(Finding::blocked("the app is blank")) };
    let given = viewing
        .messages_to_view()
        .find_map(|(_, message)| message.pointer("/result/hostContext/styles/variables").cloned());
    let given = given.unwrap_or_default();
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let (mut used, mut own) = (0, Vec::new());
    for (name, value) in &facts.variables {
        // What refers to another variable has that one's value.
        let Some(given) = given[name].as_str().filter(|given| !given.contains("var(")) else { continue };
        used += 1;
        if plain(given) != plain(value) {
            own.push(name.clone());
        }
    }
    match (used, own.len()) {
        (0, _) => Err(Finding::not_applicable("the app uses no standard variable")),
        // An app may well have values of its own for some.
        (used, own) if own * 2 <= used => Ok(()),
        _ => Err(Finding::violated(
            "the values of hostContext.styles.variables",
            format!("other values for {} of {used} that it uses: {}", own.len(), listed(&own)),
        )),
    }
}
