//! Names of origins.

/// The longest label of a host name.
const LONGEST: usize = 63;

/// The label for a domain that a resource asks for: always the same for the same domain, and never one of ours.
pub(super) fn label(domain: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = domain.chars().map(kept).collect();
    let text = format!("domain-{}", text.trim_matches('-'));
    text[..text.len().min(LONGEST)].trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_becomes_one_label() {
        assert_eq!(label("A904.claudemcpcontent.com"), "domain-a904-claudemcpcontent-com");
        assert_eq!(label("https://x y/"), "domain-https---x-y");
        assert_eq!(label("é"), "domain");
        assert!(label(&"a".repeat(200)).len() <= LONGEST);
    }
}
