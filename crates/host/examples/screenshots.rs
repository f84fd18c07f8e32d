//! Pictures of the page, as PNG: light and dark, wide, narrow and as small as a phone.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use browser::{Browser, Emulation, Page, Scheme, Shot};
use host::{Host, Options};

const SOON: Duration = Duration::from_secs(30);
const SIZES: [(&str, u32, u32); 3] = [("wide", 1440, 900), ("narrow", 1024, 768), ("phone", 390, 844)];
/// What is shown: by the query of its link, what is done there, and what has to come of it.
const SCENES: [(&str, &str, &str, &str); 10] = [
    ("start", "?run=0", "0", "document.querySelector('main.alive')"),
    ("monitor", "?tool=system_monitor&run=1", "0", READY),
    ("form", "?tool=expense_form&run=1", "0", READY),
    ("chart-phone", "?tool=draw_chart&size=phone&run=1", RUN, READY),
    ("desktop-scaled", "?tool=system_monitor&size=desktop&run=1", "0", READY),
    ("poem-pip", "?tool=poem_card&mode=pip&run=1", "0", READY),
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
        RUN,
        "document.querySelector('.inquiry:not(.settling)')",
    ),
    ("result", "?tool=test_image_content", RUN, "document.querySelector('#panel-result img')"),
];
const READY: &str = "document.querySelector('main[data-app-status=ready].alive')";
const RUN: &str = "document.querySelector('.run').click()";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder for the pictures")?;
    std::fs::create_dir_all(&folder)?;
    let host = Host::start(Options {
        targets: vec![transport::in_process(server::Server::new(), "the reference").into()],
        ..Options::default()
    })
    .await?;
    host.settled(SOON).await;
    let browser = Browser::launch(browser::Options::default()).await?;
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
    page.wait_for("document.querySelector('main.alive') !== null", SOON).await?;
    if there == READY && act == "0" {
        page.wait_for(&format!("{READY} !== null"), SOON).await?;
    }
    page.eval(&format!("{act}, 0")).await?;
    page.wait_for(&format!("{there} !== null"), SOON).await?;
    // The first sample of the monitor, and the size that an app tells, come a moment later.
    tokio::time::sleep(Duration::from_millis(600)).await;
    std::fs::write(file, page.screenshot(Shot::Viewport).await?)?;
    Ok(())
}
