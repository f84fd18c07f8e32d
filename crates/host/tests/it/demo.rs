//! The demo apps of the reference server, in the page, in a real Chromium.

use browser::{Browser, Frame, Page};
use serde_json::{Value, json};

use crate::rig::{Rig, TIMEOUT, browser, complaints, ready};
use crate::servers::reference;

/// A host with the reference server, a browser, and one app open in it.
struct Open {
    rig: Rig,
    page: Page,
    view: Frame,
    _browser: Browser,
}

impl Open {
    async fn app(query: &[(&str, &str)]) -> Self {
        let (rig, browser) = tokio::join!(Rig::start(vec![reference()]), browser());
        let page = browser.page(&rig.link(query)).await.unwrap();
        let view = ready(&page).await;
        settled(&page, &view).await;
        Self { rig, page, view, _browser: browser }
    }

    async fn view_says(&self, script: &str) {
        let waited = self.view.wait_for(script, TIMEOUT).await;
        if let Err(why) = waited {
            let text = self.view.eval("document.body.innerText").await;
            panic!("{why}; the view shows {text:?}, the complaints are {:?}", complaints(&self.page));
        }
    }

    /// The text of an element of the View.
    async fn text(&self, id: &str) -> String {
        let text = self.view.eval(&format!("document.getElementById('{id}').textContent")).await.unwrap();
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Presses a button of the View, and answers the card that appears.
    async fn ask(&self, button: &str, answer: &str) {
        self.view.click(button).await.unwrap();
        // A new card ignores clicks for a moment.
        self.page
            .wait_for("document.querySelector('.question:not(.settling)') !== null", TIMEOUT)
            .await
            .unwrap();
        self.page.click(&format!(".question button{answer}")).await.unwrap();
    }

    async fn note(&self, part: &str) {
        self.view_says(&format!("document.getElementById('note').textContent.includes({})", json!(part)))
            .await;
    }

    /// Closes the app. The app is asked first, and its frame is removed after its answer.
    async fn close(self) -> Vec<Value> {
        assert_eq!(complaints(&self.page), [""; 0]);
        let mark = self.page.mark();
        self.page.eval("[...document.querySelectorAll('.toolbar button')].find((it) => it.getAttribute('aria-label') === 'Close').click()").await.unwrap();
        self.page
            .wait_for(
                "document.querySelector('main[data-app-status=idle]') && !document.querySelector('iframe')",
                TIMEOUT,
            )
            .await
            .unwrap();
        let asked = |entry: &Value| entry["method"] == "ui/resource-teardown" && entry["to"] == "view";
        let entries = self
            .rig
            .timeline(|entry| {
                entry["from"] == "view"
                    && entry["message"].get("result").is_some()
                    && entry["answers"].is_u64()
            })
            .await;
        let asked = entries.iter().find(|entry| asked(entry)).expect("the view is told that it goes");
        let answer = entries.iter().find(|entry| entry["answers"] == asked["n"]).expect("the view answers");
        assert!(answer["message"].get("result").is_some(), "{answer}");
        let gone = |entry: &browser::LogEntry| matches!(entry.event, browser::LogEvent::FrameRemoved);
        self.page.until_since(mark, gone, TIMEOUT).await.unwrap();
        entries
    }
}

/// Waits until the app has its reported height, so that its buttons no longer move. The strict host limits the height
/// to 2000.
async fn settled(page: &Page, view: &Frame) {
    let height = async |frame: &Frame, selector: &str| {
        let script = format!("document.querySelector('{selector}').getBoundingClientRect().height");
        frame.eval(&script).await.unwrap().as_f64().unwrap()
    };
    let end = tokio::time::Instant::now() + TIMEOUT;
    loop {
        let (told, shown) = (height(view, "html").await, height(&page.main(), ".app-slot").await);
        if (told - shown).abs() < 2.0 || shown >= 2000.0 {
            return;
        }
        assert!(tokio::time::Instant::now() < end, "the app is {told} high and shown {shown} high");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

fn methods(entries: &[Value], from: &str, to: &str) -> Vec<String> {
    let wanted = entries.iter().filter(|entry| entry["from"] == from && entry["to"] == to);
    wanted.filter_map(|entry| entry["method"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn the_monitor_is_shown_without_a_click_and_polls_its_server() {
    let open = Open::app(&[]).await;
    open.view_says("/\\d+ %/.test(document.getElementById('cpu').textContent)").await;
    let polled =
        |entry: &Value| entry["message"]["params"]["name"] == "poll_system" && entry["to"] == "server";
    let entries = open.rig.timeline(polled).await;
    let call = entries.iter().find(|entry| polled(entry)).unwrap();
    let cause =
        entries.iter().find(|entry| entry["n"] == call["cause"]).expect("the app's own request led to it");
    assert_eq!((cause["from"].as_str(), cause["method"].as_str()), (Some("view"), Some("tools/call")));
    let height = "document.querySelector('.app-slot').getBoundingClientRect().height";
    let told =
        open.view.eval("Math.ceil(document.documentElement.getBoundingClientRect().height)").await.unwrap();
    open.page
        .wait_for(&format!("Math.abs({height} - {told}) < 2 || {height} >= 2000"), TIMEOUT)
        .await
        .unwrap();
    let entries = open.close().await;
    let sent = methods(&entries, "host", "view");
    let place = |method: &str| sent.iter().position(|sent| sent == &format!("ui/notifications/{method}"));
    assert!(place("tool-input").unwrap() < place("tool-result").unwrap(), "{sent:?}");
    let heard = methods(&entries, "view", "host");
    assert_eq!(heard[..2], ["ui/initialize", "ui/notifications/initialized"]);
    let told = entries.iter().find_map(|entry| entry["message"].pointer("/result/hostContext/toolInfo/id"));
    let call = entries.iter().find(|entry| entry["method"] == "tools/call" && entry["to"] == "server");
    assert_eq!(told, call.map(|call| &call["id"]), "the app knows which call it shows");
}

#[tokio::test]
async fn the_form_submits_and_asks_the_person() {
    let args = json!({ "currency": "CHF" }).to_string();
    let open = Open::app(&[("tool", "expense_form"), ("args", &args), ("run", "1")]).await;
    assert_eq!(
        open.view.eval("document.getElementById('currency').value").await.unwrap(),
        "CHF",
        "the input arrived"
    );
    open.view.type_into("#title", "Train").await.unwrap();
    open.view.type_into("#amount", "12.50").await.unwrap();
    open.view.click("#send").await.unwrap();
    open.note("Submitted: Train").await;
    assert!(open.text("entries").await.contains("Train"));
    open.ask("#policy", "[type=button]").await;
    open.note("denied").await;
    open.ask("#ask", "[type=submit]").await;
    open.note("Asked in the chat").await;
    open.view.click("#tell").await.unwrap();
    open.note("The model knows").await;
    assert!(open.page.popups().is_empty(), "the link was denied");
    let entries = open.close().await;
    let denied = entries.iter().find(|entry| entry["message"]["error"]["code"] == -32000);
    assert!(denied.is_some(), "the refusal is an error of the host");
}

#[tokio::test]
async fn the_chart_is_streamed_goes_fullscreen_and_saves_a_file() {
    let series =
        [("a", 1), ("b", 3), ("c", 2)].map(|(label, value)| json!({ "label": label, "value": value }));
    let args = json!({ "title": "Three", "kind": "bar", "series": series }).to_string();
    let open = Open::app(&[("tool", "draw_chart"), ("args", &args), ("stream", "1"), ("run", "1")]).await;
    assert_eq!(open.text("title").await, "Three");
    open.view_says("document.querySelectorAll('#rows tr').length === 3").await;
    open.view.click("#mode").await.unwrap();
    open.page
        .wait_for("document.querySelector('main').dataset.mode === 'fullscreen'", TIMEOUT)
        .await
        .unwrap();
    open.view_says("document.documentElement.dataset.mode === 'fullscreen'").await;
    open.view_says("document.getElementById('mode').textContent === 'Back to the chat'").await;
    open.view_says(&format!("innerWidth === {}", 1280)).await;
    open.view.click("#mode").await.unwrap();
    open.page.wait_for("document.querySelector('main').dataset.mode === 'inline'", TIMEOUT).await.unwrap();
    let pip = "document.querySelector('[aria-label=\"Display mode\"] [data-value=pip]').title";
    let title = open.page.eval(pip).await.unwrap();
    assert!(title.as_str().unwrap().contains("did not declare"), "{title}");
    open.ask("#save", "[type=submit]").await;
    open.note("three.svg is yours").await;
    let done = |entry: &browser::LogEntry| {
        matches!(
            entry.event,
            browser::LogEvent::DownloadProgress { progress: browser::DownloadProgress::Done, .. }
        )
    };
    open.page.until(done, TIMEOUT).await.unwrap();
    assert_eq!(open.page.downloads()[0].name, "three.svg");
    let entries = open.close().await;
    let sent = methods(&entries, "host", "view");
    let inputs: Vec<_> =
        sent.iter().filter(|method| method.contains("/tool-")).map(|method| &method[17..]).collect();
    let partials = inputs
        .iter()
        .take_while(|name| **name == "/tool-input-partial" || **name == "tool-input-partial")
        .count();
    assert!(partials > 1, "{sent:?}");
    assert_eq!(inputs.len(), partials + 2, "{sent:?}");
}

#[tokio::test]
async fn the_map_has_the_permissions_that_it_is_told_of() {
    let open = Open::app(&[("tool", "where_am_i"), ("run", "1")]).await;
    open.view_says("document.querySelectorAll('#checks li').length === 5").await;
    assert_eq!(complaints(&open.page), [""; 0]);
    open.view.eval("document.getElementById('try').click()").await.unwrap();
    open.view_says("document.getElementById('checks').textContent.includes('CSP blocks it')").await;
    let verdicts = open
        .view
        .eval("[...document.querySelectorAll('#checks .note')].map((it) => it.dataset.tone)")
        .await
        .unwrap();
    assert_eq!(verdicts, json!(vec!["success"; 5]), "{}", open.text("checks").await);
    let violations = open.page.violations();
    let blocked: Vec<_> = violations.iter().map(|it| (it.directive.as_str(), it.blocked.as_str())).collect();
    assert_eq!(blocked, [("connect-src", "https://undeclared.example.net/")]);
    let told =
        |(_, event): &(u64, Value)| event["kind"] == "violation" && event["directive"] == "connect-src";
    open.rig.events(0, |seen| seen.iter().any(told)).await;
}

#[tokio::test]
async fn the_poem_floats_without_a_border() {
    let open = Open::app(&[("tool", "poem_card"), ("run", "1")]).await;
    open.view_says("document.querySelectorAll('#lines li').length > 3").await;
    assert_eq!(open.page.eval("document.querySelector('.app-box').dataset.border").await.unwrap(), "false");
    open.page.set_viewport(1440, 900, 1.0).await.unwrap();
    open.page.click("[aria-label='Display mode'] [data-value=pip]").await.unwrap();
    open.view_says("document.documentElement.dataset.mode === 'pip'").await;
    open.page.press("Escape").await.unwrap();
    open.view_says("document.documentElement.dataset.mode === 'inline'").await;
    open.close().await;
}

#[tokio::test]
async fn the_inspector_follows_the_theme_and_asks_for_everything() {
    let open = Open::app(&[("tool", "inspect_host"), ("theme", "light"), ("run", "1")]).await;
    let colours =
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color].join()";
    let light = open.view.eval(colours).await.unwrap();
    open.page.click("[aria-label=Theme] [data-value=dark]").await.unwrap();
    open.view_says(&format!(
        "getComputedStyle(document.documentElement).colorScheme === 'dark' && {colours} !== {light}"
    ))
    .await;
    open.view_says("document.querySelectorAll('.swatch.told').length > 70").await;
    open.view.eval("document.querySelector('[value=ask]').click()").await.unwrap();
    for (label, part) in [
        ("Ping", "{}"),
        ("Call the echo tool", "hello"),
        ("Read this app", "doctype"),
        ("Go pip", "pip"),
        ("Go inline", "inline"),
    ] {
        let button = format!(
            "[...document.querySelectorAll('#asks button')].find((it) => it.textContent === '{label}')"
        );
        open.view.eval(&format!("{button}.click()")).await.unwrap();
        open.view_says(&format!(
            "{button}.parentElement.querySelector('pre').textContent.includes('{part}')"
        ))
        .await;
    }
    let entries = open.close().await;
    let changed: Vec<_> =
        entries.iter().filter(|entry| entry["method"] == "ui/notifications/host-context-changed").collect();
    let theme = changed
        .iter()
        .find(|entry| entry["message"]["params"]["theme"] == "dark")
        .expect("the theme was told");
    let keys: Vec<_> = theme["message"]["params"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["theme"], "what changed and nothing else");
}
