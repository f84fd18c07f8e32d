//! Where secrets come from: the words of a command line, URLs, headers and the environment.

use std::borrow::Cow;

use url::Url;

use super::{HIDDEN, Secrets, is_ordinary, is_placeholder, is_secret_name, looks_random, random_words};

/// A variable with a secret name may hold an ordinary word. Only a value of at least this length counts as a secret.
const MIN_VARIABLE: usize = 8;
/// Parts of a variable's name that rule out a secret, however random the value looks.
const HARMLESS_PARTS: [&str; 22] = [
    "PATH",
    "HOME",
    "HOST",
    "PWD",
    "SHELL",
    "TERM",
    "LANG",
    "USER",
    "DISPLAY",
    "XDG_",
    "DBUS_",
    "SSH_",
    "SESSION",
    "SHA",
    "COMMIT",
    "VERSION",
    "COLOR",
    "INVOCATION_ID",
    "RUN_ID",
    "_DIR",
    "TMP",
    "PROMPT",
];
/// Options whose value is `Name: value` or `NAME=value`.
const HEADER_OPTIONS: [&str; 2] = ["--header", "-H"];
const VARIABLE_OPTIONS: [&str; 2] = ["--env", "-e"];

/// A word of a command line: what is shown of it, and what in it is secret.
pub(crate) struct Word<'w> {
    pub(crate) shown: Cow<'w, str>,
    pub(crate) secrets: Vec<String>,
}

/// The words of a command line, one by one.
pub(crate) fn read_words<'w>(words: &'w [String]) -> Vec<Word<'w>> {
    let mut before = "";
    let read = |word: &'w String| {
        let read = read_word(word, before);
        before = word;
        read
    };
    words.iter().map(read).collect()
}

/// A word, given the one before it.
fn read_word<'w>(word: &'w str, before: &str) -> Word<'w> {
    let is_option = before.starts_with('-') && !before.contains('=');
    if is_option && !word.starts_with('-') {
        return read_value(word, before);
    }
    if let (true, Some((name, value))) = (word.starts_with('-'), word.split_once('=')) {
        let read = read_value(value, name);
        return Word { shown: joined(name, &read, word), secrets: read.secrets };
    }
    match assignment(word).filter(|(name, _)| is_secret_name(name)) {
        Some((name, value)) => {
            Word { shown: format!("{name}={HIDDEN}").into(), secrets: vec![value.to_owned()] }
        }
        None => read_text(word),
    }
}

/// The value of an option.
fn read_value<'w>(value: &'w str, option: &str) -> Word<'w> {
    let after = |sign: char| value.split_once(sign).map(|(name, rest)| (name, rest.trim()));
    if HEADER_OPTIONS.contains(&option)
        && let Some((name, rest)) = after(':')
    {
        return Word { shown: format!("{name}: {HIDDEN}").into(), secrets: with_bare(rest) };
    }
    if VARIABLE_OPTIONS.contains(&option)
        && let Some((name, rest)) = after('=')
    {
        return Word { shown: format!("{name}={HIDDEN}").into(), secrets: vec![rest.to_owned()] };
    }
    if is_secret_name(option.trim_start_matches('-')) {
        return Word { shown: HIDDEN.into(), secrets: with_bare(value) };
    }
    read_text(value)
}

/// A word without a known meaning: secrets in its URLs are hidden, and what looks random.
fn read_text(text: &str) -> Word<'_> {
    let mut secrets: Vec<String> = random_words(text).map(str::to_owned).collect();
    if let Some(parts) = parts_of_url(text) {
        secrets.extend(parts);
        return Word { shown: show_url_text(text).into(), secrets };
    }
    let mut shown = Cow::Borrowed(text);
    for secret in &secrets {
        shown = shown.replace(secret.as_str(), HIDDEN).into();
    }
    Word { shown, secrets }
}

fn joined<'w>(name: &str, value: &Word<'_>, whole: &'w str) -> Cow<'w, str> {
    if value.secrets.is_empty() { whole.into() } else { format!("{name}={}", value.shown).into() }
}

