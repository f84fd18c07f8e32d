//! `yardstick gateway`

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use gateway::{Gateway, UpstreamServer};
use transport::MAX_MESSAGE;
use transport::serve::http::{HttpServer, Options};
use transport::serve::{Limits, pipe};

use crate::args::GatewayArguments;
use crate::exit::{Exit, Usage};
use crate::signals::stop_requested;
use crate::{target, terminal};

/// How long open requests may take once the gateway is told to stop.
const GRACE: Duration = Duration::from_millis(700);

pub(crate) async fn run(arguments: GatewayArguments) -> anyhow::Result<Exit> {
    let mut gateway = Gateway::new(read_server(&arguments)?);
    if arguments.verbose {
        gateway = gateway.watched_by(|exchange| terminal::warn(&exchange.to_string()));
    }
    let gateway = Arc::new(gateway);
    if arguments.stdio {
        pipe::stdio(gateway, Limits::for_messages(MAX_MESSAGE)).await.context("stdio broke")?;
        return Ok(Exit::Success);
    }
    let address = arguments.http.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut options = Options { workers, ..Options::default() };
    options.guard.hosts.extend(arguments.allow_host.iter().cloned());
    options.guard.origins.extend(arguments.allow_origin.iter().cloned());
    let http = HttpServer::bind(address, gateway, options).await;
    let http = http.with_context(|| format!("cannot listen on {address}; is something else there?"))?;
    terminal::print(&format!("{}\n", http.url()))?;
    stop_requested().await;
    http.shut_down(GRACE).await;
    Ok(Exit::Success)
}

fn read_server(arguments: &GatewayArguments) -> anyhow::Result<UpstreamServer> {
    let target = target::read_target(&arguments.target, &arguments.connection, "gateway")?;
    let none = || Usage("no server to lead to; yardstick gateway -- COMMAND, or a URL".to_owned());
    Ok(UpstreamServer::new(target.ok_or_else(none)?)?)
}
