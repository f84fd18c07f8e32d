use std::time::{Duration, Instant};

use serde_json::json;
use yardstick_browser::{Browser, BrowserError, LaunchOptions};

use crate::site::{Route, open};

const PLAIN: &[Route] = &[("/", None, "<title>plain</title>"), ("/other", None, "<title>other</title>")];

#[tokio::test]
async fn values_come_back_and_errors_say_why() {
    let (_browser, page, site) = open(PLAIN).await;
    assert_eq!(page.eval("({a: [1, 'x', null]})").await.unwrap(), json!({ "a": [1, "x", null] }));
    assert_eq!(page.eval("new Promise(done => setTimeout(() => done('late'), 20))").await.unwrap(), "late");
    assert_eq!(page.eval("undefined").await.unwrap(), json!(null));
    for (script, message) in [
        ("throw new TypeError('bad')", "TypeError: bad"),
        ("Promise.reject('plain text')", "plain text"),
        ("nothing.at.all", "ReferenceError: nothing is not defined"),
        ("}", "SyntaxError: Unexpected token '}'"),
    ] {
        let error = page.eval(script).await.unwrap_err();
        assert!(matches!(error, BrowserError::Script { .. }), "{error}");
        let start = format!("the script threw in {}: {message}", site.fill("{a}/"));
        assert!(error.to_string().starts_with(&start), "{error}");
    }
}

#[tokio::test]
async fn what_is_waited_for_comes_or_the_error_says_what_is_there() {
    let (_browser, page, site) = open(PLAIN).await;
    page.eval("setTimeout(() => location.href = '/other', 100); 1").await.unwrap();
    page.wait_for("document.title == 'other'", Duration::from_secs(20)).await.unwrap();
    let error = page.wait_for("document.title == 'never'", Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "timed out after 200 ms waiting for `document.title == 'never'`; it is false"
    );
    let error = page.frame_at("/nowhere", Duration::from_millis(50)).await.unwrap_err().to_string();
    assert_eq!(
        error,
        format!("timed out after 50 ms waiting for the frame; the frames are {}", site.fill("{a}/other"))
    );
    let error = page.goto("http://127.0.0.1:1/").await.unwrap_err().to_string();
    assert!(error.starts_with("cannot load http://127.0.0.1:1/: net::ERR_"), "{error}");
}

#[tokio::test]
async fn a_script_that_never_ends_costs_the_limit() {
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap_or_else(|why| panic!("{why}"));
    let page = browser.page("data:text/html,<title>x").await.unwrap();
    let waited = page.wait_for("new Promise(() => {})", Duration::from_millis(300));
    let start = Instant::now();
    assert!(matches!(waited.await, Err(BrowserError::NeverCame { .. })));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_script_can_run_before_those_of_every_document() {
    const READS: &[Route] =
        &[("/", None, "<script>document.title = early</script>"), ("/other", None, "<title>plain</title>")];
    let (_browser, page, site) = open(READS).await;
    page.add_script("globalThis.early = `before ${location.pathname}`").await.unwrap();
    page.goto(&site.fill("{a}/")).await.unwrap();
    assert_eq!(page.eval("document.title").await.unwrap(), "before /");
    page.goto(&site.fill("{a}/other")).await.unwrap();
    assert_eq!(page.eval("early").await.unwrap(), "before /other");
}
