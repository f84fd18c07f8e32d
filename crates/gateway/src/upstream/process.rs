//! A server that is a process: one for each client session, started with the first message.
//!
//! Requests of the modern era have no session. Over HTTP their clients share one process, so the ids and progress tokens that
//! they chose are replaced on the way in and put back on the way out. Everywhere else every byte passes as it is.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use protocol::{Era, code};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use transport::client::Program;
use transport::serve::{Answer, Out, Outbox};
use transport::upstream::ServerProcess;
use transport::{MAX_MESSAGE, Transport};
use wire::{Frame, Id, Kind, Line, Lines};

use crate::client_message::ClientMessage;
use crate::failure::UpstreamFailure;
use crate::ids::{ClientIds, notified_token, replace_ids, request_token, restore_ids, subscription};
use crate::mirrored_headers::{ToolHeaders, check_mirrored_headers, has_mirrored_headers};

/// How many messages may wait for the process.
const MAX_UNREAD: usize = 256;
/// How many messages of one stream may wait for the client.
const MAX_QUEUED: usize = 256;
/// How long a process that was started again may take to answer the handshake.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the list of tools is relied on, and how many of its pages are read.
const TOOLS_KNOWN_FOR: Duration = Duration::from_secs(10);
const MAX_PAGES: usize = 100;
/// How long each step to the end of a process may take.
const END_STEP: Duration = Duration::from_secs(2);

/// The connection of one client session.
#[derive(Debug)]
pub(crate) struct ProcessLink {
    program: Arc<Program>,
    outbox: Outbox,
    transport: Transport,
    running: tokio::sync::Mutex<Option<Arc<RunningServer>>>,
    /// Whether the client reads the outbox.
    listens: Arc<AtomicBool>,
    /// The handshake of the session, for a process that takes the place of one that ended.
    handshake: Mutex<Option<Bytes>>,
}

/// A process with its open requests.
#[derive(Debug)]
struct RunningServer {
    process: ServerProcess,
    input: mpsc::Sender<Bytes>,
    calls: Mutex<PendingCalls>,
    next: AtomicU64,
    outbox: Outbox,
    /// Whether the client reads the outbox.
    listens: Arc<AtomicBool>,
    /// Which arguments have headers, and when the process said so.
    tools: tokio::sync::Mutex<Option<(Instant, Arc<ToolHeaders>)>>,
}

/// The requests that wait for their response.
#[derive(Debug, Default)]
struct PendingCalls {
    open: HashMap<Id, PendingCall>,
    /// Why there will be no more responses.
    ended: Option<String>,
}

/// A request that waits for its response.
#[derive(Debug)]
struct PendingCall {
    sink: CallSink,
    /// The id and the progress token as the client spelled them, where the process got others.
    ids: Option<ClientIds>,
    /// The progress token that the process knows.
    token: Option<Id>,
    /// Its place in the order of requests.
    number: u64,
    id_json: Bytes,
    is_modern: bool,
    /// Dropped with the call, so that nobody watches its stream any longer.
    _ended: Option<oneshot::Sender<()>>,
}

/// Where messages for a request go.
#[derive(Debug)]
enum CallSink {
    /// Nothing has come yet: the first message decides whether the answer is a stream.
    Undecided(oneshot::Sender<Answer>),
    Stream(mpsc::Sender<Out>),
}

impl ProcessLink {
    pub(super) fn new(program: Arc<Program>, transport: Transport, outbox: Outbox) -> Arc<Self> {
        let (running, handshake) = (tokio::sync::Mutex::default(), Mutex::default());
        let listens = Arc::new(AtomicBool::new(transport != Transport::StreamableHttp));
        Arc::new(Self { program, outbox, transport, running, listens, handshake })
    }

    pub(super) async fn send(&self, message: ClientMessage) -> Answer {
        if message.is("initialize") {
            *self.handshake.lock().unwrap_or_else(PoisonError::into_inner) = Some(message.bytes.clone());
        }
        let running = match self.running(&message).await {
            Ok(running) => running,
            Err(failure) => return failure.answer(&message),
        };
        if has_mirrored_headers(&message) {
            let tools =
                if message.is("tools/call") { running.tool_headers(&message).await } else { Arc::default() };
            if let Err(refusal) = check_mirrored_headers(&message, &tools) {
                return refusal;
            }
        }
        let is_shared = message.is_modern() && self.transport == Transport::StreamableHttp;
        match message.kind {
            Kind::Request => running.call(message, is_shared).await,
            Kind::Notification | Kind::Result | Kind::Error | Kind::Invalid(_) => {
                match running.write(message.bytes.clone()).await {
                    Ok(()) => Answer::Accepted,
                    Err(failure) => failure.answer(&message),
                }
            }
        }
    }

