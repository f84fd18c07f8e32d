use yardstick_browser::LogEvent;

use crate::site::{Route, TIMEOUT, open};

const NOISY: &[Route] = &[
    (
        "/",
        None,
        "<iframe src='{b}/thrower'></iframe>
         <script>
         console.warn('careful', 1, {a: 1}, ['x']);
         new Worker(URL.createObjectURL(new Blob([`console.log('from a worker', self.name)`])), {name: 'w'});
         fetch('/missing');
         fetch('{b}/thrower', {mode: 'no-cors'});
         </script>",
    ),
    ("/thrower", None, "<script>setTimeout(() => { throw new Error('nobody catches this') })</script>"),
];

#[tokio::test]
async fn lines_errors_and_requests_of_all_frames_are_kept() {
    let (_browser, page, site) = open(NOISY).await;
    let worker = |line: &LogEvent| matches!(line, LogEvent::Console(it) if it.text == "from a worker w");
    page.until(|it| worker(&it.event), TIMEOUT).await.unwrap();
    page.until(|it| matches!(it.event, LogEvent::Exception(_)), TIMEOUT).await.unwrap();
    let warning = page.console().into_iter().find(|(_, line)| line.level == "warning").unwrap();
    assert_eq!((warning.0, warning.1.text), (site.fill("{a}/"), r#"careful 1 {a: 1} ["x"]"#.to_owned()));

    let (url, thrown) = page.exceptions().remove(0);
    assert_eq!(url, site.fill("{b}/thrower"));
    assert!(thrown.message.starts_with("Error: nobody catches this"), "{thrown:?}");

    page.until(|it| matches!(&it.event, LogEvent::Response { status: 404, .. }), TIMEOUT).await.unwrap();
    let requests = page.requests();
    let find = |url: &str, kind: &str| {
        requests
            .iter()
            .find(|it| it.url == site.fill(url) && it.kind == kind)
            .unwrap_or_else(|| panic!("{requests:#?}"))
    };
    assert_eq!(find("{a}/missing", "Fetch").status, Some(404));
    assert_eq!(find("{a}/missing", "Fetch").document, site.fill("{a}/"));
    assert_eq!(find("{b}/thrower", "Document").status, Some(200));
    assert_eq!(find("{a}/", "Document").status, Some(200));
}

#[tokio::test]
async fn the_log_is_in_order_of_time() {
    let (_browser, page, _) = open(NOISY).await;
    let log = page.log();
    assert!(log.is_sorted_by_key(|entry| entry.at));
    let mark = page.mark();
    page.eval("console.log('later')").await.unwrap();
    let later = |it: &yardstick_browser::LogEntry| matches!(&it.event, LogEvent::Console(line) if line.text == "later");
    assert!(page.since(mark).iter().any(later), "a line is in the log before the script's own answer comes");
    page.until_since(mark, later, TIMEOUT).await.unwrap();
    let never = page.until_since(page.mark(), later, std::time::Duration::from_millis(50)).await.unwrap_err();
    assert!(never.to_string().contains("timed out after 50 ms"), "{never}");
}
