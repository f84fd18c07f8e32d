//! `yardstick serve`

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use server::fault::Faulty;
use server::{Fault, Faults, Server};
use transport::MAX_MESSAGE;
use transport::serve::http::{Bearer, HttpServer, Options};
use transport::serve::{Handler, Limits, pipe};

use crate::args::ServeArguments;
use crate::exit::{Exit, Usage};
use crate::signals::stop_requested;
use crate::suggest::did_you_mean;
use crate::terminal;

/// How long open requests may take once the server is told to stop.
const GRACE: Duration = Duration::from_millis(700);

pub(crate) async fn run(arguments: ServeArguments) -> anyhow::Result<Exit> {
    if arguments.fault.iter().any(|name| name == "list") {
        return list();
    }
    let faults = arguments.fault.iter().map(|name| named_fault(name)).collect::<Result<Vec<_>, _>>()?;
    let faults = Faults::new(faults);
    let options = faults.http_options();
    // Without faults, the server runs without the layer that applies them.
    if arguments.fault.is_empty() {
        let server = Server::new();
        serve(server.clone(), options, &arguments, || server.close()).await
    } else {
        let server = Faulty::new(faults);
        serve(server.clone(), options, &arguments, || server.close()).await
    }
}

/// Serves until stdin ends or a signal comes; `close` ends what the server itself keeps open.
async fn serve<H: Handler>(
    handler: Arc<H>,
    mut options: Options,
    arguments: &ServeArguments,
    close: impl FnOnce(),
) -> anyhow::Result<Exit> {
    let Some(address) = arguments.http else {
        let limits = Limits::for_messages(arguments.max_message.unwrap_or(MAX_MESSAGE));
        pipe::stdio(handler, limits).await.context("stdio broke")?;
        return Ok(Exit::Success);
    };
    if let Some(message) = arguments.max_message {
        options.limits = Limits::for_messages(message);
    }
    options.workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    options.guard.hosts.extend(arguments.allow_host.iter().cloned());
    options.guard.origins.extend(arguments.allow_origin.iter().cloned());
    options.bearer = read_token(arguments)?.map(Bearer::new);
    let http = HttpServer::bind(address, handler, options).await;
    let http = http.with_context(|| format!("cannot listen on {address}; is something else there?"))?;
    terminal::print(&format!("{}\n", http.url()))?;
    stop_requested().await;
    close();
    http.shut_down(GRACE).await;
    Ok(Exit::Success)
}

/// The token that requests have to show: the option, the file, or the variable.
fn read_token(arguments: &ServeArguments) -> anyhow::Result<Option<String>> {
    if let Some(file) = &arguments.token_file {
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read the token from {}", file.display()))?;
        let token = text.trim();
        if token.is_empty() {
            return Err(Usage(format!("there is no token in {}", file.display())).into());
        }
        return Ok(Some(token.to_owned()));
    }
    let inherited = || std::env::var("YARDSTICK_TOKEN").ok().filter(|token| !token.is_empty());
    Ok(arguments.token.clone().or_else(inherited))
}

fn named_fault(name: &str) -> Result<&'static Fault, Usage> {
    Fault::named(name).map_err(|error| {
        let near = did_you_mean(name, Fault::all().map(|fault| fault.name));
        Usage(format!("{error}{near}"))
    })
}

fn list() -> anyhow::Result<Exit> {
    let width = Fault::all().map(|fault| fault.name.len()).max().unwrap_or(0);
    let lines = Fault::all().map(|fault| format!("{:width$}  {}\n", fault.name, fault.about));
    terminal::print(&lines.collect::<String>())?;
    Ok(Exit::Success)
}
