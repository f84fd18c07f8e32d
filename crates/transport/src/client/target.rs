//! How to reach the thing under test.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::io::DuplexStream;
use url::Url;

use super::{Failure, Proxies};
use crate::Transport;
use crate::secrets::origin::{read_words, show_url, with_bare};
use crate::secrets::{Secrets, secrets_of_environment, secrets_of_url};

/// How to reach the thing under test.
#[derive(Clone, Debug)]
pub enum Target {
    /// A command that speaks MCP on its stdin and stdout.
    Command(Program),
    /// An HTTP endpoint.
    Url(Endpoint),
    /// A server within this process, behind a pipe that carries lines, as stdio does.
    InProcess(Arc<dyn Dial>),
}

/// A command with all that it needs to run.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The program, looked up in PATH.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that are set besides the inherited ones.
    pub env: Vec<(String, String)>,
    /// The directory that it runs in; ours unless given.
    pub cwd: Option<PathBuf>,
    /// Values that are never shown, besides variables and what looks secret.
    pub hidden: Vec<String>,
    /// Whether secrets are shown. Then the description says so.
    pub with_secrets: bool,
}

/// An HTTP endpoint with all that it needs to be spoken to.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Where it is; `http` or `https`.
    pub url: Url,
    /// Headers that go with every request, as often as they are given.
    pub headers: Vec<(String, String)>,
    /// Certificates in PEM that are trusted besides the public ones and the system's.
    pub roots: Option<Arc<[u8]>>,
    /// Whether any certificate is accepted.
    pub insecure: bool,
    /// The proxies that it may be reached through.
    pub proxies: Arc<Proxies>,
    /// Values that are never shown, besides headers and what looks secret.
    pub hidden: Vec<String>,
    /// Whether secrets are shown. Then the description says so.
    pub with_secrets: bool,
}

/// Something within this process that accepts connections.
pub trait Dial: Send + Sync + 'static {
    /// A new connection. Must be called within a tokio runtime.
    fn dial(&self) -> DuplexStream;

    /// What it is, for humans.
    fn name(&self) -> String {
        "in process".into()
    }
}

/// A function can be dialled.
impl<F: Fn() -> DuplexStream + Send + Sync + 'static> Dial for F {
    fn dial(&self) -> DuplexStream {
        self()
    }
}

impl fmt::Debug for dyn Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dial({})", self.name())
    }
}

// Not derived: variables and arguments hold secrets.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Program")
            .field("program", &self.program)
            .field("args", &shown_words(&self.args))
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish()
    }
}

// Not derived: headers hold secrets.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Endpoint").field("url", &show_url(&self.url)).field("headers", &names).finish()
    }
}

impl Target {
    /// A command and its arguments.
    pub fn command(program: impl Into<String>, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self::Command(Program { program: program.into(), args, ..Program::default() })
    }

    /// An HTTP endpoint without headers of its own.
    pub fn url(url: &str) -> Result<Self, Failure> {
        Endpoint::new(url).map(Self::Url)
    }

    /// A server within this process.
    pub fn in_process(dial: impl Dial) -> Self {
        Self::InProcess(Arc::new(dial))
    }

    /// One line for people, without secrets. It mentions what qualifies the verdict, such as an unverified certificate.
    pub fn describe(&self) -> String {
        let mut text = self.name_on_command_line();
        if let Self::Url(endpoint) = self
            && endpoint.insecure
            && endpoint.url.scheme() == "https"
        {
            text.push_str(" (its certificate was not verified)");
        }
        if self.shows_secrets() {
            text.push_str(" (with secrets)");
        }
        text
    }

    /// The command or the URL as it would be typed, without secrets.
    pub fn name_on_command_line(&self) -> String {
        match self {
            Self::Command(program) => {
                let mut words = vec![Cow::Borrowed(program.program.as_str())];
                if program.with_secrets {
                    words.extend(program.args.iter().map(|arg| Cow::Borrowed(arg.as_str())));
                } else {
                    words.extend(shown_words(&program.args));
                }
                let line = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
                self.redact(&line).into_owned()
            }
            Self::Url(endpoint) if endpoint.with_secrets => endpoint.url.to_string(),
            Self::Url(endpoint) => self.redact(&show_url(&endpoint.url)).into_owned(),
            Self::InProcess(dial) => dial.name(),
        }
    }

    /// `text` with every secret of the target hidden. For more than one text, use [`Target::secrets`].
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.secrets().hide(text)
    }

    /// The secrets of the target, and those of the environment that it inherits.
    pub fn secrets(&self) -> Secrets {
        if self.shows_secrets() {
            return Secrets::default();
        }
        match self {
            Self::Command(program) => {
                let set = program.env.iter().map(|(_, value)| value.clone());
                let words = read_words(&program.args).into_iter().flat_map(|word| word.secrets);
                Secrets::new(set.chain(words).chain(program.hidden.iter().cloned()))
                    .and(&secrets_of_environment())
            }
            Self::Url(endpoint) => {
                let values = endpoint.headers.iter().flat_map(|(_, value)| with_bare(value));
                let own = values.chain(secrets_of_url(&endpoint.url)).chain(endpoint.proxies.secrets());
                Secrets::new(own.chain(endpoint.hidden.iter().cloned())).and(&secrets_of_environment())
            }
            Self::InProcess(_) => Secrets::default(),
        }
    }

    /// The transport to assume as long as nothing is known of the target.
    pub const fn usual_transport(&self) -> Transport {
        match self {
            Self::Command(_) | Self::InProcess(_) => Transport::Stdio,
            Self::Url(_) => Transport::StreamableHttp,
        }
    }

    /// Whether the user wants to see secrets.
    pub const fn shows_secrets(&self) -> bool {
        match self {
            Self::Command(program) => program.with_secrets,
            Self::Url(endpoint) => endpoint.with_secrets,
            Self::InProcess(_) => false,
        }
    }

    /// Shows secrets, or hides them as usual.
    #[must_use]
    pub fn with_secrets(mut self, shown: bool) -> Self {
        match &mut self {
            Self::Command(program) => program.with_secrets = shown,
            Self::Url(endpoint) => endpoint.with_secrets = shown,
            Self::InProcess(_) => {}
        }
        self
    }
}

