use serde_json::json;
use yardstick_browser::{Emulation, Scheme, Setting};

use crate::site::{Route, Site, TIMEOUT, launch, open};

const OUTER: &[Route] = &[
    ("/", None, "<iframe src='{b}/inner'></iframe>"),
    ("/inner", None, "<script>const early = matchMedia('(prefers-color-scheme: dark)').matches</script>"),
];
const PREFERENCES: &str = "[matchMedia('(prefers-color-scheme: dark)').matches, \
    matchMedia('(prefers-reduced-motion: reduce)').matches, navigator.language, \
    Intl.DateTimeFormat().resolvedOptions().timeZone, new Intl.NumberFormat().format(1234.5), navigator.maxTouchPoints]";

fn german() -> Emulation {
    Emulation {
        scheme: Some(Scheme::Dark),
        reduced_motion: Some(true),
        locale: Some("de-DE".into()),
        timezone: Some("Europe/Berlin".into()),
        touch: Some(true),
        offline: None,
    }
}

#[tokio::test]
async fn every_frame_believes_it() {
    let (_browser, page, _) = open(OUTER).await;
    let frame = page.frame_at("/inner", TIMEOUT).await.unwrap();
    let expected = json!([true, true, "de-DE", "Europe/Berlin", "1.234,5", 5]);
    assert_eq!(page.eval(PREFERENCES).await.unwrap()[0], false);
    page.emulate(german()).await.unwrap();
    assert_eq!(page.eval(PREFERENCES).await.unwrap(), expected);
    assert_eq!(frame.eval(PREFERENCES).await.unwrap(), expected);
    page.emulate(Emulation { scheme: Some(Scheme::Light), ..Emulation::default() }).await.unwrap();
    let still = json!([false, true, "de-DE", "Europe/Berlin", "1.234,5", 5]);
    assert_eq!(frame.eval(PREFERENCES).await.unwrap(), still, "what is not named stays");
}

#[tokio::test]
async fn frames_that_come_later_believe_it_from_the_start() {
    let (site, browser) = tokio::join!(Site::start(OUTER), launch());
    let page = browser.blank_page().await.unwrap();
    page.emulate(german()).await.unwrap();
    page.goto(&site.fill("{a}/")).await.unwrap();
    let frame = page.frame_at("/inner", TIMEOUT).await.unwrap();
    assert_eq!(frame.eval("early").await.unwrap(), true);
    assert_eq!(
        frame.eval(PREFERENCES).await.unwrap(),
        json!([true, true, "de-DE", "Europe/Berlin", "1.234,5", 5])
    );
}

#[tokio::test]
async fn permissions_are_granted_and_denied_per_origin() {
    let (_browser, page, site) = open(OUTER).await;
    let state = "navigator.permissions.query({name: 'geolocation'}).then(it => it.state)";
    page.permit("geolocation", Setting::Granted, Some(&site.fill("{a}"))).await.unwrap();
    assert_eq!(page.eval(state).await.unwrap(), "granted");
    page.permit("geolocation", Setting::Denied, None).await.unwrap();
    page.goto(&site.fill("{b}/")).await.unwrap();
    assert_eq!(page.eval(state).await.unwrap(), "denied");
    let unknown = page.permit("flying", Setting::Granted, None).await.unwrap_err().to_string();
    assert!(unknown.contains("refused Browser.setPermission"), "{unknown}");
}

#[tokio::test]
async fn offline_blocks_every_request_over_tls_and_no_other() {
    let (_browser, page, site) = open(&[("/", None, "<title>plain</title>")]).await;
    page.emulate(Emulation { offline: Some(true), ..Emulation::default() }).await.unwrap();
    page.goto(&site.fill("{a}/")).await.unwrap();
    assert_eq!(page.eval("fetch('https://127.0.0.1:9/').catch(() => 'failed')").await.unwrap(), "failed");
    let blocked = page.requests().into_iter().find(|request| request.url == "https://127.0.0.1:9/").unwrap();
    // Without the emulation the connection would be refused.
    assert_eq!(blocked.failure.as_deref(), Some("inspector"));
    assert_eq!(page.eval("fetch('/').then((response) => response.status)").await.unwrap(), 200);
}
