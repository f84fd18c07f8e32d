//! The size of an app.

use protocol::Span;
use serde_json::Value;
use server::fault::view as fault;

use super::judge_document;
use crate::app::RowFinding;
use crate::app::rows::{STRICT, name};
use crate::{Applies, Check, Run, Viewing, advice, should};

pub(in crate::checks) const CHECKS: &[Check] = &[REPORTED, LOOP, FITS];

/// A View should send ui/notifications/size-changed when the size of its content changes.
const REPORTED: Check = Check {
    id: "app/size/reported",
    title: "an app reports its size",
    cites: &[should("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "a host that lets the app choose its height cuts it off, or shows it in a hole",
    fix: "send ui/notifications/size-changed from a ResizeObserver on the document",
    applies: Applies::ToViews,
    run: Run::AppInTime(&[STRICT, name::PHONE], |cx| {
        cx.judge(&[STRICT, name::PHONE], "ui/notifications/size-changed with a height", |viewing| {
            let with_height = |message: &Value| message["params"]["height"].is_number();
            let reported = viewing.sent_with_method(CHANGED).any(|(_, message)| with_height(&message));
            (!reported)
                .then(|| RowFinding::new("no such message, though the host leaves the height to the app"))
        })
    }),
    fault: &fault::SIZE_UNREPORTED,
};

/// The specification says that the SDK sends sizes only when they have changed. A View whose size follows that of its frame
/// never comes to rest.
const LOOP: Check = Check {
    id: "app/size/comes-to-rest",
    title: "the size of an app comes to rest",
    cites: &[advice("apps.mdx#host-behavior-1", Span::ALWAYS)],
    aliases: &[],
    why: "the app grows for ever, or flickers",
    fix: "measure the content, not the frame: no heights in vh or percent, no margin that is added to the measured height",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::PHONE, name::FIXED], |cx| {
        cx.judge(&[STRICT, name::PHONE, name::FIXED], "a few reports, and then none", restless)
    }),
    fault: &fault::SIZE_RESTLESS,
};

/// A container of fixed width is as wide as the host says; what is wider has to be scrolled sideways.
const FITS: Check = Check {
    id: "app/size/fits-a-phone",
    title: "an app fits the width of a phone",
    cites: &[advice("https://www.w3.org/TR/WCAG22/#reflow", Span::ALWAYS)],
    aliases: &[],
    why: "a user with a phone has to scroll sideways for every line",
    fix: "let lines wrap and columns stack; give what must be wide a box that scrolls of its own",
    applies: Applies::ToViews,
    run: Run::App(&[name::PHONE], |cx| {
        cx.judge(&[name::PHONE], "content that is no wider than its frame", |viewing| {
            judge_document(viewing, |facts| {
                let wide = facts.scroll_width > facts.width + 1.0;
                wide.then(|| format!("{} pixels of content in {}", facts.scroll_width, facts.width))
            })
        })
    }),
    fault: &fault::TOO_WIDE,
};

const CHANGED: &str = "ui/notifications/size-changed";

/// So many reports are more than any change of layout needs.
const TOO_MANY_REPORTS: usize = 40;

fn restless(viewing: &Viewing) -> Option<RowFinding> {
    let reports: Vec<_> = viewing.sent_with_method(CHANGED).collect();
    let (last, _) = reports.last()?;
    if reports.len() < TOO_MANY_REPORTS {
        return None;
    }
    let sizes: Vec<String> = reports
        .iter()
        .rev()
        .take(3)
        .map(|(_, message)| format!("{} × {}", message["params"]["width"], message["params"]["height"]))
        .collect();
    let actual = format!(
        "{} reports in {} ms, the last ones {}",
        reports.len(),
        last.at.as_millis(),
        sizes.join(", ")
    );
    Some(RowFinding::new(actual).with_entry(last))
}
