//! Connects to an origin: DNS, TCP, a proxy if there is one, TLS.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::HeaderValue;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::Origin;
use super::trust::{self, tls_config};
use super::tunnel::open_tunnel;
use crate::client::proxies::Proxy;
use crate::client::{Endpoint, Failure};

/// Connects to one origin.
pub(crate) struct Connector {
    pub(crate) origin: Origin,
    /// The proxy on the way, and where it listens.
    via: Option<(Origin, Proxy)>,
    tls: Option<Arc<rustls::ClientConfig>>,
    patience: Duration,
}

/// A connection, with TLS or without.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connector {
    pub(crate) fn new(endpoint: &Endpoint, patience: Duration) -> Result<Self, Failure> {
        let origin = Origin::from_url(&endpoint.url)?;
        let proxy = endpoint.proxies.on_the_way_to(&origin).cloned();
        let via = proxy.map(|proxy| Ok::<_, Failure>((proxy.origin()?, proxy))).transpose()?;
        let tls = origin.tls.then(|| tls_config(endpoint)).transpose()?;
        Ok(Self { origin, via, tls, patience })
    }

    /// A connection for requests as [`Self::request_target`] spells them.
    pub(crate) async fn connect(&self) -> Result<Stream, Failure> {
        self.connect_by(self.origin.tls).await
    }

    /// A connection for bytes that no proxy is to read.
    pub(crate) async fn connect_raw(&self) -> Result<Stream, Failure> {
        self.connect_by(true).await
    }

    /// The target in the request line for `path`. It includes the host where a proxy reads the request.
    pub(crate) fn request_target(&self, path: &str) -> String {
        match &self.via {
            Some(_) if !self.origin.tls => format!("http://{}{path}", self.origin.authority()),
            Some(_) | None => path.to_owned(),
        }
    }

    /// The credentials for a proxy that reads the requests.
    pub(crate) fn proxy_authorization(&self) -> Option<HeaderValue> {
        let (_, proxy) = self.via.as_ref().filter(|_| !self.origin.tls)?;
        let mut value = HeaderValue::try_from(proxy.authorization()?).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    async fn connect_by(&self, tunnel: bool) -> Result<Stream, Failure> {
        let patience = self.patience;
        let late = || format!("no answer within {} ms", patience.as_millis());
        let mut tcp = match tokio::time::timeout(patience, self.tcp()).await {
            Ok(tcp) => tcp?,
            Err(_) => return Err(self.unreachable(&late())),
        };
        // Without this every small message waits for the acknowledgement of the previous one.
        let _ = tcp.set_nodelay(true);
        if let (true, Some((_, proxy))) = (tunnel, &self.via) {
            let opened = tokio::time::timeout(patience, open_tunnel(&mut tcp, &self.origin, proxy)).await;
            opened.unwrap_or_else(|_| Err(late())).map_err(|why| self.unreachable(&why))?;
        }
        let Some(config) = &self.tls else { return Ok(Stream::Plain(tcp)) };
        let name = self.server_name().map_err(|why| self.no_tls(&why.to_string()))?;
        let handshake = TlsConnector::from(Arc::clone(config)).connect(name, tcp);
        match tokio::time::timeout(patience, handshake).await {
            Ok(Ok(tls)) => Ok(Stream::Tls(Box::new(tls))),
            Ok(Err(why)) => Err(self.no_tls(&trust::explain(&why))),
            Err(_) => Err(self.no_tls(&format!("{}; {}", late(), trust::HINT_WITHOUT_TLS))),
        }
    }

    async fn tcp(&self) -> Result<TcpStream, Failure> {
        let mut last = None;
        for address in self.addresses().await? {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(why) => last = Some(why),
            }
        }
        Err(match last {
            Some(why) if why.kind() == io::ErrorKind::ConnectionRefused => {
                self.unreachable(match &self.via {
                    Some(_) => "connection refused; is the proxy running?",
                    None => "connection refused; is the server running, and on this port?",
                })
            }
            Some(why) => self.unreachable(&why.to_string()),
            None => self.unreachable("the name has no address"),
        })
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, Failure> {
        let Origin { host, port, .. } = self.via.as_ref().map_or(&self.origin, |(origin, _)| origin);
        let port = *port;
        match host {
            Host::Ipv4(ip) => Ok(vec![(*ip, port).into()]),
            Host::Ipv6(ip) => Ok(vec![(*ip, port).into()]),
            // RFC 6761, 6.3: this name is never looked up.
            Host::Domain(name) if name == "localhost" => {
                Ok(vec![(Ipv6Addr::LOCALHOST, port).into(), (Ipv4Addr::LOCALHOST, port).into()])
            }
            Host::Domain(name) => match tokio::net::lookup_host((name.as_str(), port)).await {
                Ok(found) => Ok(found.collect()),
                Err(why) => Err(self.unreachable(&format!("{why}; is the name spelled right?"))),
            },
        }
    }

    fn server_name(&self) -> Result<ServerName<'static>, rustls::pki_types::InvalidDnsNameError> {
        match &self.origin.host {
            Host::Domain(name) => ServerName::try_from(name.clone()),
            Host::Ipv4(ip) => Ok(ServerName::IpAddress((*ip).into())),
            Host::Ipv6(ip) => Ok(ServerName::IpAddress((*ip).into())),
        }
    }

    fn no_tls(&self, why: &str) -> Failure {
        Failure::Tls { host: self.origin.host.to_string(), why: why.into() }
    }

    fn unreachable(&self, why: &str) -> Failure {
        let by = self.via.as_ref().map(|(_, proxy)| format!(" through {proxy}")).unwrap_or_default();
        Failure::Unreachable {
            address: format!("{}:{}{by}", self.origin.host, self.origin.port),
            why: why.into(),
        }
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
