//! The origin of a URL: scheme, host and port.

use url::{Host, Url};

use crate::client::Failure;

/// Scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) tls: bool,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
}

impl Origin {
    pub(crate) fn from_url(url: &Url) -> Result<Self, Failure> {
        let tls = match url.scheme() {
            "http" => false,
            "https" => true,
            other => return Err(Failure::Unusable(format!("`{other}` is not a scheme of HTTP"))),
        };
        let host = url.host().ok_or_else(|| Failure::Unusable("the URL has no host".into()))?.to_owned();
        Ok(Self { tls, host, port: url.port_or_known_default().unwrap_or(80) })
    }

    /// What the Host header says: the port only where it is not the scheme's own.
    pub(crate) fn authority(&self) -> String {
        match (self.tls, self.port) {
            (false, 80) | (true, 443) => self.host.to_string(),
            _ => format!("{}:{}", self.host, self.port),
        }
    }
}

/// Path and query of a URL, as they stand in a request line.
pub(crate) fn path_of(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(url: &str) -> Origin {
        Origin::from_url(&url.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_host_header_leaves_out_the_usual_port() {
        assert_eq!(origin("https://a.example/x").authority(), "a.example");
        assert_eq!(origin("http://a.example:443/").authority(), "a.example:443");
        assert_eq!(origin("http://[::1]:8080/").authority(), "[::1]:8080");
    }

    #[test]
    fn origins_compare_by_scheme_host_and_port() {
        assert_eq!(origin("http://a.example/x"), origin("http://a.example:80/y?z"));
        assert_ne!(origin("http://a.example/"), origin("https://a.example/"));
        assert_ne!(origin("http://127.0.0.1/"), origin("http://localhost/"));
    }
}
