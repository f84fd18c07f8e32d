//! Servers over HTTP that end sessions whenever they like, as they may: nothing is held against them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use server::fault::streams::DELETE_ENDS_ALL;
use suite::{CaseReport, Options, Outcome, run};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use transport::client::{Endpoint, Limits, Target};

use crate::reference::{Subject, served};

/// How the header begins that names a session.
const HEADER: &[u8] = b"mcp-session-id: ";

/// When a session ends.
#[derive(Clone, Copy)]
enum End {
    /// After so many requests in it.
    AfterRequests(usize),
    /// With all the others, after so many requests in any of them.
    WithAllOthers(usize),
    /// At this age.
    AtAge(Duration),
}

/// The sessions that were seen.
struct Sessions {
    end: End,
    seen: HashMap<Vec<u8>, Seen>,
    /// How many requests have named any that had not ended.
    requests: usize,
    /// The requests that were sent to a session after its end.
    refused: usize,
}

/// One session.
struct Seen {
    /// When it was named first.
    at: Instant,
    /// How many requests had named any session before.
    number: usize,
    /// How many requests have named it.
    count: usize,
}

impl Sessions {
    /// Takes note of a request that names `id`; whether that session has ended.
    fn has_ended(&mut self, id: &[u8]) -> bool {
        let now = self.requests;
        let seen = self.seen.entry(id.to_vec()).or_insert(Seen { at: Instant::now(), number: now, count: 0 });
        seen.count += 1;
        let has_ended = match self.end {
            End::AfterRequests(most) => seen.count > most,
            End::WithAllOthers(most) => now / most > seen.number / most,
            End::AtAge(age) => seen.at.elapsed() > age,
        };
        self.requests += usize::from(!has_ended);
        self.refused += usize::from(has_ended);
        has_ended
    }

    /// Names another session in the place of each that has ended.
    fn forget_in(&mut self, bytes: &mut [u8]) {
        let mut from = 0;
        while let Some(at) = bytes[from..].windows(HEADER.len()).position(|part| part == HEADER) {
            from += at + HEADER.len();
            let length = bytes[from..].iter().position(|byte| *byte == b'\r').unwrap_or_default();
            let id = bytes[from..from + length].to_vec();
            if length > 0 && self.has_ended(&id) {
                bytes[from] = if bytes[from] == b'0' { b'1' } else { b'0' };
            }
        }
    }
}

/// A door before the reference that ends its sessions.
async fn forgetful(behind: &Subject, end: End) -> (Target, Arc<Mutex<Sessions>>) {
    let Target::Url(endpoint) = &behind.target else { panic!("no URL") };
    let address = endpoint.url.socket_addrs(|| None).unwrap()[0];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let sessions = Sessions { end, seen: HashMap::new(), requests: 0, refused: 0 };
    let sessions = Arc::new(Mutex::new(sessions));
    let kept = Arc::clone(&sessions);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let sessions = Arc::clone(&sessions);
            tokio::spawn(async move {
                let server = TcpStream::connect(address).await.unwrap();
                let ((from_client, to_client), (from_server, to_server)) =
                    (client.into_split(), server.into_split());
                tokio::join!(
                    relay(from_client, to_server, |bytes| sessions.lock().unwrap().forget_in(bytes)),
                    relay(from_server, to_client, |_| {}),
                );
            });
        }
    });
    (Target::Url(Endpoint::new(&url).unwrap()), kept)
}

async fn relay(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut change: impl FnMut(&mut [u8]),
) {
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        change(&mut bytes[..count]);
        if to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

/// What is held against the reference behind such a door.
async fn measure(behind: Subject, end: End) -> Vec<CaseReport> {
    let (target, sessions) = forgetful(&behind, end).await;
    // What a tool has asked in a session that has ended goes unanswered.
    let limits = Limits { request: Duration::from_secs(3), ..Limits::default() };
    let mut cases = run(&target, "", &Options { limits, ..Options::default() }, |_| {}).await.unwrap().cases;
    assert!(sessions.lock().unwrap().refused > 0, "no session has ended");
    cases.retain(|case| !matches!(case.outcome, Outcome::Passed | Outcome::NotApplicable));
    cases
}

fn told(case: &CaseReport) -> String {
    format!("{} {} {}: {:?}", case.check, case.protocol, case.outcome, case.actual)
}

async fn expect_nothing(end: End) {
    let wrong = measure(served([]).await, end).await;
    assert!(wrong.is_empty(), "{:#?}", wrong.iter().map(told).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_each_session_after_so_many_requests() {
    expect_nothing(End::AfterRequests(50)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_restarts_after_so_many_requests() {
    expect_nothing(End::WithAllOthers(100)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_sessions_are_short() {
    let wrong = measure(served([]).await, End::AtAge(Duration::from_secs(1))).await;
    // On a busy machine a check may take longer than any session lasts.
    let (blocked, others): (Vec<_>, Vec<_>) = wrong.iter().partition(|case| case.outcome == Outcome::Blocked);
    assert!(others.is_empty() && blocked.len() <= 3, "{:#?}", wrong.iter().map(told).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ends_a_session_each_time_is_still_found() {
    let wrong = measure(served([&DELETE_ENDS_ALL]).await, End::AfterRequests(50)).await;
    // Calls of the sessions that were ended hang, so checks that need them may be blocked; nothing else fails.
    let failed: Vec<_> = wrong.iter().filter(|case| case.outcome == Outcome::Failed).collect();
    assert!(!failed.is_empty());
    assert!(failed.iter().all(|case| case.check == "server/sessions/independent"), "{failed:#?}");
}
