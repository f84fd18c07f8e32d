//! `yardstick serve`

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::values::size;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick serve                                 on stdin and stdout
  yardstick serve --http 127.0.0.1:0              prints the URL that it listens on
  yardstick serve --http 127.0.0.1:0 --max-message 16M
  yardstick serve --http 127.0.0.1:0 --token-file token.txt
  yardstick serve --fault list                    what can be broken on purpose
  yardstick serve --fault unknown-tool-succeeds

What clients may ask for is bounded in bytes, numbers and time: docs/limits.md.")]
pub(crate) struct ServeArguments {
    /// Listen on this address instead of stdio; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
    /// Break one rule on purpose (repeatable); `list` prints all faults
    #[arg(long, value_name = "NAME")]
    pub(crate) fault: Vec<String>,
    /// Admit this Host besides loopback (repeatable)
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Admit this Origin besides loopback (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// Require this token in every request, as an OAuth resource server does [default: $YARDSTICK_TOKEN]
    #[arg(long, value_name = "TOKEN", requires = "http")]
    pub(crate) token: Option<String>,
    /// Read that token from a file, so that no list of processes shows it
    #[arg(long, value_name = "FILE", requires = "http", conflicts_with = "token")]
    pub(crate) token_file: Option<PathBuf>,
    /// The longest accepted message, in bytes or with K, M or G; the memory limits grow with it [default: 4M, on stdio 16M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_message: Option<usize>,
}
