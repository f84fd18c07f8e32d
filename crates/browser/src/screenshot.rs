//! Screenshots of a page.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::{BrowserError, Page, Rect};

/// The part of the page in a screenshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shot {
    /// The viewport.
    Viewport,
    /// The whole page.
    Full,
    /// A part of the viewport.
    Clip(Rect),
}

impl Page {
    /// Takes a screenshot as PNG.
    pub async fn screenshot(&self, shot: Shot) -> Result<Vec<u8>, BrowserError> {
        let mut params = json!({ "format": "png" });
        match shot {
            Shot::Viewport => {}
            Shot::Clip(rect) => params["clip"] = self.clip(rect).await?,
            Shot::Full => {
                let size = &self.call("Page.getLayoutMetrics", json!({})).await?["cssContentSize"];
                let (width, height) = (&size["width"], &size["height"]);
                params["clip"] = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
                params["captureBeyondViewport"] = true.into();
            }
        }
        let made = self.call("Page.captureScreenshot", params).await?;
        let garbled =
            |why: &dyn std::fmt::Display| BrowserError::Garbled { why: format!("a picture: {why}") };
        let data = made["data"].as_str().ok_or_else(|| garbled(&"no data"))?;
        BASE64_STANDARD.decode(data).map_err(|why| garbled(&why))
    }

    /// A clip is relative to the page, a rectangle to the viewport.
    async fn clip(&self, rect: Rect) -> Result<Value, BrowserError> {
        let view = &self.call("Page.getLayoutMetrics", json!({})).await?["cssVisualViewport"];
        let scrolled = |key: &str| view[key].as_f64().unwrap_or_default();
        let (x, y) = (rect.x + scrolled("pageX"), rect.y + scrolled("pageY"));
        Ok(json!({ "x": x, "y": y, "width": rect.width, "height": rect.height, "scale": 1 }))
    }
}
