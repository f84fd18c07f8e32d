//! The servers that a client's configuration names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use transport::client::{Endpoint, Program, Target};

use crate::exit::Usage;

#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: BTreeMap<String, Server>,
}

/// One server, as most clients write it.
#[derive(Deserialize)]
struct Server {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The servers in the file at `path`, in the order of their names.
pub(crate) fn read(path: &Path) -> Result<Vec<Target>, Usage> {
    let at = path.display();
    let text = std::fs::read_to_string(path).map_err(|why| Usage(format!("{at} cannot be read: {why}")))?;
    let file: File = serde_json::from_str(&text)
        .map_err(|why| Usage(format!("{at} is no configuration with `mcpServers`: {why}")))?;
    file.servers.into_iter().map(|(name, server)| server.target(&name, path)).collect()
}

impl Server {
    fn target(self, name: &str, path: &Path) -> Result<Target, Usage> {
        let at = path.display();
        match (self.command, self.url) {
            (Some(program), _) => {
                let env = self.env.into_iter().collect();
                Ok(Target::Command(Program { program, args: self.args, env, cwd: self.cwd }))
            }
            (None, Some(url)) => {
                let mut endpoint = Endpoint::new(&url)
                    .map_err(|why| Usage(format!("{at}: the url of `{name}` is none: {why}")))?;
                endpoint.headers = self.headers.into_iter().collect();
                Ok(Target::Url(endpoint))
            }
            (None, None) => Err(Usage(format!("{at}: `{name}` has neither `command` nor `url`"))),
        }
    }
}
