//! Every way to drive a host, tried for real on our own: over HTTP, and by a person whom a test plays.

use std::sync::Arc;

use serde_json::{Value, json};
use suite::host::drivers::{ManualHost, OwnHost, RemoteHost};
use suite::host::{ActFailure, HostDriver, HostOptions, ProbeStage, run_host};
use suite::{CaseReport, Outcome, Selection};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// Checks that need everything that a driver can do.
const DRIVEN: [&str; 4] = ["host/data", "host/requests", "host/context", "host/visibility"];

fn choose(only: &[&str]) -> HostOptions {
    let only = only.iter().map(|name| (*name).to_owned()).collect();
    HostOptions { selection: Selection { only, skip: Vec::new() }, ..HostOptions::default() }
}

fn told(case: &CaseReport) -> String {
    format!("{} {}: {}", case.check, case.outcome, case.actual.as_deref().unwrap_or_default())
}

/// The cases that came out in another way than `allowed`.
fn others(cases: &[CaseReport], allowed: &[Outcome]) -> Vec<String> {
    cases.iter().filter(|case| !allowed.contains(&case.outcome)).map(told).collect()
}

/// One step of a host that is driven over HTTP.
async fn step(host: &OwnHost, method: &str, params: &Value) -> Result<Value, ActFailure> {
    let nothing = |()| Value::Null;
    let (tool, arguments) = (params["tool"].as_str().unwrap_or_default(), &params["arguments"]);
    match method {
        "connect" => Ok(json!({ "other": true })),
        "show" => host.show(tool, arguments).await.map(nothing),
        "showStreamed" => host.show_streamed(tool, arguments).await.map(nothing),
        "cancel" => host.cancel().await.map(nothing),
        "close" => host.close().await.map(nothing),
        "switchTheme" => host.switch_theme().await.map(nothing),
        "decide" => host.decide(params["allow"] == true).await.map(nothing),
        "allowTwice" => host.allow_twice().await.map(nothing),
        "conversation" => host.conversation().await,
        "modelContext" => host.model_context().await,
        "modelTools" => host.model_tools().await,
        "openedLinks" => host.opened_links().await,
        "frames" => host.frames().await,
        "methodsHeard" => host.methods_heard().await,
        "responsive" => host.responsive().await,
        other => Err(ActFailure::Cannot(format!("there is no {other} here"))),
    }
}

async fn answer(host: &OwnHost, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let (mut length, mut target) = (0, String::new());
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        if target.is_empty() {
            target.clone_from(&line);
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let asked: Value = serde_json::from_slice(&body).unwrap();
    // What stands behind the question mark is part of the address.
    let done = match target.contains("/drive?key=1 ") {
        true => step(host, asked["method"].as_str().unwrap(), &asked["params"]).await,
        false => Err(ActFailure::Failed(target)),
    };
    let (status, body) = match done {
        Ok(result) => (200, json!({ "result": result })),
        Err(ActFailure::Cannot(why)) => (200, json!({ "cannot": why })),
        Err(ActFailure::Failed(why)) => (500, json!({ "error": why })),
    };
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).await
}

/// Our host behind HTTP; the URL that drives it.
async fn serve(host: OwnHost) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/drive?key=1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            drop(answer(&host, stream).await);
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_driven_over_http() {
    let stage = ProbeStage::start().await.unwrap();
    let url = serve(OwnHost::start(&stage, None).await.unwrap()).await;
    let driver = RemoteHost::start(&stage, &url).await.unwrap();
    let cases = run_host(&stage, &driver, &choose(&DRIVEN)).await.0.cases;
    assert_eq!(others(&cases, &[Outcome::Passed]), [""; 0]);
    assert!(cases.len() > 20, "{}", cases.len());
}

#[tokio::test]
async fn an_address_that_drives_nothing_is_told() {
    let stage = ProbeStage::start().await.unwrap();
    for (url, expected) in [("no url", "is not a URL"), ("https://127.0.0.1/", "is not an http URL")] {
        let why = RemoteHost::start(&stage, url).await.unwrap_err();
        assert!(why.contains(expected), "{why}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let why = RemoteHost::start(&stage, &format!("http://{closed}/")).await.unwrap_err();
    assert!(why.contains("connect"), "{why}");
}

/// Does what a person is told, in our host.
async fn obey(host: &OwnHost, words: &str) -> Result<(), ActFailure> {
    match words {
        "now cancel the call" => host.cancel().await,
        "now close the View" => host.close().await,
        "now switch between the light and the dark theme" => host.switch_theme().await,
        "now allow what the View asks for" => host.decide(true).await,
        "now deny what the View asks for" => host.decide(false).await,
        _ => {
            let (_, rest) = words.split_once("run the tool `").unwrap();
            let (tool, rest) = rest.split_once("` with ").unwrap();
            let arguments = serde_json::from_str(rest.split_once("; its View").unwrap().0).unwrap();
            host.show(tool, &arguments).await
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_driven_by_a_person() {
    let stage = ProbeStage::start().await.unwrap();
    let host = Arc::new(OwnHost::start(&stage, None).await.unwrap());
    let (tell, mut words) = mpsc::unbounded_channel::<String>();
    let person = tokio::spawn(async move {
        while let Some(words) = words.recv().await {
            obey(&host, &words).await.unwrap();
        }
    });
    let tell = Box::new(move |words: &str| tell.send(words.to_owned()).unwrap());
    let driver = ManualHost::new(tell);
    let cases = run_host(&stage, &driver, &choose(&DRIVEN)).await.0.cases;
    drop(driver);
    person.await.unwrap();
    assert_eq!(others(&cases, &[Outcome::Passed, Outcome::NotApplicable]), [""; 0]);
    for check in
        ["data/cancelled-told", "requests/teardown-awaited", "context/change-told", "requests/link-denied"]
    {
        let case = cases.iter().find(|case| case.check == format!("host/{check}")).unwrap();
        assert_eq!(case.outcome, Outcome::Passed, "{}", told(case));
    }
}

/// What a person leaves out does not apply, and nobody waits for it.
#[tokio::test]
async fn a_person_leaves_out_what_their_host_cannot() {
    let stage = ProbeStage::start().await.unwrap();
    let driver = ManualHost::new(Box::new(|_| {}));
    let button = driver.skip_button();
    let presser = tokio::spawn(async move {
        loop {
            button.press();
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    let cases = run_host(&stage, &driver, &choose(&["host/data", "host/attack"])).await.0.cases;
    presser.abort();
    assert_eq!(others(&cases, &[Outcome::NotApplicable]), [""; 0]);
}
