//! From an origin to a byte stream: name, TCP, TLS.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::Origin;
use crate::client::{Endpoint, Failure};

/// Connects to one origin.
pub(crate) struct Connector {
    pub(crate) origin: Origin,
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
        let origin = Origin::of(&endpoint.url)?;
        let tls = origin.tls.then(|| tls_config(endpoint.roots.as_deref())).transpose()?;
        Ok(Self { origin, tls, patience })
    }

    pub(crate) async fn connect(&self) -> Result<Stream, Failure> {
        let patience = self.patience;
        let late = || format!("no answer within {} ms", patience.as_millis());
        let tcp = match tokio::time::timeout(patience, self.tcp()).await {
            Ok(tcp) => tcp?,
            Err(_) => return Err(self.unreachable(&late())),
        };
        // Without this every small message waits for the acknowledgement of the one before.
        let _ = tcp.set_nodelay(true);
        let Some(config) = &self.tls else { return Ok(Stream::Plain(tcp)) };
        let name = self.server_name().map_err(|why| self.no_tls(&why.to_string()))?;
        let handshake = TlsConnector::from(Arc::clone(config)).connect(name, tcp);
        match tokio::time::timeout(patience, handshake).await {
            Ok(Ok(tls)) => Ok(Stream::Tls(Box::new(tls))),
            Ok(Err(why)) => Err(self.no_tls(&why.to_string())),
            Err(_) => Err(self.no_tls(&late())),
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
                self.unreachable("connection refused; is the server running, and on this port?")
            }
            Some(why) => self.unreachable(&why.to_string()),
            None => self.unreachable("the name has no address"),
        })
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, Failure> {
        let port = self.origin.port;
        match &self.origin.host {
            Host::Ipv4(ip) => Ok(vec![(*ip, port).into()]),
            Host::Ipv6(ip) => Ok(vec![(*ip, port).into()]),
            // RFC 6761, 6.3: this name is never asked for.
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
        let repair = "a private authority must be trusted explicitly, and plain HTTP needs http://";
        Failure::Tls { host: self.origin.host.to_string(), why: format!("{why}; {repair}") }
    }

    fn unreachable(&self, why: &str) -> Failure {
        Failure::Unreachable {
            address: format!("{}:{}", self.origin.host, self.origin.port),
            why: why.into(),
        }
    }
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// The public authorities, and the given ones.
fn tls_config(extra: Option<&[u8]>) -> Result<Arc<rustls::ClientConfig>, Failure> {
    static PUBLIC: OnceLock<Arc<rustls::ClientConfig>> = OnceLock::new();
    match (extra, PUBLIC.get()) {
        (None, Some(config)) => Ok(Arc::clone(config)),
        (None, None) => build(None).map(|config| Arc::clone(PUBLIC.get_or_init(|| config))),
        (Some(pem), _) => build(Some(pem)),
    }
}

fn build(extra: Option<&[u8]>) -> Result<Arc<rustls::ClientConfig>, Failure> {
    let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra.into_iter().flat_map(CertificateDer::pem_slice_iter) {
        let bad = |why: &dyn std::fmt::Display| {
            Failure::Unusable(format!("a trusted certificate is unreadable: {why}"))
        };
        roots.add(certificate.map_err(|why| bad(&why))?).map_err(|why| bad(&why))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|why| Failure::Ours(why.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
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