    /// The process, which is started if it does not run, and told then what the one before it was told about the session.
    async fn running(&self, message: &ClientMessage) -> Result<Arc<RunningServer>, UpstreamFailure> {
        let mut running = self.running.lock().await;
        if let Some(running) = running.as_ref().filter(|running| running.lock().ended.is_none()) {
            return Ok(Arc::clone(running));
        }
        let (process, stdin, stdout) =
            ServerProcess::start(&self.program).map_err(|why| UpstreamFailure::unsent(why.to_string()))?;
        let (input, unread) = mpsc::channel(MAX_UNREAD);
        let started = Arc::new(RunningServer {
            process,
            input,
            calls: Mutex::default(),
            next: AtomicU64::new(1),
            outbox: self.outbox.clone(),
            listens: Arc::clone(&self.listens),
            tools: tokio::sync::Mutex::default(),
        });
        tokio::spawn(write_lines(stdin, unread));
        tokio::spawn(read_lines(stdout, Arc::clone(&started)));
        let handshake = self.handshake.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(handshake) = handshake.filter(|_| !message.is("initialize") && !message.is_modern()) {
            started.open_again(&handshake).await?;
        }
        *running = Some(Arc::clone(&started));
        Ok(started)
    }

    /// The client reads the outbox from now on.
    pub(super) fn listen(&self) {
        self.listens.store(true, Ordering::Relaxed);
    }

    /// Ends the process.
    pub(super) fn close(self: &Arc<Self>) {
        let link = Arc::clone(self);
        tokio::spawn(async move {
            let Some(running) = link.running.lock().await.take() else { return };
            running.end("its session was ended");
            // The writer closes stdin when the last sender is gone; this wakes it.
            let _ = running.input.send(Bytes::new()).await;
            running.process.end(END_STEP).await;
        });
    }
}

impl RunningServer {
    async fn call(self: Arc<Self>, mut message: ClientMessage, is_shared: bool) -> Answer {
        let (Some(id), Some(id_json)) = (message.id.clone(), message.id_json.clone()) else {
            return UpstreamFailure::unsent("a request without an id").answer(&message);
        };
        let (number, is_modern) = (self.next.fetch_add(1, Ordering::Relaxed), message.is_modern());
        let (key, bytes, ids) = if is_shared {
            let (bytes, ids) = replace_ids(&message.bytes, number);
            (Id::Number(number.to_string().into()), bytes, Some(ids))
        } else {
            (id, message.bytes.clone(), None)
        };
        let token = request_token(&bytes);
        let (sender, answer) = oneshot::channel();
        let (ended, watched) = oneshot::channel();
        let (sink, ended) = (CallSink::Undecided(sender), is_shared.then_some(ended));
        let call = PendingCall { sink, ids, token, number, id_json, is_modern, _ended: ended };
        if let Err(why) = self.add(key.clone(), call) {
            return UpstreamFailure::unsent(why).answer(&message);
        }
        let mut open = CallGuard { running: &self, key: is_shared.then_some(key), number };
        if let Err(failure) = self.write(bytes).await {
            return failure.answer(&message);
        }
        message.turn.pass();
        match answer.await {
            Ok(answer) => {
                if let (Answer::Stream(_), Some(key)) = (&answer, open.key.take()) {
                    self.watch(key, number, watched);
                }
                open.key = None;
                answer
            }
            Err(_) => UpstreamFailure::lost("another request of the same id took its place").answer(&message),
        }
    }

