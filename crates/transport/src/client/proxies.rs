//! Chooses the proxy for an endpoint by the usual environment variables. No I/O.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::Failure;
use super::basic_auth::encode_credentials;
use super::link::http::Origin;
use crate::secrets::origin::show_url;
use crate::secrets::secrets_of_url;

/// The proxies of this machine, and the exceptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies {
    http: Option<Proxy>,
    https: Option<Proxy>,
    direct: Vec<Direct>,
}

/// An HTTP proxy.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Proxy {
    url: Url,
    /// The variable that names it.
    variable: String,
}

/// An exception: one entry of `NO_PROXY`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Direct {
    Everything,
    /// A name and all names below it.
    Domain(String, Option<u16>),
    /// The addresses that share this many leading bits with this one.
    Network(IpAddr, u32),
}

impl Proxies {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`. Lower-case names take precedence.
    pub fn from_variables(value_of: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let set = |name: &str| {
            [name.to_ascii_lowercase(), name.to_owned()].into_iter().find_map(|name| {
                let value = value_of(&name).filter(|value| !value.trim().is_empty())?;
                Some((name, value))
            })
        };
        let proxy = |name: &str| {
            set(name).or_else(|| set("ALL_PROXY")).map(|(name, value)| Proxy::parse(name, &value)).transpose()
        };
        let direct = set("NO_PROXY").map(|(_, value)| read_direct(&value)).unwrap_or_default();
        Ok(Self { http: proxy("HTTP_PROXY")?, https: proxy("HTTPS_PROXY")?, direct })
    }

    /// The proxy for `origin`. Loopback is always reached without one.
    pub(crate) fn on_the_way_to(&self, origin: &Origin) -> Option<&Proxy> {
        let proxy = if origin.tls { self.https.as_ref() } else { self.http.as_ref() };
        let is_direct = || is_loopback(&origin.host) || self.direct.iter().any(|entry| entry.covers(origin));
        proxy.filter(|_| !is_direct())
    }

    /// The credentials of all proxies.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let proxies = self.http.iter().chain(&self.https);
        proxies
            .flat_map(|proxy| secrets_of_url(&proxy.url).into_iter().chain(encode_credentials(&proxy.url)))
            .collect()
    }
}

impl Proxy {
    fn parse(variable: String, value: &str) -> Result<Self, Failure> {
        let value = value.trim();
        let whole = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
        let unusable =
            |why: &str| Failure::Unusable(format!("the proxy in {variable} cannot be used: {why}"));
        let url = Url::parse(&whole).map_err(|why| unusable(&why.to_string()))?;
        match url.scheme() {
            "http" if url.has_host() => Ok(Self { url, variable }),
            "http" => Err(unusable("it has no host")),
            other => Err(unusable(&format!("only http:// proxies are supported, not {other}://"))),
        }
    }

    /// Where it listens.
    pub(crate) fn origin(&self) -> Result<Origin, Failure> {
        Origin::from_url(&self.url)
    }

    /// The value of `Proxy-Authorization`, if the URL has credentials.
    pub(crate) fn authorization(&self) -> Option<String> {
        encode_credentials(&self.url).map(|credentials| format!("Basic {credentials}"))
    }
}

/// Shows the address and the variable, without the credentials.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the proxy {} (from {})", show_url(&self.url).trim_end_matches('/'), self.variable)
    }
}

// Not derived: the URL holds secrets.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

impl Direct {
    fn covers(&self, origin: &Origin) -> bool {
        match (self, &origin.host) {
            (Self::Everything, _) => true,
            (Self::Domain(name, port), Host::Domain(host)) => {
                let host = host.to_ascii_lowercase();
                let below = host
                    .strip_suffix(name.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
                below && port.is_none_or(|port| port == origin.port)
            }
            (Self::Network(network, bits), Host::Ipv4(ip)) => share_bits(*network, (*ip).into(), *bits),
            (Self::Network(network, bits), Host::Ipv6(ip)) => share_bits(*network, (*ip).into(), *bits),
            (Self::Domain(..), Host::Ipv4(_) | Host::Ipv6(_)) | (Self::Network(..), Host::Domain(_)) => false,
        }
    }
}

fn read_direct(value: &str) -> Vec<Direct> {
    let entries = value.split([',', ' ', '\t']).map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(read_entry).collect()
}

fn read_entry(entry: &str) -> Direct {
    if entry == "*" {
        return Direct::Everything;
    }
    let (address, bits) = match entry.split_once('/') {
        Some((address, bits)) => (address, bits.parse().ok()),
        None => (entry, None),
    };
    if let Ok(ip) = address.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Direct::Network(ip, bits.unwrap_or(u32::MAX));
    }
    let (name, port) = match entry.rsplit_once(':').map(|(name, port)| (name, port.parse::<u16>())) {
        Some((name, Ok(port))) => (name, Some(port)),
        Some((_, Err(_))) | None => (entry, None),
    };
    Direct::Domain(name.trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase(), port)
}

/// Whether two addresses of one family begin with the same `bits` bits.
fn share_bits(one: IpAddr, other: IpAddr, bits: u32) -> bool {
    let differ = match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros(),
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits()).leading_zeros(),
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return false,
    };
    let width = if one.is_ipv4() { 32 } else { 128 };
    differ >= bits.min(width)
}

fn is_loopback(host: &Host<String>) -> bool {
    match host {
        Host::Ipv4(ip) => ip.is_loopback(),
        Host::Ipv6(ip) => ip.is_loopback(),
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(variables: &[(&str, &str)]) -> Proxies {
        let value_of = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Proxies::from_variables(value_of).unwrap()
    }

    fn way(proxies: &Proxies, url: &str) -> Option<String> {
        let origin = Origin::from_url(&url.parse().unwrap()).unwrap();
        proxies.on_the_way_to(&origin).map(ToString::to_string)
    }

    #[test]
    fn the_scheme_chooses_the_proxy_and_lower_case_comes_first() {
        let set = proxies(&[
            ("HTTPS_PROXY", "http://upper:1"),
            ("https_proxy", "lower.example:3128"),
            ("ALL_PROXY", "http://all:2"),
        ]);
        let https = "the proxy http://lower.example:3128 (from https_proxy)";
        assert_eq!(way(&set, "https://a.example/").as_deref(), Some(https));
        assert_eq!(
            way(&set, "http://a.example/").as_deref(),
            Some("the proxy http://all:2 (from ALL_PROXY)")
        );
        assert_eq!(way(&Proxies::default(), "http://a.example/"), None);
    }

    #[test]
    fn this_machine_and_what_no_proxy_names_are_reached_directly() {
        let no = ".inner.example, other.example:8080 10.0.0.0/8,2001:db8::1";
        let set = proxies(&[("HTTP_PROXY", "p:1"), ("NO_PROXY", no)]);
        for url in [
            "http://localhost:3000/mcp",
            "http://x.localhost/",
            "http://127.0.0.1:3000/",
            "http://[::1]:3000/",
            "http://inner.example/",
            "http://a.inner.example/",
            "http://other.example:8080/",
            "http://10.1.2.3/",
            "http://[2001:db8::1]/",
        ] {
            assert_eq!(way(&set, url), None, "{url}");
        }
        for url in
            ["http://winner.example/", "http://other.example/", "http://11.1.2.3/", "http://[2001:db8::2]/"]
        {
            assert!(way(&set, url).is_some(), "{url}");
        }
        assert_eq!(way(&proxies(&[("HTTP_PROXY", "p:1"), ("no_proxy", "*")]), "http://a.example/"), None);
    }

    #[test]
    fn credentials_are_sent_and_never_shown() {
        let set = proxies(&[("HTTP_PROXY", "http://me:p%40ss+word@p.example:1")]);
        let origin = Origin::from_url(&"http://a.example/".parse().unwrap()).unwrap();
        let proxy = set.on_the_way_to(&origin).unwrap();
        assert_eq!(proxy.authorization().as_deref(), Some("Basic bWU6cEBzcyt3b3Jk"));
        assert!(!format!("{proxy} {set:?}").contains("ss"), "{set:?}");
        let secrets = set.secrets();
        assert!(
            secrets.contains(&"p%40ss+word".to_owned()) && secrets.contains(&"bWU6cEBzcyt3b3Jk".to_owned())
        );
    }

    #[test]
    fn a_proxy_of_another_kind_is_refused_by_the_name_of_its_variable() {
        let refused =
            Proxies::from_variables(|name| (name == "all_proxy").then(|| "socks5://p:1".to_owned()));
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("all_proxy") && text.contains("socks5://"), "{text}");
    }
}
