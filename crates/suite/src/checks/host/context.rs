//! What a host tells a View about its surroundings.

use protocol::Span;
use serde_json::Value;

use crate::host::{HostCx, faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, advised, defined, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[GIVEN, USUAL, VALUES, VARIABLES, FONTS, DIMENSIONS, MODES, TOOL, CHANGE_TOLD, CHANGE_PARTIAL];

/// The beginnings of the standard names of style variables.
const VARIABLE_NAMES: [&str; 10] = [
    "--color-background-",
    "--color-text-",
    "--color-border-",
    "--color-ring-",
    "--font-sans",
    "--font-mono",
    "--font-weight-",
    "--font-text-",
    "--font-heading-",
    "--border-",
];

/// A host should tell of the surroundings in the answer to ui/initialize.
const GIVEN: Check = Check {
    id: "host/context/given",
    title: "the answer to ui/initialize has a hostContext",
    cites: &[should("apps.mdx#host-context-in-mcpuiinitializeresult", Span::ALWAYS)],
    aliases: &["context/initialize-hostcontext"],
    why: "a View that knows neither theme nor size looks out of place",
    fix: "answer with hostContext, with all that you know",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| context(cx).map(drop)),
    fault: &faults::CONTEXT_MISSING.fault,
};

/// Every member of hostContext is optional. These are the ones that Views cannot find out for themselves, or use most.
const USUAL: Check = Check {
    id: "host/context/usual-members",
    title: "hostContext tells the tool, the theme, the locale, the time zone, the platform and the host",
    cites: &[advice("apps.mdx#host-context-in-mcpuiinitializeresult", Span::ALWAYS)],
    aliases: &[],
    why: "a View falls back on what the browser says, which need not be what the user chose in the host",
    fix: "add toolInfo, theme, displayMode, locale, timeZone, platform and userAgent to hostContext",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let context = context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?;
        let usual = ["toolInfo", "theme", "displayMode", "locale", "timeZone", "platform", "userAgent"];
        let missing: Vec<_> = usual.into_iter().filter(|name| context[*name].is_null()).collect();
        expect_none((!missing.is_empty()).then_some(missing), |missing| {
            Finding::violated("all of them", format!("there is no {}", missing.join(", ")))
        })
    }),
    fault: &faults::LOCALE_MISSING.fault,
};

/// The theme is light or dark, the platform is one of three, the locale is of BCP 47, and the time zone of IANA.
const VALUES: Check = Check {
    id: "host/context/values-known",
    title: "theme, platform, locale and time zone have values that a View can use",
    cites: &[defined("apps.mdx#host-context-in-mcpuiinitializeresult", Span::ALWAYS)],
    aliases: &[],
    why: "a View that formats a date with a locale that does not exist throws",
    fix: "give light or dark, web, desktop or mobile, a tag such as en-US, and a name such as Europe/Zurich",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let context = context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?;
        let among =
            |name: &str, all: &[&str]| context[name].is_null() || all.iter().any(|one| context[name] == *one);
        let scene = cx.scene("basic")?;
        let wrong = [
            ("theme", among("theme", &["light", "dark"])),
            ("platform", among("platform", &["web", "desktop", "mobile"])),
            ("locale", scene.fact("locale")["threw"].is_null()),
            ("timeZone", scene.fact("timeZone")["threw"].is_null()),
        ];
        let wrong = wrong.into_iter().find(|(_, is_known)| !is_known);
        expect_none(wrong, |(name, _)| {
            Finding::violated("a known value", format!("{name}: {}", shorten(&context[name])))
        })
    }),
    fault: &faults::LOCALE_UNKNOWN.fault,
};

/// Style variables have the standard names; a host may give any of them.
const VARIABLES: Check = Check {
    id: "host/context/variables-standard",
    title: "style variables have standard names and texts as values",
    cites: &[defined("apps.mdx#current-standardized-variables", Span::ALWAYS)],
    aliases: &["context/theme-variables", "mcp-apps-ctx-01"],
    why: "a View asks for the standard names, and finds nothing under others",
    fix: "give the variables under the names of the specification",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let variables =
            &context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?["styles"]["variables"];
        if variables.is_null() {
            return Err(Finding::not_applicable("the host gives no style variables"));
        }
        let known = |name: &str| {
            name.starts_with("--shadow-") || VARIABLE_NAMES.iter().any(|start| name.starts_with(start))
        };
        let mut all = variables.as_object().into_iter().flatten();
        let wrong = all.find(|(name, value)| !known(name) || !(value.is_string() || value.is_null()));
        expect_none(wrong, |(name, value)| {
            Finding::violated("a standard name and a text", format!("{name}: {}", shorten(value)))
        })
    }),
    fault: &faults::VARIABLES_INVENTED.fault,
};

/// Fonts come as rules of CSS that a View can put into its document.
const FONTS: Check = Check {
    id: "host/context/fonts-css",
    title: "fonts are rules of CSS",
    cites: &[defined("apps.mdx#custom-fonts", Span::ALWAYS)],
    aliases: &["context/theme-fonts", "mcp-apps-ctx-06"],
    why: "a View puts the text into a style element, where anything else has no effect",
    fix: "give @font-face or @import rules as one text in styles.css.fonts",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let fonts =
            &context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?["styles"]["css"]["fonts"];
        if fonts.is_null() {
            return Err(Finding::not_applicable("the host gives no fonts"));
        }
        let is_rules =
            fonts.as_str().is_some_and(|text| text.contains("@font-face") || text.contains("@import"));
        if is_rules { Ok(()) } else { Err(Finding::violated("@font-face or @import rules", shorten(fonts))) }
    }),
    fault: &faults::FONTS_INVENTED.fault,
};

