//! Who may ask: `Host` and `Origin`, each on its own, against DNS rebinding.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, HOST, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use http::{Method, StatusCode, Uri};

use super::body::Body;
use super::{Response, reply};

/// Which `Host` and `Origin` headers are admitted. Loopback names are, on any port; others must be listed.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Further host names, without port.
    pub hosts: Vec<String>,
    /// Further origins, as `scheme://host:port`.
    pub origins: Vec<String>,
    /// Whether `Host` is looked at.
    pub check_host: bool,
    /// Whether `Origin` is looked at.
    pub check_origin: bool,
    /// The methods for which it is not looked at all the same.
    pub unguarded: Vec<Method>,
}

impl Default for Guard {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            check_host: true,
            check_origin: true,
            unguarded: Vec::new(),
        }
    }
}

impl Guard {
    /// The admitted origin, if the request has one, or why the request is refused.
    pub(crate) fn admit(
        &self,
        method: &Method,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Result<Option<HeaderValue>, String> {
        if self.check_host {
            self.host(headers, uri)?;
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(None),
            (Some(_), Some(_)) => Err("more than one Origin header".to_owned()),
            (Some(origin), None) if !self.guards(method) || self.is_admitted_origin(origin) => {
                Ok(Some(origin.clone()))
            }
            (Some(origin), None) => Err(format!("Origin {origin:?} is not admitted")),
        }
    }

    fn guards(&self, method: &Method) -> bool {
        self.check_origin && !self.unguarded.contains(method)
    }

    fn host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), String> {
        let mut hosts = headers.get_all(HOST).iter().map(HeaderValue::to_str).peekable();
        if hosts.peek().is_none() {
            return match uri.host() {
                Some(host) if self.is_admitted_host(host) => Ok(()),
                _ => Err("no Host header".to_owned()),
            };
        }
        for host in hosts {
            let host = host.map_err(|_| "a Host header that is no text".to_owned())?;
            if !self.is_admitted_host(without_port(host)) {
                return Err(format!("Host {host:?} is not admitted"));
            }
        }
        Ok(())
    }

    fn is_admitted_host(&self, host: &str) -> bool {
        is_loopback(host) || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    fn is_admitted_origin(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        if self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|authority| is_loopback(without_port(authority)))
    }
}

/// Lets the browser at `origin` read the response.
pub(super) fn allow(origin: &HeaderValue, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// The answer to a browser that asks first.
pub(super) fn preflight() -> Response {
    let mut response = reply::empty(StatusCode::NO_CONTENT, Body::empty());
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*, authorization"));
    response
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(guard: &Guard, headers: &[(&'static str, &'static str)]) -> Result<(), String> {
        let headers = headers
            .iter()
            .map(|(n, v)| (http::HeaderName::from_static(n), HeaderValue::from_static(v)))
            .collect();
        guard.admit(&Method::POST, &headers, &Uri::from_static("/mcp")).map(|_| ())
    }

    #[test]
    fn loopback_is_admitted_on_any_port() {
        for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:99", "127.9.9.9"] {
            assert_eq!(admit(&Guard::default(), &[("host", host)]), Ok(()), "{host}");
        }
        let local = [("host", "localhost"), ("origin", "http://localhost:5173")];
        assert_eq!(admit(&Guard::default(), &local), Ok(()));
    }

    #[test]
    fn host_and_origin_are_each_looked_at() {
        let guard = Guard::default();
        assert!(admit(&guard, &[("host", "attacker.example")]).is_err());
        assert!(admit(&guard, &[("host", "localhost.attacker.example")]).is_err());
        assert!(admit(&guard, &[]).is_err());
        for origin in
            ["https://attacker.example", "null", "http://localhost.evil", "http://localhost:80@evil", ""]
        {
            assert!(admit(&guard, &[("host", "localhost"), ("origin", origin)]).is_err(), "{origin}");
        }
        let two = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")];
        let mut map = HeaderMap::new();
        for (name, value) in two {
            map.append(name, HeaderValue::from_static(value));
        }
        assert!(guard.admit(&Method::POST, &map, &Uri::from_static("/mcp")).is_err());
    }

    #[test]
    fn listed_names_are_admitted() {
        let guard = Guard {
            hosts: vec!["tools.example".into()],
            origins: vec!["https://app.example".into()],
            ..Guard::default()
        };
        assert_eq!(
            admit(&guard, &[("host", "tools.example:8443"), ("origin", "https://app.example")]),
            Ok(())
        );
    }
}
