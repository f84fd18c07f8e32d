//! Every statement about hosts and sandboxes in the specification of MCP Apps, with a proof that it holds here. One
//! app goes through all of them in a real browser.

use browser::{Browser, Frame, Page};
use serde_json::{Value, json};

use crate::rig::{Rig, TIMEOUT, browser, is_view, ready};
use crate::tiny::{Tiny, document, plain, tool};

/// An app that the test controls.
const APP: &str = r#"<!doctype html><title>Witness</title><p>Here I am</p><script>
let last = 1;
const open = new Map();
const heard = [];
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((tell) => { open.set(++last, tell); say({ id: last, method, params }); });
addEventListener("message", ({ data }) => {
  heard.push(data);
  if (data.id === 1) say({ method: "ui/notifications/initialized" });
  open.get(data.id)?.(data);
  if (data.method === "ui/resource-teardown") say({ id: data.id, result: {} });
});
say({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "witness", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } } });
</script>"#;

/// Scripts for the app; each must become true.
const ASKED: [(&str, &str); 9] = [
    ("plain", "ask('tools/call', { name: 'unsaid', arguments: {} }).then((it) => 'result' in it)"),
    ("model only", "ask('tools/call', { name: 'model', arguments: {} }).then((it) => 'error' in it)"),
    ("another server", "ask('tools/call', { name: 'theirs', arguments: {} }).then((it) => 'error' in it)"),
    ("pip", "ask('ui/request-display-mode', { mode: 'pip' }).then((it) => it.result.mode === 'inline')"),
    (
        "fullscreen",
        "ask('ui/request-display-mode', { mode: 'fullscreen' }).then((it) => it.result.mode === 'fullscreen')",
    ),
    (
        "inline",
        "ask('ui/request-display-mode', { mode: 'inline' }).then((it) => it.result.mode === 'inline')",
    ),
    ("bad link", "ask('ui/open-link', { url: 'javascript:1' }).then((it) => it.error.code === -32000)"),
    ("malformed", "ask('ui/open-link', {}).then((it) => it.error.code === -32602)"),
    ("undeclared", "fetch('https://undeclared.example/').then(() => false, () => true)"),
];

/// The outcome of each statement.
#[derive(Default)]
struct Shown(Vec<(&'static str, bool)>);

impl Shown {
    fn note(&mut self, holds: bool, statements: &[&'static str]) {
        self.0.extend(statements.iter().map(|statement| (*statement, holds)));
    }
}

fn declared() -> Value {
    let csp = json!({
        "connectDomains": ["https://api.example"], "resourceDomains": ["https://cdn.example"],
        "frameDomains": ["https://frame.example"], "baseUriDomains": ["https://base.example"],
    });
    json!({ "csp": csp, "permissions": { "microphone": {} } })
}

async fn start() -> (Rig, Browser) {
    let app = |name: &str| tool(name, "ui://tiny/app", &["model", "app"]);
    let mut unsaid = tool("unsaid", "ui://tiny/bare", &[]);
    unsaid["_meta"]["ui"].as_object_mut().unwrap().shift_remove("visibility");
    let tools = vec![app("open"), app("hang"), unsaid, plain("model", &["model"]), plain("apps", &["app"])];
    let documents =
        vec![document("ui://tiny/app", APP, &declared()), document("ui://tiny/bare", APP, &Value::Null)];
    let ours = Tiny::new("ours", tools, documents);
    let other = Tiny::new("other", vec![plain("theirs", &["app"])], Vec::new());
    tokio::join!(Rig::start(vec![ours.target(), other.target()]), browser())
}

#[tokio::test]
async fn every_statement_about_hosts_holds() {
    let (rig, browser) = start().await;
    let mut shown = Shown::default();
    policies(&rig, &mut shown).await;
    let page =
        browser.page(&rig.link(&[("tool", "open"), ("args", "{\"a\":1}"), ("run", "1")])).await.unwrap();
    let view = ready(&page).await;
    frames(&page, &mut shown).await;
    requests(&page, &view, &mut shown).await;
    surroundings(&page, &view, &mut shown).await;
    conversation(&page, &view, &mut shown).await;
    messages(&rig, &page, &mut shown).await;
    endings(&rig, &browser, page, &mut shown).await;
    let failed: Vec<_> =
        shown.0.iter().filter(|(_, holds)| !holds).map(|(statement, _)| *statement).collect();
    assert_eq!(failed, [""; 0]);
    let Ok(text) = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/spec/apps-2026-01-26.tsv"
    )) else {
        assert!(std::env::var_os("CI").is_none(), "the table of statements is not here, and this is CI");
        println!("the table of statements is not here; whether all of them are shown was not looked at");
        return;
    };
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    for row in rows.filter(|row| row[2] == "host" || row[2] == "sandbox") {
        assert!(shown.0.iter().any(|(statement, _)| *statement == row[0]), "nothing shows {}", row[0]);
    }
}

fn sources<'v>(view: &'v Value, directive: &str) -> Vec<&'v str> {
    let all = view["csp"]["directives"].as_array().unwrap();
    let found = all.iter().find(|one| one[0] == directive).expect("the directive is there");
    found[1].as_array().unwrap().iter().map(|source| source.as_str().unwrap()).collect()
}

