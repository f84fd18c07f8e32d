//! Reads the host of an authority strictly: what is not a host is refused, not corrected.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest name in DNS.
const MAX_NAME: usize = 253;

/// The host of `authority`, which may have a port; `None` when it is neither a name nor an address. Brackets are for
/// IPv6 and belong to the host.
pub(super) fn host_of(authority: &str) -> Option<&str> {
    let end = match authority.starts_with('[') {
        true => authority.find(']')? + 1,
        false => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at(end);
    (is_host(host) && is_port(port)).then_some(host)
}

/// Whether `host` is this machine, by name or by address.
pub(super) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address_of(host).is_some_and(|ip| ip.is_loopback())
}

fn is_host(host: &str) -> bool {
    let is_name = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    address_of(host).is_some()
        || (!host.is_empty()
            && host.len() <= MAX_NAME
            && host.bytes().all(is_name)
            && host.split('.').all(|label| !label.is_empty()))
}

fn address_of(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// Whether the text is empty or a colon and a port, whose digits may be missing.
fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        None => text.is_empty(),
        Some(digits) => {
            digits.bytes().all(|b| b.is_ascii_digit()) && (digits.is_empty() || digits.parse::<u16>().is_ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_have_a_port_or_none() {
        for (authority, host) in [
            ("localhost", "localhost"),
            ("localhost:8080", "localhost"),
            ("localhost:", "localhost"),
            ("127.0.0.1:65535", "127.0.0.1"),
            ("[::1]:1", "[::1]"),
            ("[::1]", "[::1]"),
            ("tools_1.example-2.org", "tools_1.example-2.org"),
        ] {
            assert_eq!(host_of(authority), Some(host));
        }
    }

    #[test]
    fn what_resembles_a_host_is_none() {
        for authority in [
            "",
            ":80",
            "[[::1]]",
            "127.0.0.1]",
            "[127.0.0.1]",
            "[::1",
            "::1",
            "[::1]x",
            "[::1%25lo]",
            "[]",
            "localhost:65536",
            "localhost:-1",
            "localhost:+80",
            "localhost:80:80",
            "localhost:8 0",
            "user@localhost",
            "localhost@evil.example",
            "localhost/",
            "localhost?",
            "localhost#",
            "localhost\\",
            "local host",
            "localhost,localhost",
            "localhost.",
            ".localhost",
            "127.0.0.1.",
            "a..b",
        ] {
            assert_eq!(host_of(authority), None, "{authority:?}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.evil", "128.0.0.1", "[::2]", "::1", "0.0.0.0", "127.1", "[::ffff:127.0.0.1]"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
