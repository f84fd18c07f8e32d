//! The API: requests that the page makes, and requests that must be refused.

use serde_json::{Value, json};
use wire::recording::Recording;

use crate::http::send;
use crate::rig::Rig;
use crate::servers::reference;
use crate::tiny::{Tiny, document, plain, tool};

const APP: &str = "<!doctype html><title>App</title><p>Hello";

#[tokio::test]
async fn the_page_offers_every_tool_that_has_a_view() {
    let rig = Rig::start(vec![reference(), Tiny::app("Quo\"te<d>", APP, &Value::Null).target()]).await;
    let page = rig.ask("GET /", &Value::Null).await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let state = rig.get("/api/state").await;
    let mut shown = 0;
    for server in state["servers"].as_array().unwrap() {
        let id = server["id"].as_str().unwrap();
        for tool in server["tools"].as_array().unwrap() {
            let Some(uri) = tool["yardstick"]["uri"].as_str() else { continue };
            assert_eq!(tool["yardstick"]["visibility"]["model"], true, "{tool}");
            let name = tool["name"].as_str().unwrap();
            let option = format!("data-server-id=\"{id}\" data-resource-uri=\"{uri}\" data-tool=\"{name}\">");
            assert_eq!(page.body.matches(&option).count(), 1, "{option}");
            shown += 1;
        }
    }
    assert_eq!(page.body.matches("<option ").count(), shown);
    assert!(shown >= 6, "{shown}");
    assert!(page.body.contains(">Quo&quot;te&lt;d&gt;: open</option>"), "names stand for themselves");
    assert!(page.body.contains(&format!("content=\"{}\"", rig.token())));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
}

