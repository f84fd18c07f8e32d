//! Assembles the documents of the apps: each page with the shared style and the shared bridge.

/// The shared look.
const STYLE: &str = include_str!("base.css");
/// The bridge to the host.
const BRIDGE: &str = include_str!("bridge.js");

/// Where the style goes.
const STYLE_HERE: &str = "/*{{base.css}}*/";
/// Where the bridge goes.
const BRIDGE_HERE: &str = "/*{{bridge.js}}*/";

/// The complete page. A View may load nothing, so everything is inline.
pub(super) fn assemble(page: &str) -> String {
    page.replacen(STYLE_HERE, STYLE, 1).replacen(BRIDGE_HERE, BRIDGE, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::app::APPS;

    #[test]
    fn every_page_has_one_place_for_each_part() {
        for app in APPS {
            assert_eq!(app.page.matches(STYLE_HERE).count(), 1, "{}", app.uri);
            assert_eq!(app.page.matches(BRIDGE_HERE).count(), 1, "{}", app.uri);
        }
        for part in [STYLE, BRIDGE] {
            assert!(
                !part.contains("/*{{") && !part.contains("</"),
                "a part must not end the element it is in"
            );
        }
    }

    #[test]
    fn documents_are_whole_and_small() {
        for app in APPS {
            let document = assemble(app.page);
            let count = |text: &str| document.matches(text).count();
            assert!(document.starts_with("<!doctype html>"), "{}", app.uri);
            assert_eq!((count("</script"), count("</style"), count("</html>")), (1, 3, 1), "{}", app.uri);
            assert_eq!((count("class Host {"), count("--color-background-primary: ")), (1, 1), "{}", app.uri);
            assert_eq!((count("/*{{"), count("/*{{NAME}}*/")), (1, 1), "only the comment on top is left");
            assert!(document.len() < 25_000, "{} has {} bytes", app.uri, document.len());
        }
    }

    #[test]
    fn documents_load_nothing_from_elsewhere() {
        for app in APPS {
            let document = assemble(app.page);
            for loading in ["src=", "<link", "@import", "url(", "import("] {
                assert!(!document.contains(loading), "{} has {loading}", app.uri);
            }
        }
    }
}
