//! What a name or a value says about itself: whether it looks secret, and whether it is too ordinary to be one. No I/O.

/// Parts that make a name secret, wherever they occur in it.
const SECRET_PARTS: [&str; 17] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "credential",
    "signature",
    "session",
    "authorization",
    "oauth",
    "bearer",
    "cookie",
    "jwt",
];
/// Parts that make a name secret only as whole words.
const SECRET_WORDS: [&str; 12] =
    ["auth", "key", "keys", "sig", "pass", "pwd", "code", "pat", "otp", "cred", "creds", "dsn"];
/// A name with such an ending tells where a secret is, or of what kind it is.
const HARMLESS_ENDINGS: [&str; 17] = [
    "file", "path", "dir", "home", "name", "url", "uri", "type", "ttl", "timeout", "limit", "length", "size",
    "count", "sock", "socket", "version",
];
/// A name of something that is counted, which is not a secret either.
const COUNT_WORDS: [&str; 4] = ["max", "min", "num", "limit"];
/// The prefixes of the secrets of well-known services.
const SECRET_PREFIXES: [&str; 24] = [
    "sk-",
    "sk_",
    "pk_live_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
    "shpat_",
];
/// Common values that occur in any text. Hiding them would hide the text.
const COMMON_VALUES: [&str; 64] = [
    "true",
    "false",
    "none",
    "null",
    "auto",
    "default",
    "enabled",
    "disabled",
    "debug",
    "info",
    "notice",
    "warn",
    "warning",
    "error",
    "trace",
    "verbose",
    "silent",
    "quiet",
    "production",
    "development",
    "staging",
    "testing",
    "test",
    "prod",
    "stage",
    "local",
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "stdio",
    "http",
    "https",
    "streamable",
    "streamable-http",
    "json",
    "text",
    "utf-8",
    "utf8",
    "admin",
    "root",
    "user",
    "guest",
    "node",
    "python",
    "server",
    "client",
    "bearer",
    "basic",
    "main",
    "master",
    "read",
    "write",
    "read-only",
    "full",
    "always",
    "never",
    "plain",
    "sse",
    "mcp",
    "tools",
    "resources",
    "prompts",
    "application/json",
    "text/event-stream",
];

/// Hiding shorter values would hide half of any text.
pub(crate) const MIN_SECRET: usize = 4;
/// A shorter text may be a word, however random it looks.
const MIN_RANDOM: usize = 16;

/// Whether a name (of a query parameter, an option, a variable, a header) says that its value is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let words = words_of(name);
    let is_about =
        words.last().is_some_and(|last| words.len() > 1 && HARMLESS_ENDINGS.contains(&last.as_str()));
    let counts = words.first().is_some_and(|first| words.len() > 1 && COUNT_WORDS.contains(&first.as_str()));
    if is_about || counts {
        return false;
    }
    let plain: String = words.concat();
    SECRET_PARTS.iter().any(|mark| plain.contains(mark))
        || words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()))
}

/// The words of a name in lower case, in any common notation: `accessKey`, `ACCESS_KEY`, `--access-key`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        let begins = !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && before.is_ascii_lowercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a value is too short or too common to be looked for in text, wherever it came from.
pub(crate) fn is_ordinary(value: &str) -> bool {
    let value = value.trim();
    let is_number = value.chars().all(|c| c.is_ascii_digit() || c == '.');
    value.len() < MIN_SECRET
        || (is_number && value.len() < 6)
        || COMMON_VALUES.iter().any(|word| value.eq_ignore_ascii_case(word))
        || is_place(value)
        || is_placeholder(value)
}

/// Whether a value is a name in braces, which whoever reads the text replaces.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let name = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())
}

/// Whether a value names a place on this machine.
pub(crate) fn is_place(value: &str) -> bool {
    let path = std::path::Path::new(value);
    path.is_absolute() && path.exists()
}

