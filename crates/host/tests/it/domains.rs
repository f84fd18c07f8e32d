//! Views with a declared domain: always the same name, never shared with other servers, and a separate document for
//! each View.

use serde_json::{Value, json};

use crate::http::send;
use crate::rig::Rig;
use crate::tiny::Tiny;

fn app(domain: &str) -> Tiny {
    Tiny::app("tiny", "<!doctype html><p>Hello", &json!({ "domain": domain }))
}

/// The origin of a View's document.
fn origin(view: &Value) -> String {
    let url = url::Url::parse(view["viewUrl"].as_str().unwrap()).unwrap();
    url.origin().ascii_serialization()
}

#[tokio::test]
async fn two_views_of_one_domain_are_both_served() {
    let rig = Rig::start(vec![app("shop.example").target()]).await;
    let first = rig.open("0", "open").await;
    let second = rig.open("0", "open").await;
    assert_eq!(origin(&first), origin(&second), "a domain stays the same");
    assert_ne!(first["viewUrl"], second["viewUrl"]);
    for view in [&first, &second] {
        let shown = rig.document(&view["viewUrl"]).await;
        assert_eq!(shown.status, 200);
        let policy = shown.header("content-security-policy").unwrap();
        let around = format!("frame-ancestors {} ", view["proxyOrigin"].as_str().unwrap());
        assert!(policy.contains(&around), "{policy}");
        assert_eq!(view["csp"]["applied"], policy);
        let proxy = rig.document(&view["proxyUrl"]).await;
        let frames = format!("frame-src {};", view["viewUrl"].as_str().unwrap());
        assert!(proxy.header("content-security-policy").unwrap().contains(&frames), "its own document alone");
    }
    let name = origin(&first).trim_start_matches("http://").to_owned();
    let port = name.rsplit(':').next().unwrap().parse().unwrap();
    for line in ["GET /", "GET /openai.js", "POST /report", "GET /0123456789abcdef/"] {
        assert_eq!(send(port, line, &[("host", &name)], "").await.status, 404, "{line}");
    }
    let id = second["id"].as_str().unwrap();
    rig.ask(&format!("DELETE /api/views/{id}"), &Value::Null).await;
    assert_eq!(rig.document(&first["viewUrl"]).await.status, 200);
    assert_eq!(rig.document(&second["viewUrl"]).await.status, 404);
}

#[tokio::test]
async fn a_view_with_a_domain_reports_as_itself() {
    let rig = Rig::start(vec![app("shop.example").target()]).await;
    let (first, _second) = (rig.open("0", "open").await, rig.open("0", "open").await);
    let url = url::Url::parse(first["viewUrl"].as_str().unwrap()).unwrap();
    let port = url.port().unwrap();
    let name = format!("{}:{port}", url.host_str().unwrap());
    let report = json!({ "csp-report": { "effective-directive": "connect-src" } }).to_string();
    let sent = send(port, &format!("POST {}report", url.path()), &[("host", &name)], &report).await;
    assert_eq!(sent.status, 204);
    let is_told = |(_, event): &(u64, Value)| event["kind"] == "violation" && event["view"] == first["id"];
    rig.events(0, |seen| seen.iter().any(is_told)).await;
}

#[tokio::test]
async fn no_server_has_the_domain_of_another() {
    let claims = ["shop.example", "shop.example", "shop-example"];
    let rig = Rig::start(claims.iter().map(|domain| app(domain).target()).collect()).await;
    let mut origins = Vec::new();
    for server in ["0", "1", "2"] {
        origins.push(origin(&rig.open(server, "open").await));
    }
    assert!(origins[0] != origins[1] && origins[0] != origins[2] && origins[1] != origins[2], "{origins:?}");
}
