//! Parses HTML as a browser does, and keeps only the errors. Parsing never fails.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, parse_document};

/// How many errors of one document are kept.
const MAX_ERRORS: usize = 50;

/// How an HTML document begins.
const DOCTYPE: &str = "<!doctype html";

/// Whether a text is an HTML document at all, however broken.
pub(super) fn is_document(html: &str) -> bool {
    let lower = html.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').to_ascii_lowercase();
    lower.starts_with(DOCTYPE) || lower.contains("<html") || has_doctype(html)
}

/// What a doctype may also name: HTML allows it for generators that cannot write the plain one.
const LEGACY: &str = "system \"about:legacy-compat\"";

/// Whether a document begins with the doctype of HTML5; white space and comments may come before it.
pub(super) fn has_doctype(html: &str) -> bool {
    let mut rest = html.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    while let Some((_, after)) = rest.strip_prefix("<!--").and_then(|comment| comment.split_once("-->")) {
        rest = after.trim_start();
    }
    let Some((doctype, _)) = rest.split_once('>') else { return false };
    let doctype = doctype.to_ascii_lowercase().replace('\'', "\"");
    doctype.strip_prefix(DOCTYPE).is_some_and(|more| more.trim().is_empty() || more.trim() == LEGACY)
}

/// What is wrong with the markup, each with its line.
pub(super) fn errors(html: &str) -> Vec<String> {
    let sink = parse_document(Sink::default(), ParseOpts::default()).one(html);
    sink.errors.into_inner()
}

/// Counts nodes, remembers the names of elements as the parser needs them, and collects errors.
#[derive(Default)]
struct Sink {
    names: RefCell<Vec<Option<QualName>>>,
    errors: RefCell<Vec<String>>,
    line: Cell<u64>,
}

/// The name of an element.
#[derive(Debug)]
struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl Sink {
    fn node(&self, name: Option<QualName>) -> usize {
        let mut names = self.names.borrow_mut();
        names.push(name);
        // Node 0 is the document.
        names.len()
    }
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        let mut errors = self.errors.borrow_mut();
        if errors.len() < MAX_ERRORS {
            errors.push(format!("line {}: {}", self.line.get().max(1), message.to_lowercase()));
        }
    }

    fn get_document(&self) -> usize {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> Name<'a> {
        Name(Ref::map(self.names.borrow(), |names| {
            let name = target.checked_sub(1).and_then(|at| names.get(at)).and_then(Option::as_ref);
            // The parser asks for names of elements alone.
            name.unwrap_or(&*NAMELESS)
        }))
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, _: ElementFlags) -> usize {
        self.node(Some(name))
    }

    fn create_comment(&self, _: StrTendril) -> usize {
        self.node(None)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        self.node(None)
    }

    fn get_template_contents(&self, _: &usize) -> usize {
        self.node(None)
    }

    fn same_node(&self, one: &usize, two: &usize) -> bool {
        one == two
    }

    fn set_current_line(&self, line: u64) {
        self.line.set(line);
    }

    // The tree itself is of no interest.
    fn append(&self, _: &usize, _: NodeOrText<usize>) {}
    fn append_based_on_parent_node(&self, _: &usize, _: &usize, _: NodeOrText<usize>) {}
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn append_before_sibling(&self, _: &usize, _: NodeOrText<usize>) {}
    fn add_attrs_if_missing(&self, _: &usize, _: Vec<Attribute>) {}
    fn remove_from_parent(&self, _: &usize) {}
    fn reparent_children(&self, _: &usize, _: &usize) {}
}

static NAMELESS: std::sync::LazyLock<QualName> =
    std::sync::LazyLock::new(|| QualName::new(None, Namespace::from(""), LocalName::from("")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doctype_may_follow_comments_and_nothing_else() {
        let legacy = "<!DOCTYPE html SYSTEM 'about:legacy-compat' ><p>";
        for sound in ["<!DOCTYPE html><p>", "\n<!-- a --> <!-- b -->\n<!doctype HTML>", legacy] {
            assert!(has_doctype(sound), "{sound}");
        }
        let old = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\"><html>";
        for broken in ["<html><body>", "Loading… <html>", "<!-- <!doctype html> --><html>", "", old] {
            assert!(!has_doctype(broken), "{broken}");
        }
    }

    #[test]
    fn a_sound_document_has_no_errors() {
        let sound = "<!doctype html>\n<html lang=\"en\"><head><title>a</title><script>if (1 < 2) { }</script></head>\
                     <body><template><p>x</p></template><svg><path d=\"M0 0\"/></svg><table><tr><td>1</table></body></html>";
        assert_eq!(errors(sound), [""; 0]);
    }

    #[test]
    fn errors_have_a_line() {
        let broken = errors("<!doctype html>\n<p><b>bold <i>both</b> italic</i></p></div>");
        assert!(!broken.is_empty() && broken[0].starts_with("line 2: "), "{broken:?}");
        assert!(!errors("<html><body>no doctype</body></html>").is_empty());
    }

    #[test]
    fn a_sentence_is_no_document() {
        assert!(!is_document("This is a sentence.") && !is_document("<div>a fragment</div>"));
        assert!(is_document(" \u{feff}<!DOCTYPE html><p>") && is_document("<!-- x --><HTML>"));
        // Comments may come before the doctype, and the tag of the html element may be left out.
        assert!(is_document("<!-- x -->\n<!DOCTYPE html><title>a</title><p>b"));
    }
}
