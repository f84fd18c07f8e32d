use std::time::{Duration, Instant};

use yardstick_browser::{Browser, BrowserError, LaunchOptions, LogEvent};

use crate::site::{Route, TIMEOUT, launch, open};

const PLAIN: &[Route] =
    &[("/", None, "<title>plain</title><iframe src='{b}/inner'></iframe>"), ("/inner", None, "")];

#[tokio::test]
async fn a_renderer_that_dies_is_reported_and_the_page_goes_on() {
    let (_browser, page, site) = open(PLAIN).await;
    let (hanging, crash) = tokio::join!(page.eval("new Promise(() => {})"), page.goto("chrome://crash"));
    assert!(matches!(crash, Err(BrowserError::Crashed { .. })), "{crash:?}");
    let hanging = hanging.unwrap_err();
    assert_eq!(hanging.to_string(), format!("the renderer of {} crashed", site.fill("{a}/")));
    assert!(page.log().iter().any(|it| matches!(it.event, LogEvent::Crashed)));
    assert!(matches!(page.eval("1").await, Err(BrowserError::Crashed { .. })));
    page.goto(&site.fill("{a}/")).await.unwrap();
    assert_eq!(page.eval("document.title").await.unwrap(), "plain");
}

#[tokio::test]
async fn a_browser_that_is_killed_gives_errors_at_once() {
    let (browser, page, _) = open(PLAIN).await;
    let kill = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let pid = browser.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    };
    let start = Instant::now();
    let (waiting, until, ()) =
        tokio::join!(page.eval("new Promise(() => {})"), page.until(|_| false, TIMEOUT), kill);
    for error in [waiting.unwrap_err(), until.unwrap_err()] {
        assert!(error.to_string().starts_with("the browser is gone: it ended with signal: 9"), "{error}");
    }
    assert!(matches!(browser.page("about:blank").await, Err(BrowserError::Gone { .. })));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_is_no_browser_is_told_from_one() {
    let options = |program: &str| LaunchOptions {
        program: Some(program.into()),
        limit: Duration::from_millis(500),
        ..LaunchOptions::default()
    };
    let gone = Browser::launch(options("/bin/false")).await.unwrap_err().to_string();
    assert_eq!(gone, "the browser is gone: it ended with exit status: 1");
    let missing = Browser::launch(options("/nowhere/chromium")).await.unwrap_err().to_string();
    assert!(
        missing.starts_with("the browser is gone: it could not be run (exit status: 127); its stderr"),
        "{missing}"
    );
    let mute = std::env::temp_dir().join(format!("yardstick-mute-{}", std::process::id()));
    std::fs::write(&mute, "#!/bin/sh\nexec sleep 60\n").unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&mute).status().unwrap();
    let silent = Browser::launch(options(mute.to_str().unwrap())).await.unwrap_err().to_string();
    std::fs::remove_file(&mute).unwrap();
    assert_eq!(silent, "the browser did not respond to Target.setAutoAttach within 500 ms");
}

#[tokio::test]
async fn a_command_after_the_end_is_an_error() {
    let browser = launch().await;
    let page = browser.page("about:blank").await.unwrap();
    drop(browser);
    assert!(matches!(page.eval("1").await, Err(BrowserError::Gone { .. })));
}
