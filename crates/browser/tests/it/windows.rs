use yardstick_browser::{DialogAnswer, Dialogs, DownloadProgress, LogEvent};

use crate::site::{Route, TIMEOUT, open};

const OPENER: &[Route] = &[
    (
        "/",
        None,
        "<button onclick=\"window.open('{b}/popup')\">open</button>
         <a id=file href='/file' download>file</a><iframe src='{b}/asker'></iframe>",
    ),
    ("/popup", None, "<title>popup</title><script>console.log('early popup')</script>"),
    ("/asker", None, "<title>asker</title>"),
    ("/file", Some(("content-disposition", "attachment; filename=\"report.txt\"")), "content"),
];

#[tokio::test]
async fn popups_are_pages_too() {
    let (_browser, page, site) = open(OPENER).await;
    assert!(page.popups().is_empty());
    page.click("button").await.unwrap();
    let popup = page.popup(TIMEOUT).await.unwrap();
    assert_eq!(
        popup.wait_for("document.readyState == 'complete' && document.title", TIMEOUT).await.unwrap(),
        "popup"
    );
    assert_eq!(popup.url(), site.fill("{b}/popup"));
    assert_eq!(page.popups().len(), 1);
    let early = |it: &LogEvent| matches!(it, LogEvent::Console(line) if line.text == "early popup");
    let entry = page.until(|it| early(&it.event), TIMEOUT).await.unwrap();
    assert_eq!((entry.page.as_str(), entry.url), (popup.id(), site.fill("{b}/popup")));
    let asked = |it: &LogEvent| matches!(it, LogEvent::WindowAsked { gesture: true, .. });
    assert!(page.log().iter().any(|it| asked(&it.event)));
    let opened =
        |it: &LogEvent| matches!(it, LogEvent::Popup { opener: Some(opener) } if opener == page.id());
    assert!(page.log().iter().any(|it| opened(&it.event)));
    let id = popup.id().to_owned();
    popup.close().await.unwrap();
    page.until(|it| it.page == id && matches!(it.event, LogEvent::Detached { .. }), TIMEOUT).await.unwrap();
    assert!(page.popups().is_empty());
}

#[tokio::test]
async fn downloads_are_seen_and_kept() {
    let (_browser, page, site) = open(OPENER).await;
    page.click("#file").await.unwrap();
    let done =
        |it: &LogEvent| matches!(it, LogEvent::DownloadProgress { progress: DownloadProgress::Done, .. });
    page.until(|it| done(&it.event), TIMEOUT).await.unwrap();
    let download = page.downloads().remove(0);
    assert_eq!((download.url, download.name.as_str()), (site.fill("{a}/file"), "report.txt"));
    assert_eq!((download.progress, download.frame.as_deref()), (DownloadProgress::Done, Some(page.id())));
    assert_eq!(std::fs::read_to_string(&download.path).unwrap(), "<!doctype html>content");
}

#[tokio::test]
async fn dialogs_are_answered_and_recorded() {
    let (_browser, page, site) = open(OPENER).await;
    assert_eq!(page.eval("confirm('sure?')").await.unwrap(), false);
    page.answer_dialogs(Dialogs { ask: DialogAnswer::Accept, leave: DialogAnswer::Accept });
    let asker = page.frame_at("/asker", TIMEOUT).await.unwrap();
    assert_eq!(asker.eval("onbeforeunload = it => it.preventDefault(); 1").await.unwrap(), 1);
    assert_eq!(page.eval("confirm('really?')").await.unwrap(), true);
    page.eval("alert('hear, hear'); onbeforeunload = it => it.preventDefault(); 1").await.unwrap();
    page.click_at(5.0, 5.0).await.unwrap();
    page.goto(&site.fill("{b}/popup")).await.unwrap();
    let seen: Vec<_> = page.dialogs().into_iter().map(|it| (it.kind, it.message, it.accepted)).collect();
    let expected = [
        ("confirm", "sure?", false),
        ("confirm", "really?", true),
        ("alert", "hear, hear", true),
        ("beforeunload", "", true),
    ];
    assert_eq!(seen, expected.map(|(kind, text, yes)| (kind.to_owned(), text.to_owned(), yes)));
}
