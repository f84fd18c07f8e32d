//! The example apps of ext-apps, of both generations, in our test host: thirteen servers of 2.x and one of 1.7 behind one host.

use std::time::Duration;

use browser::{Browser, Page, Shot};
use host::{Host, Options};
use serde_json::Value;
use transport::client::Target;

use crate::harness::{node, package};

/// Node takes its time to start so many servers at once.
const START_LIMIT: Duration = Duration::from_secs(90);
const LIMIT: Duration = Duration::from_secs(30);
/// The app of the first generation of the SDK that is still around.
const OLD: &str = "basic-react-1.7";
const NEW: [&str; 13] = [
    "basic-react",
    "basic-vanillajs",
    "basic-vue",
    "basic-svelte",
    "basic-preact",
    "basic-solid",
    "budget-allocator",
    "cohort-heatmap",
    "customer-segmentation",
    "scenario-modeler",
    "system-monitor",
    "debug",
    "transcript",
];

#[tokio::test]
async fn every_example_becomes_ready_in_our_host() {
    let folder = |name: &str| format!("@modelcontextprotocol/server-{name}");
    let packages: Vec<String> = NEW.iter().map(|name| folder(name)).chain([OLD.to_owned()]).collect();
    let targets = packages.iter().map(|name| server(name)).collect();
    let (host, browser) = tokio::join!(start(targets), Browser::launch(browser::LaunchOptions::default()));
    let browser = browser.unwrap_or_else(|why| panic!("{why}"));
    for (at, name) in packages.iter().enumerate() {
        show(&host, &browser, at, name).await;
    }
    host.shut_down().await;
}

fn server(name: &str) -> Target {
    let script = package(&format!("{name}/dist/index.js"));
    Target::command(node().display().to_string(), [script.display().to_string(), "--stdio".to_owned()])
}

async fn start(targets: Vec<Target>) -> Host {
    let count = targets.len();
    let host =
        Host::start(Options { targets: targets.into_iter().map(Into::into).collect(), ..Options::default() })
            .await
            .expect("loopback can be listened on");
    let end = tokio::time::Instant::now() + START_LIMIT;
    loop {
        let lines = host.settled(START_LIMIT).await;
        let there = lines.iter().filter(|line| line.ends_with("have an app")).count();
        if there == count {
            return host;
        }
        assert!(tokio::time::Instant::now() < end, "not every server is there: {lines:#?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn show(host: &Host, browser: &Browser, at: usize, name: &str) {
    let url = host.url();
    let page = browser.page(&url).await.expect("the page loads");
    let pick = format!(
        "[...document.querySelectorAll('#tool-select option[data-server-id=\"{at}\"]')].find((it) => it.dataset.resourceUri)?.dataset.tool"
    );
    let tool = page
        .wait_for(&pick, LIMIT)
        .await
        .unwrap_or_else(|why| panic!("{name} has no tool with a view: {why}"));
    page.goto(&format!("{url}?server={at}&tool={}", tool.as_str().unwrap_or_default()))
        .await
        .expect("the link loads");
    page.wait_for("document.querySelector('main.alive') !== null", LIMIT).await.expect("the page is there");
    // Most of these tools do not say that they only read, so they wait for the person.
    page.click(".run").await.expect("the tool can be run");
    let status = page.wait_for("document.querySelector('main[data-app-status=ready]') !== null", LIMIT).await;
    if let Err(why) = status {
        panic!("{name}: {why}; the page says {:?}", page.eval("document.body.innerText.slice(0, 800)").await);
    }
    let is_view = |frame: &browser::FrameInfo| frame.url.starts_with("http://view-");
    let view = page.frame(is_view, LIMIT).await.expect("the app has a frame");
    view.wait_for(
        "document.body.innerText.trim().length + document.querySelectorAll('canvas, svg').length > 0",
        LIMIT,
    )
    .await
    .unwrap_or_else(|why| panic!("{name} shows nothing: {why}"));
    assert_clean(&page, name);
    assert_painted(&page, name).await;
    let ours = must(&page).await;
    assert!(ours.is_empty(), "{name}: {ours:#?}");
    println!("{name:45} {tool}: ready");
}

/// Nothing was thrown, and no policy violated, apart from libraries that try `eval` and can do without.
#[track_caller]
fn assert_clean(page: &Page, name: &str) {
    let thrown: Vec<_> =
        page.exceptions().into_iter().map(|(url, error)| format!("{url}: {}", error.message)).collect();
    assert!(thrown.is_empty(), "{name}: {thrown:#?}");
    let blocked: Vec<_> = page
        .violations()
        .into_iter()
        .filter(|it| it.kind != "eval")
        .map(|it| format!("{} {}", it.directive, it.blocked))
        .collect();
    assert!(blocked.is_empty(), "{name}: {blocked:#?}");
}

/// What the timeline calls a broken rule in messages that the host itself sent.
async fn must(page: &Page) -> Vec<Value> {
    let read = "fetch(`/api/events?token=${document.querySelector('meta[name=yardstick-token]').content}`).then(async (response) => {
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        const late = new Promise((enough) => setTimeout(enough, 300, { done: true }));
        for (;;) {
            const { value, done } = await Promise.race([reader.read(), late]);
            if (done) break;
            text += value;
        }
        reader.cancel();
        const events = text.split('\\n').filter((line) => line.startsWith('data: ')).flatMap((line) => { try { return [JSON.parse(line.slice(6))]; } catch { return []; } });
        return events.map((event) => event.entry).filter((entry) => entry?.from === 'host' && (entry.findings ?? []).some((one) => one.level === 'must'));
    })";
    let found = page.eval(read).await.expect("the timeline can be read");
    found.as_array().cloned().unwrap_or_default()
}

/// The picture of the app has more than one colour.
async fn assert_painted(page: &Page, name: &str) {
    let bounds = page.main().bounds(".app-slot").await.expect("the app is on the stage");
    let shot = page.screenshot(Shot::Clip(bounds)).await.expect("a picture can be taken");
    let data = format!("data:image/png;base64,{}", base64(&shot));
    let count = format!(
        "new Promise((done) => {{ const image = new Image(); image.onload = () => {{
            const canvas = Object.assign(document.createElement('canvas'), {{ width: image.width, height: image.height }});
            const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
            done(new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size); }};
            image.src = '{data}'; }})"
    );
    let colours = page.eval(&count).await.expect("a picture can be read").as_u64().unwrap_or_default();
    assert!(colours > 4, "{name} is blank: {colours} colours");
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