/// Whether a word looks random, as keys and tokens do. Paths, names, versions and numbers do not.
pub(crate) fn looks_random(word: &str) -> bool {
    if word.len() < MIN_RANDOM || is_uuid(word) || !word.chars().all(is_of_token) {
        return false;
    }
    if SECRET_PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
        return true;
    }
    let (mut switches, mut letters, mut longest) = (0_usize, 0_usize, 0_usize);
    for run in word.split(|c: char| !c.is_ascii_alphanumeric()) {
        let kinds: Vec<u8> = run.bytes().map(kind_of).collect();
        switches += kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
        letters += run.len();
        longest = longest.max(run.len());
    }
    // In `getAllTools2` one letter in three differs in kind from the next. Many digits are a sign of randomness.
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let enough = if digits * 8 >= letters { letters } else { letters * 8 / 5 };
    letters >= MIN_RANDOM && longest >= 10 && switches * 4 >= enough && distinct(word) >= 8
}

/// The words within `text` that look random.
pub(crate) fn random_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_token(c)).flat_map(|word| {
        // In `name=value` the part before the sign is a name.
        let value = word.split_once('=').filter(|(_, value)| !value.trim_matches('=').is_empty());
        let word = value.map_or(word, |(_, value)| value);
        // A path is judged by its parts. The parts of a token with a `/` in it are as random as the whole.
        let is_path = word.starts_with(['/', '.', '~']) || word.matches('/').count() > 3;
        let parts: Vec<&str> = if is_path { word.split('/').collect() } else { vec![word] };
        parts.into_iter().filter(|part| looks_random(part))
    })
}

fn is_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/=_-.~".contains(c)
}

const fn kind_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    }
}

fn distinct(word: &str) -> usize {
    word.bytes().collect::<std::collections::BTreeSet<_>>().len()
}

/// UUIDs are common, and most of them are not secrets.
fn is_uuid(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for name in [
            "token",
            "api_key",
            "apiKey",
            "API-KEY",
            "--access-key",
            "X-Access-Key",
            "AWS_SECRET_ACCESS_KEY",
            "pwd",
            "DB_PASSWORD",
            "authToken",
            "sessionId",
            "key",
            "sig",
            "github_pat",
            "Authorization",
            "Cookie",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "author",
            "GIT_AUTHOR_NAME",
            "keyboard",
            "monkey",
            "page",
            "TOKEN_URL",
            "key-file",
            "max-tokens",
            "path",
            "region",
            "compass",
            "passenger",
            "SSH_AUTH_SOCK",
            "decode",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn what_chance_made_is_told_from_what_people_wrote() {
        for word in [
            "9f8a7c6b5d4e3f2a1b0c",
            "sk-proj-abcdefghijklmnop",
            "AKIAIOSFODNN7EXAMPLE",
            "Zm9vYmFyYmF6cXV4MTIzNDU2",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYz4Qm8Tk2Vw",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "a8Xk2PqLm9Zt4RwB",
        ] {
            assert!(looks_random(word), "{word}");
        }
        for word in [
            "x86_64-unknown-linux-gnu",
            "3b241101-e2bb-4255-8caf-4136c566a962",
            "server-filesystem-2026.7.1",
            "localhost:8080",
            "production-environment",
            "@modelcontextprotocol/server-everything",
            "getAllToolsAndResources",
            "oAuth2CallbackHandlerUrl",
            "2026-11-16T22:00:26Z",
            "build20261116abcdef",
            "node_modules/.bin/some-server.mjs",
            "--allow-calls=read-only",
            "1234567890123456",
            "aaaaaaaaaaaaaaaa1",
            "mcp-server-sqlite-npx@0.8.1",
            "xterm-256color",
            "truecolor",
            "en_US.UTF-8",
        ] {
            assert!(!looks_random(word), "{word}");
        }
    }

    #[test]
    fn random_words_are_found_within_text() {
        let text = "curl -H 'X: a8Xk2PqLm9Zt4RwB' https://h.example/t/9f8a7c6b5d4e3f2a1b0c/x?k=Zm9vYmFyYmF6cXV4MTIzNDU2";
        let found: Vec<_> = random_words(text).collect();
        assert_eq!(found, ["a8Xk2PqLm9Zt4RwB", "9f8a7c6b5d4e3f2a1b0c", "Zm9vYmFyYmF6cXV4MTIzNDU2"]);
    }

    #[test]
    fn what_stands_in_any_text_is_ordinary() {
        for value in ["", "abc", "true", "DEBUG", "production", "localhost", "8080", "/", "1.2.3"] {
            assert!(is_ordinary(value), "{value}");
        }
        for value in ["abcd", "hunter2", "123456", "eu-west-1"] {
            assert!(!is_ordinary(value), "{value}");
        }
    }
}
