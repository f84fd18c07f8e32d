//! A request in flight, whose messages can be read one by one.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use protocol::Era;
use tokio::time::Instant;
use wire::{Id, Malformed};

use super::compose::Composed;
use super::message_source::MessageSource;
use super::{Channel, Request, Session, headers};
use crate::client::expected_response::{ExpectedResponse, cancellation};
use crate::client::link::http::{BodyReader, Item, Outgoing};
use crate::client::{Failure, Head, Message, Reply, Turn};

/// How long a cancellation in the background may take.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(200);

/// A request in flight. Dropping it closes its stream, if it has one of its own.
#[derive(Debug)]
pub struct PendingRequest {
    session: Session,
    label: String,
    expected: ExpectedResponse,
    id: Option<Id>,
    source: MessageSource,
    reply: Reply,
    started: Instant,
    patience: Duration,
    turn: Turn,
    /// Whether a 404 means that the session is unknown.
    names_session: bool,
}

impl PendingRequest {
    pub(super) async fn start(request: Request) -> Result<Self, Failure> {
        let composed = request.compose();
        let (session, patience, mut started) = (request.session.clone(), request.patience(), Instant::now());
        let turn = request.turn.clone().unwrap_or_else(|| session.turn());
        let names_session = request.names_session();
        let (source, head) = match &*session.inner.channel {
            Channel::Pipe(pipe) => {
                let ticket = pipe.router.register(composed.expected.clone(), composed.token.clone());
                pipe.line(composed.bytes.clone(), patience)
                    .await
                    .map_err(|f| name_request(f, &composed.label))?;
                let quiet = matches!(composed.expected, ExpectedResponse::Nothing);
                (
                    if quiet {
                        MessageSource::Ended
                    } else {
                        MessageSource::Shared { ticket, early: VecDeque::new() }
                    },
                    None,
                )
            }
            Channel::Streamable(http) => {
                let body = loop {
                    let sent = turn.wait(started, patience, http.send(&request, &composed)).await;
                    match sent.ok_or_else(|| Failure::timed_out(&composed.label, patience))? {
                        Err(limited) if session.limits().rate_limit.wait_out(&limited).await => {
                            started = Instant::now();
                        }
                        sent => break sent?,
                    }
                };
                let head = (body.exchange.head.clone(), body.exchange.number);
                (MessageSource::from_body(body), Some(head))
            }
            Channel::HttpSse { .. } => loop {
                let sent = turn.wait(started, patience, post_sse(&request, &composed)).await;
                match sent.ok_or_else(|| Failure::timed_out(&composed.label, patience))? {
                    Err(limited) if session.limits().rate_limit.wait_out(&limited).await => {
                        started = Instant::now();
                    }
                    sent => break sent?,
                }
            },
        };
        let (head, exchange) = head.map_or((None, 0), |(head, number)| (Some(head), number));
        let id = composed.expected.first().cloned();
        let Composed { expected, label, .. } = composed;
        let reply = empty_reply(head, exchange);
        Ok(Self { session, label, expected, id, source, reply, started, patience, turn, names_session })
    }

    /// Reads messages that belong to no request; see [`Session::listen`].
    fn listening(session: &Session, source: MessageSource, head: Option<(Head, u32)>) -> Self {
        let (head, exchange) = head.map_or((None, 0), |(head, number)| (Some(head), number));
        Self {
            session: session.clone(),
            label: "a message".into(),
            expected: ExpectedResponse::Nothing,
            id: None,
            source,
            reply: empty_reply(head, exchange),
            started: Instant::now(),
            patience: session.inner.limits.request,
            turn: session.turn(),
            names_session: false,
        }
    }

    /// The head of the HTTP response.
    pub const fn head(&self) -> Option<&Head> {
        self.reply.head.as_ref()
    }

    /// The id that the request went out with.
    pub const fn id(&self) -> Option<&Id> {
        self.id.as_ref()
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.reply.messages
    }

    /// Forgets the messages so far, for one who reads them as they come. A server may send any number of them.
    pub fn forget_messages(&mut self) {
        self.reply.messages.clear();
    }

    /// Whether the response has come.
    pub const fn is_settled(&self) -> bool {
        self.expected.is_settled()
    }

    /// The id of the last event of the stream that had one.
    pub fn last_event_id(&self) -> Option<&str> {
        match &self.source {
            MessageSource::Body(response) => response.body.last_event_id.as_deref(),
            MessageSource::Shared { .. } | MessageSource::Ended => self.reply.last_event_id.as_deref(),
        }
    }

    /// The last `retry` of the stream.
    pub fn retry(&self) -> Option<Duration> {
        match &self.source {
            MessageSource::Body(response) => response.body.retry.map(Duration::from_millis),
            MessageSource::Shared { .. } | MessageSource::Ended => self.reply.retry,
        }
    }

