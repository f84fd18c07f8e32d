//! Markdown for a pull request: the verdict, a table by section, the findings folded.

use std::fmt::{self, Write as _};

use suite::{Conclusion, Counts, Outcome, Party, Report};
use wire::markup;

use crate::Collection;
use crate::collection::labels;
use crate::digest::{Digest, places};
use crate::findings::{FindingGroup, Findings, ObstacleGroup};
use crate::reproduction::reproduction_command;
use crate::revisions;
use crate::tally::{self, count_in_words, sections_of};
use crate::text::{self, visible, visible_lines};

/// A comment on a pull request holds no more than 65536 characters.
const MAX_CHARS: usize = 60_000;
/// The fewest characters that the part about one target needs.
const MIN_TARGET_CHARS: usize = 4_000;
/// How much of a message is shown.
const MAX_FRAME_CHARS: usize = 1500;

/// The report as Markdown in GitHub's flavour.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report);
    out
}

/// The reports of several targets: a table of them, then each as far as there is room.
pub fn render_all(collection: &Collection) -> String {
    let reports = collection.reports();
    if let [only] = reports {
        return render(only);
    }
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut out, collection);
    out
}

fn write_all(out: &mut String, collection: &Collection) -> fmt::Result {
    let verdict = collection.verdict();
    writeln!(
        out,
        "## {} {} targets: {}\n",
        mark(verdict),
        collection.reports().len(),
        tally::verdict(verdict)
    )?;
    writeln!(out, "| target | verdict | |\n|---|---|---|")?;
    for (report, label) in collection.reports().iter().zip(labels(collection.reports())) {
        let (name, verdict) = (inert(&label), report.verdict());
        let told = inert(&revisions::sentence(report));
        writeln!(out, "| {name} | {} {} | {told} |", mark(verdict), tally::verdict(verdict))?;
    }
    for (told, report) in collection.reports().iter().enumerate() {
        if out.len() > MAX_CHARS - MIN_TARGET_CHARS {
            let more = collection.reports().len() - told;
            return writeln!(out, "\n… and {more} more targets, in the full report.");
        }
        writeln!(out)?;
        write(out, report)?;
    }
    Ok(())
}

const fn mark(verdict: Conclusion) -> &'static str {
    match verdict {
        Conclusion::Conformant => "✅",
        Conclusion::NotConformant => "❌",
        Conclusion::Incomplete => "⚠️",
    }
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    let verdict = report.verdict();
    writeln!(out, "## {} {}: {}\n", mark(verdict), inert(&text::name(report)), tally::verdict(verdict))?;
    writeln!(out, "{} in {}. {}\n", tally::summary(report), text::seconds(report.took_ms), target(report))?;
    let findings = Findings::from_report(report);
    let sentence = revisions::sentence(report);
    if !sentence.is_empty() {
        writeln!(out, "**{}**\n", inert(&sentence))?;
    }
    digest(out, &Digest::from_report(report, &findings))?;
    table(out, report)?;
    let told = findings.found.iter().map(|group| finding(report, group));
    let blocked = findings.obstacles.iter().map(obstacle);
    let found: Vec<_> = told.chain(blocked).collect();
    for (told, text) in found.iter().enumerate() {
        if out.len() + text.len() > MAX_CHARS {
            return writeln!(out, "\n… and {} more findings, in the full report.", found.len() - told);
        }
        out.push_str(text);
    }
    Ok(())
}

