//! `yardstick check --plan`

use std::fmt::Write as _;

use report::visible;
use suite::{Options, Preview, RevisionPreview, ToolPreview};

use crate::target::ServerUnderTest;

/// How much of some arguments is shown.
const MAX_ARGUMENT_CHARS: usize = 200;

/// Says what a run would do with `servers`.
pub(crate) async fn show(servers: &[ServerUnderTest], options: &Options) -> anyhow::Result<String> {
    let mut text = String::new();
    for subject in servers.iter().flat_map(|server| &server.subjects) {
        let preview = suite::preview(&subject.target, options).await?;
        write(&mut text, &preview)?;
    }
    Ok(text)
}

fn write(text: &mut String, preview: &Preview) -> std::fmt::Result {
    for revision in &preview.revisions {
        writeln!(text, "{} · {} · {} checks", preview.target, revision.version, revision.checks.len())?;
        sections(text, revision)?;
        match &revision.tools {
            Ok(tools) => tools.iter().try_for_each(|tool| line(text, tool))?,
            Err(why) => writeln!(text, "  no tools: {}", visible(why))?,
        }
        writeln!(text)?;
    }
    Ok(())
}

fn sections(text: &mut String, revision: &RevisionPreview) -> std::fmt::Result {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for section in revision.checks.iter().filter_map(|id| id.split('/').nth(1)) {
        match counts.iter_mut().find(|(known, _)| *known == section) {
            Some((_, count)) => *count += 1,
            None => counts.push((section, 1)),
        }
    }
    let listed: Vec<_> = counts.iter().map(|(section, count)| format!("{section} {count}")).collect();
    writeln!(text, "  {}", listed.join(", "))
}

fn line(text: &mut String, tool: &ToolPreview) -> std::fmt::Result {
    let why = tool.decision.why();
    let name = visible(&tool.name);
    match (tool.decision.is_call(), &tool.arguments) {
        (true, Ok(arguments)) => {
            let shown: String = visible(arguments).chars().take(MAX_ARGUMENT_CHARS).collect();
            writeln!(text, "  call   {name} {shown} ({why})")
        }
        (true, Err(none)) => writeln!(text, "  leave  {name} ({})", visible(none)),
        (false, _) => writeln!(text, "  leave  {name} ({why})"),
    }
}