/// `NAME=value`, as `env` and a shell take it.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !value.is_empty()).then_some((name, value))
}

/// A credential with and without its scheme, because either may be shown.
pub(crate) fn with_bare(value: &str) -> Vec<String> {
    let bare = value.split_once(' ').map(|(_, bare)| bare.trim().to_owned());
    let scheme =
        |word: &str| ["bearer", "basic", "token", "digest"].contains(&word.to_ascii_lowercase().as_str());
    let is_credential = value.split_once(' ').is_some_and(|(word, _)| scheme(word));
    match bare {
        Some(bare) if is_credential => vec![bare],
        Some(bare) => vec![value.to_owned(), bare],
        None => vec![value.to_owned()],
    }
}

/// The secrets of our own command line, valid or not: values of options, URLs, and the server's command.
pub fn secrets_of_command_line(words: &[String]) -> Secrets {
    let mut found: Vec<String> = read_words(words).into_iter().flat_map(|word| word.secrets).collect();
    for pair in words.windows(2) {
        let (option, value) = (pair[0].as_str(), pair[1].as_str());
        let is_name = value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        // The parser echoes a misspelt option whole.
        if (HEADER_OPTIONS.contains(&option) && !value.contains(':'))
            || (VARIABLE_OPTIONS.contains(&option) && !value.contains('=') && !is_name)
        {
            found.extend(with_bare(value));
        }
    }
    Secrets::new(found)
}

/// The secrets among the environment variables of this process, which the processes that it starts inherit.
pub fn secrets_of_environment() -> Secrets {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Secrets::new(variables.flat_map(|(name, value)| secrets_of_variable(&name, &value)))
}

/// The secrets in an inherited variable.
fn secrets_of_variable(name: &str, value: &str) -> Vec<String> {
    if let Some(parts) = parts_of_url(value) {
        // The address of a service is not a secret, but the credentials in it are.
        return parts;
    }
    let upper = name.to_ascii_uppercase();
    let is_path = value.starts_with(['/', '.', '~']) || value.contains(":/");
    let is_harmless = HARMLESS_PARTS.iter().any(|part| upper.contains(part));
    if is_secret_name(name) && !upper.contains("SESSION") && !upper.ends_with("CODE") && !is_path {
        return if value.len() >= MIN_VARIABLE { vec![value.to_owned()] } else { Vec::new() };
    }
    if is_harmless || is_path {
        return Vec::new();
    }
    random_words(value).map(str::to_owned).collect()
}

/// The secrets in a URL.
pub fn secrets_of_url(url: &Url) -> Vec<String> {
    parts_of_url(url.as_str()).unwrap_or_default()
}

/// The secrets in a text that looks like a URL, valid or not; `None` for any other text.
fn parts_of_url(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme))?;
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut parts: Vec<&str> = Vec::new();
    if let Some((userinfo, _)) = authority.rsplit_once('@') {
        let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
        parts.extend([userinfo, user, password]);
    }
    parts.extend(query.split('&').filter_map(|pair| pair.split_once('=').map(|(_, value)| value)));
    // A part without a name is a value.
    parts.extend(query.split('&').filter(|pair| !pair.contains('=')));
    parts.push(fragment);
    parts.extend(fragment.split('&').filter_map(|pair| pair.split_once('=').map(|(_, value)| value)));
    parts.extend(secret_segments(path));
    let decoded = |part: &str| [part.to_owned(), decode(part)];
    Some(parts.into_iter().filter(|part| !part.is_empty()).flat_map(decoded).collect())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// The parts of a path that look random, or that follow a word that announces a secret.
fn secret_segments(path: &str) -> impl Iterator<Item = &str> {
    let segments = || path.split('/');
    let before = std::iter::once("").chain(segments());
    segments()
        .zip(before)
        .filter(|(segment, before)| is_secret_segment(segment, before))
        .map(|(segment, _)| segment)
}

