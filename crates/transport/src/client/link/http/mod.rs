//! HTTP/1.1 as a client: own connections, kept alive, every head recorded as it was on the wire.

mod body;
mod dial;
mod exchange;
mod origin;
mod tap;
mod trust;
mod tunnel;
mod waiting;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::PROXY_AUTHORIZATION;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::Instant;

pub(crate) use body::{BodyReader, Item};
pub(crate) use dial::{Connector, Stream};
pub(crate) use exchange::Exchange;
pub(crate) use origin::{Origin, path_of};
pub(crate) use tap::head_end;
use tap::{Tap, Tape};
pub use trust::read_certificates;
pub use waiting::await_connection;

use super::Task;
use crate::client::ledger::Ledger;
use crate::client::{Endpoint, Failure, Head, Limits};

/// How long an idle connection is trusted; servers close theirs after a few seconds.
const IDLE: Duration = Duration::from_secs(2);

/// An HTTP client for one origin.
#[derive(Debug)]
pub(crate) struct Http {
    connector: Connector,
    idle: Mutex<Vec<(Connection, Instant)>>,
    ledger: Ledger,
    message_limit: usize,
}

/// One request, ready to go.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub(crate) verb: http::Method,
    /// Path and query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// One connection that carries one exchange at a time.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    tape: Arc<Tape>,
    _driver: Task,
}

impl Http {
    pub(crate) fn new(endpoint: &Endpoint, limits: &Limits, ledger: Ledger) -> Result<Arc<Self>, Failure> {
        let connector = Connector::new(endpoint, limits.connect)?;
        Ok(Arc::new(Self {
            connector,
            idle: Mutex::default(),
            ledger,
            message_limit: limits.run.session_bound(limits.message),
        }))
    }

    /// Sends a request and waits for the head of the response, until `deadline`. `doing` says in failures what it was for.
    pub(crate) async fn send_until(
        self: &Arc<Self>,
        request: Outgoing,
        doing: &str,
        deadline: Instant,
    ) -> Result<Exchange, Failure> {
        let started = Instant::now();
        let attempt = self.send(request, doing);
        match tokio::time::timeout_at(deadline, attempt).await {
            Ok(result) => result,
            Err(_) => Err(Failure::timed_out(doing, started.elapsed())),
        }
    }

    /// Counts an answer that is to be posted.
    pub(crate) fn owe(&self, answer: &Bytes) -> Result<(), Failure> {
        self.ledger.owe(answer)
    }

    /// Closes all idle connections.
    pub(crate) fn hang_up(&self) {
        self.with_idle(Vec::clear);
    }

    /// Sends a request and waits for the head of the response, however long that takes.
    pub(crate) async fn send(self: &Arc<Self>, request: Outgoing, doing: &str) -> Result<Exchange, Failure> {
        let exchange = self.ledger.next_exchange();
        let mut message = self.build_request(&request)?;
        // An idle connection may turn out to be closed before a byte was written; a fresh one is then safe to try.
        while let Some(mut connection) = self.take_idle().await {
            connection.tape.begin(exchange, request.body.clone());
            match connection.sender.try_send_request(message).await {
                Ok(response) => return Ok(Exchange::new(response, connection, exchange, self)),
                Err(mut unsent) => match unsent.take_message() {
                    Some(back) => message = back,
                    None => return Err(self.failed(&unsent.into_error(), &connection, exchange, doing)),
                },
            }
        }
        let mut connection = self.connect().await?;
        connection.tape.begin(exchange, request.body.clone());
        match connection.sender.send_request(message).await {
            Ok(response) => Ok(Exchange::new(response, connection, exchange, self)),
            Err(why) => Err(self.failed(&why, &connection, exchange, doing)),
        }
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let stream = self.connector.connect().await?;
        let tape = Arc::new(Tape::new(self.ledger.clone()));
        let io = TokioIo::new(Tap::new(stream, Arc::clone(&tape)));
        let (sender, driver) = http1::handshake(io).await.map_err(|why| Failure::Ours(why.to_string()))?;
        // What ends the connection is seen by the exchange that it carries.
        let driver = Task::spawn(async move { drop(driver.await) });
        Ok(Connection { sender, tape, _driver: driver })
    }

    /// A connection that is still good, if one is idle.
    async fn take_idle(&self) -> Option<Connection> {
        loop {
            let (mut connection, since) = self.with_idle(Vec::pop)?;
            if since.elapsed() > IDLE || connection.sender.is_closed() {
                continue;
            }
            let ready = tokio::time::timeout(Duration::from_millis(100), connection.sender.ready());
            if matches!(ready.await, Ok(Ok(()))) {
                return Some(connection);
            }
        }
    }

    /// Takes back a connection whose exchange is over.
    fn give_back(&self, connection: Connection) {
        if !connection.sender.is_closed() {
            self.with_idle(|idle| idle.push((connection, Instant::now())));
        }
    }

    fn failed(&self, why: &hyper::Error, connection: &Connection, exchange: u32, doing: &str) -> Failure {
        let seen = connection.tape.abandon();
        let how = describe(why);
        self.ledger.end(exchange, &how);
        if why.is_user() {
            return Failure::Ours(format!("{doing}: {how}"));
        }
        if why.is_parse() || !seen.is_empty() {
            let start = String::from_utf8_lossy(&seen[..seen.len().min(80)]).into_owned();
            return Failure::NotHttp { doing: doing.into(), why: format!("{how}; it begins with {start:?}") };
        }
        Failure::closed(format!("answering {doing}"), how)
    }

    fn build_request(&self, request: &Outgoing) -> Result<http::Request<Full<Bytes>>, Failure> {
        let target = self.connector.request_target(&request.path);
        let built = http::Request::builder().method(request.verb.clone()).uri(target);
        let mut built = built.body(Full::new(request.body.clone())).map_err(|why| {
            Failure::Ours(format!("no HTTP request can be made of this: {why}; send it raw"))
        })?;
        *built.headers_mut() = request.headers.clone();
        if let Some(credentials) = self.connector.proxy_authorization() {
            built.headers_mut().insert(PROXY_AUTHORIZATION, credentials);
        }
        Ok(built)
    }

    fn with_idle<T>(&self, f: impl FnOnce(&mut Vec<(Connection, Instant)>) -> T) -> T {
        f(&mut self.idle.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Connection {
    fn head(&self) -> Bytes {
        self.tape.head()
    }
}

/// An error with its causes, as one line.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

fn head_of<B>(response: &http::Response<B>, raw: Bytes) -> Head {
    let reason = response.extensions().get::<hyper::ext::ReasonPhrase>();
    let reason = reason.map(|reason| String::from_utf8_lossy(reason.as_bytes()).into_owned());
    Head {
        status: response.status().as_u16(),
        reason: reason
            .or_else(|| response.status().canonical_reason().map(str::to_owned))
            .unwrap_or_default(),
        version: response.version(),
        headers: response.headers().clone(),
        raw,
    }
}
