use yardstick_browser::LogEvent;

use crate::site::{Route, TIMEOUT, open};

const STRICT: &[Route] = &[
    ("/", None, "<iframe src='{b}/strict'></iframe>"),
    (
        "/strict",
        Some(("content-security-policy", "default-src 'none'; script-src 'unsafe-inline'; connect-src {b}")),
        "<img src='{a}/picture.png'><script>
         fetch('{a}/secret').catch(() => console.log('blocked'));
         fetch('{b}/fine').then(it => console.log('fetched', it.status));
         try { eval('1') } catch (error) { console.log(error.name) }
         </script>",
    ),
    ("/fine", None, "fine"),
];

#[tokio::test]
async fn violations_name_directive_address_and_document() {
    let (_browser, page, site) = open(STRICT).await;
    for text in ["blocked", "fetched 200", "EvalError"] {
        let said = |it: &LogEvent| matches!(it, LogEvent::Console(line) if line.text == text);
        page.until(|it| said(&it.event), TIMEOUT).await.unwrap();
    }
    for directive in ["connect-src", "img-src", "script-src"] {
        let broken = |it: &LogEvent| matches!(it, LogEvent::Violation(it) if it.directive == directive);
        page.until(|it| broken(&it.event), TIMEOUT).await.unwrap();
    }
    let violations = page.violations();
    let mut seen: Vec<_> =
        violations.iter().map(|it| (it.directive.as_str(), it.kind.as_str(), it.blocked.clone())).collect();
    seen.sort();
    let expected = [
        ("connect-src", "url", site.fill("{a}/secret")),
        ("img-src", "url", site.fill("{a}/picture.png")),
        ("script-src", "eval", String::new()),
    ];
    assert_eq!(seen, expected, "{violations:#?}");
    assert!(
        violations.iter().all(|it| it.document == site.fill("{b}/strict") && !it.report_only),
        "{violations:#?}"
    );

    let requests = page.requests();
    let status = |url: &str| requests.iter().find(|it| it.url == site.fill(url)).and_then(|it| it.status);
    assert_eq!(status("{b}/fine"), Some(200), "{requests:#?}");
    assert_eq!((status("{a}/secret"), status("{a}/picture.png")), (None, None), "{requests:#?}");
    let picture = requests.iter().find(|it| it.url == site.fill("{a}/picture.png")).unwrap();
    assert_eq!(picture.failure.as_deref(), Some("csp"));
    let said = |it: &LogEvent| matches!(it, LogEvent::Notice { text, .. } if text.contains("Content Security Policy"));
    assert!(page.log().iter().any(|it| said(&it.event)), "the browser's own words are kept as well");
}

const WORKER: &[Route] = &[(
    "/",
    Some(("content-security-policy", "default-src 'none'; script-src 'unsafe-inline'; worker-src blob:")),
    "<script>
     const code = `fetch('{b}/secret').catch(() => console.log('worker blocked'))`;
     new Worker(URL.createObjectURL(new Blob([code])));
     </script>",
)];

#[tokio::test]
async fn violations_of_workers_are_seen() {
    let (_browser, page, site) = open(WORKER).await;
    let said = |it: &LogEvent| matches!(it, LogEvent::Console(line) if line.text == "worker blocked");
    let entry = page.until(|it| said(&it.event), TIMEOUT).await.unwrap();
    assert!(entry.url.starts_with(&site.fill("blob:{a}/")), "{entry:?}");
    page.until(|it| matches!(it.event, LogEvent::Violation(_)), TIMEOUT).await.unwrap();
    let violation = page.violations().remove(0);
    assert_eq!((violation.directive.as_str(), violation.blocked), ("connect-src", site.fill("{b}/secret")));
}
