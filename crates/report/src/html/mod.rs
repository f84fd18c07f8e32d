//! One self-contained page: no external assets, no network, all text of strangers escaped, and a policy that lets nothing
//! run but the script of this page.

mod check;
mod escape;
mod frame;
mod hero;
mod matrix;

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use suite::{Outcome, Report};

use crate::findings::groups;
use crate::tally;
use crate::text;
use escape::escape;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The outcomes that a reader has to look at, worst first.
const ATTENTION: [Outcome; 5] =
    [Outcome::Broke, Outcome::Failed, Outcome::UnexpectedPass, Outcome::Blocked, Outcome::Warned];

/// The report as a page.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    let title = format!("{}: {}", text::name(report), tally::verdict(report.verdict()));
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, r#"<meta http-equiv="Content-Security-Policy" content="{}">"#, policy())?;
    writeln!(out, r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#)?;
    writeln!(
        out,
        "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">"
    )?;
    writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>", escape(&title))?;
    writeln!(out, r##"<a class="skip" href="#checks">Skip to the checks</a>"##)?;
    hero::write(out, report)?;
    writeln!(out, "<main>")?;
    matrix::write(out, report)?;
    hero::filters(out, report)?;
    attention(out, report)?;
    every(out, report)?;
    writeln!(out, "</main>\n<footer>Measured with <b>yardstick {}</b>", env!("CARGO_PKG_VERSION"))?;
    writeln!(
        out,
        "<span class=\"keys\" hidden>· <kbd>/</kbd> search · <kbd>Esc</kbd> clear</span></footer>"
    )?;
    writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
}

/// Nothing is loaded and nothing runs, but for the two parts of this page.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(digest(&SHA256, text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// What to look at, first and open.
fn attention(out: &mut String, report: &Report) -> fmt::Result {
    let found: Vec<_> = ATTENTION.into_iter().flat_map(|outcome| groups(report, outcome)).collect();
    if found.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section id=\"findings\" aria-labelledby=\"findings-title\">")?;
    writeln!(out, "<h2 id=\"findings-title\">Findings <span class=\"count\">{}</span></h2>", found.len())?;
    for group in &found {
        check::finding(out, report, group)?;
    }
    writeln!(out, "<p class=\"none\" hidden>No finding matches.</p></section>")
}

/// Every check, by section, folded.
fn every(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out, "<section id=\"checks\" aria-labelledby=\"checks-title\">")?;
    writeln!(out, "<h2 id=\"checks-title\">Every check</h2>")?;
    for part in tally::parts(report) {
        check::section(out, report, &part)?;
    }
    writeln!(out, "<p class=\"none\" hidden>No check matches.</p></section>")
}
