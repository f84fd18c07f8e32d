//! Streamable HTTP on a loopback address, with TCP_NODELAY and the URL on stdout.

use std::io::Write as _;
use std::net::SocketAddr;

use anyhow::Result;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::demo::Demo;

/// Serves until the process is killed; `json` turns sessions off and prefers JSON over an event stream.
pub(crate) async fn serve(address: SocketAddr, json: bool) -> Result<()> {
    let demo = Demo::default();
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(!json).with_json_response(json);
    let service: StreamableHttpService<Demo, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(demo.clone()), Default::default(), config);

    let listener = TcpListener::bind(address).await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    loop {
        let (stream, _) = listener.accept().await?;
        // Without this each event stream pays for a delayed acknowledgement, some 40 ms.
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new());
            // A client that goes away in the middle of an answer is no fault of this server.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
