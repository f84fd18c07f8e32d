//! What the command line names as a target.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use server::Server;
use transport::client::{Endpoint, Program, Target};
use transport::serve::Handler;
use transport::serve::http::{HttpServer, Options};

use crate::address::read_endpoint;
use crate::args::{BuiltIn, CheckArguments};
use crate::configuration::{NamedTarget, read_servers};
use crate::connection::add_headers;
use crate::exit::Usage;
use crate::reproduction;
use crate::terminal;

/// A target, and what keeps it alive.
#[derive(Debug)]
pub(crate) struct MeasuredTarget {
    pub(crate) target: Target,
    /// The arguments that name it again.
    pub(crate) arguments: String,
    _server: Option<HttpServer>,
}

/// One server: what one report is about.
#[derive(Debug)]
pub(crate) struct MeasuredServer {
    /// The ways in which it is reached.
    pub(crate) subjects: Vec<MeasuredTarget>,
}

/// The servers that `check` was given.
pub(crate) async fn read_targets(arguments: &CheckArguments) -> anyhow::Result<Vec<MeasuredServer>> {
    if let Some(file) = &arguments.config {
        let servers = read_servers(file, &arguments.server, &arguments.connection)?;
        let measured = servers.into_iter().map(|server| {
            let target = server.target.with_secrets(arguments.with_secrets);
            terminal::hide_secrets(&target.secrets());
            let server = NamedTarget { target, ..server };
            let again = reproduction::of_configured(arguments, &server);
            let subject = MeasuredTarget { target: server.target, arguments: again, _server: None };
            MeasuredServer { subjects: vec![subject] }
        });
        return Ok(measured.collect());
    }
    let subjects = match read_target(arguments)? {
        Some(target) => {
            let target = target.with_secrets(arguments.with_secrets);
            terminal::hide_secrets(&target.secrets());
            let again = reproduction::arguments(arguments, &target);
            vec![MeasuredTarget { target, arguments: again, _server: None }]
        }
        None => built_in(arguments).await?,
    };
    Ok(vec![MeasuredServer { subjects }])
}

/// The URL or the command, if there is one.
fn read_target(arguments: &CheckArguments) -> Result<Option<Target>, Usage> {
    let Some(url) = &arguments.url else {
        let program = read_program(&arguments.command, &arguments.env, arguments.cwd.clone())?;
        return Ok(program.map(Target::Command));
    };
    let mut endpoint = read_endpoint(url, "check")?;
    arguments.connection.apply_to(&mut endpoint)?;
    add_headers(&mut endpoint, &arguments.header)?;
    if let Some(token) = arguments.bearer.clone().or_else(|| std::env::var("YARDSTICK_BEARER").ok()) {
        endpoint.headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    Ok(Some(Target::Url(endpoint)))
}

/// The built-in server, in the ways that were asked for.
///
/// Without a target it is measured only where nothing was said about what to look for: a target that is missing by mistake
/// must not look like one that is right.
async fn built_in(given: &CheckArguments) -> anyhow::Result<Vec<MeasuredTarget>> {
    if let (None, Some(option)) = (given.built_in, given.option_of_a_target()) {
        let text = format!(
            "{option} needs a target: a URL, a command after `--`, or --built-in for the server that comes with Yardstick"
        );
        return Err(Usage(text).into());
    }
    let ways = given.built_in.unwrap_or(BuiltIn::Both);
    let arguments = reproduction::of_built_in(given, ways);
    // A server for each: what a check changes on one of them the other must not show.
    let mut subjects = Vec::new();
    if matches!(ways, BuiltIn::Both | BuiltIn::Stdio) {
        let target = in_process(Server::new());
        subjects.push(MeasuredTarget { target, arguments: arguments.clone(), _server: None });
    }
    if matches!(ways, BuiltIn::Both | BuiltIn::Http) {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let http = HttpServer::bind(address, Server::new(), Options::default()).await;
        let http = http.context("cannot listen on loopback")?;
        let target = Target::Url(Endpoint::new(&http.url())?);
        subjects.push(MeasuredTarget { target, arguments, _server: Some(http) });
    }
    Ok(subjects)
}

/// The program that a user names after `--`, if there is one.
pub(crate) fn read_program(
    command: &[String],
    env: &[String],
    cwd: Option<PathBuf>,
) -> Result<Option<Program>, Usage> {
    let [program, args @ ..] = command else { return Ok(None) };
    if program.trim().is_empty() {
        return Err(Usage("the command after `--` is empty; is a variable not set?".to_owned()));
    }
    let env = env.iter().map(|text| read_variable(text)).collect::<Result<_, _>>()?;
    Ok(Some(Program { program: program.clone(), args: args.to_vec(), env, cwd, ..Program::default() }))
}

/// The reference server, within this process.
pub fn reference() -> Target {
    in_process(Server::new())
}

/// A handler of messages within this process, behind a pipe that carries lines like stdio.
pub fn in_process<H: Handler>(handler: Arc<H>) -> Target {
    transport::in_process(handler, "the built-in server")
}

fn read_variable(text: &str) -> Result<(String, String), Usage> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| Usage(format!("`{text}` is not a variable; write `NAME=value`")))?;
    Ok((name.to_owned(), value.to_owned()))
}
