//! Finds secrets in text and hides them, in one pass.
//!
//! A value is secret because of where it came from (`origin.rs`): an option, a header, a configuration, a URL, the
//! environment. Wherever it appears, in any common encoding, [`HIDDEN`] replaces it. Values that are too common to be
//! looked for in text (`appearance.rs`) are hidden only where they are given. Where a text was cut, the remaining piece
//! of a secret is hidden as well. No I/O besides reading the environment.

mod appearance;
pub(crate) mod origin;
mod spelling;
mod unescape;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;

pub use appearance::is_secret_name;
pub(crate) use appearance::{is_ordinary, is_placeholder, looks_random, random_words};
pub use origin::{secrets_of_command_line, secrets_of_environment, secrets_of_url};
use spelling::{Spelling, spellings};
use unescape::Unescaped;

/// The text that replaces a secret.
pub const HIDDEN: &str = "***";
/// Shorter pieces of a secret reveal nothing.
const MIN_PIECE: usize = 6;
/// A line of a longer value is looked for by itself when it has at least so many bytes.
const MIN_LINE: usize = 20;
/// The most bytes of one piece of a value.
const MAX_PIECE: usize = 1024;
/// How often a text may be escaped: JSON within JSON, and a URL within that.
const MAX_ESCAPE_LEVELS: usize = 4;

/// The secret values. Clones share them.
#[derive(Clone, Default)]
pub struct Secrets(Option<Arc<KnownSecrets>>);

struct KnownSecrets {
    values: BTreeSet<String>,
    spellings: Vec<Spelling>,
    whole: AhoCorasick,
    /// The first and the last bytes of every spelling.
    beginnings: Pieces,
    endings: Pieces,
}

/// Short pieces of spellings, each with the spelling that it belongs to.
struct Pieces {
    patterns: Option<AhoCorasick>,
    of: Vec<usize>,
}

impl Secrets {
    /// These values, without those that are too common to be looked for.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        Self::from_values(values.into_iter().flat_map(|value| parts_of_value(&value)).collect())
    }

    /// The same, with more values.
    #[must_use]
    pub fn with(&self, values: impl IntoIterator<Item = String>) -> Self {
        let mut all: BTreeSet<String> = values.into_iter().flat_map(|value| parts_of_value(&value)).collect();
        match &self.0 {
            Some(known) if all.is_subset(&known.values) => return self.clone(),
            Some(known) => all.extend(known.values.iter().cloned()),
            None => {}
        }
        Self::from_values(all)
    }

    /// The same, with all values of `other`.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.with(other.0.iter().flat_map(|known| known.values.iter().cloned()))
    }

    fn from_values(values: BTreeSet<String>) -> Self {
        let mut all: Vec<Spelling> = values.iter().flat_map(|value| spellings(value)).collect();
        all.retain(|spelling| spelling.text.len() >= appearance::MIN_SECRET);
        if all.is_empty() {
            return Self(None);
        }
        // This fails only when the patterns do not fit into memory.
        let whole = AhoCorasick::new(all.iter().map(|spelling| &spelling.text));
        let known = whole.ok().map(|whole| KnownSecrets {
            beginnings: Pieces::new(&all, |text| &text[..MIN_PIECE]),
            endings: Pieces::new(&all, |text| &text[text.len() - MIN_PIECE..]),
            values,
            spellings: all,
            whole,
        });
        Self(known.map(Arc::new))
    }

    /// Whether there is nothing to hide.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// `text` with every secret hidden.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let spans = self.find(text.as_bytes());
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let hidden = replace(text.as_bytes(), &spans);
        Cow::Owned(String::from_utf8_lossy(&hidden).into_owned())
    }

    /// The spans of all secrets, in order and without overlaps.
    pub(crate) fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let Some(known) = &self.0 else { return Vec::new() };
        let mut spans = known.find(text);
        // Each level is unescaped from the one above it, and its spans are mapped back through all levels.
        let mut levels: Vec<Unescaped> = Vec::new();
        while levels.len() < MAX_ESCAPE_LEVELS
            && let Some(level) = Unescaped::new(levels.last().map_or(text, |level| &level.text))
        {
            levels.push(level);
            let depth = levels.len();
            let found = known.find(&levels[depth - 1].text);
            spans.extend(
                found
                    .into_iter()
                    .map(|span| levels.iter().rev().fold(span, |span, level| level.original(&span))),
            );
        }
        merge_spans(spans, text)
    }
}