    /// Which arguments of the tools have headers. The process is asked as the client that calls one of them.
    async fn tool_headers(self: &Arc<Self>, call: &ClientMessage) -> Arc<ToolHeaders> {
        let mut known = self.tools.lock().await;
        if let Some((since, tools)) = known.as_ref()
            && since.elapsed() < TOOLS_KNOWN_FOR
        {
            return Arc::clone(tools);
        }
        let mut tools = ToolHeaders::default();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let listed =
                tokio::time::timeout(START_TIMEOUT, Arc::clone(self).call(call.list_tools(cursor), true))
                    .await;
            let Ok(Answer::Message { body, .. }) = listed else { break };
            let result = Frame::parse(&body).ok().and_then(|frame| frame.result);
            let Some(result) = result.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()) else {
                break;
            };
            tools.add(&result);
            cursor = result.get("nextCursor").filter(|cursor| cursor.is_string()).cloned();
            if cursor.is_none() {
                break;
            }
        }
        let tools = Arc::new(tools);
        *known = Some((Instant::now(), Arc::clone(&tools)));
        tools
    }

    /// Tells the process when the client closes the stream of a request.
    fn watch(self: &Arc<Self>, key: Id, number: u64, ended: oneshot::Receiver<()>) {
        let stream = match self.lock().open.get(&key).map(|call| &call.sink) {
            Some(CallSink::Stream(stream)) => stream.clone(),
            Some(CallSink::Undecided(_)) | None => return,
        };
        let running = Arc::clone(self);
        tokio::spawn(async move {
            tokio::select! {
                () = stream.closed() => {
                    running.lock().open.remove(&key);
                    running.cancel(number);
                }
                _ = ended => {}
            }
        });
    }

    /// Repeats the handshake of a session with a process that knows nothing of it.
    async fn open_again(self: &Arc<Self>, handshake: &Bytes) -> Result<(), UpstreamFailure> {
        let (sender, answer) = oneshot::channel();
        let (bytes, _) = replace_ids(handshake, 0);
        let id_json = Bytes::from_static(b"0");
        let sink = CallSink::Undecided(sender);
        let call =
            PendingCall { sink, ids: None, token: None, number: 0, id_json, is_modern: false, _ended: None };
        self.add(Id::Number("0".into()), call).map_err(UpstreamFailure::unsent)?;
        self.write(bytes).await?;
        match tokio::time::timeout(START_TIMEOUT, answer).await {
            Ok(Ok(Answer::Message { body, .. })) if Frame::parse(&body).is_ok_and(|f| f.result.is_some()) => {
                let ready = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
                self.write(Bytes::from_static(ready)).await
            }
            Ok(_) => Err(UpstreamFailure::unsent("started again, it refuses the session")),
            Err(_) => Err(UpstreamFailure::unsent("started again, it does not answer the handshake")),
        }
    }

    fn add(&self, key: Id, call: PendingCall) -> Result<(), String> {
        let mut calls = self.lock();
        if let Some(why) = &calls.ended {
            return Err(why.clone());
        }
        // Requests that nobody waits for any more, because the client went away, end here.
        calls.open.retain(|_, call| !call.sink.is_abandoned());
        calls.open.insert(key, call);
        Ok(())
    }

    async fn write(&self, bytes: Bytes) -> Result<(), UpstreamFailure> {
        self.input.send(bytes).await.map_err(|_| UpstreamFailure::unsent("it reads no more input"))
    }

    /// Brings a line of the process to whom it concerns.
    fn route(&self, line: Bytes) {
        let Ok(frame) = Frame::parse(&line) else { return };
        let mut calls = self.lock();
        if frame.is_response() {
            let call = frame.id().and_then(|id| calls.open.remove(&id));
            if let Some(call) = call {
                let message = restore_ids(&line, &frame, call.ids.as_ref());
                let status = if call.is_modern { status_of(&frame) } else { 200 };
                call.sink.finish(status, message);
            }
            return;
        }
        let Some(key) = calls.find_concerned(&frame, self.listens.load(Ordering::Relaxed)) else {
            drop(calls);
            // A client that reads too slowly misses it.
            let _ = self.outbox.send(line);
            return;
        };
        let Some(call) = calls.open.get_mut(&key) else { return };
        let message = restore_ids(&line, &frame, call.ids.as_ref());
        if !call.sink.push(message) {
            calls.open.remove(&key);
        }
    }

    /// No response comes any more.
    fn end(&self, why: &str) {
        let mut calls = self.lock();
        calls.ended.get_or_insert_with(|| why.to_owned());
        for (_, call) in calls.open.drain() {
            call.sink.finish(502, UpstreamFailure::lost(why).response(&call.id_json));
        }
    }

    fn lock(&self) -> MutexGuard<'_, PendingCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the process when nobody waits for a request any more, where closing a stream means that.
