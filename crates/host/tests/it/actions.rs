//! Actions of a person in the page, and the page's reaction to changes around it.

use host::{HostedServer, Options};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use transport::client::Target;

use crate::person::APP;
use crate::rig::{Rig, TIMEOUT, browser, ready};
use crate::tiny::{Tiny, plain};

const TOOLS: &str = "[...document.querySelectorAll('.tool')].map((it) => it.textContent).join()";

#[tokio::test]
async fn a_request_of_the_timeline_is_changed_and_sent_again() {
    let tiny = Tiny::app("tiny", APP, &json!(null));
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    ready(&page).await;
    page.click("#tab-timeline").await.unwrap();
    let row =
        "[...document.querySelectorAll('.tl-label')].find((it) => it.textContent.startsWith('tools/call'))";
    page.wait_for(&format!("{row} !== undefined"), TIMEOUT).await.unwrap();
    page.eval(&format!("{row}.click()")).await.unwrap();
    let button = |text: &str| {
        format!("[...document.querySelectorAll('button')].find((it) => it.textContent === '{text}')")
    };
    page.wait_for(&format!("{} !== undefined", button("Edit and send again")), TIMEOUT).await.unwrap();
    page.eval(&format!("{}.click()", button("Edit and send again"))).await.unwrap();
    let editor = "document.querySelector('textarea[aria-label=\"Parameters of tools/call\"]')";
    page.wait_for(&format!("{editor} !== null"), TIMEOUT).await.unwrap();
    let changed = json!({ "name": "open", "arguments": { "again": true } }).to_string();
    page.eval(&format!("{editor}.value = {}", json!("{ not json"))).await.unwrap();
    page.eval(&format!("{}.click()", button("Send"))).await.unwrap();
    page.wait_for("document.body.innerText.includes('The request was not sent')", TIMEOUT).await.unwrap();
    page.eval(&format!("{editor}.value = {}", json!(changed))).await.unwrap();
    page.eval(&format!("{}.click()", button("Send"))).await.unwrap();
    page.wait_for("document.body.innerText.includes('Sent. The request')", TIMEOUT).await.unwrap();
    let calls = tiny.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!(calls[1]["arguments"], json!({ "again": true }));
}

#[tokio::test]
async fn a_host_that_was_started_again_on_its_port_is_found_by_the_open_page() {
    let one = |name: &str| Tiny::new("tiny", vec![plain(name, &["model"])], Vec::new()).target();
    let (rig, browser) = tokio::join!(Rig::start(vec![one("before")]), browser());
    let page = browser.page(&rig.url()).await.unwrap();
    page.wait_for(&format!("{TOOLS}.includes('before')"), TIMEOUT).await.unwrap();
    let port = rig.port;
    drop(rig);
    // The port is free once the first host has ended.
    while std::net::TcpListener::bind(("127.0.0.1", port)).is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let _rig = Rig::on(port, vec![one("afterwards")]).await;
    page.wait_for(&format!("{TOOLS}.includes('afterwards')"), TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn a_server_that_wants_a_token_is_shown_with_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    let (rig, browser) = tokio::join!(Rig::start(vec![Target::url(&url).unwrap()]), browser());
    let page = browser.page(&rig.url()).await.unwrap();
    page.wait_for("document.body.innerText.includes('--header')", TIMEOUT).await.unwrap();
    let other = page.eval("document.body.innerText.includes('--bearer')").await.unwrap();
    assert_eq!(other, false, "the host has no such option");
}

#[tokio::test]
async fn servers_have_the_names_that_the_configuration_gives_them() {
    let named = |name: &str| HostedServer {
        name: Some(name.to_owned()),
        target: Tiny::new("tiny", vec![plain("t", &["model"])], Vec::new()).target(),
    };
    let options = Options { targets: vec![named("Calendar"), named("Mail")], ..Options::default() };
    let (rig, browser) = tokio::join!(Rig::with(options), browser());
    let page = browser.page(&rig.url()).await.unwrap();
    for name in ["Calendar", "Mail"] {
        page.wait_for(&format!("document.body.innerText.includes('{name}')"), TIMEOUT).await.unwrap();
    }
}

#[tokio::test]
async fn progress_of_an_apps_call_comes_back_to_the_app() {
    let tiny = Tiny::app("tiny", APP, &json!(null));
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), browser());
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    view.eval("ask('tools/call', { name: 'open', arguments: {}, _meta: { progressToken: 'mine' } })")
        .await
        .unwrap();
    let told = "heard.filter((it) => it.method === 'notifications/progress').map((it) => [it.params.progressToken, it.params.progress]).join()";
    view.wait_for(&format!("{told} === 'mine,1,mine,2'"), TIMEOUT).await.unwrap();
}
