//! Ways to reach a host that a content security policy does not govern: WebRTC, DNS lookups, preconnects and
//! navigation.
//!
//! Each witness is first proven to work: it sees the same document without `Connection-Allowlist`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use browser::{Browser, Frame, LaunchOptions, Page};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};

use crate::rig::{Rig, TIMEOUT, ready};
use crate::tiny::Tiny;

const HIDDEN: &str = include_str!("hidden.html");
/// How long a witness waits before it reports that nobody came. Without the header, all have come long before.
const SILENCE_PERIOD: Duration = Duration::from_secs(3);

/// A socket that counts connections.
struct Witness {
    /// The placeholder in the document.
    name: &'static str,
    port: u16,
    heard: Arc<AtomicUsize>,
}

impl Witness {
    async fn tcp(name: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let witness = Self { name, port: listener.local_addr().unwrap().port(), heard: Arc::default() };
        let heard = witness.heard.clone();
        tokio::spawn(async move {
            while let Ok((_stream, _)) = listener.accept().await {
                heard.fetch_add(1, Ordering::Relaxed);
            }
        });
        witness
    }

    async fn udp(name: &'static str) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let witness = Self { name, port: socket.local_addr().unwrap().port(), heard: Arc::default() };
        let heard = witness.heard.clone();
        tokio::spawn(async move {
            while socket.recv_from(&mut [0; 2048]).await.is_ok() {
                heard.fetch_add(1, Ordering::Relaxed);
            }
        });
        witness
    }

    /// The authority for the document: a name of its own, so that the browser has to look it up.
    fn authority(&self) -> String {
        format!("{}-witness.localhost:{}", self.name, self.port)
    }

    fn heard(&self) -> usize {
        self.heard.load(Ordering::Relaxed)
    }
}

/// The browser's own network log, which has every DNS lookup.
struct NetLog(PathBuf);

impl NetLog {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("yardstick-netlog-{}-{name}.json", std::process::id())))
    }

    fn argument(&self) -> String {
        format!("--log-net-log={}", self.0.display())
    }

    fn lookups(&self, name: &str) -> usize {
        std::fs::read_to_string(&self.0).unwrap_or_default().matches(name).count()
    }
}

impl Drop for NetLog {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Waits until `met`, with the usual timeout.
async fn until(met: impl Fn() -> bool) -> bool {
    let end = tokio::time::Instant::now() + TIMEOUT;
    while !met() && tokio::time::Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    met()
}

/// Serves a document with its policy but without the header, inside another document that may frame only this one, as
/// the proxy does.
async fn without_the_header(html: String, policy: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://control.localhost:{}", listener.local_addr().unwrap().port());
    let outer = (format!("frame-src {origin}/inner"), "<iframe src=/inner></iframe>".to_owned());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap_or_default();
            let inner = request[..length].starts_with(b"GET /inner");
            let (policy, body) = if inner { (&policy, &html) } else { (&outer.0, &outer.1) };
            let head =
                format!("content-type: text/html\r\ncontent-security-policy: {policy}\r\nconnection: close");
            let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    origin
}

/// The witnesses, the app that tries to reach them, and a browser that logs its DNS lookups.
struct Scene {
    witnesses: Vec<Witness>,
    html: String,
    rig: Rig,
    log: NetLog,
    browser: Browser,
}

impl Scene {
    async fn start(name: &str) -> Self {
        let witnesses = vec![
            Witness::udp("stun").await,
            Witness::tcp("turn").await,
            Witness::tcp("frame").await,
            Witness::tcp("leave").await,
        ];
        let mut html = HIDDEN.replace("{{bridge}}", super::BRIDGE);
        for witness in &witnesses {
            html = html.replace(&format!("{{{{{}}}}}", witness.name), &witness.authority());
        }
        let rig = Rig::start(vec![Tiny::app("hidden", &html, &Value::Null).target()]).await;
        let log = NetLog::new(name);
        let options = LaunchOptions { args: vec![log.argument()], ..LaunchOptions::default() };
        let browser = Browser::launch(options).await.unwrap();
        Self { witnesses, html, rig, log, browser }
    }