    /// The next message, the response included; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Message>, Failure> {
        self.next_within(self.patience).await
    }

    /// The same, waiting no longer than `patience`.
    pub async fn next_within(&mut self, patience: Duration) -> Result<Option<Message>, Failure> {
        let turn = self.turn.clone();
        match turn.wait(Instant::now(), patience, self.advance()).await {
            Some(result) => result,
            None => Err(self.timeout_failure(patience)),
        }
    }

    /// Waits for the response, and for the end of its stream if that comes soon.
    pub async fn response(mut self) -> Result<Reply, Failure> {
        let turn = self.turn.clone();
        while !self.expected.is_settled() {
            match turn.wait(self.started, self.patience, self.advance()).await {
                Some(Ok(Some(_))) => {}
                Some(Ok(None)) => break,
                Some(Err(failure)) => return Err(failure),
                None => {
                    self.cancel_quickly().await;
                    return Err(self.timeout_failure(self.patience));
                }
            }
        }
        self.linger().await?;
        Ok(self.into_reply())
    }

    /// Cancels the request: in the modern era of HTTP by closing its stream, otherwise with a notification.
    pub async fn cancel(&mut self, reason: &str) -> Result<(), Failure> {
        let inner = &self.session.inner;
        if let (Channel::Streamable(_), Era::Modern) = (&*inner.channel, inner.version.era()) {
            self.close();
            return Ok(());
        }
        let Some(id) = &self.id else { return Ok(()) };
        let notification = cancellation(id, Some(reason));
        let sent = self.session.notification("notifications/cancelled").body(notification);
        // Boxed, because sending a request is recursive here.
        Box::pin(sent.send()).await.map(drop)
    }

    /// Closes the stream, or leaves the shared channel.
    pub fn close(&mut self) {
        self.source = MessageSource::Ended;
    }

    async fn advance(&mut self) -> Result<Option<Message>, Failure> {
        if let (MessageSource::Shared { .. }, true) = (&self.source, self.expected.is_settled()) {
            self.source = MessageSource::Ended;
        }
        let next = self.source.next(&self.session, self.expected.is_open()).await;
        let Some((message, settles)) = next.map_err(|failure| name_request(failure, &self.label))? else {
            self.finish();
            return Ok(None);
        };
        let alone = matches!(self.source, MessageSource::Body(_)) || settles;
        let was_open = self.expected.is_open();
        self.expected.apply_frames(&message.frames(), alone);
        if was_open && self.expected.is_settled() {
            self.turn.note_answer();
            self.reply.response = Some(message.clone());
            self.reply.elapsed = self.started.elapsed();
        }
        self.reply.messages.push(message.clone());
        Ok(Some(message))
    }

    /// Waits briefly to see whether the stream ends after the response.
    async fn linger(&mut self) -> Result<(), Failure> {
        if !matches!(self.source, MessageSource::Body(_)) || !self.expected.is_settled() {
            return Ok(());
        }
        let patience = self.session.inner.limits.linger;
        let rest = async {
            while self.advance().await?.is_some() {}
            Ok(())
        };
        tokio::time::timeout(patience, rest).await.unwrap_or(Ok(()))
    }

    fn finish(&mut self) {
        self.copy_stream_facts();
        self.reply.ended = true;
        self.source = MessageSource::Ended;
    }

    /// Copies the facts of the stream into the reply, and notes a lost session.
    fn copy_stream_facts(&mut self) {
        if let MessageSource::Body(response) = &mut self.source {
            self.reply.body = std::mem::take(&mut response.whole);
            self.reply.cut = response.cut.take();
            self.reply.last_event_id = response.body.last_event_id.take();
            self.reply.retry = response.body.retry.map(Duration::from_millis);
        }
        if self.names_session && self.reply.is_session_unknown() {
            self.session.lose(&self.label);
        }
    }

    fn into_reply(mut self) -> Reply {
        self.copy_stream_facts();
        self.reply.ended |= matches!(self.source, MessageSource::Shared { .. } | MessageSource::Ended);
        if self.reply.response.is_none() {
            self.reply.elapsed = self.started.elapsed();
        }
        self.reply
    }

    fn timeout_failure(&self, patience: Duration) -> Failure {
        if let Some(why) = self.session.only_noise() {
            return Failure::NotJsonRpc { doing: self.label.clone(), why, after: patience };
        }
        self.session.timeout_failure(&self.label, patience)
    }

    /// Cancels the request at the target, if that can be done quickly.
    async fn cancel_quickly(&mut self) {
        let modern_http =
            matches!(self.source, MessageSource::Body(_)) && self.session.inner.version.era() == Era::Modern;
        let id =
            self.id.clone().filter(|_| self.label != "initialize" && self.expected.is_open() && !modern_http);
        self.close();
        if let Some(id) = id {
            let told = self.session.notification("notifications/cancelled");
            let told = told.body(cancellation(&id, Some("it took too long"))).timeout(CANCEL_TIMEOUT);
            // If even this fails, there is nothing more to do.
            let _ = Box::pin(told.send()).await;
        }
    }
}

