//! Takes screenshots of the page as PNG: light and dark, and wide, narrow and phone-sized.

#[path = "../tests/it/scene_server.rs"]
mod scene_server;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use browser::{Browser, Emulation, Page, Scheme, Shot};
use host::{Host, Options};

const TIMEOUT: Duration = Duration::from_secs(30);
const SIZES: [(&str, u32, u32); 3] = [("wide", 1440, 900), ("narrow", 1024, 768), ("phone", 390, 844)];
/// The scenes: name, query of the link, script to run, and the condition to wait for.
const SCENES: [(&str, &str, &str, &str); 17] = [
    ("start", "?run=0", "0", "document.querySelector('main.alive')"),
    ("monitor", "?tool=system_monitor&run=1", "0", APP_READY),
    ("form", "?tool=expense_form&run=1", "0", APP_READY),
    ("chart-phone", "?tool=draw_chart&size=phone&run=1", CLICK_RUN, APP_READY),
    ("desktop-scaled", "?tool=system_monitor&size=desktop&run=1", "0", APP_READY),
    ("poem-pip", "?tool=poem_card&mode=pip&run=1", "0", APP_READY),
    (
        "poem-fullscreen",
        "?tool=poem_card&run=1",
        "document.querySelector('[data-value=fullscreen]').click(), document.querySelector('.drawer').click()",
        "document.querySelector('main[data-mode=fullscreen]')",
    ),
    (
        "below",
        "?tool=poem_card&run=1",
        "document.querySelector('.dock').click(), document.querySelector('#tab-result').click()",
        "document.querySelector('main[data-dock=below]')",
    ),
    (
        "asked",
        "?tool=test_elicitation_sep1330_enums",
        CLICK_RUN,
        "document.querySelector('.inquiry:not(.settling)')",
    ),
    (
        "url-required",
        "?server=1&tool=link-account",
        CLICK_RUN,
        "document.querySelector('.inquiry:not(.settling) .address-host')",
    ),
    (
        "url-opened",
        "?server=1&tool=link-account",
        OPEN_URL,
        "document.querySelector('.inquiry:not(.settling) p.muted')",
    ),
    (
        "cards",
        "?server=1&tool=plan-trip&run=1",
        CLICK_RUN,
        "(document.querySelectorAll('.question:not(.settling)').length === 3 || null)",
    ),
    ("running", "?server=1&tool=wait", CLICK_RUN, "document.querySelector('.notice.busy')"),
    (
        "cancelled",
        "?server=1&tool=wait",
        "document.querySelector('.run').click(), setTimeout(() => document.querySelector('.run + button').click(), 300)",
        "([...document.querySelectorAll('.status')].some((it) => it.textContent === 'not running') || null)",
    ),
    ("failed", "?server=1&tool=fail", CLICK_RUN, "document.querySelector('#panel-result blockquote')"),
    ("unreached", "?run=0", "0", "document.querySelector('.dot.failed')"),
    ("result", "?tool=test_image_content", CLICK_RUN, "document.querySelector('#panel-result img')"),
];
const APP_READY: &str = "document.querySelector('main[data-app-status=ready].alive')";
const CLICK_RUN: &str = "document.querySelector('.run').click()";
/// Runs a tool that needs a URL to be visited, and opens it as soon as its card can be answered.
const OPEN_URL: &str = "document.querySelector('.run').click(), window.open = () => null, setTimeout(() => document.querySelector('.inquiry [type=submit]').click(), 1500)";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder for the pictures")?;
    std::fs::create_dir_all(&folder)?;
    let host = Host::start(Options {
        targets: vec![
            transport::in_process(server::Server::new(), "the reference").into(),
            scene_server::target().into(),
            scene_server::unauthorized().await?.into(),
        ],
        ..Options::default()
    })
    .await?;
    host.settled(TIMEOUT).await;
    let browser = Browser::launch(browser::LaunchOptions::default()).await?;
    for (scene, query, act, there) in SCENES {
        for (scheme, name) in [(Scheme::Light, "light"), (Scheme::Dark, "dark")] {
            let page = browser.blank_page().await?;
            page.emulate(Emulation { scheme: Some(scheme), ..Emulation::default() }).await?;
            for (size, width, height) in SIZES {
                page.set_viewport(width, height, 1.0).await?;
                page.goto(&format!("{}{query}", host.url())).await?;
                let file = Path::new(&folder).join(format!("{scene}-{name}-{size}.png"));
                take(&page, &file, act, there).await.map_err(|why| format!("{scene}: {why}"))?;
                page.eval("localStorage.clear()").await?;
            }
        }
    }
    host.shut_down().await;
    Ok(())
}

async fn take(page: &Page, file: &Path, act: &str, there: &str) -> Result<(), Box<dyn Error>> {
    page.wait_for("document.querySelector('main.alive') !== null", TIMEOUT).await?;
    if there == APP_READY && act == "0" {
        page.wait_for(&format!("{APP_READY} !== null"), TIMEOUT).await?;
    }
    page.eval(&format!("{act}, 0")).await?;
    page.wait_for(&format!("{there} !== null"), TIMEOUT).await?;
    // The monitor's first sample and the app's reported size arrive a moment later.
    tokio::time::sleep(Duration::from_millis(600)).await;
    std::fs::write(file, page.screenshot(Shot::Viewport).await?)?;
    Ok(())
}
