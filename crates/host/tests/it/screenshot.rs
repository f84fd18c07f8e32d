//! The Screenshot button. The browser asks the person before it captures a tab; here it is started so that it accepts.

use std::time::Duration;

use base64::Engine as _;
use browser::{Browser, DownloadProgress, LaunchOptions, Page};
use serde_json::{Value, json};

use crate::person::APP;
use crate::rig::{Rig, TIMEOUT, ready};
use crate::tiny::Tiny;

async fn opened(arg: &str) -> (Rig, Browser, Page) {
    let green = APP.replace(
        "<!doctype html>",
        "<!doctype html><style>html { background: rgb(0, 128, 0) } button { display: none }</style>",
    );
    let tiny = Tiny::app("tiny", &green, &Value::Null);
    // The browser captures its window, so the window has to be as large as the page that the test emulates.
    let args = vec![arg.to_owned(), "--window-size=1280,944".to_owned()];
    let options = LaunchOptions { args, ..LaunchOptions::default() };
    let (rig, browser) = tokio::join!(Rig::start(vec![tiny.target()]), Browser::launch(options));
    let browser = browser.unwrap();
    let page = browser.page(&rig.link(&[("tool", "open"), ("run", "1")])).await.unwrap();
    ready(&page).await;
    (rig, browser, page)
}

#[tokio::test]
async fn a_screenshot_is_the_app_and_nothing_else() {
    let (_rig, _browser, page) = opened("--auto-accept-this-tab-capture").await;
    let size = page
        .eval("JSON.stringify(document.querySelector('.app-slot').getBoundingClientRect())")
        .await
        .unwrap();
    page.click("[aria-label=Screenshot]").await.unwrap();
    let saved = async {
        loop {
            let found = page.downloads().into_iter().find(|it| it.progress == DownloadProgress::Done);
            if let Some(found) = found {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let saved = tokio::time::timeout(TIMEOUT, saved).await;
    let said = page.eval("document.querySelector('.notices').innerText").await.unwrap();
    let saved = saved.unwrap_or_else(|_| panic!("nothing was saved: {said}"));
    assert_eq!(saved.name, "open.png");
    let png = base64::engine::general_purpose::STANDARD.encode(std::fs::read(&saved.path).unwrap());
    let script = format!(
        "(async () => {{ const image = new Image(); image.src = 'data:image/png;base64,{png}'; await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), {{ width: image.width, height: image.height }});
        const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
        return {{ width: image.width, height: image.height, colours: [at(8, 8), at(image.width - 9, 8), at(8, image.height - 9), at(image.width - 9, image.height - 9)] }}; }})()"
    );
    let picture = page.eval(&script).await.unwrap();
    let size: Value = serde_json::from_str(size.as_str().unwrap()).unwrap();
    println!("{size} {picture}");
    for side in ["width", "height"] {
        let (shown, taken) = (size[side].as_f64().unwrap(), picture[side].as_f64().unwrap());
        assert!((shown - taken).abs() <= 2.0, "{side}: {size} {picture}");
    }
    for colour in picture["colours"].as_array().unwrap() {
        let near = |at: usize, wanted: i64| (colour[at].as_i64().unwrap() - wanted).abs() < 24;
        assert!(near(0, 0) && near(1, 128) && near(2, 0), "{picture}");
    }
    assert_eq!(page.eval("document.querySelector('.notices').innerText").await.unwrap(), json!(""));
}

#[tokio::test]
async fn a_refused_screenshot_says_why_and_what_to_do() {
    let (_rig, _browser, page) = opened("--auto-reject-this-tab-capture").await;
    page.click("[aria-label=Screenshot]").await.unwrap();
    let said = "document.querySelector('.notices').innerText.includes('allow this tab to be shared')";
    page.wait_for(said, TIMEOUT).await.unwrap();
    let said = page.eval("document.querySelector('.notices').innerText").await.unwrap();
    println!("{said}");
    assert_eq!(page.downloads(), Vec::new());
    assert_eq!(page.eval("document.querySelector('main').dataset.appStatus").await.unwrap(), "ready");
}