#[tokio::test]
async fn what_is_not_for_the_model_is_not_offered() {
    let mut private = tool("private", "ui://tiny/app", &["model"]);
    private["_meta"] = json!({ "openai/outputTemplate": "ui://tiny/app", "openai/visibility": "private" });
    let tools = vec![
        tool("open", "ui://tiny/app", &["model", "app"]),
        tool("inner", "ui://tiny/app", &["app"]),
        private,
    ];
    let rig = Rig::start(vec![Tiny::new("tiny", tools, vec![]).target()]).await;
    let offered = async |path: &str| {
        let page = rig.ask(&format!("GET {path}"), &Value::Null).await.body;
        let names = page.split("data-tool=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(offered("/").await, ["open", "private"]);
    assert_eq!(offered("/?profile=chatgpt").await, ["open"]);
}

#[tokio::test]
async fn the_seed_of_the_api_answers() {
    let rig = Rig::start(vec![reference()]).await;
    let resource = rig.get("/api/resources?serverId=0&uri=ui%3A%2F%2Fyardstick%2Fpoem").await;
    assert_eq!(resource["mimeType"], "text/html;profile=mcp-app");
    assert!(resource["html"].as_str().unwrap().starts_with("<!doctype html>"), "a blob is HTML here too");
    let call = json!({ "serverId": "0", "name": "echo", "arguments": { "text": "hello" } });
    let result = rig.post("/api/tools/call", &call).await;
    assert_eq!(result["content"][0]["text"], "hello", "{result}");
    let missing = rig.ask("GET /api/resources?serverId=0&uri=ui%3A%2F%2Fnobody", &Value::Null).await;
    assert_eq!(missing.status, 422);
    assert!(missing.json()["error"]["repair"].is_string());
    assert_eq!(rig.ask("GET /api/resources?serverId=9&uri=ui%3A%2F%2Fa", &Value::Null).await.status, 404);
    assert_eq!(rig.ask("POST /api/tools/call", &json!([])).await.status, 400);
}

#[tokio::test]
async fn only_the_page_itself_may_ask() {
    let rig = Rig::start(vec![reference()]).await;
    let view = rig.open("0", "poem_card").await;
    let (own, local) = (format!("127.0.0.1:{}", rig.port), format!("localhost:{}", rig.port));
    let origins = [format!("http://{own}"), format!("http://{local}")];
    let token = ("x-yardstick-token", rig.token());
    let state = async |headers: &[(&str, &str)]| send(rig.port, "GET /api/state", headers, "").await.status;
    assert_eq!(state(&[("host", &own), token]).await, 200);
    assert_eq!(state(&[("host", &local), ("origin", &origins[1]), token]).await, 200);
    let without = send(rig.port, "GET /api/state", &[("host", &own)], "").await;
    assert_eq!(without.status, 401);
    let told = without.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(told.contains("<meta name=\"yardstick-token\""), "{told}");
    assert_eq!(state(&[("host", &own), ("x-yardstick-token", "guess")]).await, 401);
    assert_eq!(state(&[("host", &own), ("x-yardstick-token", "")]).await, 401);
    let rebound = format!("evil.example:{}", rig.port);
    for host in [&rebound, "evil.example", "127.0.0.1", &format!("{own}.evil.example")] {
        assert_eq!(state(&[("host", host), token]).await, 403, "{host}");
    }
    let view_origin = view["viewUrl"].as_str().unwrap().trim_end_matches('/');
    for origin in ["http://evil.example", "null", view_origin, view["proxyOrigin"].as_str().unwrap()] {
        assert_eq!(state(&[("host", &own), ("origin", origin), token]).await, 403, "{origin}");
    }
    assert_eq!(state(&[("host", &own), ("host", &own), token]).await, 403, "two hosts");
    assert_eq!(
        send(rig.port, "GET /", &[("host", &rebound)], "").await.status,
        403,
        "the page has the token"
    );
}

#[tokio::test]
async fn a_view_is_served_while_it_is_open_and_nothing_else_is() {
    let rig = Rig::start(vec![Tiny::app("tiny", APP, &Value::Null).target()]).await;
    let view = rig.open("0", "open").await;
    let port = rig.get("/api/state").await["sandbox"]["port"].as_u64().unwrap().to_string();
    let number = port.parse().unwrap();
    let (proxy, shown) = (rig.document(&view["proxyUrl"]).await, rig.document(&view["viewUrl"]).await);
    assert_eq!((proxy.status, shown.status), (200, 200));
    assert!(shown.body.ends_with(&format!("</script>{APP}")), "{}", shown.body);
    for answer in [&proxy, &shown] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    let host =
        |url: &Value| url.as_str().unwrap().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let (inner, outer) = (host(&view["viewUrl"]), host(&view["proxyUrl"]));
    let ask = async |name: &str, line: &str| send(number, line, &[("host", name)], "").await.status;
    for name in [
        &format!("127.0.0.1:{port}"),
        &format!("view-0.localhost:{port}"),
        &format!("a.{inner}"),
        "localhost",
    ] {
        assert_eq!(ask(name, "GET /").await, 404, "{name}");
    }
    for line in ["GET /api/state", "GET /assets/main.js", "POST /", "GET /openai.js", "GET //"] {
        assert_eq!((ask(&inner, line).await, ask(&outer, line).await), (404, 404), "{line}");
    }
    assert_eq!(ask(&outer, "POST /report").await, 404, "reports are the view's");
    let id = view["id"].as_str().unwrap();
    assert_eq!(rig.ask(&format!("DELETE /api/views/{id}"), &Value::Null).await.status, 200);
    assert_eq!((ask(&inner, "GET /").await, ask(&outer, "GET /").await), (404, 404));
    assert_eq!(rig.ask(&format!("DELETE /api/views/{id}"), &Value::Null).await.status, 404);
}

#[tokio::test]
async fn a_view_has_the_default_policy_of_the_specification_and_known_ancestors() {
    let rig = Rig::start(vec![Tiny::app("tiny", APP, &Value::Null).target()]).await;
    let view = rig.open("0", "open").await;
    let (shown, proxy) = (rig.document(&view["viewUrl"]).await, rig.document(&view["proxyUrl"]).await);
    let hosts = format!("http://127.0.0.1:{0} http://localhost:{0}", rig.port);
    let around = view["proxyOrigin"].as_str().unwrap();
    let expected = format!(
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'; \
         form-action 'none'; frame-ancestors {around} {hosts}; report-uri /report"
    );
    assert_eq!(shown.header("content-security-policy"), Some(expected.as_str()));
    assert_eq!(view["csp"]["applied"], expected);
    let policy = proxy.header("content-security-policy").unwrap();
    assert!(policy.ends_with(&format!("frame-ancestors {hosts}")), "{policy}");
    let inner = view["viewUrl"].as_str().unwrap();
    assert!(
        policy.contains(&format!("frame-src {inner};")) && policy.contains("default-src 'none'"),
        "{policy}"
    );
}

#[tokio::test]
async fn a_server_that_dies_is_connected_again() {
    let tiny = Tiny::app("mortal", APP, &Value::Null);
    let rig = Rig::start(vec![tiny.target()]).await;
    let view = rig.open("0", "open").await;
    let before =
        rig.events(0, |seen| seen.iter().any(|(_, event)| event["server"]["state"] == "ready")).await;
    let last = before.last().unwrap().0;
    tiny.die();
    let is = |event: &Value, state: &str| event["kind"] == "server" && event["server"]["state"] == state;
    let news = rig.events(last, |seen| seen.iter().any(|(_, event)| is(event, "ready"))).await;
    let lost = news.iter().position(|(_, event)| is(event, "lost")).expect("the loss is told");
    let note = |at: usize| news[at].1["server"]["note"].as_str().unwrap_or_default().to_owned();
    assert!(note(lost).contains("connecting again"), "{}", note(lost));
    let again = news.iter().position(|(_, event)| is(event, "ready")).unwrap();
    assert!(again > lost && note(again).contains("connected again"), "{}", note(again));
    let path = format!("/api/views/{}/request", view["id"].as_str().unwrap());
    let asked = json!({ "method": "tools/call", "params": { "name": "open", "arguments": {} } });
    assert_eq!(
        rig.post(&path, &asked).await["result"]["content"][0]["text"],
        "done",
        "the open view goes on"
    );
}

#[tokio::test]
async fn visibility_binds_the_model_and_the_app() {
    let tools = vec![
        tool("open", "ui://tiny/app", &["model", "app"]),
        plain("secret", &["model"]),
        plain("inner", &["app"]),
    ];
    let tiny = Tiny::new("guarded", tools, vec![document("ui://tiny/app", APP, &Value::Null)]);
    let other = Tiny::new("other", vec![plain("elsewhere", &["model", "app"])], vec![]);
    let rig = Rig::start(vec![tiny.target(), other.target()]).await;
    let model =
        async |name: &str| rig.post("/api/tools/call", &json!({ "serverId": "0", "name": name })).await;
    assert_eq!(model("secret").await["content"][0]["text"], "done");
    assert_eq!(model("inner").await["error"]["code"], -32602);
    let view = rig.open("0", "open").await;
    let path = format!("/api/views/{}/request", view["id"].as_str().unwrap());
    let ask = async |method: &str, params: Value| {
        rig.post(&path, &json!({ "method": method, "params": params })).await
    };
    let app = async |name: &str| ask("tools/call", json!({ "name": name, "arguments": {} })).await;
    assert_eq!(app("inner").await["result"]["content"][0]["text"], "done");
    for name in ["secret", "elsewhere", "nobody", ""] {
        assert_eq!(app(name).await["error"]["code"], -32602, "{name}");
    }
    let called: Vec<_> = tiny.calls().iter().map(|call| call["name"].clone()).collect();
    assert_eq!(called, ["secret", "inner"]);
    assert!(other.calls().is_empty());
    let listed = ask("tools/list", json!({})).await;
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["open", "inner"], "an app is shown what it may call");
    for method in ["initialize", "logging/setLevel", "completion/complete", "ui/message"] {
        assert_eq!(ask(method, json!({})).await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn events_go_on_where_they_broke_off() {
    let rig = Rig::start(vec![Tiny::app("tiny", APP, &Value::Null).target()]).await;
    rig.open("0", "open").await;
    let all = rig.events(0, |seen| seen.len() >= 3).await;
    let numbers: Vec<u64> = all.iter().map(|(number, _)| *number).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{numbers:?}");
    let rest = rig.events(numbers[0], |seen| seen.len() >= all.len() - 1).await;
    assert_eq!(rest[..], all[1..]);
}

#[tokio::test]
async fn a_trace_is_a_recording_of_every_session() {
    let rig = Rig::start(vec![Tiny::app("tiny", APP, &Value::Null).target()]).await;
    let view = rig.open("0", "open").await;
    let id = view["id"].as_str().unwrap();
    let said = json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": { "name": "open", "arguments": { "n": 1 } } });
    let log = json!({ "entries": [{ "seq": 1, "at": 1.5, "from": "view", "to": "host", "message": said }] });
    assert_eq!(rig.post(&format!("/api/views/{id}/log"), &log).await, json!({}));
    let asked = json!({ "seq": 1, "method": "tools/call", "params": said["params"] });
    rig.post(&format!("/api/views/{id}/request"), &asked).await;
    let file = rig.ask(&format!("GET /api/trace?token={}", rig.token()), &Value::Null).await;
    assert!(file.header("content-disposition").unwrap().starts_with("attachment"));
    let recording = Recording::parse(file.body.into_bytes()).unwrap();
    assert_eq!(recording.cut, None);
    let texts = |name: &str| -> Vec<Value> {
        let sessions = recording.sessions.iter().filter(|session| session.name.contains(name));
        sessions
            .flat_map(|session| &session.transcript.entries)
            .map(|line| serde_json::from_slice(&line.bytes).unwrap())
            .collect()
    };
    assert_eq!(texts(&format!("view {id}")), std::slice::from_ref(&said));
    let server = texts("server 0");
    let is_call = |message: &&Value| message["method"] == "tools/call" && message["params"] == said["params"];
    let call = server.iter().find(is_call).expect("the call that the view led to");
    assert!(
        server.iter().any(|message| message["id"] == call["id"] && message["result"]["content"].is_array())
    );
    let entries = rig
        .timeline(|entry| entry["from"] == "server" && entry["view"] == id && entry["answers"].is_u64())
        .await;
    let led = entries.iter().find(|entry| entry["to"] == "server" && entry["view"] == id).unwrap();
    let cause = entries.iter().find(|entry| entry["n"] == led["cause"]).expect("the message that led to it");
    assert_eq!(cause["from"], "view");
}
