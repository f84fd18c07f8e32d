//! The reference server alone: on stdio, or with `--http ADDRESS` over HTTP, where it prints its URL.

use std::io::Write as _;

use transport::serve::http::{HttpServer, Options};
use transport::serve::pipe;
use yardstick_server::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => pipe::stdio(Server::new()).await?,
        (Some("--http"), Some(address)) => {
            let http = HttpServer::bind(address.parse()?, Server::new(), Options::default()).await?;
            writeln!(std::io::stdout(), "{}", http.url())?;
            http.stopped().await;
        }
        (Some(_), _) => return Err("usage: serve [--http ADDRESS]".into()),
    }
    Ok(())
}
