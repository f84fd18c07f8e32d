use serde_json::json;
use yardstick_browser::{LogEvent, Page};

use crate::site::{Route, TIMEOUT, open};

const NESTED: &[Route] = &[
    ("/", None, "<title>main</title><script>console.log('early main')</script><iframe src='{b}/child'></iframe>"),
    (
        "/child",
        None,
        "<script>console.log('early child')</script><iframe src='{a}/inner'></iframe><iframe src='{c}/label'></iframe>
         <iframe sandbox='allow-scripts' srcdoc='<script>console.log(&quot;srcdoc&quot;, origin)</script>'></iframe>
         <iframe srcdoc='<p id=same>same</p>'></iframe>",
    ),
    ("/inner", None, "<title>inner</title><script>console.log('early inner')</script>"),
    ("/label", None, "<title>label</title><script>console.log('early label')</script>"),
    ("/next", None, "<title>next</title><script>console.log('next')</script>"),
];

/// Processes report independently: the page's load event may arrive before the last events of its frames.
async fn settled(page: &Page) {
    let line = |it: &LogEvent, text: &str| matches!(it, LogEvent::Console(line) if line.text == text);
    for text in ["early main", "early child", "early inner", "early label", "srcdoc null"] {
        page.until(|it| line(&it.event, text), TIMEOUT).await.unwrap();
    }
    page.frame(|it| it.url == "about:srcdoc" && it.origin != "null", TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn nested_frames_of_other_sites_are_seen_and_evaluated_in() {
    let (_browser, page, site) = open(NESTED).await;
    settled(&page).await;
    let frames = page.frames();
    let seen: Vec<_> = frames.iter().map(|it| (it.url.as_str(), it.origin.as_str(), it.isolated)).collect();
    let at = |text: &str| site.fill(text);
    let expected = [
        (at("{a}/"), at("{a}"), false),
        (at("{b}/child"), at("{b}"), true),
        (at("{a}/inner"), at("{a}"), true),
        (at("{c}/label"), at("{c}"), true),
        ("about:srcdoc".into(), "null".into(), true),
        ("about:srcdoc".into(), at("{b}"), false),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(url, origin, own)| (url.as_str(), origin.as_str(), *own)).collect();
    assert_eq!(seen, expected);
    assert_eq!(frames[2].parent.as_ref(), Some(&frames[1].id));

    let inner = page.frame_at("/inner", TIMEOUT).await.unwrap();
    assert_eq!(inner.eval("[document.title, origin]").await.unwrap(), json!(["inner", site.fill("{a}")]));
    let label = page.frame_at("/label", TIMEOUT).await.unwrap();
    assert_eq!(label.eval("document.title").await.unwrap(), "label");
    let sandboxed = page.frame(|it| it.url == "about:srcdoc" && it.origin == "null", TIMEOUT).await.unwrap();
    assert_eq!(sandboxed.eval("origin").await.unwrap(), "null");
    let same = page.frame(|it| it.url == "about:srcdoc" && it.origin != "null", TIMEOUT).await.unwrap();
    assert_eq!(same.eval("document.getElementById('same').textContent").await.unwrap(), "same");
}

#[tokio::test]
async fn the_first_line_of_every_frame_is_in_the_log() {
    let (_browser, page, site) = open(NESTED).await;
    settled(&page).await;
    let mut lines: Vec<_> = page.console().into_iter().map(|(url, line)| (line.text, url)).collect();
    lines.sort();
    let expected = [
        ("early child", "{b}/child"),
        ("early inner", "{a}/inner"),
        ("early label", "{c}/label"),
        ("early main", "{a}/"),
        ("srcdoc null", "about:srcdoc"),
    ];
    assert_eq!(lines, expected.map(|(text, url)| (text.to_owned(), site.fill(url))));
}

#[tokio::test]
async fn a_frame_stays_the_same_when_it_changes_site_and_process() {
    let (_browser, page, site) = open(NESTED).await;
    settled(&page).await;
    let frame = page.frame_at("/inner", TIMEOUT).await.unwrap();
    let go = |to: &str| format!("location.href = {}", json!(site.fill(to)));
    for (to, isolated) in [("{b}/next", false), ("{c}/next", true), ("{b}/next", false)] {
        // The navigation may finish before or after the script's own result.
        let _ = frame.eval(&go(to)).await;
        let there = format!("document.title == 'next' && location.href == {}", json!(site.fill(to)));
        frame.wait_for(&there, TIMEOUT).await.unwrap();
        let info = frame.info().unwrap();
        assert_eq!((info.url, info.isolated), (site.fill(to), isolated));
    }
    let child = page.frame_at("/child", TIMEOUT).await.unwrap();
    child.eval("document.querySelector('iframe').remove()").await.unwrap();
    page.until(
        |it| it.frame.as_deref() == Some(frame.id()) && matches!(it.event, LogEvent::FrameRemoved),
        TIMEOUT,
    )
    .await
    .unwrap();
    assert!(frame.eval("1").await.unwrap_err().to_string().contains("the frame is closed"));
}

#[tokio::test]
async fn after_navigation_only_the_new_frames_are_there() {
    let (_browser, page, site) = open(NESTED).await;
    settled(&page).await;
    assert_eq!(page.frames().len(), 6);
    page.goto(&site.fill("{c}/next")).await.unwrap();
    let urls: Vec<_> = page.frames().into_iter().map(|it| it.url).collect();
    assert_eq!(urls, [site.fill("{c}/next")]);
    assert_eq!(page.eval("document.title").await.unwrap(), "next");
}
