//! The reference server, sound or broken on purpose, as a target.

use std::net::{Ipv4Addr, SocketAddr};

use server::fault::Faulty;
use server::{Fault, Faults};
use suite::{Applies, Check};
use transport::Transport;
use transport::client::{Endpoint, Target};
use transport::serve::http::{Bearer, HttpServer, Options};

/// A server over one transport, and what keeps it alive.
pub(crate) struct Subject {
    pub(crate) target: Target,
    _http: Option<HttpServer>,
}

/// Behind an in-process pipe.
pub(crate) fn piped(faults: impl IntoIterator<Item = &'static Fault>) -> Subject {
    let server = Faulty::new(Faults::new(faults));
    Subject { target: transport::in_process(server, "the reference"), _http: None }
}

/// The token that opens a guarded server.
pub(crate) const TOKEN: &str = "open-sesame-for-the-proof";

/// On a loopback port.
pub(crate) async fn served(faults: impl IntoIterator<Item = &'static Fault>) -> Subject {
    over_http(faults, None, |url| Endpoint::new(url).unwrap()).await
}

/// On a loopback port, over HTTP+SSE.
pub(crate) async fn served_old(faults: impl IntoIterator<Item = &'static Fault>) -> Subject {
    over_http(faults, None, |url| Endpoint::new(&url.replace("/mcp", "/sse")).unwrap()).await
}

/// On a loopback port, for those who have the token, which we do.
pub(crate) async fn guarded(faults: impl IntoIterator<Item = &'static Fault>) -> Subject {
    let with_token =
        |url: &str| Endpoint::new(url).unwrap().header("Authorization", format!("Bearer {TOKEN}"));
    over_http(faults, Some(Bearer::new(TOKEN)), with_token).await
}

/// The same, and we have no token.
pub(crate) async fn locked() -> Subject {
    over_http([], Some(Bearer::new(TOKEN)), |url| Endpoint::new(url).unwrap()).await
}

async fn over_http(
    faults: impl IntoIterator<Item = &'static Fault>,
    bearer: Option<Bearer>,
    endpoint: impl Fn(&str) -> Endpoint,
) -> Subject {
    let faults = Faults::new(faults);
    let options = Options { bearer, ..faults.http_options() };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let http = HttpServer::bind(address, Faulty::new(faults), options).await.unwrap();
    Subject { target: Target::Url(endpoint(&http.url())), _http: Some(http) }
}

/// The reference with the fault of `check`, where the check makes sense.
pub(crate) async fn faulty(check: &'static Check) -> Subject {
    match check.applies {
        Applies::OverProtectedHttp => guarded([check.fault]).await,
        Applies::Over(Transport::StreamableHttp) => served([check.fault]).await,
        Applies::Over(Transport::HttpSse) => served_old([check.fault]).await,
        Applies::Everywhere | Applies::Over(Transport::Stdio) => piped([check.fault]),
        Applies::BetweenViewAndHost | Applies::ToViews | Applies::ToHosts => piped([]),
    }
}