fn digest(out: &mut String, digest: &Digest<'_>) -> fmt::Result {
    if !digest.first.is_empty() {
        writeln!(out, "{}. Fix first:\n", digest.counted)?;
    }
    for group in &digest.first {
        let (check, title) = (code(&group.case.check), inert(&group.case.title));
        writeln!(out, "1. {check} ({}): {title}, in {}", group.strength(), places(group))?;
    }
    if digest.more > 0 {
        writeln!(out, "\n… and {} more.", digest.more)?;
    }
    if !digest.first.is_empty() {
        writeln!(out)?;
    }
    if !digest.untested.is_empty() {
        writeln!(out, "Not tested:\n")?;
        for untested in &digest.untested {
            let how = untested.how.map(|how| format!(" ({})", code(how))).unwrap_or_default();
            writeln!(out, "- {}{how}", inert(&untested.what))?;
        }
        writeln!(out)?;
    }
    if !digest.unused.is_empty() {
        writeln!(out, "Without effect in the baseline:\n")?;
        for entry in &digest.unused {
            writeln!(out, "- {}", inert(entry))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn target(report: &Report) -> String {
    let speaks: Vec<_> = report.target.speaks.iter().map(ToString::to_string).collect();
    let mut parts = vec![code(&report.target.description), inert(&report.target.transport)];
    if !speaks.is_empty() {
        parts.push(format!("speaks {}", speaks.join(", ")));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn table(out: &mut String, report: &Report) -> fmt::Result {
    let parts = sections_of(report);
    if parts.is_empty() {
        return Ok(());
    }
    let has = |outcome| report.counts.listed().any(|(listed, _)| listed == outcome);
    let columns: Vec<_> = [
        Outcome::Passed,
        Outcome::Failed,
        Outcome::Warned,
        Outcome::Blocked,
        Outcome::Broke,
        Outcome::KnownFailure,
        Outcome::UnexpectedPass,
        Outcome::NotApplicable,
    ]
    .into_iter()
    .filter(|outcome| has(*outcome))
    .collect();
    let names: Vec<_> = columns.iter().map(Outcome::to_string).collect();
    writeln!(out, "| section | {} |", names.join(" | "))?;
    writeln!(out, "|---|{}", "--:|".repeat(columns.len()))?;
    for part in parts {
        let counts = Counts::count(part.cases.iter().map(|case| case.outcome));
        write!(out, "| {} |", inert(part.name))?;
        for column in &columns {
            let count = counts.listed().find(|(outcome, _)| outcome == column).map(|(_, count)| count);
            match count {
                Some(count) if column.is_finding() => write!(out, " **{count}** |")?,
                Some(count) => write!(out, " {count} |")?,
                None => write!(out, " |")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn finding(report: &Report, group: &FindingGroup<'_>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = details(&mut out, report, group);
    out
}

/// What could not be tested for one reason, with the checks folded.
fn obstacle(obstacle: &ObstacleGroup<'_>) -> String {
    let label = Outcome::Blocked.as_str().to_uppercase();
    let (checks, reason) = (obstacle.checks(), code(obstacle.reason));
    let mut out =
        format!("\n<details>\n<summary><b>{label}</b> {checks}</summary>\n\n{checks} blocked: {reason}\n\n");
    for group in &obstacle.groups {
        out.push_str(&format!("- {} · {}\n", code(&group.case.check), group.protocols().join(" ")));
    }
    out.push_str("\n</details>\n");
    out
}

fn details(out: &mut String, report: &Report, group: &FindingGroup<'_>) -> fmt::Result {
    let case = group.case;
    let label = count_in_words(case.outcome, 1).trim_start_matches("1 ").to_uppercase();
    writeln!(
        out,
        "\n<details>\n<summary><b>{label}</b> <code>{}</code> · {} · {}</summary>\n",
        markup::escape(&visible(&case.check)),
        group.protocols().join(" "),
        group.strength()
    )?;
    writeln!(out, "{}\n", inert(&case.title))?;
    for (name, text) in [("expected", &case.expected), ("actual", &case.actual)] {
        if let Some(text) = text {
            writeln!(out, "- **{name}:** {}", code(text))?;
        }
    }
    if let Some(known) = &case.known {
        writeln!(out, "- **known:** {}", inert(known))?;
    }
    if let Some(told) = group.consequences.in_words() {
        writeln!(out, "- **also not tested because of this:** {}", inert(&told))?;
    }
    if let Some(meaning) = group.meaning() {
        writeln!(out, "- **level:** {meaning}")?;
    }
    writeln!(out, "- **why:** {}", inert(&case.why))?;
    writeln!(out, "- **fix:** {}", inert(&case.fix))?;
    for url in &case.spec {
        writeln!(out, "- **spec:** <{}>", markup::escape(&visible(url)))?;
    }
    let mut block = String::new();
    for frame in &case.frames {
        let arrow = match frame.from {
            Party::Client => '→',
            Party::Server => '←',
        };
        writeln!(block, "{arrow} {}", text::message_of(case, frame, MAX_FRAME_CHARS))?;
    }
    if !block.is_empty() {
        writeln!(out, "\n{}", fenced(&visible_lines(&block), "text"))?;
    }
    let again = reproduction_command(report, &case.check, &group.protocols);
    writeln!(out, "\n{}\n\n</details>", fenced(&visible(&again), "sh"))
}

/// Escapes text so that it is not markup, a link, a mention, a reference to an issue or a tag.
fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in visible(text).chars() {
        match c {
            '<' | '>' | '&' => markup::push_escaped(&mut out, c),
            // A zero-width joiner keeps words readable and stops them from being a mention, a reference or a link.
            '@' | '#' => {
                out.push(c);
                out.push_str("&#8205;");
            }
            ':' => out.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Text in a code span that nothing in it can close.
fn code(text: &str) -> String {
    let text = visible(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Text in a code block that nothing in it can close.
fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_code() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("``x`"), "``` ``x` ```");
        assert_eq!(fenced("```\n</details>", "text"), "````text\n```\n</details>\n````");
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(
            inert("[x](http://y) | <b> @all #1"),
            "\\[x\\]\\(http&#58;//y\\) \\| &lt;b&gt; @&#8205;all #&#8205;1"
        );
    }
}
