//! A server that is a process: one for each client session, started with the first message.
//!
//! Requests of the modern era have no session. Over HTTP their clients share one process, so the ids and progress tokens that
//! they chose are replaced on the way in and put back on the way out. Everywhere else every byte passes as it is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use protocol::{Era, code};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use transport::client::Program;
use transport::serve::{Answer, Out, Outbox};
use transport::upstream::ServerProcess;
use transport::{MAX_MESSAGE, Transport};
use wire::{Frame, Id, Kind, Line, Lines};

use super::crash_loop::CrashLoop;
use super::pending_calls::{CallSink, PendingCall, PendingCalls};
use super::session_memory::SessionMemory;
use crate::client_message::ClientMessage;
use crate::failure::UpstreamFailure;
use crate::ids::{replace_ids, request_token, restore_ids};
use crate::mirrored_headers::{ToolHeaders, check_mirrored_headers, has_mirrored_headers};

/// How many messages may wait for the process.
const MAX_UNREAD: usize = 256;
/// How long a process that was started again may take to answer what it is told of its session.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the list of tools is relied on, and how many of its pages are read.
const TOOLS_KNOWN_FOR: Duration = Duration::from_secs(10);
const MAX_PAGES: usize = 100;
/// How long each step to the end of a process may take.
const END_STEP: Duration = Duration::from_secs(2);

/// A server that is started, for all sessions.
#[derive(Debug)]
pub(super) struct ProcessUpstream {
    program: Program,
    starts: Mutex<CrashLoop>,
}

/// The connection of one client session.
#[derive(Debug)]
pub(crate) struct ProcessLink {
    upstream: Arc<ProcessUpstream>,
    outbox: Outbox,
    transport: Transport,
    running: tokio::sync::Mutex<Option<Arc<RunningServer>>>,
    /// Whether the client reads the outbox.
    listens: Arc<AtomicBool>,
    /// For a process that takes the place of one that ended.
    memory: Mutex<SessionMemory>,
}

/// A process with its open requests.
#[derive(Debug)]
struct RunningServer {
    upstream: Arc<ProcessUpstream>,
    started: Instant,
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

impl ProcessUpstream {
    pub(super) fn new(program: Program) -> Self {
        Self { program, starts: Mutex::default() }
    }

    fn starts(&self) -> MutexGuard<'_, CrashLoop> {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProcessLink {
    pub(super) fn new(upstream: Arc<ProcessUpstream>, transport: Transport, outbox: Outbox) -> Arc<Self> {
        let (running, memory) = (tokio::sync::Mutex::default(), Mutex::default());
        let listens = Arc::new(AtomicBool::new(transport != Transport::StreamableHttp));
        Arc::new(Self { upstream, outbox, transport, running, listens, memory })
    }

