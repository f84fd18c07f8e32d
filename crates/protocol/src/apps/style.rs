//! The CSS custom properties that hosts and Views agree on.

/// The standard names, in groups: a beginning and the endings that follow it.
const GROUPS: &[(&str, &[&str])] = &[
    ("--color-background-", BACKGROUND),
    ("--color-text-", BACKGROUND),
    ("--color-border-", BACKGROUND),
    ("--color-ring-", &["primary", "secondary", "inverse", "info", "danger", "success", "warning"]),
    ("--font-", &["sans", "mono"]),
    ("--font-weight-", &["normal", "medium", "semibold", "bold"]),
    ("--font-text-", &["xs-size", "sm-size", "md-size", "lg-size"]),
    ("--font-heading-", &["xs-size", "sm-size", "md-size", "lg-size", "xl-size", "2xl-size", "3xl-size"]),
    ("--font-text-", &["xs-line-height", "sm-line-height", "md-line-height", "lg-line-height"]),
    (
        "--font-heading-",
        &[
            "xs-line-height",
            "sm-line-height",
            "md-line-height",
            "lg-line-height",
            "xl-line-height",
            "2xl-line-height",
            "3xl-line-height",
        ],
    ),
    ("--border-radius-", &["xs", "sm", "md", "lg", "xl", "full"]),
    ("--border-width-", &["regular"]),
    ("--shadow-", &["hairline", "sm", "md", "lg"]),
];

const BACKGROUND: &[&str] = &[
    "primary",
    "secondary",
    "tertiary",
    "inverse",
    "ghost",
    "info",
    "danger",
    "success",
    "warning",
    "disabled",
];

/// Every standard name.
pub fn names() -> impl Iterator<Item = String> {
    GROUPS.iter().flat_map(|(start, ends)| ends.iter().map(move |end| format!("{start}{end}")))
}

/// Whether a custom property is a standard one.
pub fn is_standard(name: &str) -> bool {
    GROUPS.iter().any(|(start, ends)| name.strip_prefix(start).is_some_and(|end| ends.contains(&end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_standard() {
        let mut all: Vec<String> = names().collect();
        assert!(all.iter().all(|name| is_standard(name)));
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn other_names_are_not() {
        for name in
            ["--color-ring-ghost", "--font-heading-4xl-size", "--border-radius-small", "--color-text-", ""]
        {
            assert!(!is_standard(name), "{name}");
        }
    }
}