impl Session {
    /// Why the last line on a pipe is not a message, if no message ever came.
    pub(crate) fn only_noise(&self) -> Option<Malformed> {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.router.only_noise(),
            Channel::HttpSse { .. } | Channel::Streamable(_) => None,
        }
    }

    /// The failure of what was waited for without an answer, with what the target printed instead.
    fn timeout_failure(&self, waiting: &str, after: Duration) -> Failure {
        let failure = Failure::timed_out(waiting, after);
        match &*self.inner.channel {
            Channel::Pipe(pipe) => {
                failure.with_stdout(pipe.router.unanswered_output()).with_stderr(pipe.stderr_tail())
            }
            Channel::HttpSse { .. } | Channel::Streamable(_) => failure,
        }
    }

    /// The same failure where what the target printed on a pipe was not a reaction to a request, so that nothing was answered.
    pub(crate) fn as_timeout_on_pipe(&self, failure: Failure) -> Failure {
        match (failure, &*self.inner.channel) {
            (Failure::NotJsonRpc { doing, after, .. }, Channel::Pipe(_)) => {
                self.timeout_failure(&doing, after)
            }
            (other, _) => other,
        }
    }

    /// Reads messages that belong to no request: on the GET stream of legacy Streamable HTTP, after `last_event_id` if
    /// that is given, or on the shared channel of another transport.
    pub async fn listen(&self, last_event_id: Option<&str>) -> Result<PendingRequest, Failure> {
        let shared = |router: &std::sync::Arc<crate::client::route::Router>| MessageSource::Shared {
            ticket: router.register(ExpectedResponse::Nothing, None),
            early: VecDeque::new(),
        };
        match &*self.inner.channel {
            Channel::Pipe(pipe) => Ok(PendingRequest::listening(self, shared(&pipe.router), None)),
            Channel::HttpSse { sse, .. } => Ok(PendingRequest::listening(self, shared(&sse.router), None)),
            Channel::Streamable(http) => {
                let body = http.get(last_event_id, Instant::now() + self.inner.limits.request).await?;
                let head = (body.exchange.head.clone(), body.exchange.number);
                Ok(PendingRequest::listening(self, MessageSource::from_body(body), Some(head)))
            }
        }
    }
}

/// Posts to the endpoint of HTTP+SSE. The answer comes on the stream, unless the POST is refused.
async fn post_sse(
    request: &Request,
    composed: &Composed,
) -> Result<(MessageSource, Option<(Head, u32)>), Failure> {
    let Channel::HttpSse { http, sse, base } = &*request.session.inner.channel else {
        return Err(Failure::Ours("no HTTP+SSE here".into()));
    };
    let mut all = base.clone();
    headers::post(&mut all);
    request.adjust(&mut all)?;
    let ticket = sse.router.register(composed.expected.clone(), composed.token.clone());
    let path = request.path.clone().unwrap_or_else(|| sse.path.clone());
    let outgoing = Outgoing { verb: request.verb.clone(), path, headers: all, body: composed.bytes.clone() };
    let mut body = BodyReader::new(http.send(outgoing, &composed.label).await?);
    let head = (body.exchange.head.clone(), body.exchange.number);
    if !(200..300).contains(&head.0.status) || matches!(composed.expected, ExpectedResponse::Nothing) {
        return Ok((MessageSource::from_body(body), Some(head)));
    }
    let mut early = VecDeque::new();
    while let Some(item) = body.next().await? {
        if let Item::Message(message) | Item::Whole(_, Some(message)) = item {
            early.push_back(message);
        }
    }
    Ok((MessageSource::Shared { ticket, early }, Some(head)))
}

fn empty_reply(head: Option<Head>, exchange: u32) -> Reply {
    Reply {
        head,
        body: Bytes::new(),
        messages: Vec::new(),
        response: None,
        cut: None,
        ended: false,
        last_event_id: None,
        retry: None,
        elapsed: Duration::ZERO,
        exchange,
    }
}

/// Adds what was going on when the channel ended.
fn name_request(mut failure: Failure, label: &str) -> Failure {
    match &mut failure {
        Failure::Closed { during, .. } => *during = format!("answering {label}"),
        Failure::NotJsonRpc { doing, .. } if doing.is_empty() => label.clone_into(doing),
        _ => {}
    }
    failure
}
