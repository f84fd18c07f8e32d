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
        Some(picture) => {
            let data = STANDARD.encode(picture.as_ref());
            let name = escape(&app.row);
            writeln!(
                out,
                "<img src=\"data:image/png;base64,{data}\" alt=\"The app in the row {name}\" loading=\"lazy\">"
            )?;
        }
        None => writeln!(out, "<p class=\"none\">There is no picture.</p>")?,
    }
    write!(out, "<figcaption><b>{}</b> {}", escape(&app.row), escape(&app.about))?;
    match (app.initialized_ms, &app.trouble) {
        (_, Some(trouble)) => write!(out, "<br>{}", escape(trouble))?,
        (Some(ms), None) => write!(out, "<br>handshake after {ms} ms")?,
        (None, None) => write!(out, "<br>no handshake")?,
    }
    writeln!(out, "</figcaption>")?;
    timeline(out, app)?;
    writeln!(out, "</figure>")
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
