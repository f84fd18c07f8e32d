//! Names for the origins of Views.

use ring::digest::{SHA256, digest};

/// How many characters of the domain are readable in a label. With the digest, the label stays below the limit of 63.
const MAX_READABLE_CHARS: usize = 32;

/// The label for a domain that a server's resource asks for. The same server and domain always give the same label,
/// and others never do, nor do the host's own names. The readable part is for people; the digest makes the label
/// unique.
pub(super) fn domain_label(server: &str, domain: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = domain.chars().take(MAX_READABLE_CHARS).map(kept).collect();
    let both = digest(&SHA256, format!("{server} {domain}").as_bytes());
    let hash: String = both.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("domain-{server}-{}-{hash}", text.trim_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_becomes_one_label() {
        let named = domain_label("0", "A904.claudemcpcontent.com");
        assert!(named.starts_with("domain-0-a904-claudemcpcontent-com-"), "{named}");
        assert_eq!(named, domain_label("0", "A904.claudemcpcontent.com"));
        for domain in ["https://x y/", "é", "", &"a".repeat(200)] {
            let label = domain_label("12", domain);
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(label.len() <= 63 && label.chars().all(fits) && !label.ends_with('-'), "{label}");
        }
    }

    #[test]
    fn no_two_domains_and_no_two_servers_share_a_label() {
        let long = "a".repeat(70);
        let pairs = [("0", "a.b"), ("0", "a-b"), ("1", "a.b"), ("0", "A.b"), ("0", &long), ("0", &long[1..])];
        let labels: std::collections::HashSet<_> =
            pairs.iter().map(|(id, domain)| domain_label(id, domain)).collect();
        assert_eq!(labels.len(), pairs.len());
    }
}