impl KnownSecrets {
    fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        for found in self.whole.find_overlapping_iter(text) {
            let span = found.start()..found.end();
            let base64 = self.spellings[found.pattern().as_usize()].base64;
            spans.push(if base64 { around_base64(text, span) } else { span });
        }
        for (spelling, span) in self.beginnings.find(text) {
            let rest = &self.spellings[spelling].text[MIN_PIECE..];
            let more = rest.iter().zip(&text[span.end..]).take_while(|(one, other)| one == other).count();
            if is_cut_after(&text[span.end + more..]) {
                spans.push(span.start..span.end + more);
            }
        }
        for (spelling, span) in self.endings.find(text) {
            let spelled = &self.spellings[spelling].text;
            let before = spelled[..spelled.len() - MIN_PIECE].iter().rev();
            let more =
                before.zip(text[..span.start].iter().rev()).take_while(|(one, other)| one == other).count();
            if is_cut_before(&text[..span.start - more]) {
                spans.push(span.start - more..span.end);
            }
        }
        spans
    }
}

impl Pieces {
    fn new(all: &[Spelling], piece: impl Fn(&[u8]) -> &[u8]) -> Self {
        let long = all.iter().enumerate().filter(|(_, spelling)| spelling.text.len() > MIN_PIECE);
        let (of, texts): (Vec<usize>, Vec<&[u8]>) =
            long.map(|(number, spelling)| (number, piece(&spelling.text))).unzip();
        let patterns = (!texts.is_empty()).then(|| AhoCorasick::new(texts).ok()).flatten();
        Self { patterns, of }
    }

    /// The index of the spelling and the span, for each piece that is found.
    fn find<'p>(&'p self, text: &'p [u8]) -> impl Iterator<Item = (usize, Range<usize>)> + 'p {
        let found = self.patterns.iter().flat_map(move |patterns| patterns.find_overlapping_iter(text));
        found.map(|found| (self.of[found.pattern().as_usize()], found.start()..found.end()))
    }
}

/// The texts to look for: the trimmed value, and each of its lines, since a key in PEM is often printed line by line. A
/// very long value is looked for in pieces, which is cheaper and finds the same.
fn parts_of_value(value: &str) -> Vec<String> {
    let mut parts: Vec<&str> = vec![value, value.trim()];
    parts.extend(value.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE));
    let mut found = Vec::new();
    for mut part in parts {
        while part.len() > MAX_PIECE {
            let (piece, rest) = part.split_at(part.floor_char_boundary(MAX_PIECE));
            found.push(piece.to_owned());
            part = rest;
        }
        found.push(part.to_owned());
    }
    found.retain(|part| !is_ordinary(part));
    found
}

/// Whether a text was cut before `rest`: there is no rest, or a quotation mark or an ellipsis follows.
fn is_cut_after(rest: &[u8]) -> bool {
    rest.is_empty()
        || [&b"..."[..], "…".as_bytes(), b"`", b"\"", b"'", b"\\", b"\n"]
            .iter()
            .any(|mark| rest.starts_with(mark))
}

/// Whether a text was cut after `before`.
fn is_cut_before(before: &[u8]) -> bool {
    before.is_empty() || [&b"..."[..], "…".as_bytes()].iter().any(|mark| before.ends_with(mark))
}

/// Extends the span by the digits at both ends that hold a few bits of the secret, and by the padding.
fn around_base64(text: &[u8], span: Range<usize>) -> Range<usize> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let start = span.start - usize::from(text[..span.start].last().is_some_and(is_digit));
    let mut end = span.end + usize::from(text.get(span.end).is_some_and(is_digit));
    end += text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    start..end
}

/// Sorts the spans, joins those that touch, and extends each to whole characters.
pub(crate) fn merge_spans(mut spans: Vec<Range<usize>>, text: &[u8]) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for mut span in spans {
        while is_inside(span.end) {
            span.end += 1;
        }
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            Some(_) | None => merged.push(span),
        }
    }
    merged
}

/// `text` with [`HIDDEN`] in the place of every span.
pub(crate) fn replace(text: &[u8], spans: &[Range<usize>]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        shown.extend_from_slice(&text[from..span.start]);
        shown.extend_from_slice(HIDDEN.as_bytes());
        from = span.end;
    }
    shown.extend_from_slice(&text[from..]);
    shown
}

