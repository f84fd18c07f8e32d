//! Servers that end and come back, over real transports: what the host does, and what the page shows.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde_json::{Value, json};
use transport::client::Target;
use transport::serve::http::{HttpServer, Options};

use crate::rig::{Rig, TIMEOUT, browser, ready};

/// A server in a few lines of shell that ends on request.
const SHELL: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"pid","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}}]}' ;;
    *'"die"'*) exit 1 ;;
    *'"tools/call"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"$$\"}]}" ;;
    *'"ping"'*) answer '{}' ;;
  esac
done
"#;

async fn serve(port: u16) -> HttpServer {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let end = tokio::time::Instant::now() + TIMEOUT;
    loop {
        match HttpServer::bind(address, server::Server::new(), Options::default()).await {
            Ok(server) => return server,
            Err(why) => assert!(tokio::time::Instant::now() < end, "{why}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn is_server(state: &str) -> impl Fn(&(u64, Value)) -> bool {
    move |(_, event)| event["kind"] == "server" && event["server"]["state"] == state
}

#[tokio::test]
async fn a_process_that_dies_is_started_again() {
    let rig = Rig::start(vec![Target::command("sh", ["-c", SHELL])]).await;
    let call = async |name: &str| {
        let answer = rig.post("/api/tools/call", &json!({ "serverId": "0", "name": name })).await;
        answer["content"][0]["text"].as_str().map(str::to_owned)
    };
    let first = call("pid").await.expect("a process");
    assert_eq!(call("die").await, None, "nothing came back");
    let second = call("pid").await.expect("another process");
    assert_ne!(first, second);
    let events = rig.events(0, |seen| seen.iter().filter(|one| is_server("ready")(one)).count() == 2).await;
    let lost = events.iter().find(|one| is_server("lost")(one)).expect("the page is told of the loss");
    assert!(lost.1["server"]["note"].as_str().unwrap().ends_with("connecting again"), "{}", lost.1);
    let back = events.iter().rfind(|one| is_server("ready")(one)).unwrap();
    assert_eq!(back.1["server"]["note"], "connected again");
}

#[tokio::test]
async fn the_page_says_that_a_server_went_and_came_back() {
    let server = serve(0).await;
    let port = server.address().port();
    let url = Target::url(&server.url()).unwrap();
    let (rig, browser) = tokio::join!(Rig::start(vec![url]), browser());
    let page = browser.page(&rig.link(&[("tool", "poem_card"), ("run", "1")])).await.unwrap();
    ready(&page).await;
    server.stop();
    drop(server);
    let says = |part: &str| format!("document.querySelector('.notices').textContent.includes({part:?})");
    // Either the open stream or the next probe notices that the connection is gone.
    let gone = format!("{} || {}", says("was lost"), says("could not be reached"));
    page.wait_for(&gone, TIMEOUT).await.unwrap();
    let _server = serve(port).await;
    page.wait_for("document.querySelector('.dot.ready') !== null", TIMEOUT).await.unwrap();
    page.wait_for("document.querySelector('.notices').textContent === ''", TIMEOUT).await.unwrap();
    let note = page.eval("document.querySelector('.tool-group').textContent").await.unwrap();
    assert!(note.as_str().unwrap().contains("connected again"), "{note}");
    page.click(".run").await.unwrap();
    let second = "document.querySelector('main[data-app-status=ready]') && !document.querySelector('.notices').textContent";
    page.wait_for(second, TIMEOUT).await.unwrap();
    let runs =
        rig.events(0, |seen| seen.iter().filter(|(_, event)| event["kind"] == "run").count() == 2).await;
    assert!(!runs.is_empty());
}