async fn policies(rig: &Rig, shown: &mut Shown) {
    let (full, bare) = (rig.open("0", "open").await, rig.open("0", "unsaid").await);
    let has = |directive: &str, source: &str| sources(&full, directive).contains(&source);
    let constructed = has("connect-src", "https://api.example") && has("script-src", "https://cdn.example");
    shown.note(constructed, &["apps/csp-constructed", "apps/sandbox-csp-domains"]);
    let default = sources(&bare, "default-src") == ["'none'"]
        && sources(&bare, "script-src") == ["'self'", "'unsafe-inline'"]
        && sources(&bare, "style-src") == ["'self'", "'unsafe-inline'"]
        && sources(&bare, "img-src") == ["'self'", "data:"]
        && sources(&bare, "media-src") == ["'self'", "data:"]
        && sources(&bare, "connect-src") == ["'none'"];
    shown.note(default, &["apps/csp-default"]);
    let foreign = |view: &Value| view["csp"]["applied"].as_str().unwrap().matches("https://").count();
    shown.note(foreign(&bare) == 0, &["apps/csp-no-loosening"]);
    let frames =
        sources(&full, "frame-src") == ["https://frame.example"] && sources(&bare, "frame-src") == ["'none'"];
    shown.note(frames, &["apps/sandbox-csp-frames"]);
    let base =
        sources(&full, "base-uri") == ["https://base.example"] && sources(&bare, "base-uri") == ["'self'"];
    shown.note(base, &["apps/sandbox-csp-base"]);
    shown.note(sources(&full, "object-src") == ["'none'"], &["apps/sandbox-csp-object"]);
}

async fn frames(page: &Page, shown: &mut Shown) {
    let urls: Vec<String> = page.frames().into_iter().map(|frame| frame.url).collect();
    shown.note(
        urls.iter().any(|url| url.starts_with("http://proxy-")),
        &["apps/sandbox-proxy-used", "apps/sandbox-origin"],
    );
    let outer = page.eval("document.querySelector('iframe').hasAttribute('sandbox')").await.unwrap();
    shown.note(outer == true, &["apps/iframe-sandboxed"]);
    let proxy = page.frame_at("proxy-", TIMEOUT).await.unwrap();
    let inner = proxy
        .eval("const it = document.querySelector('iframe'); [it.getAttribute('sandbox'), it.allow]")
        .await
        .unwrap();
    let (flags, allow) = (inner[0].as_str().unwrap(), inner[1].as_str().unwrap());
    shown.note(
        flags.contains("allow-scripts") && flags.contains("allow-same-origin"),
        &["apps/sandbox-flags"],
    );
    shown.note(allow == "microphone", &["apps/sandbox-allow"]);
    let told = page.eval("document.querySelector('.toolbar .badge.note').title").await.unwrap();
    shown.note(told.as_str().unwrap().contains("https://api.example"), &["apps/external-domains-warned"]);
    page.click("#tab-csp").await.unwrap();
    let applied = "document.querySelector('#panel-csp').textContent.includes('connect-src')";
    shown.note(page.wait_for(applied, TIMEOUT).await.is_ok(), &["apps/csp-audit"]);
    let offered = "[...document.querySelectorAll('#tool-select option')].map((it) => it.dataset.tool)";
    let offered = page.eval(offered).await.unwrap().to_string();
    shown.note(
        !offered.contains("\"apps\"") && offered.contains("\"model\""),
        &["apps/tool-visibility-model"],
    );
}