    pub(super) async fn send(&self, message: ClientMessage) -> Answer {
        let running = match self.running(&message).await {
            Ok(running) => running,
            Err(failure) => return failure.answer(&message),
        };
        self.memory().note(&message);
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
            // They name requests by ids that the process does not know, or knows as those of another client.
            Kind::Result | Kind::Error if is_shared => Answer::Accepted,
            Kind::Notification if is_shared && message.is("notifications/cancelled") => Answer::Accepted,
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
        if let Some(running) = running.as_ref().filter(|running| running.lock().ended().is_none()) {
            return Ok(Arc::clone(running));
        }
        self.upstream.starts().may_start(Instant::now()).map_err(UpstreamFailure::unsent)?;
        let (process, stdin, stdout) = ServerProcess::start(&self.upstream.program)
            .map_err(|why| UpstreamFailure::unsent(why.to_string()))?;
        let (input, unread) = mpsc::channel(MAX_UNREAD);
        let started = Arc::new(RunningServer {
            upstream: Arc::clone(&self.upstream),
            started: Instant::now(),
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
        let memory = self.memory().clone();
        let needs_session = !message.is("initialize") && !message.is_modern();
        if needs_session && let Err(failure) = started.open_again(&memory).await {
            started.shut_down("it was started again and did not take up the session").await;
            return Err(failure);
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
            let running = link.running.lock().await.take();
            if let Some(running) = running {
                running.shut_down("its session was ended").await;
            }
        });
    }

    fn memory(&self) -> MutexGuard<'_, SessionMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningServer {
    async fn call(self: Arc<Self>, mut message: ClientMessage, is_shared: bool) -> Answer {
        let (Some(id), Some(id_json)) = (message.id.clone(), message.id_json.clone()) else {
            return UpstreamFailure::unsent("a request without an id").answer(&message);
        };
        let (number, is_modern) = (self.next.fetch_add(1, Ordering::Relaxed), message.is_modern());
        let (key, token, bytes, ids) = if is_shared {
            let (bytes, ids) = replace_ids(&message.bytes, number);
            let key = Id::Number(number.to_string().into());
            (key.clone(), ids.has_token().then_some(key), bytes, Some(ids))
        } else {
            (id, request_token(&message.bytes), message.bytes.clone(), None)
        };
        let (sender, answer) = oneshot::channel();
        let (ended, watched) = oneshot::channel();
        let sink = CallSink::Undecided(sender);
        let call = PendingCall { sink, ids, token, number, id_json, is_modern, _ended: Some(ended) };
        if let Err(why) = self.lock().add(key.clone(), call) {
            return UpstreamFailure::unsent(why).answer(&message);
        }
        let open = OpenCall { running: self, key, number, is_cancelled_by_leaving: is_shared };
        if let Err(failure) = open.running.write(bytes).await {
            return failure.answer(&message);
        }
        message.turn.pass();
        match answer.await {
            Ok(answer) => {
                if let Answer::Stream(_) = answer {
                    open.watch(watched);
                }
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
            let page = call.list_tools(cursor);
            let listed = async { self.await_response(Arc::clone(self).call(page, true).await).await };
            let Ok(Some(body)) = timeout(START_TIMEOUT, listed).await else { break };
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

    /// Tells a process that knows nothing of a session what the one before it was told.
    async fn open_again(&self, memory: &SessionMemory) -> Result<(), UpstreamFailure> {
        let Some((handshake, _)) = memory.handshake() else { return Ok(()) };
        let refused = || UpstreamFailure::unsent("started again, it refuses the session");
        let answer = self.ask(0, handshake).await?;
        Frame::parse(&answer).ok().and_then(|frame| frame.result).ok_or_else(refused)?;
        let ready = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        self.write(Bytes::from_static(ready)).await?;
        for (request, number) in memory.requests().into_iter().zip(1..) {
            // What it refuses now, the session is without.
            self.ask(number, request).await?;
        }
        Ok(())
    }

    /// Sends a request of the gateway's own, whose id is `number`, and waits for the response.
    async fn ask(&self, number: u64, request: Bytes) -> Result<Bytes, UpstreamFailure> {
        let (sender, answer) = oneshot::channel();
        let call = PendingCall {
            sink: CallSink::Undecided(sender),
            ids: None,
            token: None,
            number: 0,
            id_json: Bytes::new(),
            is_modern: false,
            _ended: None,
        };
        self.lock().add(Id::Number(number.to_string().into()), call).map_err(UpstreamFailure::unsent)?;
        self.write(request).await?;
        let answered = async { self.await_response(answer.await.ok()?).await };
        let body = timeout(START_TIMEOUT, answered).await.ok().flatten();
        body.ok_or_else(|| UpstreamFailure::unsent("started again, it does not answer"))
    }

    /// The response in the answer to a request of the gateway's own. What the process says before it belongs to no request.
    async fn await_response(&self, answer: Answer) -> Option<Bytes> {
        let mut outs = match answer {
            Answer::Message { body, .. } => return Some(body),
            Answer::Stream(outs) => outs,
            Answer::Accepted | Answer::Later(_) => return None,
        };
        while let Some(Out::Message(message)) = outs.recv().await {
            if Frame::parse(&message).is_ok_and(|frame| frame.is_response()) {
                return Some(message);
            }
            // A client that reads too slowly misses it.
            let _ = self.outbox.send(message);
        }
        None
    }

    async fn write(&self, bytes: Bytes) -> Result<(), UpstreamFailure> {
        self.input.send(bytes).await.map_err(|_| UpstreamFailure::unsent("it reads no more input"))
    }

    /// Brings a line of the process to whom it concerns.
    fn route(&self, line: Bytes) {
        let Ok(frame) = Frame::parse(&line) else { return };
        let mut calls = self.lock();
        if frame.is_response() {
            let call = frame.id().and_then(|id| calls.take(&id));
            drop(calls);
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
        let Some(call) = calls.get_mut(&key) else { return };
        let message = restore_ids(&line, &frame, call.ids.as_ref());
        if !call.sink.push(message) {
            calls.take(&key);
        }
    }

    /// Ends the process, and its open requests with it.
    async fn shut_down(&self, why: &str) {
        self.lock().end(why);
        // The writer closes stdin when the last sender is gone; this wakes it.
        let _ = self.input.send(Bytes::new()).await;
        self.process.end(END_STEP).await;
    }

    /// The process has ended by itself, unless it was told to.
    fn note_end(&self, why: &str) {
        let mut calls = self.lock();
        if calls.ended().is_none() {
            self.upstream.starts().note_end(self.started, Instant::now(), why);
            calls.end(why);
        }
    }

    fn lock(&self) -> MutexGuard<'_, PendingCalls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that somebody waits for. Dropping it forgets the request.
struct OpenCall {
    running: Arc<RunningServer>,
    key: Id,
    number: u64,
    /// Whether the process is told, because closing the stream of a modern request cancels it.
    is_cancelled_by_leaving: bool,
}

impl OpenCall {
    /// Waits until the request has ended or its client has closed the stream.
    fn watch(self, ended: oneshot::Receiver<()>) {
        let Some(stream) = self.running.lock().stream(&self.key) else { return };
        tokio::spawn(async move {
            tokio::select! {
                () = stream.closed() => {}
                _ = ended => {}
            }
            drop(self);
        });
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let abandoned = self.running.lock().take_numbered(&self.key, self.number);
        if abandoned.is_some() && self.is_cancelled_by_leaving {
            let number = self.number;
            let cancelled = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{number},"reason":"the client closed its stream"}}}}"#
            );
            // A process that reads nothing cannot be told.
            let _ = self.running.input.try_send(cancelled.into());
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
    running.note_end(&why);
}
