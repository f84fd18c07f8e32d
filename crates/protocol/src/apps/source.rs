//! One origin of a View's CSP metadata, checked so that it can be put into a header without changing its meaning.

/// What is wrong with a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceProblem {
    /// Nothing is there.
    #[error("is empty")]
    Empty,
    /// White space, a control character, a quote, a semicolon or a comma: it would change the policy.
    #[error("contains a character that would change the policy")]
    Character,
    /// A keyword such as `'unsafe-eval'`, or a nonce or hash.
    #[error("is a keyword of CSP, not an origin")]
    Keyword,
    /// `*`.
    #[error("allows every host; list the origins")]
    Everything,
    /// A scheme without a host: `https:` allows every host, `data:` and `blob:` whatever a script makes up.
    #[error("is a scheme, not an origin")]
    SchemeAlone,
    /// A scheme that no request of a page can have, or one that does not lead to a network.
    #[error("has a scheme other than http, https, ws and wss")]
    Scheme,
    /// The host is malformed.
    #[error(
        "has a malformed host; write non-ASCII names in punycode, and no IPv6 addresses, which CSP cannot name"
    )]
    Host,
    /// `*` elsewhere than in front.
    #[error("has a wildcard elsewhere than as its first label")]
    Wildcard,
    /// The port is not a number.
    #[error("has a malformed port")]
    Port,
    /// User, query or fragment.
    #[error("has a user name, query or fragment, which no origin has")]
    Extra,
    /// No scheme: works, but what it means depends on the page.
    #[error("has no scheme; write it with https://")]
    NoScheme,
    /// A path: works, but an origin has none.
    #[error("has a path; an origin has none")]
    Path,
}

impl SourceProblem {
    /// Whether the source must be left out of the policy; the others are odd but mean what they say.
    pub const fn is_fatal(self) -> bool {
        !matches!(self, Self::NoScheme | Self::Path)
    }
}

/// Checks one entry of a domain list.
///
/// The specification speaks of origins and of wildcard subdomains (`https://*.example.com`). CSP would also take
/// keywords, bare schemes and `*`; those undo the sandbox and count as problems here.
pub fn check_source(source: &str) -> Result<(), SourceProblem> {
    if source.is_empty() {
        return Err(SourceProblem::Empty);
    }
    if source.starts_with('\'') {
        return Err(SourceProblem::Keyword);
    }
    if !source.bytes().all(|byte| byte.is_ascii_graphic() || byte >= 0x80)
        || source.contains([';', ',', '\'', '"'])
    {
        return Err(SourceProblem::Character);
    }
    let (scheme, rest) = split_scheme(source)?;
    if rest.contains(['?', '#', '@']) {
        return Err(SourceProblem::Extra);
    }
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    check_authority(authority)?;
    if scheme.is_none() {
        return Err(SourceProblem::NoScheme);
    }
    if matches!(path, "" | "/") { Ok(()) } else { Err(SourceProblem::Path) }
}

fn split_scheme(source: &str) -> Result<(Option<&str>, &str), SourceProblem> {
    match source.split_once("://") {
        Some((scheme, rest)) => {
            let known = ["http", "https", "ws", "wss"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
            if known { Ok((Some(scheme), rest)) } else { Err(SourceProblem::Scheme) }
        }
        None if source.ends_with(':') => Err(SourceProblem::SchemeAlone),
        None => Ok((None, source)),
    }
}

fn check_authority(authority: &str) -> Result<(), SourceProblem> {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    if host == "*" {
        return Err(SourceProblem::Everything);
    }
    let host = host.strip_prefix("*.").unwrap_or(host);
    if host.contains('*') {
        return Err(SourceProblem::Wildcard);
    }
    if !is_host(host) {
        return Err(SourceProblem::Host);
    }
    match port {
        None | Some("*") => Ok(()),
        Some(port) if port.parse::<u16>().is_ok() && port.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
        Some(_) => Err(SourceProblem::Port),
    }
}

fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    host.strip_suffix('.').unwrap_or(host).split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_fine() {
        for source in [
            "https://api.example.com",
            "wss://realtime.example.com:8443",
            "https://*.example.com",
            "http://localhost:3000",
            "http://127.0.0.1:*",
            "https://cdn.example.com/",
            "HTTPS://Example.COM",
            "https://xn--mnchen-3ya.example",
        ] {
            assert_eq!(check_source(source), Ok(()), "{source}");
        }
    }

    #[test]
    fn odd_sources_are_kept() {
        assert_eq!(check_source("example.com"), Err(SourceProblem::NoScheme));
        assert_eq!(check_source("https://cdn.example.com/lib/"), Err(SourceProblem::Path));
        assert!(!SourceProblem::NoScheme.is_fatal() && !SourceProblem::Path.is_fatal());
    }

    #[test]
    fn dangerous_sources_are_not() {
        for (source, problem) in [
            ("", SourceProblem::Empty),
            ("https://a.example *", SourceProblem::Character),
            ("https://a.example; script-src *", SourceProblem::Character),
            ("https://a.example,https://b.example", SourceProblem::Character),
            ("https://a.example\r\nx: y", SourceProblem::Character),
            ("https://a.example\"", SourceProblem::Character),
            ("'unsafe-eval'", SourceProblem::Keyword),
            ("'self'", SourceProblem::Keyword),
            ("'nonce-abc'", SourceProblem::Keyword),
            ("*", SourceProblem::Everything),
            ("https://*", SourceProblem::Everything),
            ("*:443", SourceProblem::Everything),
            ("https:", SourceProblem::SchemeAlone),
            ("data:", SourceProblem::SchemeAlone),
            ("blob:", SourceProblem::SchemeAlone),
            ("ftp://a.example", SourceProblem::Scheme),
            ("javascript://a", SourceProblem::Scheme),
            ("https://", SourceProblem::Host),
            ("https://a..b", SourceProblem::Host),
            ("https://-a.example", SourceProblem::Host),
            ("https://münchen.example", SourceProblem::Host),
            ("https://[::1]:80", SourceProblem::Host),
            ("https://a.*.example", SourceProblem::Wildcard),
            ("https://a*.example", SourceProblem::Wildcard),
            ("https://a.example:x", SourceProblem::Port),
            ("https://a.example:", SourceProblem::Port),
            ("https://a.example:99999", SourceProblem::Port),
            ("https://u@a.example", SourceProblem::Extra),
            ("https://a.example?q", SourceProblem::Extra),
            ("https://a.example#f", SourceProblem::Extra),
        ] {
            assert_eq!(check_source(source), Err(problem), "{source}");
            assert!(problem.is_fatal(), "{source}");
        }
    }
}
