//! The Content-Security-Policy of a View, built from what its resource declares.

use std::fmt;

use super::{Csp, MetadataProblem, Weight, check_source};

/// A policy, directive by directive; printed, it is the value of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    directives: Vec<(&'static str, Vec<String>)>,
}

impl Policy {
    /// The policy that the specification demands for a View, and the declared sources that it had to leave out.
    ///
    /// Where the specification contradicts itself, the stricter reading counts, since a host may restrict further:
    /// `connect-src` is `'none'` without declared domains, and lists nothing but them otherwise, although the
    /// construction example adds `'self'`. Fonts fall under `default-src 'none'` when no CSP is declared, since the
    /// restrictive default does not list them; with one, they may come from `'self'` and the declared domains.
    pub fn from_csp(csp: Option<&Csp>) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let none = Csp::default();
        let lists = csp.unwrap_or(&none);
        let mut keep = |list: &[String], name: &str| valid(list, name, &mut findings);
        let resource = keep(&lists.resource_domains, "resourceDomains");
        let connect = keep(&lists.connect_domains, "connectDomains");
        let frame = keep(&lists.frame_domains, "frameDomains");
        let base = keep(&lists.base_uri_domains, "baseUriDomains");
        let mut policy = Self { directives: Vec::new() };
        policy.push("default-src", "'none'", &[]);
        policy.push("script-src", "'self' 'unsafe-inline'", &resource);
        policy.push("style-src", "'self' 'unsafe-inline'", &resource);
        policy.push("img-src", "'self' data:", &resource);
        policy.push("media-src", "'self' data:", &resource);
        if csp.is_some() {
            policy.push("font-src", "'self'", &resource);
        }
        policy.push_or("connect-src", connect, "'none'");
        policy.push_or("frame-src", frame, "'none'");
        policy.push("object-src", "'none'", &[]);
        policy.push_or("base-uri", base, "'self'");
        (policy, findings)
    }

    /// The sources of a directive.
    pub fn sources(&self, directive: &str) -> Option<&[String]> {
        self.directives.iter().find(|(name, _)| *name == directive).map(|(_, sources)| sources.as_slice())
    }

    /// The policy with one more directive, which replaces one of the same name.
    ///
    /// This is for what a host adds on its own (`frame-ancestors`, `sandbox`, `form-action`); `sources` are not checked.
    #[must_use]
    pub fn with(mut self, directive: &'static str, sources: &[&str]) -> Self {
        self.directives.retain(|(name, _)| *name != directive);
        self.directives.push((directive, sources.iter().map(|source| (*source).to_owned()).collect()));
        self
    }

    fn push(&mut self, directive: &'static str, base: &str, more: &[String]) {
        let sources = base.split(' ').map(str::to_owned).chain(more.iter().cloned()).collect();
        self.directives.push((directive, sources));
    }

    fn push_or(&mut self, directive: &'static str, sources: Vec<String>, otherwise: &str) {
        let sources = if sources.is_empty() { vec![otherwise.to_owned()] } else { sources };
        self.directives.push((directive, sources));
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, sources)) in self.directives.iter().enumerate() {
            let gap = if index == 0 { "" } else { "; " };
            write!(f, "{gap}{name}")?;
            for source in sources {
                write!(f, " {source}")?;
            }
        }
        Ok(())
    }
}

