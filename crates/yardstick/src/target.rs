//! What the command line names as a target.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context as _;
use server::Server;
use transport::client::{Endpoint, Program, Target};
use transport::serve::Handler;
use transport::serve::http::{HttpServer, Options};

use crate::again;
use crate::args::Check;
use crate::exit::Usage;

/// A target, and what keeps it alive.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) target: Target,
    /// The arguments that name it again.
    pub(crate) arguments: String,
    _server: Option<HttpServer>,
}

/// The target that `check` was given; without one, the built-in server over both transports.
pub(crate) async fn of(arguments: &Check) -> anyhow::Result<Vec<Subject>> {
    let subject = |target, arguments| Subject { target, arguments, _server: None };
    if let Some(url) = &arguments.url {
        let mut endpoint = Endpoint::new(url).map_err(|failure| {
            Usage(format!(
                "`{url}` is no URL ({failure}); a command goes after `--`: yardstick check -- {url}"
            ))
        })?;
        endpoint.headers = arguments.header.iter().map(|text| header(text)).collect::<Result<_, _>>()?;
        if let Some(token) = arguments.bearer.clone().or_else(|| std::env::var("YARDSTICK_BEARER").ok()) {
            endpoint.headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
        }
        let target = Target::Url(endpoint);
        let again = again::arguments(arguments, &target);
        return Ok(vec![subject(target, again)]);
    }
    if let [program, args @ ..] = &arguments.command[..] {
        let env = arguments.env.iter().map(|text| variable(text)).collect::<Result<_, _>>()?;
        let program =
            Program { program: program.clone(), args: args.to_vec(), env, cwd: arguments.cwd.clone() };
        let target = Target::Command(program);
        let again = again::arguments(arguments, &target);
        return Ok(vec![subject(target, again)]);
    }
    built_in(arguments).await
}

async fn built_in(given: &Check) -> anyhow::Result<Vec<Subject>> {
    // One for each: what a check changes on one of them the other must not show.
    let pipe = in_process(Server::new());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let http = HttpServer::bind(address, Server::new(), Options::default())
        .await
        .context("no loopback to listen on")?;
    let endpoint = Target::Url(Endpoint::new(&http.url())?);
    // Both are measured when nothing else is named.
    let arguments = again::options(given);
    Ok(vec![
        Subject { target: pipe, arguments: arguments.clone(), _server: None },
        Subject { target: endpoint, arguments, _server: Some(http) },
    ])
}

/// The reference server, within this process.
pub fn reference() -> Target {
    in_process(Server::new())
}

/// A handler of messages within this process, behind a pipe that carries lines like stdio.
pub fn in_process<H: Handler>(handler: Arc<H>) -> Target {
    transport::in_process(handler, "the built-in server")
}

pub(crate) fn header(text: &str) -> Result<(String, String), Usage> {
    let (name, value) =
        text.split_once(':').ok_or_else(|| Usage(format!("`{text}` is no header; write `Name: value`")))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(crate) fn variable(text: &str) -> Result<(String, String), Usage> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| Usage(format!("`{text}` is no variable; write `NAME=value`")))?;
    Ok((name.to_owned(), value.to_owned()))
}
