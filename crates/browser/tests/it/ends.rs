use std::path::Path;
use std::time::{Duration, Instant};

use crate::site::{Route, launch, open};

const PLAIN: &[Route] = &[("/", None, "<iframe src='{b}/inner'></iframe>"), ("/inner", None, "inner")];

/// The processes whose command line names a folder and that still run.
fn using(profile: &Path) -> Vec<String> {
    let output = std::process::Command::new("ps").args(["-eo", "stat=,args="]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = |line: &&str| line.contains(&*profile.to_string_lossy()) && !line.starts_with('Z');
    text.lines().filter(named).map(str::to_owned).collect()
}

#[tokio::test]
async fn nothing_is_left_of_a_browser() {
    let (browser, page, _) = open(PLAIN).await;
    let profile = browser.profile().to_owned();
    assert!(profile.is_dir());
    assert!(using(&profile).len() > 2, "{:?}", using(&profile));
    let start = Instant::now();
    drop(browser);
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert!(!profile.exists());
    assert_eq!(using(&profile), [""; 0]);
    drop(page);
}

#[tokio::test]
async fn pages_share_nothing_and_close_alone() {
    let (browser, first, site) = open(PLAIN).await;
    let second = browser.page(&site.fill("{a}/")).await.unwrap();
    first.eval("localStorage.setItem('secret', '1')").await.unwrap();
    assert_eq!(second.eval("localStorage.getItem('secret')").await.unwrap(), serde_json::Value::Null);
    let (main, start) = (first.main(), Instant::now());
    let (waiting, closed) = tokio::join!(main.eval("new Promise(() => {})"), first.close());
    closed.unwrap();
    assert_eq!(waiting.unwrap_err().to_string(), "the page is closed");
    assert!(main.eval("1").await.is_err());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(second.eval("1 + 1").await.unwrap(), 2);
    let third = browser.page(&site.fill("{a}/")).await.unwrap();
    assert_eq!(third.eval("localStorage.getItem('secret')").await.unwrap(), serde_json::Value::Null);
}

#[tokio::test]
async fn a_browser_is_ready_soon() {
    let start = Instant::now();
    let browser = launch().await;
    let launched = start.elapsed();
    let page = browser.page("about:blank").await.unwrap();
    let opened = start.elapsed();
    assert_eq!(page.eval("1 + 1").await.unwrap(), 2);
    println!(
        "{}: launched {launched:?}, page {opened:?}, evaluated {:?}",
        browser.product(),
        start.elapsed()
    );
    assert!(start.elapsed() < Duration::from_secs(20));
}