struct CallGuard<'r> {
    running: &'r Arc<RunningServer>,
    key: Option<Id>,
    number: u64,
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.running.lock().open.remove(&key);
            self.running.cancel(self.number);
        }
    }
}

impl RunningServer {
    fn cancel(&self, number: u64) {
        let cancelled = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{number},"reason":"the client closed its stream"}}}}"#
        );
        // A process that reads nothing cannot be told.
        let _ = self.input.try_send(cancelled.into());
    }
}

impl PendingCalls {
    /// The request that a notification or a request of the server belongs to. What names none goes to the outbox; a client that
    /// does not read its outbox gets what it must not miss with the latest request.
    fn find_concerned(&self, frame: &Frame<'_>, listens: bool) -> Option<Id> {
        if let Some(subscription) = subscription(frame) {
            return self.open.contains_key(&subscription).then_some(subscription);
        }
        if let Some(token) = notified_token(frame) {
            let mut open = self.open.iter();
            return open.find(|(_, call)| call.token.as_ref() == Some(&token)).map(|(key, _)| key.clone());
        }
        let latest = self.open.iter().max_by_key(|(_, call)| call.number);
        let (key, call) = latest.filter(|_| is_for_a_request(frame))?;
        let is_only = self.open.len() == 1;
        // Clients that share a process never get what may be for another.
        let is_chosen = if call.ids.is_some() { is_only } else { is_only || !listens };
        is_chosen.then(|| key.clone())
    }
}

/// Whether a message that names no request may come of one: a question to the client, or a log message.
fn is_for_a_request(frame: &Frame<'_>) -> bool {
    frame.kind() == Kind::Request || frame.method().as_deref() == Some("notifications/message")
}

impl CallSink {
    fn is_abandoned(&self) -> bool {
        match self {
            Self::Undecided(sender) => sender.is_closed(),
            Self::Stream(sender) => sender.is_closed(),
        }
    }

    /// Sends the last message.
    fn finish(self, status: u16, message: Bytes) {
        match self {
            // The client has gone if this fails.
            Self::Undecided(sender) => drop(sender.send(Answer::Message { status, body: message })),
            Self::Stream(sender) => drop(sender.try_send(Out::Message(message))),
        }
    }

    /// Sends a message that others follow; false if the client has gone or reads too slowly.
    fn push(&mut self, message: Bytes) -> bool {
        if let Self::Undecided(_) = self {
            let (stream, receiver) = mpsc::channel(MAX_QUEUED);
            if let Self::Undecided(decide) = std::mem::replace(self, Self::Stream(stream)) {
                // The stream is closed if nobody waits for it.
                let _ = decide.send(Answer::Stream(receiver));
            }
        }
        match self {
            Self::Undecided(_) => false,
            Self::Stream(sender) => sender.try_send(Out::Message(message)).is_ok(),
        }
    }
}

/// The HTTP status for a response of the modern era.
fn status_of(frame: &Frame<'_>) -> u16 {
    let error = frame.error.and_then(|error| serde_json::from_str::<Value>(error.get()).ok());
    let code = error.and_then(|error| wire::integer_of(&error["code"]));
    code.map_or(200, |code| code::http_status(Era::Modern.newest(), code).code())
}

/// Writes messages as lines. In valid JSON a newline can only be white space.
async fn write_lines(mut stdin: ChildStdin, mut unread: mpsc::Receiver<Bytes>) {
    let mut buffer = Vec::new();
    while let Some(message) = unread.recv().await {
        if message.is_empty() {
            return;
        }
        buffer.clear();
        buffer.extend_from_slice(&message);
        for byte in &mut buffer {
            if matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        buffer.push(b'\n');
        if stdin.write_all(&buffer).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn read_lines(mut stdout: ChildStdout, running: Arc<RunningServer>) {
    let mut lines = Lines::new(MAX_MESSAGE);
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = stdout.read(&mut buffer).await {
        lines.push(&buffer[..count]);
        while let Some(line) = lines.next() {
            if let Line::Whole(bytes) = line {
                running.route(bytes);
            }
        }
    }
    let why = running.process.explain_end().await;
    running.end(&why);
}