fn is_secret_segment(segment: &str, before: &str) -> bool {
    let announced =
        is_secret_name(before) && segment.len() >= 6 && segment.contains(|c: char| c.is_ascii_digit());
    announced || looks_random(&decode(segment))
}

fn decode(text: &str) -> String {
    let bytes = text.replace('+', " ");
    let decoded: Vec<u8> = url::form_urlencoded::parse(format!("x={}", bytes.replace('&', "%26")).as_bytes())
        .next()
        .map(|(_, value)| value.into_owned().into_bytes())
        .unwrap_or_default();
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A URL for people: no user, no value of a parameter, no fragment, and no part of the path that looks secret.
pub(crate) fn show_url(url: &Url) -> String {
    show_url_text(url.as_str())
}

fn show_url_text(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (rest, fragment) =
        rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let (authority, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let mut shown = format!("{scheme}://{host}");
    if let Some(path) = path {
        let mut before = "";
        for segment in path.split('/') {
            shown.push('/');
            shown.push_str(if is_secret_segment(segment, before) { HIDDEN } else { segment });
            before = segment;
        }
    }
    if let Some(query) = query {
        shown.push('?');
        shown.push_str(&show_query(query));
    }
    if let Some(fragment) = fragment.filter(|fragment| !fragment.is_empty()) {
        shown.push('#');
        shown.push_str(show_value(fragment));
    }
    shown
}

/// A value of a URL, which may be a secret unless it only stands for one that is not there yet.
fn show_value(value: &str) -> &str {
    if is_placeholder(value) { value } else { HIDDEN }
}

/// The names of the parameters. A part without a name is a value, and hidden.
fn show_query(query: &str) -> String {
    let pair = |pair: &str| match pair.split_once('=') {
        Some((name, value)) => format!("{name}={}", show_value(value)),
        None if pair.is_empty() => String::new(),
        None => show_value(pair).to_owned(),
    };
    query.split('&').map(pair).collect::<Vec<_>>().join("&")
}

/// Whether a header of a request says nothing about who sends it.
pub(crate) fn is_harmless_header(name: &str) -> bool {
    const NAMES: [&str; 26] = [
        "accept",
        "accept-encoding",
        "accept-language",
        "allow",
        "cache-control",
        "connection",
        "content-encoding",
        "content-language",
        "content-length",
        "content-type",
        "date",
        "etag",
        "expect",
        "host",
        "keep-alive",
        "last-event-id",
        "origin",
        "pragma",
        "priority",
        "server",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "vary",
    ];
    const PREFIXES: [&str; 4] = ["mcp-", "sec-", "access-control-", "content-security-"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a value that came in a header is worth looking for elsewhere.
pub(crate) fn is_worth_learning(value: &str) -> bool {
    value.len() >= MIN_VARIABLE && !is_ordinary(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn shown(words: &[&str]) -> String {
        let words = line(words);
        read_words(&words).iter().map(|word| word.shown.clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_that_hold_secrets_are_hidden() {
        for (words, expected) in [
            (
                &["run", "--api-key=abcd", "--token", "efgh", "--verbose", "--port", "80"][..],
                "run --api-key=*** --token *** --verbose --port 80",
            ),
            (&["--access-key", "abc", "x"], "--access-key *** x"),
            (
                &["--header", "Authorization: Bearer abc", "-H", "X: y"],
                "--header Authorization: *** -H X: ***",
            ),
            (&["docker", "-e", "MODE=x1", "img"], "docker -e MODE=*** img"),
            (&["API_TOKEN=abcd", "LANG=C"], "API_TOKEN=*** LANG=C"),
            (&["https://u:p@h.example/a?b=c#d"], "https://h.example/a?b=***#***"),
            (
                &["--page", "http://h.example/?server={server}&key=abcd#{tool}"],
                "--page http://h.example/?server={server}&key=***#{tool}",
            ),
            (&["serve", "9f8a7c6b5d4e3f2a1b0c"], "serve ***"),
            (
                &["npx", "-y", "@modelcontextprotocol/server-filesystem@2026.7.1", "/tmp"],
                "npx -y @modelcontextprotocol/server-filesystem@2026.7.1 /tmp",
            ),
            (
                &["python", "-m", "server", "--author", "Jane", "--log-level=debug"],
                "python -m server --author Jane --log-level=debug",
            ),
        ] {
            assert_eq!(shown(words), expected);
        }
    }

    #[test]
    fn variables_of_an_ordinary_machine_are_no_secrets() {
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin"),
            ("HOME", "/srv/jane"),
            ("HOSTNAME", "my-app-7d9f8b6c5d-x2x4z"),
            ("LANG", "en_US.UTF-8"),
            ("XDG_SESSION_ID", "c2"),
            ("XDG_SESSION_DESKTOP", "ubuntu-wayland-session"),
            ("SSH_AUTH_SOCK", "/run/agent.sock"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
            ("GITHUB_SHA", "9f8a7c6b5d4e3f2a1b0c9f8a7c6b5d4e3f2a1b0c"),
            ("TERM", "xterm-256color"),
            ("npm_package_version", "2026.7.1"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("INVOCATION_ID", "0f8fad5bd9cb469fa16570867728950e"),
            ("LS_COLORS", "rs=0:di=01;34:ln=01;36:*.tar=01;31"),
            ("WINDOWID", "62914567"),
            ("JOURNAL_STREAM", "8:35420"),
            ("SERVICE_URL", "https://api.example/v1"),
            ("SESSION_MANAGER", "local/box:@/tmp/.ICE-unix/2100"),
            ("RUSTUP_TOOLCHAIN", "stable-x86_64-unknown-linux-gnu"),
        ] {
            assert_eq!(secrets_of_variable(name, value), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn variables_that_hold_secrets_are_known_by_name_or_look() {
        for (name, value, secret) in [
            ("SERVICE_TOKEN", "tok-123456", "tok-123456"),
            (
                "AWS_SECRET_ACCESS_KEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ),
            ("SOMETHING", "a8Xk2PqLm9Zt4RwBc7", "a8Xk2PqLm9Zt4RwBc7"),
            ("BOT", "123456789:AAF8Xk2PqLm9Zt4RwBc7dE1", "AAF8Xk2PqLm9Zt4RwBc7dE1"),
            ("DATABASE_URL", "postgres://app:hunter22@db/x", "hunter22"),
        ] {
            let found = secrets_of_variable(name, value);
            assert!(found.iter().any(|it| it == secret), "{name}: {found:?}");
        }
    }

    #[test]
    fn every_part_of_a_url_that_may_be_secret_is_known() {
        let url: Url =
            "https://jane:p%40ss1@h.example/t/9f8a7c6b5d4e3f2a1b0c/mcp?page=two2&k=s3%2Fc&bare1#frag=ment1"
                .parse()
                .unwrap();
        assert_eq!(show_url(&url), "https://h.example/t/***/mcp?page=***&k=***&***#***");
        let found = secrets_of_url(&url);
        for part in [
            "jane",
            "p@ss1",
            "p%40ss1",
            "jane:p@ss1",
            "9f8a7c6b5d4e3f2a1b0c",
            "two2",
            "s3/c",
            "bare1",
            "ment1",
        ] {
            assert!(found.iter().any(|it| it == part), "{part}: {found:?}");
        }
        let plain: Url = "http://127.0.0.1:3000/api/keys/list/mcp".parse().unwrap();
        assert_eq!(show_url(&plain), plain.as_str());
        assert_eq!(secrets_of_url(&plain), Vec::<String>::new());
    }

    #[test]
    fn a_line_that_makes_no_sense_is_hidden_as_well() {
        let secrets = secrets_of_command_line(&line(&[
            "check",
            "--header",
            "Bearer abcdefg",
            "--env",
            "val-1234",
            "--timeout",
            "x",
            "htp://u:pw12@[bad?k=q1q1",
        ]));
        assert_eq!(secrets.hide("abcdefg val-1234 pw12 q1q1 timeout"), "*** *** *** *** timeout");
    }
}
