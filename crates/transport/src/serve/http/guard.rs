//! Admits requests by `Host` and by `Origin`, each on its own, against DNS rebinding.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, HOST, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use http::{Method, StatusCode, Uri};

use super::authority::{host_of, is_loopback};
use super::body::Body;
use super::{Response, reply};

/// Which `Host` and `Origin` headers are admitted. Loopback names are, on any port; others must be listed.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Further host names, without port.
    pub hosts: Vec<String>,
    /// Further origins, as `scheme://host:port`.
    pub origins: Vec<String>,
    /// Whether `Host` is checked.
    pub check_host: bool,
    /// Whether `Origin` is checked.
    pub check_origin: bool,
    /// The methods that are exempt from the check of `Origin`.
    pub unguarded: Vec<Method>,
}

/// Why a request is refused by its head.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// There is not exactly one `Host`, or it is not a host.
    #[error("{0}")]
    NotARequest(String),
    /// Its host or its origin is not admitted.
    #[error("{0}")]
    NotAdmitted(String),
}

impl Refusal {
    /// The HTTP status of the refusal.
    pub(crate) const fn status(&self) -> u16 {
        match self {
            Self::NotARequest(_) => 400,
            Self::NotAdmitted(_) => 403,
        }
    }
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
    ) -> Result<Option<HeaderValue>, Refusal> {
        if self.check_host {
            self.host(headers, uri)?;
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(None),
            (Some(_), Some(_)) => Err(Refusal::NotAdmitted("more than one Origin header".to_owned())),
            (Some(origin), None) if !self.guards(method) || self.is_admitted_origin(origin) => {
                Ok(Some(origin.clone()))
            }
            (Some(origin), None) => Err(Refusal::NotAdmitted(format!("Origin {origin:?} is not admitted"))),
        }
    }

    fn guards(&self, method: &Method) -> bool {
        self.check_origin && !self.unguarded.contains(method)
    }

    /// Checks the one `Host`, and the target if that names a host too, because an intermediary may use either.
    fn host(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            (None, _) => return Err(Refusal::NotARequest("no Host header".to_owned())),
            (Some(_), Some(_)) => return Err(Refusal::NotARequest("more than one Host header".to_owned())),
        };
        for authority in [Some(host), uri.authority().map(http::uri::Authority::as_str)].into_iter().flatten()
        {
            let named = host_of(authority)
                .ok_or_else(|| Refusal::NotARequest(format!("Host {authority:?} is not a host")))?;
            if !self.is_admitted_host(named) {
                return Err(Refusal::NotAdmitted(format!("Host {authority:?} is not admitted")));
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
        rest.and_then(host_of).is_some_and(is_loopback)
    }
}

/// Lets the browser at `origin` read the response.
pub(super) fn allow(origin: &HeaderValue, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// The answer to a preflight request.
pub(super) fn preflight() -> Response {
    let mut response = reply::empty(StatusCode::NO_CONTENT, Body::empty());
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*, authorization"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(guard: &Guard, headers: &[(&'static str, &'static str)]) -> Result<(), u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        let admitted = guard.admit(&Method::POST, &map, &Uri::from_static("/mcp"));
        admitted.map(|_| ()).map_err(|refusal| refusal.status())
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
        assert_eq!(admit(&guard, &[("host", "attacker.example")]), Err(403));
        assert_eq!(admit(&guard, &[("host", "localhost.attacker.example")]), Err(403));
        for origin in
            ["https://attacker.example", "null", "http://localhost.evil", "http://localhost:80@evil", ""]
        {
            assert_eq!(admit(&guard, &[("host", "localhost"), ("origin", origin)]), Err(403), "{origin}");
        }
        let two = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")];
        assert_eq!(admit(&guard, &two), Err(403));
    }

    #[test]
    fn there_is_one_host_and_it_is_one() {
        let guard = Guard::default();
        assert_eq!(admit(&guard, &[]), Err(400));
        assert_eq!(admit(&guard, &[("host", "localhost"), ("host", "localhost")]), Err(400));
        for host in ["[[::1]]", "127.0.0.1]", "", "localhost:99999", "me@localhost"] {
            assert_eq!(admit(&guard, &[("host", host)]), Err(400), "{host}");
        }
        let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost"))]);
        let elsewhere = Uri::from_static("http://attacker.example/mcp");
        assert!(guard.admit(&Method::POST, &headers, &elsewhere).is_err());
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
