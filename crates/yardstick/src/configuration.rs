//! The servers that a client's configuration names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use transport::client::{Endpoint, Program, Target};
use transport::secrets::HIDDEN;

use crate::connection::ConnectionArguments;
use crate::exit::Usage;
use crate::expand::expand_variables;
use crate::suggest::did_you_mean;

/// A server, by the name that the configuration gives it.
#[derive(Debug)]
pub(crate) struct NamedTarget {
    pub(crate) name: String,
    pub(crate) target: Target,
}

#[derive(Deserialize)]
struct ConfigurationFile {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: Option<BTreeMap<String, ServerEntry>>,
    /// Where the settings of VS Code have them.
    mcp: Option<Box<Self>>,
}

/// One server, as most clients write it.
#[derive(Deserialize)]
struct ServerEntry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The servers in the file at `path`, in the order of their names; those in `only`, if it names any.
pub(crate) fn read_servers(
    path: &Path,
    only: &[String],
    connection: &ConnectionArguments,
) -> Result<Vec<NamedTarget>, Usage> {
    let at = path.display();
    let text = std::fs::read_to_string(path).map_err(|why| Usage(format!("{at} cannot be read: {why}")))?;
    let unreadable = |why: &dyn std::fmt::Display| {
        Usage(format!("{at} is not a configuration with `mcpServers` or `servers`: {why}"))
    };
    let file: ConfigurationFile =
        serde_json::from_str(&text).map_err(|why| unreadable(&without_values(&why.to_string())))?;
    let servers = file.servers.or_else(|| file.mcp.and_then(|settings| settings.servers));
    let servers = servers.ok_or_else(|| unreadable(&"it has neither"))?;
    if let Some(unknown) = only.iter().find(|name| !servers.contains_key(*name)) {
        let known: Vec<&str> = servers.keys().map(String::as_str).collect();
        let near = did_you_mean(unknown, known.iter().copied());
        return Err(Usage(format!("{at} has no server `{unknown}`; it has {}{near}", known.join(", "))));
    }
    let wanted = servers.into_iter().filter(|(name, _)| only.is_empty() || only.contains(name));
    let read = |(name, server): (String, ServerEntry)| {
        let target = server.target(&format!("{at}, server `{name}`"), connection)?;
        Ok(NamedTarget { name, target })
    };
    let targets: Vec<_> = wanted.map(read).collect::<Result<_, Usage>>()?;
    if targets.is_empty() { Err(unreadable(&"it names no server")) } else { Ok(targets) }
}

/// What the parser says, without the values that it quotes: they may be secrets.
fn without_values(error: &str) -> String {
    let mut rest = error;
    let mut shown = String::new();
    while let Some(at) = rest.find(['"', '`']) {
        let (before, quote) = rest.split_at(at);
        let value = &quote[1..];
        // A value may hold quotes itself; the last one ends it, where the parser goes on.
        let end = value.rfind(&quote[..1]).map_or(value.len(), |end| end + 1);
        shown.push_str(before);
        shown.push_str(HIDDEN);
        rest = &value[end..];
    }
    shown.push_str(rest);
    shown
}

impl ServerEntry {
    /// How the server is reached; `place` says in an error where it stands.
    fn target(self, place: &str, connection: &ConnectionArguments) -> Result<Target, Usage> {
        let mut hidden = Vec::new();
        let mut expand = |text: &str| {
            let expanded = expand_variables(text, place)?;
            hidden.extend(expanded.values);
            Ok::<_, Usage>(expanded.text)
        };
        match (self.command, self.url) {
            (Some(program), _) => {
                let program = expand(&program)?;
                let args = self.args.iter().map(|arg| expand(arg)).collect::<Result<_, _>>()?;
                let variable = |(name, value): (String, String)| Ok((name, expand(&value)?));
                let env = self.env.into_iter().map(variable).collect::<Result<_, Usage>>()?;
                Ok(Target::Command(Program {
                    program,
                    args,
                    env,
                    cwd: self.cwd,
                    hidden,
                    ..Program::default()
                }))
            }
            (None, Some(url)) => {
                let mut endpoint = Endpoint::new(&expand(&url)?)
                    .map_err(|why| Usage(format!("{place}: its `url` is not a URL: {why}")))?;
                let header = |(name, value): (String, String)| Ok((name, expand(&value)?));
                endpoint.headers = self.headers.into_iter().map(header).collect::<Result<_, Usage>>()?;
                endpoint.hidden = hidden;
                connection.apply_to(&mut endpoint)?;
                Ok(Target::Url(endpoint))
            }
            (None, None) => Err(Usage(format!("{place}: it has neither `command` nor `url`"))),
        }
    }
}
