//! The apps that were shown: a picture for each row, and what View and host said.

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use suite::{Report, ViewedApp};

use super::escape::escape;

/// The style of this part; a page without apps does not have it.
pub(super) const STYLE: &str = include_str!("gallery.css");

/// Every app, row by row; nothing where none was shown.
pub(super) fn write(out: &mut String, report: &Report, suffix: &str) -> fmt::Result {
    for (number, rows) in report.viewed.chunk_by(|one, other| one.subject == other.subject).enumerate() {
        let Some(first) = rows.first() else { continue };
        let id = format!("app{suffix}-{}", number + 1);
        writeln!(out, "<section id=\"{id}\" class=\"gallery\" aria-labelledby=\"{id}-title\">")?;
        writeln!(out, "<h2 id=\"{id}-title\">The app of <code>{}</code></h2><div>", escape(&first.subject))?;
        for app in rows {
            figure(out, app)?;
        }
        writeln!(out, "</div></section>")?;
    }
    Ok(())
}

fn figure(out: &mut String, app: &ViewedApp) -> fmt::Result {
    writeln!(out, "<figure>")?;
    match &app.picture {
        Some(file) => picture(out, file, &format!("The app in the row {}", app.row))?,
        None => writeln!(out, "<p class=\"none\">There is no picture.</p>")?,
    }
    write!(out, "<figcaption><b>{}</b> {}", escape(&app.row), escape(&app.about))?;
    match (app.initialized_ms, &app.trouble) {
        (_, Some(trouble)) => write!(out, "<br>{}", escape(trouble))?,
        (Some(ms), None) => write!(out, "<br>handshake after {ms} ms")?,
        (None, None) => write!(out, "<br>no handshake")?,
    }
    if let Some(comparison) = &app.comparison {
        write!(out, "<br>{}", escape(&comparison.text))?;
    }
    writeln!(out, "</figcaption>")?;
    difference(out, app)?;
    timeline(out, app)?;
    writeln!(out, "</figure>")
}

fn picture(out: &mut String, file: &[u8], text: &str) -> fmt::Result {
    let data = STANDARD.encode(file);
    writeln!(out, "<img src=\"data:image/png;base64,{data}\" alt=\"{}\" loading=\"lazy\">", escape(text))
}

/// The reference picture and what differs from it, where the app looks different.
fn difference(out: &mut String, app: &ViewedApp) -> fmt::Result {
    let Some([expected, diff]) = app.comparison.as_ref().and_then(|it| it.pictures.as_ref()) else {
        return Ok(());
    };
    writeln!(out, "<details open><summary>Expected, and what differs</summary>")?;
    picture(out, expected, &format!("The reference picture of the row {}", app.row))?;
    picture(out, diff, &format!("What differs in the row {}, in red", app.row))?;
    writeln!(out, "</details>")
}

fn timeline(out: &mut String, app: &ViewedApp) -> fmt::Result {
    if app.messages.is_empty() {
        return Ok(());
    }
    writeln!(out, "<details><summary>What View and host said</summary><ol>")?;
    for message in &app.messages {
        let (class, arrow) = if message.from_view { ("client", "→") } else { ("server", "←") };
        writeln!(
            out,
            "<li class=\"{class}\"><span>{} ms {arrow}</span> <code>{}</code></li>",
            message.at_ms,
            escape(&message.text)
        )?;
    }
    writeln!(out, "</ol></details>")
}