/// Each side of the container is fixed, or flexible up to a maximum, or unbounded; never two of them.
const DIMENSIONS: Check = Check {
    id: "host/context/dimensions-clear",
    title: "each side of the container is either fixed or flexible, and not below zero",
    cites: &[defined("apps.mdx#container-dimensions", Span::ALWAYS)],
    aliases: &["mcp-apps-ctx-04", "mcp-apps-ctx-05"],
    why: "a View cannot tell whether it should fill the space or say how much it needs",
    fix: "give height or maxHeight, and width or maxWidth, as numbers of pixels",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let room = &context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?["containerDimensions"];
        if room.is_null() {
            return Err(Finding::not_applicable("the host gives no containerDimensions"));
        }
        let both = |one: &str, other: &str| !room[one].is_null() && !room[other].is_null();
        let wrong_number =
            room.as_object().into_iter().flatten().any(|(_, side)| side.as_f64().is_none_or(|it| it < 0.0));
        let wrong =
            both("height", "maxHeight") || both("width", "maxWidth") || wrong_number || !room.is_object();
        if wrong { Err(Finding::violated("one number for each side", shorten(room))) } else { Ok(()) }
    }),
    fault: &faults::DIMENSIONS_CONTRADICT.fault,
};

/// The host says in which mode a View is, and which modes it offers. That the one is among the others is implied.
const MODES: Check = Check {
    id: "host/context/modes-true",
    title: "the current display mode is among those that the host offers",
    cites: &[advised("apps.mdx#declaring-support", Span::ALWAYS)],
    aliases: &[],
    why: "a View that leaves a mode cannot ask for the one it came from",
    fix: "list every mode that Views can be in, the current one among them",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let context = context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?;
        let (mode, offered) = (&context["displayMode"], &context["availableDisplayModes"]);
        let (Some(mode), Some(offered)) = (mode.as_str(), offered.as_array()) else {
            return Err(Finding::not_applicable("the host does not tell both"));
        };
        if offered.iter().any(|one| one == mode) {
            return Ok(());
        }
        Err(Finding::violated(format!("{mode} among them"), shorten(&context["availableDisplayModes"])))
    }),
    fault: &faults::MODES_UNTRUE.fault,
};

/// toolInfo is about the call that the View is shown for.
const TOOL: Check = Check {
    id: "host/context/tool-right",
    title: "toolInfo is about the tool that the View is shown for",
    cites: &[defined("apps.mdx#host-context-in-mcpuiinitializeresult", Span::ALWAYS)],
    aliases: &[],
    why: "a View that serves several tools shows the wrong one",
    fix: "put the definition of the tool that was called into toolInfo.tool",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let info = &context(cx).map_err(|finding| finding.into_obstacle_of(GIVEN.id))?["toolInfo"];
        if info.is_null() {
            return Err(Finding::not_applicable("the host gives no toolInfo"));
        }
        if info["tool"]["name"] == "basic" && info["tool"]["inputSchema"].is_object() {
            return Ok(());
        }
        Err(Finding::violated("the definition of the tool basic", shorten(info)))
    }),
    fault: &faults::TOOL_INFO_WRONG.fault,
};

/// A host may tell of changes of the context. A View that is told the theme once and never again is in the wrong one.
const CHANGE_TOLD: Check = Check {
    id: "host/context/change-told",
    title: "a View is told that the theme changed",
    cites: &[advice("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["context/context-changed", "mcp-apps-life-07"],
    why: "the View stays light in a dark page",
    fix: "send ui/notifications/host-context-changed with the new theme",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let changes = changes(cx)?;
        let told = changes.iter().any(|change| change["theme"].is_string());
        if told {
            Ok(())
        } else {
            Err(Finding::violated("a change with a theme", shorten(&Value::from(changes))))
        }
    }),
    fault: &faults::THEME_UNTOLD.fault,
};

/// host-context-changed is partial: it carries what changed.
const CHANGE_PARTIAL: Check = Check {
    id: "host/context/change-partial",
    title: "a change of the context carries what changed, and not all of it",
    cites: &[advised("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "a View that reacts to members lays itself out again for what is as it was",
    fix: "send the members that have other values than before",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let changes = changes(cx)?;
        if changes.is_empty() {
            return Err(Finding::blocked_by(CHANGE_TOLD.id, "no change was told"));
        }
        let before = &cx.initialized("theme")?["hostContext"];
        let fixed = ["toolInfo", "locale", "timeZone", "platform", "userAgent", "availableDisplayModes"];
        let repeated = fixed.into_iter().find(|name| {
            changes.iter().any(|change| !change[*name].is_null() && change[*name] == before[*name])
        });
        expect_none(repeated, |name| {
            Finding::violated("no member that did not change", format!("{name} again"))
        })
    }),
    fault: &faults::CONTEXT_WHOLE.fault,
};

fn context<'a>(cx: &HostCx<'a>) -> Result<&'a Value, Finding> {
    let result = cx.initialized("basic")?;
    let context = &result["hostContext"];
    if context.is_object() { Ok(context) } else { Err(Finding::violated("a hostContext", shorten(result))) }
}

/// What the View was told after the theme was switched.
fn changes(cx: &HostCx<'_>) -> Result<Vec<Value>, Finding> {
    cx.act_result("theme", "theme")?;
    Ok(cx.scene("theme")?.fact("changes").as_array().cloned().unwrap_or_default())
}
