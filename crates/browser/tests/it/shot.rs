use yardstick_browser::Shot;

use crate::site::{Route, open};

const TALL: &[Route] = &[(
    "/",
    None,
    "<body style='margin: 0; height: 2000px'><div id=box style='position: absolute; top: 1500px; width: 50px; height: 40px; background: red'></div>",
)];

/// The width and height in a PNG file.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[tokio::test]
async fn pictures_have_the_size_that_was_asked_for() {
    let (_browser, page, _) = open(TALL).await;
    assert_eq!(size(&page.screenshot(Shot::Viewport).await.unwrap()), (1280, 800));
    page.set_viewport(400, 300, 2.0).await.unwrap();
    assert_eq!(page.eval("[innerWidth, innerHeight, devicePixelRatio].join()").await.unwrap(), "400,300,2");
    assert_eq!(size(&page.screenshot(Shot::Viewport).await.unwrap()), (800, 600));
    assert_eq!(size(&page.screenshot(Shot::Full).await.unwrap()), (800, 4000));
    let part = page.main().bounds("#box").await.unwrap();
    assert_eq!((part.width, part.height), (50.0, 40.0));
    assert_eq!(size(&page.screenshot(Shot::Clip(part)).await.unwrap()), (100, 80));
}
