//! The page's files, which are built into the binary.

use super::{Response, reply};

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file at `path` below `/assets/`.
pub(super) fn serve_asset(path: &str) -> Response {
    let found = path.strip_prefix("/assets/").and_then(|name| {
        let (_, content) = ASSETS.iter().find(|(known, _)| *known == name)?;
        Some((kind(name)?, *content))
    });
    match found {
        Some((kind, content)) => reply::content(200, kind, content),
        None => reply::refused(404, &format!("there is no {path}")),
    }
}

fn kind(name: &str) -> Option<&'static str> {
    match name.rsplit('.').next()? {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}
