//! Pictures of the page, as PNG: light and dark, wide, narrow and as small as a phone.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use browser::{Browser, Emulation, Page, Scheme, Shot};
use host::{Host, Options};

const SOON: Duration = Duration::from_secs(30);
const SIZES: [(&str, u32, u32); 3] = [("wide", 1440, 900), ("narrow", 1024, 768), ("phone", 390, 844)];
/// A link that runs nothing.
const NOTHING: &str = "?run=0";
/// What is shown, by the query of its link.
const SCENES: [(&str, &str); 4] = [
    ("start", NOTHING),
    ("monitor", "?tool=system_monitor&run=1"),
    ("form", "?tool=expense_form&run=1"),
    ("poem-pip", "?tool=poem_card&mode=pip&run=1"),
];

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
    for (scene, query) in SCENES {
        for (scheme, name) in [(Scheme::Light, "light"), (Scheme::Dark, "dark")] {
            let page = browser.blank_page().await?;
            page.emulate(Emulation { scheme: Some(scheme), ..Emulation::default() }).await?;
            for (size, width, height) in SIZES {
                page.set_viewport(width, height, 1.0).await?;
                page.goto(&format!("{}{query}", host.url())).await?;
                take(&page, &Path::new(&folder).join(format!("{scene}-{name}-{size}.png")), query).await?;
            }
        }
    }
    host.shut_down().await;
    Ok(())
}

async fn take(page: &Page, file: &Path, query: &str) -> Result<(), Box<dyn Error>> {
    let wanted = if query == NOTHING { "idle" } else { "ready" };
    page.wait_for(&format!("document.querySelector('main[data-app-status={wanted}].alive')"), SOON).await?;
    // The first sample of the monitor, and the size that an app tells, come a moment later.
    tokio::time::sleep(Duration::from_millis(600)).await;
    std::fs::write(file, page.screenshot(Shot::Viewport).await?)?;
    Ok(())
}
