//! One self-contained page: no external assets, no network, all foreign text escaped, and a policy that allows no script
//! but the page's own.

mod check;
mod digest;
mod escape;
mod frame;
mod gallery;
mod matrix;
mod overview;

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use suite::Report;

use crate::Collection;
use crate::findings::Findings;
use crate::tally;
use crate::text;
use escape::escape;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The report as a page.
pub fn render(report: &Report) -> String {
    render_page(std::slice::from_ref(report))
}

/// The reports of several targets on one page.
pub fn render_all(collection: &Collection) -> String {
    render_page(collection.reports())
}

fn render_page(reports: &[Report]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, reports);
    out
}

fn write(out: &mut String, reports: &[Report]) -> fmt::Result {
    let shows_apps = reports.iter().any(|report| !report.viewed.is_empty());
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, r#"<meta http-equiv="Content-Security-Policy" content="{}">"#, policy(shows_apps))?;
    writeln!(out, r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#)?;
    writeln!(
        out,
        "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">"
    )?;
    writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escape(&title(reports)))?;
    if shows_apps {
        writeln!(out, "<style>{}</style>", gallery::STYLE)?;
    }
    writeln!(out, "</head>\n<body>")?;
    writeln!(out, r##"<a class="skip" href="#checks">Skip to the checks</a>"##)?;
    overview::top(out, reports)?;
    if reports.len() > 1 {
        overview::targets(out, reports)?;
        overview::filters(out, reports)?;
    }
    for (number, report) in reports.iter().enumerate() {
        // The first has the plain names, so that a link to a check of a single report is short.
        let suffix = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        target(out, report, &suffix, reports.len() == 1)?;
    }
    writeln!(out, "<footer>Measured with <b>yardstick {}</b>", env!("CARGO_PKG_VERSION"))?;
    writeln!(
        out,
        "<span class=\"keys\" hidden>· <kbd>/</kbd> search · <kbd>Esc</kbd> clear</span></footer>"
    )?;
    writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
}

fn title(reports: &[Report]) -> String {
    let verdict = |report: &Report| tally::verdict(report.verdict());
    match reports {
        [only] => format!("{}: {}", text::name(only), verdict(only)),
        several => format!("{} targets", several.len()),
    }
}

/// The part about one target. `suffix` makes its element ids unique.
fn target(out: &mut String, report: &Report, suffix: &str, is_only: bool) -> fmt::Result {
    let findings = Findings::from_report(report);
    overview::write(out, report, suffix)?;
    writeln!(out, "<main>")?;
    digest::write(out, report, &findings, suffix)?;
    matrix::write(out, report, suffix)?;
    if is_only {
        overview::filters(out, std::slice::from_ref(report))?;
    }
    attention(out, report, &findings, suffix)?;
    gallery::write(out, report, suffix)?;
    every(out, report, suffix)?;
    writeln!(out, "</main>")
}

/// The policy of the page: it loads nothing, and runs only its own script.
fn policy(shows_apps: bool) -> String {
    let hash = |text: &str| STANDARD.encode(digest(&SHA256, text.as_bytes()));
    let (style, pictures) = match shows_apps {
        true => (format!(" 'sha256-{}'", hash(gallery::STYLE)), " img-src data:;"),
        false => (String::new(), ""),
    };
    format!(
        "default-src 'none'; style-src 'sha256-{}'{style}; script-src 'sha256-{}';{pictures} base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// The findings, unfolded.
fn attention(out: &mut String, report: &Report, findings: &Findings<'_>, suffix: &str) -> fmt::Result {
    let count = findings.found.len() + findings.obstacles.len();
    if count == 0 {
        return Ok(());
    }
    let id = format!("findings{suffix}");
    writeln!(out, "<section id=\"{id}\" class=\"findings\" aria-labelledby=\"{id}-title\">")?;
    writeln!(out, "<h2 id=\"{id}-title\">Findings <span class=\"count\">{count}</span></h2>")?;
    for group in &findings.found {
        check::finding(out, report, group)?;
    }
    for obstacle in &findings.obstacles {
        check::obstacle(out, obstacle)?;
    }
    writeln!(out, "<p class=\"none\" hidden>No finding matches.</p></section>")
}

/// Every check, by section, folded.
fn every(out: &mut String, report: &Report, suffix: &str) -> fmt::Result {
    let id = format!("checks{suffix}");
    writeln!(out, "<section id=\"{id}\" class=\"checks\" aria-labelledby=\"{id}-title\">")?;
    writeln!(out, "<h2 id=\"{id}-title\">Every check</h2>")?;
    for part in tally::sections_of(report) {
        check::section(out, report, &part, suffix)?;
    }
    writeln!(out, "<p class=\"none\" hidden>No check matches.</p></section>")
}
