//! HTTP/1.1 connections to one origin, which any number of callers share.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use bytes::Bytes;
use http::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout};

use crate::client::link::http::{Connector, path_of};
use crate::client::{Endpoint, Failure};

/// How long an idle connection is reused. Servers close theirs after a few seconds.
const MAX_IDLE: Duration = Duration::from_secs(4);
/// How long a connection that is reused may take to become ready.
const READY_TIMEOUT: Duration = Duration::from_millis(100);
/// How many idle connections are kept for each thread.
const MAX_KEPT: usize = 256;

/// Connections to one endpoint. A connection carries one request at a time.
pub struct HttpPool {
    connector: Connector,
    host: HeaderValue,
    path: String,
    /// By the thread whose runtime drives them. Every request on one of another thread would have to wake that one.
    idle: Mutex<HashMap<ThreadId, Vec<Connection>>>,
}

/// A connection, which is idle since the given time.
struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    thread: ThreadId,
    idle_since: Instant,
}

/// Why a request got no response.
#[derive(Debug)]
pub enum SendFailure {
    /// The server has not received the request: sending it again does nothing twice.
    Unsent(Failure),
    /// The server may have received it.
    Lost(Failure),
}

/// The body of a response. Its connection serves others once it has been read to its end, and is closed if it is not.
pub struct PooledBody {
    body: Incoming,
    back: Option<(Arc<HttpPool>, Connection)>,
}

impl HttpPool {
    /// A pool without connections. `patience` bounds how long a connection may take to come about.
    pub fn new(endpoint: &Endpoint, patience: Duration) -> Result<Arc<Self>, Failure> {
        let connector = Connector::new(endpoint, patience)?;
        let host = HeaderValue::try_from(connector.origin.authority())
            .map_err(|why| Failure::Unusable(format!("the host cannot be a header: {why}")))?;
        let path = path_of(&endpoint.url);
        Ok(Arc::new(Self { connector, host, path, idle: Mutex::default() }))
    }

    /// Sends a request to the endpoint, or to `path`, and waits for the head of the response, however long that takes.
    pub async fn send(
        self: &Arc<Self>,
        method: http::Method,
        path: Option<&str>,
        headers: http::HeaderMap,
        body: Bytes,
    ) -> Result<http::Response<PooledBody>, SendFailure> {
        let mut request = self.build(method, path, headers, body).map_err(SendFailure::Unsent)?;
        while let Some(mut connection) = self.take_idle().await {
            match connection.sender.try_send_request(request).await {
                Ok(response) => return Ok(self.pooled(response, connection)),
                // The server closed the connection while it was idle: another one carries the request.
                Err(mut failed) => match failed.take_message() {
                    Some(back) => request = back,
                    None => return Err(self.lost(&failed.into_error())),
                },
            }
        }
        let mut connection = self.connect().await.map_err(SendFailure::Unsent)?;
        match connection.sender.try_send_request(request).await {
            Ok(response) => Ok(self.pooled(response, connection)),
            Err(mut failed) => match failed.take_message() {
                Some(_) => Err(SendFailure::Unsent(self.broken(&failed.into_error()))),
                None => Err(self.lost(&failed.into_error())),
            },
        }
    }

    fn build(
        &self,
        method: http::Method,
        path: Option<&str>,
        headers: http::HeaderMap,
        body: Bytes,
    ) -> Result<http::Request<Full<Bytes>>, Failure> {
        let target = self.connector.request_target(path.unwrap_or(&self.path));
        let built = http::Request::builder().method(method).uri(target).body(Full::new(body));
        let mut request = built.map_err(|why| Failure::Ours(why.to_string()))?;
        *request.headers_mut() = headers;
        request.headers_mut().insert(HOST, self.host.clone());
        if let Some(credentials) = self.connector.proxy_authorization() {
            request.headers_mut().insert(PROXY_AUTHORIZATION, credentials);
        }
        Ok(request)
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let stream = self.connector.connect().await?;
        let mut builder = http1::Builder::new();
        let shaken = builder.writev(false).handshake(TokioIo::new(stream)).await;
        let (sender, driver) = shaken.map_err(|why| self.broken(&why))?;
        // Who waits on the connection hears how it ends.
        tokio::spawn(async move { drop(driver.await) });
        Ok(Connection { sender, thread: thread::current().id(), idle_since: Instant::now() })
    }

    /// A connection that is open and idle, if there is one.
    async fn take_idle(&self) -> Option<Connection> {
        loop {
            let mut connection = self.lock().get_mut(&thread::current().id())?.pop()?;
            // One that was given back just now has yet to notice that its response has been read.
            if connection.idle_since.elapsed() <= MAX_IDLE
                && matches!(timeout(READY_TIMEOUT, connection.sender.ready()).await, Ok(Ok(())))
            {
                return Some(connection);
            }
        }
    }

    fn give_back(&self, mut connection: Connection) {
        let mut idle = self.lock();
        let idle = idle.entry(connection.thread).or_default();
        if idle.len() < MAX_KEPT && !connection.sender.is_closed() {
            connection.idle_since = Instant::now();
            idle.push(connection);
        }
    }

    fn pooled(
        self: &Arc<Self>,
        response: http::Response<Incoming>,
        connection: Connection,
    ) -> http::Response<PooledBody> {
        response.map(|body| PooledBody { body, back: Some((Arc::clone(self), connection)) })
    }

    fn lost(&self, why: &hyper::Error) -> SendFailure {
        SendFailure::Lost(self.broken(why))
    }

    fn broken(&self, why: &hyper::Error) -> Failure {
        Failure::closed(format!("answering at {}", self.connector.origin.authority()), why.to_string())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ThreadId, Vec<Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SendFailure {
    /// What went wrong.
    pub fn into_failure(self) -> Failure {
        let (Self::Unsent(failure) | Self::Lost(failure)) = self;
        failure
    }
}

impl PooledBody {
    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        loop {
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Some(Ok(data));
                    }
                }
                Some(Err(why)) => {
                    self.back = None;
                    return Some(Err(why));
                }
                None => {
                    if let Some((pool, connection)) = self.back.take() {
                        pool.give_back(connection);
                    }
                    return None;
                }
            }
        }
    }
}

impl fmt::Debug for HttpPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpPool").field("host", &self.host).field("path", &self.path).finish_non_exhaustive()
    }
}

impl fmt::Debug for PooledBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledBody").finish_non_exhaustive()
    }
}
