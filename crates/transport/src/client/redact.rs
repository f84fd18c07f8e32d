//! What must not be shown: finding secrets in the description of a target, and hiding them.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// What stands in the place of a secret.
pub(crate) const HIDDEN: &str = "***";

/// Words that mark the value beside them as a secret.
const MARKS: [&str; 9] =
    ["token", "secret", "password", "passwd", "apikey", "auth", "credential", "signature", "session"];

/// Whether a name (of a query parameter, an option, a variable) says that its value is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    MARKS.iter().any(|mark| plain.contains(mark))
        || matches!(plain.as_str(), "key" | "sig" | "pass" | "pwd" | "code" | "jwt")
}

/// The words of a command line, the values of options that look secret hidden.
pub(crate) fn words<'a>(args: &'a [String]) -> Vec<Cow<'a, str>> {
    let mut hide_next = false;
    let hide = |word: &'a str| -> (Cow<'a, str>, bool) {
        let Some(option) = word.strip_prefix('-') else { return (Cow::Borrowed(word), false) };
        match word.split_once('=') {
            Some((name, _)) if is_secret_name(name) => (Cow::Owned(format!("{name}={HIDDEN}")), false),
            Some(_) => (Cow::Borrowed(word), false),
            None => (Cow::Borrowed(word), is_secret_name(option)),
        }
    };
    args.iter()
        .map(|word| {
            if std::mem::take(&mut hide_next) && !word.starts_with('-') {
                return Cow::Borrowed(HIDDEN);
            }
            let (shown, next) = hide(word);
            hide_next = next;
            shown
        })
        .collect()
}

/// The secrets among the words of a command line.
pub(crate) fn secret_words(args: &[String]) -> Vec<String> {
    let shown = words(args);
    let hidden = args.iter().zip(&shown).filter(|(word, shown)| *word != shown.as_ref());
    hidden
        .map(|(word, _)| word.split_once('=').map_or(word.as_str(), |(_, value)| value).to_owned())
        .collect()
}

/// A URL for humans: no user, no password, no value of a parameter that looks secret.
pub(crate) fn url(url: &url::Url) -> String {
    let mut shown = url.clone();
    // Both fail only for URLs without a host, which have neither.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    if url.query_pairs().any(|(name, _)| is_secret_name(&name)) {
        let pairs: Vec<String> = url.query_pairs().map(|(name, value)| pair(&name, &value)).collect();
        shown.set_query(Some(&pairs.join("&")));
    }
    shown.into()
}

fn pair(name: &str, value: &str) -> String {
    let value = if is_secret_name(name) { HIDDEN } else { value };
    format!("{name}={value}")
}

/// The secrets in a URL.
pub(crate) fn secret_parts(url: &url::Url) -> Vec<String> {
    let parameters =
        url.query_pairs().filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value.into());
    let password = url.password().map(str::to_owned);
    parameters.chain(password).collect()
}

/// `text` with every secret hidden. Secrets of fewer than four characters would hide half of any text; they stay.
pub(crate) fn hide<'t>(text: &'t str, secrets: &[String]) -> Cow<'t, str> {
    let mut shown = Cow::Borrowed(text);
    for secret in secrets.iter().filter(|s| s.len() >= 4) {
        for spelled in spellings(secret) {
            if shown.contains(&spelled) {
                shown = Cow::Owned(shown.replace(&spelled, HIDDEN));
            }
        }
    }
    shown
}

/// A secret as it may come back: as it is, escaped for a URL or for JSON, or in base64 of either alphabet.
fn spellings(secret: &str) -> Vec<String> {
    let escaped: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let json = serde_json::Value::from(secret).to_string();
    let mut all = vec![
        secret.to_owned(),
        escaped.replace('+', "%20"),
        lower_escapes(&escaped),
        escaped,
        json.trim_matches('"').to_owned(),
        STANDARD_NO_PAD.encode(secret),
        URL_SAFE_NO_PAD.encode(secret),
    ];
    // Longest first, so that no piece of one is left behind by another.
    all.sort_by_key(|spelled| std::cmp::Reverse(spelled.len()));
    all.dedup();
    all
}

/// The same escapes with lowercase digits, which are as valid.
fn lower_escapes(escaped: &str) -> String {
    let mut left = 0_u8;
    let lower = |c: char| {
        let inside = left > 0;
        left = if c == '%' { 2 } else { left.saturating_sub(1) };
        if inside { c.to_ascii_lowercase() } else { c }
    };
    escaped.chars().map(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn options_that_look_secret_are_hidden() {
        let line = args(&["run", "--api-key=abcd", "--token", "efgh", "--verbose", "--port", "80"]);
        assert_eq!(words(&line), ["run", "--api-key=***", "--token", "***", "--verbose", "--port", "80"]);
        assert_eq!(secret_words(&line), ["abcd", "efgh"]);
    }

    #[test]
    fn urls_lose_user_password_and_tokens() {
        let full: url::Url = "https://me:pw@host.example/mcp?access_token=abcd&page=2".parse().unwrap();
        assert_eq!(url(&full), "https://host.example/mcp?access_token=***&page=2");
        assert_eq!(secret_parts(&full), ["abcd", "pw"]);
    }

    #[test]
    fn secrets_are_hidden_in_text() {
        assert_eq!(hide("authorization: Bearer abcd", &args(&["Bearer abcd"])), "authorization: ***");
        assert_eq!(hide("a b c", &args(&["b"])), "a b c");
    }
}