fn shown_words(args: &[String]) -> Vec<Cow<'_, str>> {
    read_words(args).into_iter().map(|word| word.shown).collect()
}

impl Endpoint {
    /// The endpoint at `url`, which must be `http` or `https`.
    pub fn new(url: &str) -> Result<Self, Failure> {
        let parsed = Url::parse(url).map_err(|why| Failure::Unusable(format!("not a URL: {why}")))?;
        if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
            return Err(Failure::Unusable("a URL must begin with http:// or https://".into()));
        }
        Ok(Self {
            url: parsed,
            headers: Vec::new(),
            roots: None,
            insecure: false,
            proxies: Arc::default(),
            hidden: Vec::new(),
            with_secrets: false,
        })
    }

    /// The token that goes with every request, if there is one.
    pub fn bearer(&self) -> Option<&str> {
        let said = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let (scheme, token) = said?.1.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    }

    /// Sends a header with every request.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Trusts the certificates in `pem` too.
    #[must_use]
    pub fn trust(mut self, pem: impl Into<Arc<[u8]>>) -> Self {
        self.roots = Some(pem.into());
        self
    }
}

impl From<Endpoint> for Target {
    fn from(endpoint: Endpoint) -> Self {
        Self::Url(endpoint)
    }
}

impl From<Program> for Target {
    fn from(program: Program) -> Self {
        Self::Command(program)
    }
}

/// Quotes a word for a shell, if needed.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+*".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let target = Target::command("sh", ["-c", "echo 'hi'", "--token", "abcdef"]);
        assert_eq!(target.describe(), r"sh -c 'echo '\''hi'\''' --token ***");
    }

    #[test]
    fn secrets_stay_hidden() {
        let endpoint = Endpoint::new("http://u:pass1@localhost:8080/mcp?key=k123").unwrap();
        let endpoint = endpoint.header("Authorization", "Bearer s3cret");
        assert!(!format!("{endpoint:?}").contains("s3cret"));
        let target = Target::from(endpoint);
        assert_eq!(target.describe(), "http://localhost:8080/mcp?key=***");
        assert_eq!(
            target.redact("< authorization: Bearer s3cret, pass1, k123"),
            "< authorization: Bearer ***, ***, ***"
        );
    }

    #[test]
    fn a_secret_stays_hidden_in_any_spelling() {
        let endpoint = Endpoint::new("http://localhost/mcp").unwrap();
        let target = Target::from(endpoint.header("Authorization", "Bearer s3/cr+et=="));
        for spelled in
            ["s3/cr+et==", "s3%2Fcr%2Bet%3D%3D", "s3%2fcr%2bet%3d%3d", "czMvY3IrZXQ9PQ==", "czMvY3IrZXQ9PQ"]
        {
            let shown = target.redact(spelled);
            assert!(!shown.contains(spelled.trim_end_matches('=')), "{spelled} is shown as {shown}");
        }
        assert_eq!(target.redact("nothing to hide"), "nothing to hide");
    }

    #[test]
    fn values_that_are_to_be_hidden_are_shown_nowhere() {
        let hidden = vec!["plainvalue".to_owned()];
        let args = vec!["--region".to_owned(), "plainvalue".to_owned()];
        let target = Target::from(Program { program: "x".into(), args, hidden, ..Program::default() });
        assert_eq!(target.describe(), "x --region ***");
        assert_eq!(target.redact("it said plainvalue"), "it said ***");
    }

    #[test]
    fn every_variable_that_is_set_is_a_secret_and_may_be_shown() {
        let env =
            vec![("MODE".to_owned(), "very-special".to_owned()), ("LEVEL".to_owned(), "debug".to_owned())];
        let args = vec!["--token".to_owned(), "abcdef".to_owned()];
        let target = Target::from(Program { program: "x".into(), args, env, ..Program::default() });
        assert_eq!(target.redact("very-special debug abcdef"), "*** debug ***");
        let shown = target.with_secrets(true);
        assert_eq!(shown.redact("very-special abcdef"), "very-special abcdef");
        assert_eq!(shown.describe(), "x --token abcdef (with secrets)");
    }

    #[test]
    fn a_certificate_that_is_not_verified_is_said_but_not_typed() {
        let mut endpoint = Endpoint::new("https://a.example/mcp").unwrap();
        endpoint.insecure = true;
        let target = Target::from(endpoint);
        assert_eq!(target.describe(), "https://a.example/mcp (its certificate was not verified)");
        assert_eq!(target.name_on_command_line(), "https://a.example/mcp");
    }

    #[test]
    fn what_is_no_http_url_is_refused() {
        assert!(Target::url("ftp://x/").is_err() && Target::url("localhost").is_err());
    }
}
