//! An HTTP/1.1 client: it keeps connections alive, and records every head as it was on the wire.

mod body;
mod dial;
mod exchange;
mod head_recorder;
mod origin;
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
use wire::Frame;

pub(crate) use body::{BodyReader, Item};
pub(crate) use dial::{Connector, Stream};
pub(crate) use exchange::Exchange;
pub(crate) use head_recorder::head_end;
use head_recorder::{HeadRecorder, RecordedStream};
pub(crate) use origin::{Origin, path_of};
pub use trust::read_certificates;
pub use waiting::await_connection;

use super::Task;
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::{Endpoint, Failure, Head, Limits, RateLimitWaits};

/// How long an idle connection is reused. Servers close theirs after a few seconds.
const MAX_IDLE: Duration = Duration::from_secs(2);

/// An HTTP client for one origin.
#[derive(Debug)]
pub(crate) struct Http {
    connector: Connector,
    idle: Mutex<Vec<(Connection, Instant)>>,
    record: BoundedRecorder,
    message_limit: usize,
    rate_limit: RateLimitWaits,
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
    heads: Arc<HeadRecorder>,
    _driver: Task,
}

impl Http {
    pub(crate) fn new(
        endpoint: &Endpoint,
        limits: &Limits,
        record: BoundedRecorder,
    ) -> Result<Arc<Self>, Failure> {
        let connector = Connector::new(endpoint, limits.connect)?;
        Ok(Arc::new(Self {
            connector,
            idle: Mutex::default(),
            record,
            message_limit: limits.run.session_bound(limits.message),
            rate_limit: limits.rate_limit.clone(),
        }))
    }

    /// Sends a request and waits for the head of the response, until `deadline`. `doing` names the purpose in failures.
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
    pub(crate) fn count_answer(&self, answer: &Bytes) -> Result<(), Failure> {
        self.record.count_answer(answer)
    }

    /// Closes all idle connections.
    pub(crate) fn hang_up(&self) {
        self.with_idle(Vec::clear);
    }

    /// Sends a request and waits for the head of the response, however long that takes.
    pub(crate) async fn send(self: &Arc<Self>, request: Outgoing, doing: &str) -> Result<Exchange, Failure> {
        let mut exchange = self.exchange(request, doing).await?;
        if self.rate_limit.refuses(&exchange.head) {
            let said = exchange.start_of_body().await;
            return Err(RateLimitWaits::failure(&exchange.head, said));
        }
        Ok(exchange)
    }

    async fn exchange(self: &Arc<Self>, request: Outgoing, doing: &str) -> Result<Exchange, Failure> {
        let exchange = self.record.next_exchange();
        let mut message = self.build_request(&request)?;
        // The server may have closed an idle connection before a byte was written. Then the request may be sent on a
        // new one.
        while let Some(mut connection) = self.take_idle().await {
            connection.heads.begin(exchange, request.body.clone());
            match connection.sender.try_send_request(message).await {
                Ok(response) => return Ok(Exchange::new(response, connection, exchange, self)),
                Err(mut unsent) => match unsent.take_message() {
                    Some(back) => message = back,
                    None => {
                        let failure = self.record_failure(&unsent.into_error(), &connection, exchange, doing);
                        return self.send_again(&request, doing, failure).await;
                    }
                },
            }
        }
        self.exchange_on_new_connection(&request, message, exchange, doing).await
    }

    /// Sends a request again that failed on a connection that had been idle. The server may have closed it just then, as any
    /// server does after a while, so this is no fault of it. Only what does no harm twice is sent again, and only if no byte of
    /// an answer had come.
    async fn send_again(
        self: &Arc<Self>,
        request: &Outgoing,
        doing: &str,
        failure: Failure,
    ) -> Result<Exchange, Failure> {
        if !matches!(failure, Failure::Closed { .. }) || !request.is_repeatable() {
            return Err(failure);
        }
        let exchange = self.record.next_exchange();
        let message = self.build_request(request)?;
        match self.exchange_on_new_connection(request, message, exchange, doing).await {
            // The server is gone, and it was there at the first try.
            Err(Failure::Unreachable { .. }) => Err(failure),
            answer => answer,
        }
    }

    async fn exchange_on_new_connection(
        self: &Arc<Self>,
        request: &Outgoing,
        message: http::Request<Full<Bytes>>,
        exchange: u32,
        doing: &str,
    ) -> Result<Exchange, Failure> {
        let mut connection = self.connect().await?;
        connection.heads.begin(exchange, request.body.clone());
        match connection.sender.send_request(message).await {
            Ok(response) => Ok(Exchange::new(response, connection, exchange, self)),
            Err(why) => Err(self.record_failure(&why, &connection, exchange, doing)),
        }
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let stream = self.connector.connect().await?;
        let heads = Arc::new(HeadRecorder::new(self.record.clone()));
        let io = TokioIo::new(RecordedStream::new(stream, Arc::clone(&heads)));
        let (sender, driver) = http1::handshake(io).await.map_err(|why| Failure::Ours(why.to_string()))?;
        // The exchange on the connection reports how it ends.
        let driver = Task::spawn(async move { drop(driver.await) });
        Ok(Connection { sender, heads, _driver: driver })
    }

    /// An idle connection that is still open, if there is one.
    async fn take_idle(&self) -> Option<Connection> {
        loop {
            let (mut connection, since) = self.with_idle(Vec::pop)?;
            if since.elapsed() > MAX_IDLE || connection.sender.is_closed() {
                continue;
            }
            let ready = tokio::time::timeout(Duration::from_millis(100), connection.sender.ready());
            if matches!(ready.await, Ok(Ok(()))) {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection whose exchange has ended.
    fn give_back(&self, connection: Connection) {
        if !connection.sender.is_closed() {
            self.with_idle(|idle| idle.push((connection, Instant::now())));
        }
    }

    fn record_failure(
        &self,
        why: &hyper::Error,
        connection: &Connection,
        exchange: u32,
        doing: &str,
    ) -> Failure {
        let seen = connection.heads.abandon();
        let how = describe(why);
        self.record.record_end(exchange, &how);
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

impl Outgoing {
    /// Whether it does no harm if the server has read it and reads it again: a call of a tool may.
    fn is_repeatable(&self) -> bool {
        match self.verb {
            http::Method::GET | http::Method::DELETE => true,
            _ => Frame::parse(&self.body)
                .is_ok_and(|frame| frame.method().is_some_and(|method| method != "tools/call")),
        }
    }
}

impl Connection {
    fn head(&self) -> Bytes {
        self.heads.head()
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
