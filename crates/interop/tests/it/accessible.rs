//! The page of the test host under axe, in every state that a person can bring it into.

#[path = "../../../host/tests/it/scene_server.rs"]
mod scene_server;

use std::time::Duration;

use browser::{Browser, Emulation, Page, Scheme};
use host::{Host, Options};
use serde_json::Value;

use crate::harness::package;

const LIMIT: Duration = Duration::from_secs(30);
/// What is brought about, and what has to be there before it is looked at.
const STATES: [(&str, &str, &str); 9] = [
    ("nothing is run", "0", "document.querySelector('main.alive')"),
    (
        "an app is shown",
        "document.querySelector('.run').click()",
        "document.querySelector('main[data-app-status=ready]')",
    ),
    ("a row is open", "document.querySelector('.tl-row').click()", "document.querySelector('.tl-detail')"),
    (
        "filters are open",
        "[...document.querySelectorAll('.tl-filters button')].find((it) => it.textContent === 'Filter').click()",
        "document.querySelector('.tl-menu:not([hidden])')",
    ),
    (
        "the result is shown",
        "document.querySelector('#tab-result').click()",
        "document.querySelector('#panel-result .json')",
    ),
    (
        "the console is shown",
        "document.querySelector('#tab-console').click()",
        "document.querySelector('#panel-console:not([hidden])')",
    ),
    (
        "the policy is shown",
        "document.querySelector('#tab-csp').click()",
        "document.querySelector('#panel-csp .directives')",
    ),
    (
        "options are open",
        "document.querySelector('[popovertarget=options]').click()",
        "document.querySelector('.menu:popover-open')",
    ),
    (
        "the inspection is below",
        "document.querySelector('.menu').hidePopover(), document.querySelector('.dock').click()",
        "document.querySelector('main[data-dock=below]')",
    ),
];
/// States that begin with a link; one without a link goes on from the one before.
const LINKED: [(&str, &str, &str); 15] = [
    (
        "?tool=test_elicitation_sep1330_enums",
        "document.querySelector('.run').click()",
        "document.querySelector('.inquiry:not(.settling)')",
    ),
    (
        "?server=1&tool=link-account",
        "document.querySelector('.run').click()",
        "document.querySelector('.inquiry:not(.settling) .address-host')",
    ),
    (
        "",
        "window.open = () => null, document.querySelector('.inquiry [type=submit]').click()",
        "document.querySelector('.inquiry:not(.settling) p.muted')",
    ),
    (
        "?server=1&tool=wait",
        "document.querySelector('.run').click()",
        "document.querySelector('.notice.busy')",
    ),
    (
        "",
        "document.querySelector('.run + button').click()",
        "document.querySelector('.run + button[hidden]')",
    ),
    (
        "?server=1&tool=fail",
        "document.querySelector('.run').click()",
        "document.querySelector('#panel-result blockquote')",
    ),
    ("?tool=poem_card", "0", "document.querySelector('.dot.failed')"),
    ("?tool=no-such-tool", "0", "document.querySelector('.notice.warn')"),
    (
        "?server=1&tool=plan-trip",
        "document.querySelector('.run').click()",
        "(document.querySelectorAll('.question:not(.settling)').length === 3 || null)",
    ),
    (
        "",
        "[...document.querySelectorAll('.question')].find((it) => it.textContent.includes('morning train')).querySelector('[type=submit]').click(), document.querySelector('#tab-model').click()",
        "document.querySelector('#panel-model blockquote')",
    ),
    (
        "",
        "document.querySelector('[data-value=fullscreen]').click()",
        "document.querySelector('main[data-mode=fullscreen]')",
    ),
    ("", "document.querySelector('.drawer').click()", "document.querySelector('main[data-drawer=open]')"),
    (
        "",
        "document.querySelector('[data-value=pip]').click()",
        "document.querySelector('main[data-mode=pip]')",
    ),
    (
        "",
        "document.querySelector('#tab-tools').click()",
        "document.querySelector('#panel-tools:not([hidden])')",
    ),
    (
        "",
        "document.querySelector('#tab-save').click(), document.querySelector('.help').click()",
        "document.querySelector('dialog[open]')",
    ),
];

#[tokio::test]
async fn axe_finds_nothing_in_any_state() {
    let axe = std::fs::read_to_string(package("axe-core/axe.min.js")).expect("scripts/setup has run");
    let targets = vec![
        transport::in_process(server::Server::new(), "the reference").into(),
        scene_server::target().into(),
        scene_server::unauthorized().await.unwrap().into(),
    ];
    let options = Options { targets, ..Options::default() };
    let (host, browser) =
        tokio::join!(Host::start(options), Browser::launch(browser::LaunchOptions::default()));
    let (host, browser) = (host.expect("loopback"), browser.unwrap_or_else(|why| panic!("{why}")));
    host.settled(LIMIT).await;
    let mut found = Vec::new();
    for scheme in [Scheme::Light, Scheme::Dark] {
        for width in [1440, 390] {
            let page = browser.blank_page().await.unwrap();
            page.emulate(Emulation { scheme: Some(scheme), ..Emulation::default() }).await.unwrap();
            page.set_viewport(width, 900, 1.0).await.unwrap();
            page.goto(&format!("{}?tool=poem_card&run=0", host.url())).await.unwrap();
            page.eval(&format!("{axe}; 0")).await.unwrap();
            for (state, act, there) in STATES {
                page.wait_for("document.querySelector('main.alive') !== null", LIMIT).await.unwrap();
                page.eval(&format!("{act}, 0")).await.unwrap();
                page.wait_for(&format!("{there} !== null"), LIMIT)
                    .await
                    .unwrap_or_else(|why| panic!("{state}: {why}"));
                found.extend(judge(&page).await.into_iter().map(|one| format!("{state}, {width}: {one}")));
            }
            for (query, act, there) in LINKED {
                if !query.is_empty() {
                    page.goto(&format!("{}{query}", host.url())).await.unwrap();
                    page.wait_for("document.querySelector('main.alive') !== null", LIMIT).await.unwrap();
                    page.eval(&format!("{axe}; 0")).await.unwrap();
                }
                page.eval(&format!("{act}, 0")).await.unwrap();
                page.wait_for(&format!("{there} !== null"), LIMIT)
                    .await
                    .unwrap_or_else(|why| panic!("{there}: {why}"));
                found.extend(judge(&page).await.into_iter().map(|one| format!("{there}, {width}: {one}")));
            }
        }
    }
    host.shut_down().await;
    assert_eq!(found, [""; 0]);
}

/// What axe complains of in the page itself; an app is its author's.
async fn judge(page: &Page) -> Vec<String> {
    let script = "axe.run({ exclude: ['iframe'] }, { iframes: false }).then((found) => found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)}`)))";
    let found = page.eval(script).await.unwrap();
    found.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
