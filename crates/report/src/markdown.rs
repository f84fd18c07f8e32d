//! Markdown for a pull request: the verdict, a table by section, the findings folded.

use std::fmt::{self, Write as _};

use suite::{Conclusion, Counts, Outcome, Party, Report};

use crate::again::again;
use crate::findings::{Group, groups};
use crate::tally::{self, counted, parts};
use crate::text::{self, visible, visible_lines};

/// A comment on a pull request holds no more than 65536 characters.
const LIMIT: usize = 60_000;
/// How much of a message is shown.
const FRAME: usize = 1500;

/// The report as Markdown in GitHub's flavour.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    let verdict = report.verdict();
    let mark = match verdict {
        Conclusion::Conformant => "✅",
        Conclusion::NotConformant => "❌",
        Conclusion::Incomplete => "⚠️",
    };
    let word = tally::verdict(verdict);
    writeln!(out, "## {mark} {}: {word}\n", inert(&text::name(report)))?;
    writeln!(out, "{} in {}. {}\n", tally::summary(report), text::seconds(report.took_ms), target(report))?;
    table(out, report)?;
    let found: Vec<_> =
        [Outcome::Broke, Outcome::Failed, Outcome::UnexpectedPass, Outcome::Blocked, Outcome::Warned]
            .into_iter()
            .flat_map(|outcome| groups(report, outcome))
            .collect();
    for (told, group) in found.iter().enumerate() {
        let text = finding(report, group);
        if out.len() + text.len() > LIMIT {
            return writeln!(out, "\n… and {} more findings, in the full report.", found.len() - told);
        }
        out.push_str(&text);
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
    let parts = parts(report);
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
        let counts = Counts::of(part.cases.iter().map(|case| case.outcome));
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

fn finding(report: &Report, group: &Group<'_>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = details(&mut out, report, group);
    out
}

fn details(out: &mut String, report: &Report, group: &Group<'_>) -> fmt::Result {
    let case = group.case;
    let label = counted(case.outcome, 1).trim_start_matches("1 ").to_uppercase();
    writeln!(
        out,
        "\n<details>\n<summary><b>{label}</b> <code>{}</code> · {} · {}</summary>\n",
        entities(&visible(&case.check)),
        group.protocols().join(" "),
        case.level
    )?;
    writeln!(out, "{}\n", inert(&case.title))?;
    for (name, text) in [("expected", &case.expected), ("actual", &case.actual)] {
        if let Some(text) = text {
            writeln!(out, "- **{name}:** {}", code(text))?;
        }
    }
    writeln!(out, "- **why:** {}", inert(&case.why))?;
    writeln!(out, "- **fix:** {}", inert(&case.fix))?;
    for url in &case.spec {
        writeln!(out, "- **spec:** <{}>", entities(&visible(url)))?;
    }
    let mut block = String::new();
    for frame in &case.frames {
        let arrow = match frame.from {
            Party::Client => '→',
            Party::Server => '←',
        };
        writeln!(block, "{arrow} {}", text::cut(&text::message(frame), FRAME))?;
    }
    if !block.is_empty() {
        writeln!(out, "\n{}", fenced(&visible_lines(&block), "text"))?;
    }
    let again = again(report, &case.check, &group.protocols);
    writeln!(out, "\n{}\n\n</details>", fenced(&visible(&again), "sh"))
}

/// Text that stays text: no markup, no links, no mentions, no references to issues, no tags.
fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in visible(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
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

/// Text inside a tag of HTML, where no Markdown is read.
fn entities(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