async fn requests(page: &Page, view: &Frame, shown: &mut Shown) {
    let mut answered = std::collections::HashMap::new();
    for (name, script) in ASKED {
        answered.insert(name, view.eval(script).await.unwrap() == true);
    }
    shown.note(answered["plain"], &["apps/tool-visibility-default", "apps/host-forwards-mcp"]);
    shown.note(answered["model only"], &["apps/tool-visibility-app"]);
    shown.note(answered["another server"], &["apps/tool-visibility-cross-server"]);
    shown.note(answered["pip"], &["apps/display-mode-undeclared", "apps/display-mode-unavailable"]);
    let modes = answered["fullscreen"] && answered["inline"];
    shown.note(modes, &["apps/display-mode-answer", "apps/request-display-mode"]);
    shown.note(answered["malformed"], &["apps/messages-validated"]);
    let blocked = page.until(|entry| matches!(entry.event, browser::LogEvent::Violation(_)), TIMEOUT).await;
    shown.note(answered["undeclared"] && blocked.is_ok(), &["apps/undeclared-blocked"]);
    view.eval("void ask('ui/open-link', { url: 'https://a.example/' }).then((it) => { window.denied = it.error.code === -32000; })").await.unwrap();
    page.wait_for("document.querySelector('.question:not(.settling)') !== null", TIMEOUT).await.unwrap();
    page.eval(
        "[...document.querySelectorAll('.question button')].find((it) => it.textContent === 'Deny').click()",
    )
    .await
    .unwrap();
    let denied = view.wait_for("window.denied === true", TIMEOUT).await.is_ok();
    shown.note(answered["bad link"] && denied, &["apps/open-link"]);
}

async fn surroundings(page: &Page, view: &Frame, shown: &mut Shown) {
    let context = view.eval("heard.find((it) => it.id === 1).result.hostContext").await.unwrap();
    shown.note(context.is_object(), &["apps/host-context"]);
    let variables = context["styles"]["variables"].as_object().unwrap();
    let aware = variables.get("--color-background-primary").and_then(Value::as_str).unwrap_or_default();
    shown.note(aware.starts_with("light-dark("), &["apps/theme-variables"]);
    let fonts = context["styles"]["css"]["fonts"].as_str().unwrap_or_default();
    shown.note(fonts.contains("@font-face") || fonts.contains("@import"), &["apps/theme-fonts"]);
    let height = "document.querySelector('.app-slot').getBoundingClientRect().height";
    view.eval("say({ method: 'ui/notifications/size-changed', params: { height: 333 } })").await.unwrap();
    let followed = page.wait_for(&format!("{height} === 333"), TIMEOUT).await.is_ok();
    view.eval("say({ method: 'ui/notifications/size-changed', params: { height: 9000 } })").await.unwrap();
    let most = context["containerDimensions"]["maxHeight"].clone();
    let held = page.wait_for(&format!("{height} === {most}"), TIMEOUT).await.is_ok();
    shown.note(followed && held, &["apps/size-changed-applied"]);
    page.eval("document.querySelector('[aria-label=Theme] [data-value=dark]').click()").await.unwrap();
    let changed =
        "heard.filter((it) => it.method === 'ui/notifications/host-context-changed').at(-1)?.params";
    view.wait_for(&format!("{changed}?.theme === 'dark'"), TIMEOUT).await.unwrap();
    let changed = view.eval(changed).await.unwrap();
    shown.note(
        changed.get("locale").is_none() && changed.get("toolInfo").is_none(),
        &["apps/host-context-changed"],
    );
}

async fn conversation(page: &Page, view: &Frame, shown: &mut Shown) {
    for text in ["first", "second"] {
        let content = json!([{ "type": "text", "text": text }]);
        view.eval(&format!("ask('ui/update-model-context', {{ content: {content} }}).then(() => 1)"))
            .await
            .unwrap();
    }
    view.eval("void ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'from the app' }] })")
        .await
        .unwrap();
    page.wait_for("document.querySelector('.question:not(.settling)') !== null", TIMEOUT).await.unwrap();
    page.click(".question button[type=submit]").await.unwrap();
    page.click("#tab-model").await.unwrap();
    let model = "document.querySelector('#panel-model').textContent";
    let said = page.wait_for(&format!("{model}.includes('from the app')"), TIMEOUT).await.is_ok();
    shown.note(said, &["apps/message"]);
    let text = page.eval(model).await.unwrap();
    let text = text.as_str().unwrap();
    shown.note(text.contains("second") && !text.contains("first"), &["apps/update-model-context"]);
}

