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
use crate::args::{BuiltIn, CheckArguments, TargetArguments};
use crate::configuration::{NamedTarget, read_servers};
use crate::connection::{ConnectionArguments, add_headers};
use crate::exit::Usage;
use crate::reproduction;
use crate::terminal;

/// A target, and what keeps it alive.
#[derive(Debug)]
pub(crate) struct TargetUnderTest {
    pub(crate) target: Target,
    /// The arguments that name it again.
    pub(crate) arguments: String,
    _server: Option<HttpServer>,
}

/// One server: what one report is about.
#[derive(Debug)]
pub(crate) struct ServerUnderTest {
    /// The ways in which it is reached.
    pub(crate) subjects: Vec<TargetUnderTest>,
}

/// The servers that `check` was given.
pub(crate) async fn read_targets(arguments: &CheckArguments) -> anyhow::Result<Vec<ServerUnderTest>> {
    if let Some(file) = &arguments.config {
        let servers = read_servers(file, &arguments.server, &arguments.connection)?;
        let measured = servers.into_iter().map(|server| {
            let target = server.target.with_secrets(arguments.with_secrets);
            terminal::hide_secrets(&target.secrets());
            let server = NamedTarget { target, ..server };
            let again = reproduction::configured_arguments(arguments, &server);
            let subject = TargetUnderTest { target: server.target, arguments: again, _server: None };
            ServerUnderTest { subjects: vec![subject] }
        });
        return Ok(measured.collect());
    }
    let subjects = match read_checked_target(arguments)? {
        Some(target) => {
            let target = target.with_secrets(arguments.with_secrets);
            terminal::hide_secrets(&target.secrets());
            let again = reproduction::check_arguments(arguments, &target);
            vec![TargetUnderTest { target, arguments: again, _server: None }]
        }
        None => built_in(arguments).await?,
    };
    Ok(vec![ServerUnderTest { subjects }])
}

/// The URL or the command that a user names, if there is one; `subcommand` is what was asked of it.
pub(crate) fn read_target(
    given: &TargetArguments,
    connection: &ConnectionArguments,
    subcommand: &str,
) -> Result<Option<Target>, Usage> {
    let Some(url) = &given.url else {
        let program = read_program(&given.command, &given.env, given.cwd.clone())?;
        return Ok(program.map(Target::Command));
    };
    let mut endpoint = read_endpoint(url, subcommand)?;
    connection.apply_to(&mut endpoint)?;
    add_headers(&mut endpoint, &given.header)?;
    Ok(Some(Target::Url(endpoint)))
}

/// The target of `check`, with the token that the user gives.
fn read_checked_target(arguments: &CheckArguments) -> Result<Option<Target>, Usage> {
    let mut target = read_target(&arguments.target, &arguments.connection, "check")?;
    let token = arguments.bearer.clone().or_else(|| std::env::var("YARDSTICK_BEARER").ok());
    if let (Some(Target::Url(endpoint)), Some(token)) = (&mut target, token) {
        endpoint.headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    Ok(target)
}

/// The built-in server, over the transports that the user names.
///
/// Without `--built-in` it is measured only if no other option needs a target: a target that is missing by mistake must be
/// an error.
async fn built_in(given: &CheckArguments) -> anyhow::Result<Vec<TargetUnderTest>> {
    if let (None, Some(option)) = (given.built_in, given.option_of_a_target()) {
        let text = format!(
            "{option} needs a target: a URL, a command after `--`, or --built-in for the server that comes with Yardstick"
        );
        return Err(Usage(text).into());
    }
    let ways = given.built_in.unwrap_or(BuiltIn::Both);
    let arguments = reproduction::built_in_arguments(given, ways);
    // Each transport has its own server, so that a check over one does not affect the other.
    let mut subjects = Vec::new();
    if matches!(ways, BuiltIn::Both | BuiltIn::Stdio) {
        let target = in_process(Server::new());
        subjects.push(TargetUnderTest { target, arguments: arguments.clone(), _server: None });
    }
    if matches!(ways, BuiltIn::Both | BuiltIn::Http) {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let http = HttpServer::bind(address, Server::new(), Options::default()).await;
        let http = http.context("cannot listen on loopback")?;
        let target = Target::Url(Endpoint::new(&http.url())?);
        subjects.push(TargetUnderTest { target, arguments, _server: Some(http) });
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