// Not derived: that would show the secrets.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};

    use super::*;

    const SECRET: &str = "p4ss/w+rd \"ü\\~x>";

    fn secrets() -> Secrets {
        Secrets::new([SECRET.to_owned(), "s3cret-one".to_owned(), "s3cret-one-longer".to_owned()])
    }

    fn every_byte(write: impl Fn(u8) -> String) -> String {
        SECRET.bytes().map(write).collect()
    }

    #[test]
    fn every_encoding_is_hidden() {
        let json = serde_json::Value::from(SECRET).to_string();
        let twice = serde_json::Value::from(json.as_str()).to_string();
        let form: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
        let html = SECRET.replace('&', "&amp;").replace('"', "&quot;").replace('>', "&gt;");
        let units: String = SECRET.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        let mut all = vec![
            SECRET.to_owned(),
            json.trim_matches('"').to_owned(),
            twice,
            json.replace('/', "\\/"),
            form.clone(),
            form.replace('+', "%20").to_lowercase(),
            html,
            units,
            every_byte(|byte| format!("%{byte:02x}")),
            every_byte(|byte| format!("%{byte:02X}")),
            every_byte(|byte| format!("{byte:02x}")),
            every_byte(|byte| format!("{byte:02X}")),
            SECRET.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
        ];
        for around in ["", "u:", "us:", "{\"a\":\""] {
            all.push(STANDARD.encode(format!("{around}{SECRET}{around}")));
            all.push(URL_SAFE.encode(format!("{around}{SECRET}{around}")));
        }
        for text in all {
            let hidden = secrets().hide(&format!("before {text} after")).into_owned();
            assert!(
                hidden.contains("***") && hidden.starts_with("before ") && hidden.ends_with(" after"),
                "{text}: {hidden}"
            );
            let rest = hidden.replace("before", "").replace("after", "");
            assert!(rest.len() < 24 && !rest.contains("p4ss"), "{text}: {hidden}");
        }
    }

    #[test]
    fn a_secret_within_another_leaves_nothing_behind() {
        assert_eq!(secrets().hide("a s3cret-one-longer b s3cret-one c"), "a *** b *** c");
        let crossing = Secrets::new(["abcdef".to_owned(), "defghi".to_owned()]);
        assert_eq!(crossing.hide("x abcdefghi y"), "x *** y");
    }

    #[test]
    fn a_secret_that_was_cut_is_hidden_too() {
        for (text, shown) in [
            ("it said s3cret-on", "it said ***"),
            ("it said `s3cret-one-lo` twice", "it said `***` twice"),
            ("it said s3cret-… (9 bytes)", "it said ***… (9 bytes)"),
            ("…ne-longer it said", "…*** it said"),
            ("its stderr:\n  s3cret-on\n  more", "its stderr:\n  ***\n  more"),
            ("a s3cret-agent", "a s3cret-agent"),
        ] {
            assert_eq!(secrets().hide(text), shown, "{text}");
        }
    }

    #[test]
    fn a_long_value_is_found_by_its_lines_and_pieces() {
        let pem = "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nEFAASCBKcwggSjAgEAAoIBAQ\n";
        let long: String = (0..3000).map(|number| format!("{number:x}-")).collect();
        let secrets = Secrets::new([pem.to_owned(), long.clone()]);
        assert_eq!(secrets.hide("x MIIEvQIBADANBgkqhkiG9w0BAQ y"), "x *** y");
        assert_eq!(secrets.hide(&format!("x {long} y")), "x *** y");
    }

    #[test]
    fn what_is_ordinary_stays() {
        let ordinary = Secrets::new(["true", "1", "debug", "localhost", "", "abc"].map(str::to_owned));
        assert!(ordinary.is_empty());
        assert_eq!(ordinary.hide("true debug localhost abc"), "true debug localhost abc");
        assert_eq!(
            secrets().hide("nothing to hide: 100% \\ &amp; %41"),
            "nothing to hide: 100% \\ &amp; %41"
        );
    }

    #[test]
    fn nothing_is_told_by_its_own_description() {
        assert_eq!(format!("{:?}", secrets()), "Secrets");
    }
}