async fn messages(rig: &Rig, page: &Page, shown: &mut Shown) {
    let view = page.frame(is_view, TIMEOUT).await.unwrap();
    view.eval(
        "say({ method: 'ui/notifications/sandbox-resource-ready', params: {} }), say({ method: 'the/last' })",
    )
    .await
    .unwrap();
    let entries = rig.timeline(|entry| entry["method"] == "the/last").await;
    let of = |from: &str, to: &str| -> Vec<&Value> {
        entries.iter().filter(|entry| entry["from"] == from && entry["to"] == to).collect()
    };
    let has = |list: &[&Value], method: &str| list.iter().any(|entry| entry["method"] == method);
    shown.note(has(&of("host", "server"), "resources/read"), &["apps/tool-resource-read"]);
    shown.note(has(&of("view", "host"), "tools/call"), &["apps/calls-logged"]);
    shown.note(has(&of("proxy", "host"), "ui/notifications/sandbox-proxy-ready"), &["apps/sandbox-ready"]);
    let resource = of("host", "proxy");
    let whole = resource.iter().any(|entry| entry["message"]["params"]["html"] == APP);
    shown.note(whole, &["apps/sandbox-resource-ready"]);
    let own = of("proxy", "host")
        .iter()
        .chain(&of("proxy", "view"))
        .all(|entry| entry["message"].get("id").is_none());
    shown.note(own, &["apps/sandbox-no-own-requests"]);
    let passed = !has(&of("view", "host"), "ui/notifications/sandbox-resource-ready");
    shown.note(passed && has(&of("view", "host"), "the/last"), &["apps/sandbox-forwards"]);
    let to_view = of("host", "view");
    let place = |list: &[&Value], method: &str| {
        list.iter().find(|entry| entry["method"] == method).map(|entry| entry["n"].as_u64().unwrap())
    };
    let begun = place(&of("view", "host"), "ui/notifications/initialized").unwrap();
    let early = to_view
        .iter()
        .filter(|entry| entry["n"].as_u64().unwrap() < begun)
        .all(|entry| entry["method"].is_null());
    shown.note(early, &["apps/host-silent-before-initialized"]);
    let inputs = to_view.iter().filter(|entry| entry["method"] == "ui/notifications/tool-input").count();
    let (input, result) =
        (place(&to_view, "ui/notifications/tool-input"), place(&to_view, "ui/notifications/tool-result"));
    shown.note(inputs == 1 && input < result && input > Some(begun), &["apps/tool-input"]);
    shown.note(result.is_some(), &["apps/tool-result"]);
}

async fn endings(rig: &Rig, browser: &Browser, page: Page, shown: &mut Shown) {
    let mark = page.mark();
    page.eval("document.querySelector('.toolbar [aria-label=Close]').click()").await.unwrap();
    let gone = |entry: &browser::LogEntry| matches!(entry.event, browser::LogEvent::FrameRemoved);
    page.until_since(mark, gone, TIMEOUT).await.unwrap();
    let answered = |entry: &Value| entry["from"] == "view" && entry["message"].get("result").is_some();
    let entries = rig.timeline(answered).await;
    let asked = entries.iter().find(|entry| entry["method"] == "ui/resource-teardown");
    shown.note(asked.is_some(), &["apps/teardown-sent"]);
    let waited = entries
        .iter()
        .any(|entry| answered(entry) && Some(&entry["answers"]) == asked.map(|asked| &asked["n"]));
    shown.note(waited, &["apps/teardown-waited"]);
    let page = browser
        .page(&rig.link(&[
            ("tool", "hang"),
            ("args", "{\"long\":\"a text that takes a while\"}"),
            ("stream", "1"),
            ("run", "1"),
        ]))
        .await
        .unwrap();
    let view = page.frame(is_view, TIMEOUT).await.unwrap();
    view.wait_for("heard.some((it) => it.method === 'ui/notifications/tool-input')", TIMEOUT).await.unwrap();
    page.eval(
        "[...document.querySelectorAll('.toolbar button')].find((it) => it.textContent === 'Cancel').click()",
    )
    .await
    .unwrap();
    let cancelled =
        view.wait_for("heard.some((it) => it.method === 'ui/notifications/tool-cancelled')", TIMEOUT).await;
    shown.note(cancelled.is_ok(), &["apps/tool-cancelled"]);
    let order =
        view.eval("heard.map((it) => it.method).filter((it) => it?.includes('tool-input'))").await.unwrap();
    let order = order.as_array().unwrap();
    let partial = order.len() > 1 && order.last().unwrap() == "ui/notifications/tool-input";
    shown.note(partial, &["apps/tool-input-partial"]);
}
