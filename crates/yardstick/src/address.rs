//! The URL that a user means, also where the scheme is left out.

use std::path::Path;

use transport::client::Endpoint;

use crate::exit::Usage;

/// The endpoint that `text` names; `subcommand` is what was asked of it.
///
/// Without a scheme it is `http` on this machine and `https` elsewhere. A word that could as well be a file or a command
/// is not guessed at.
pub(crate) fn read_endpoint(text: &str, subcommand: &str) -> Result<Endpoint, Usage> {
    if text.trim().is_empty() {
        return Err(Usage("the URL is empty; is a variable not set?".to_owned()));
    }
    let url = if text.contains("://") { Some(text.to_owned()) } else { with_scheme(text) };
    let not_url = |why: &str| {
        Usage(format!(
            "`{text}` is not a URL{why}; a command goes after `--`: yardstick {subcommand} -- {text}"
        ))
    };
    let url = url.ok_or_else(|| not_url(""))?;
    Endpoint::new(&url).map_err(|failure| not_url(&format!(" ({failure})")))
}

/// `text` as a URL, if it is a host with a port or a path, or this machine.
fn with_scheme(text: &str) -> Option<String> {
    if text.contains(char::is_whitespace) || Path::new(text).exists() {
        return None;
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse::<u16>().ok()?)),
        Some(_) | None => (authority, None),
    };
    if is_this_machine(host) {
        return Some(format!("http://{text}"));
    }
    let is_host = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || "-.[]:".contains(c));
    // `server.js` is a file; `example.com/mcp` and `server:3000` are not.
    let has_domain = host.trim_matches('.').contains('.') || host.starts_with('[');
    let is_elsewhere = is_host && (port.is_some() || (has_domain && text.len() > authority.len()));
    is_elsewhere.then(|| format!("https://{text}"))
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        read_endpoint(text, "check").map(|it| it.url.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_scheme_is_added_where_it_is_missing() {
        for (text, url) in [
            ("localhost:3000/mcp", "http://localhost:3000/mcp"),
            ("localhost", "http://localhost/"),
            ("127.0.0.1:3000", "http://127.0.0.1:3000/"),
            ("[::1]:3000/mcp", "http://[::1]:3000/mcp"),
            ("example.com/mcp", "https://example.com/mcp"),
            ("example.com:8443", "https://example.com:8443/"),
            ("gateway:3000/mcp", "https://gateway:3000/mcp"),
            ("http://example.com/mcp", "http://example.com/mcp"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(url), "{text}");
        }
    }

    #[test]
    fn a_file_or_a_command_is_told_where_it_belongs() {
        for text in
            ["server.js", "./server.js", "dist/server.js", "Cargo.toml", "node server.js", "node", "ftp://x/"]
        {
            let error = read(text).unwrap_err();
            assert!(error.ends_with(&format!("yardstick check -- {text}")), "{error}");
        }
    }
}