    async fn page(&self) -> (Page, Frame) {
        let link = self.rig.link(&[("server", "0"), ("tool", "open"), ("run", "1")]);
        let page = self.browser.page(&link).await.unwrap();
        let view = ready(&page).await;
        (page, view)
    }

    /// The same document with the same policy, without the header.
    async fn control(&self) -> (Page, Frame) {
        let opened = self.rig.open("0", "open").await;
        let policy = opened["csp"]["applied"].as_str().unwrap();
        let parts = policy.split("; ").filter(|part| !part.starts_with("frame-ancestors"));
        let control = without_the_header(self.html.clone(), parts.collect::<Vec<_>>().join("; ")).await;
        let page = self.browser.page(&control).await.unwrap();
        let inner = page.frame_at("/inner", TIMEOUT).await.unwrap();
        inner.wait_for("typeof reach === 'function'", TIMEOUT).await.unwrap();
        (page, inner)
    }

    fn heard(&self) -> Vec<(&'static str, usize)> {
        self.witnesses.iter().map(|one| (one.name, one.heard())).collect()
    }

    async fn hear_all(&self, names: &[&str]) {
        let wanted = |one: &&Witness| names.contains(&one.name);
        let all = until(|| self.witnesses.iter().filter(wanted).all(|one| one.heard() > 0)).await;
        assert!(all, "a witness is deaf: {:?}", self.heard());
    }

    fn assert_silence(&self) {
        assert!(self.heard().iter().all(|(_, times)| *times == 0), "{:?}", self.heard());
        assert_eq!(self.log.lookups("-witness.localhost"), 0, "names were looked up");
    }
}

#[tokio::test]
async fn an_app_reaches_no_host_where_no_policy_looks() {
    let scene = Scene::start("own").await;
    let (page, view) = scene.page().await;
    view.eval("reach()").await.unwrap();
    tokio::time::sleep(SILENCE_PERIOD).await;
    view.eval("leave()").await.unwrap();
    page.wait_for("document.querySelector('main').dataset.appStatus === 'failed'", TIMEOUT).await.unwrap();
    tokio::time::sleep(SILENCE_PERIOD).await;
    scene.assert_silence();
    drop(page);

    let (_page, inner) = scene.control().await;
    inner.eval("reach()").await.unwrap();
    scene.hear_all(&["stun", "turn", "frame"]).await;
    assert!(until(|| scene.log.lookups("frame-witness.localhost") > 0).await, "no names in the log");
    inner.eval("leave()").await.unwrap();
    scene.hear_all(&["leave"]).await;
}

#[tokio::test]
async fn frames_of_an_app_reach_no_more_than_it_does() {
    let scene = Scene::start("frames").await;
    let (page, view) = scene.page().await;
    // Chromium ends the process of a document whose frames try this, which counts as an answer.
    let _ = view.eval("reachFromChildren()").await;
    tokio::time::sleep(SILENCE_PERIOD).await;
    scene.assert_silence();
    assert_eq!(page.eval("document.querySelector('main').dataset.appStatus").await.unwrap(), "ready");
    drop(page);

    let (_page, inner) = scene.control().await;
    inner.eval("reachFromChildren()").await.unwrap();
    scene.hear_all(&["stun", "turn"]).await;
}

#[tokio::test]
async fn the_header_names_what_is_declared() {
    let csp =
        json!({ "connectDomains": ["wss://live.example"], "resourceDomains": ["https://*.cdn.example"] });
    let meta = json!({ "csp": csp });
    let rig = Rig::start(vec![Tiny::app("declares", "<p>", &meta).target()]).await;
    let view = rig.open("0", "open").await;
    let document = rig.document(&view["viewUrl"]).await;
    let expected =
        "(response-origin \"https://*.cdn.example\" \"https://live.example\");redirects=allow;webrtc=block";
    assert_eq!(document.header("connection-allowlist"), Some(expected));
    assert_eq!(view["csp"]["allowlist"], expected);
}