/// The entries of a list that may go into the header.
fn valid(list: &[String], name: &str, findings: &mut Vec<MetadataProblem>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for (index, source) in list.iter().enumerate() {
        let problem = check_source(source).err();
        if let Some(problem) = problem {
            let weight = if problem.is_fatal() { Weight::Broken } else { Weight::Doubtful };
            let says = format!("`{}` {problem}", source.escape_debug());
            findings.push(MetadataProblem { at: format!("_meta.ui.csp.{name}[{index}]"), says, weight });
        }
        if !problem.is_some_and(super::SourceProblem::is_fatal) && !kept.contains(source) {
            kept.push(source.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn without_csp_the_default_is_restrictive() {
        let (policy, findings) = Policy::from_csp(None);
        assert_eq!(
            policy.to_string(),
            "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; \
             img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; \
             object-src 'none'; base-uri 'self'"
        );
        assert!(findings.is_empty());
    }

    #[test]
    fn an_empty_csp_opens_nothing_but_fonts_from_itself() {
        let (policy, _) = Policy::from_csp(Some(&Csp::default()));
        assert_eq!(policy.sources("connect-src"), Some(strings(&["'none'"]).as_slice()));
        assert_eq!(policy.sources("font-src"), Some(strings(&["'self'"]).as_slice()));
        assert_eq!(policy.sources("frame-src"), Some(strings(&["'none'"]).as_slice()));
    }

    #[test]
    fn each_list_opens_its_directives() {
        let csp = Csp {
            connect_domains: strings(&["https://api.example"]),
            resource_domains: strings(&["https://*.cdn.example"]),
            frame_domains: strings(&["https://video.example"]),
            base_uri_domains: strings(&["https://base.example"]),
        };
        let text = Policy::from_csp(Some(&csp)).0.to_string();
        for directive in [
            "script-src 'self' 'unsafe-inline' https://*.cdn.example;",
            "style-src 'self' 'unsafe-inline' https://*.cdn.example;",
            "img-src 'self' data: https://*.cdn.example;",
            "media-src 'self' data: https://*.cdn.example;",
            "font-src 'self' https://*.cdn.example;",
            "connect-src https://api.example;",
            "frame-src https://video.example;",
            "object-src 'none';",
        ] {
            assert!(text.contains(directive), "{directive} in {text}");
        }
        assert!(text.ends_with("base-uri https://base.example"));
    }

    #[test]
    fn bad_sources_never_reach_the_header() {
        let csp = Csp {
            connect_domains: strings(&[
                "https://a.example; script-src *",
                "'unsafe-eval'",
                "*",
                "https://ok.example",
            ]),
            ..Csp::default()
        };
        let (policy, findings) = Policy::from_csp(Some(&csp));
        assert_eq!(policy.sources("connect-src"), Some(strings(&["https://ok.example"]).as_slice()));
        let said: Vec<String> = findings.iter().map(MetadataProblem::to_string).collect();
        assert_eq!(
            said[0],
            "_meta.ui.csp.connectDomains[0]: `https://a.example; script-src *` contains a character that would change the policy"
        );
        assert_eq!(said.len(), 3);
        assert!(findings.iter().all(|finding| finding.weight == Weight::Broken));
    }

    #[test]
    fn a_list_of_bad_sources_is_an_empty_one() {
        let csp =
            Csp { frame_domains: strings(&["*"]), base_uri_domains: strings(&["data:"]), ..Csp::default() };
        let (policy, _) = Policy::from_csp(Some(&csp));
        assert_eq!(policy.sources("frame-src"), Some(strings(&["'none'"]).as_slice()));
        assert_eq!(policy.sources("base-uri"), Some(strings(&["'self'"]).as_slice()));
    }

    #[test]
    fn odd_sources_are_kept_once_and_reported() {
        let csp = Csp { connect_domains: strings(&["api.example", "api.example"]), ..Csp::default() };
        let (policy, findings) = Policy::from_csp(Some(&csp));
        assert_eq!(policy.sources("connect-src"), Some(strings(&["api.example"]).as_slice()));
        assert_eq!(findings[0].weight, Weight::Doubtful);
    }

    #[test]
    fn a_host_may_add_and_replace() {
        let policy =
            Policy::from_csp(None).0.with("frame-ancestors", &["http://a"]).with("base-uri", &["'none'"]);
        let text = policy.to_string();
        assert!(text.ends_with("object-src 'none'; frame-ancestors http://a; base-uri 'none'"), "{text}");
    }
}
