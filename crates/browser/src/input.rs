//! Mouse and keyboard, as a person would use them.

use serde_json::json;

use crate::keys::{self, Stroke};
use crate::{Error, Frame, Page};

impl Page {
    /// Clicks an element of the main frame; see [`Frame::click`].
    pub async fn click(&self, selector: &str) -> Result<(), Error> {
        self.main().click(selector).await
    }

    /// Clicks at a point of the viewport.
    pub async fn click_at(&self, x: f64, y: f64) -> Result<(), Error> {
        for (kind, button, count) in
            [("mouseMoved", "none", 0), ("mousePressed", "left", 1), ("mouseReleased", "left", 1)]
        {
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count });
            self.call("Input.dispatchMouseEvent", event).await?;
        }
        Ok(())
    }

    /// Moves the mouse to a point of the viewport.
    pub async fn hover_at(&self, x: f64, y: f64) -> Result<(), Error> {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.call("Input.dispatchMouseEvent", event).await.map(drop)
    }

    /// Types a text, key by key, into whatever has the focus.
    pub async fn type_text(&self, text: &str) -> Result<(), Error> {
        for character in text.chars() {
            match keys::character(character) {
                Some(stroke) => self.strike(&stroke).await?,
                // No key of the keyboard writes it; an input method would.
                None => drop(self.call("Input.insertText", json!({ "text": character })).await?),
            }
        }
        Ok(())
    }

    /// Presses a key or a chord: `Enter`, `ArrowDown`, `a`, `Shift+Tab`, `Control+a`.
    pub async fn press(&self, key: &str) -> Result<(), Error> {
        let stroke = keys::chord(key).ok_or_else(|| Error::NoSuchKey { key: key.into() })?;
        self.strike(&stroke).await
    }

    async fn strike(&self, stroke: &Stroke) -> Result<(), Error> {
        self.call("Input.dispatchKeyEvent", stroke.down()).await?;
        self.call("Input.dispatchKeyEvent", stroke.up()).await.map(drop)
    }
}

impl Frame {
    /// Clicks the middle of the first element that a selector finds, once it is there and rests.
    pub async fn click(&self, selector: &str) -> Result<(), Error> {
        let (x, y) = self.bounds(selector).await?.centre();
        self.page()?.click_at(x, y).await
    }

    /// Moves the mouse onto an element.
    pub async fn hover(&self, selector: &str) -> Result<(), Error> {
        let (x, y) = self.bounds(selector).await?.centre();
        self.page()?.hover_at(x, y).await
    }

    /// Clicks an element, then types a text.
    pub async fn type_into(&self, selector: &str, text: &str) -> Result<(), Error> {
        self.click(selector).await?;
        self.page()?.type_text(text).await
    }

    /// Types into whatever has the focus; see [`Page::type_text`].
    pub async fn type_text(&self, text: &str) -> Result<(), Error> {
        self.page()?.type_text(text).await
    }

    /// Presses a key; see [`Page::press`].
    pub async fn press(&self, key: &str) -> Result<(), Error> {
        self.page()?.press(key).await
    }

    /// The page around it. Input goes there: the browser itself finds the frame under the mouse or with the focus.
    fn page(&self) -> Result<Page, Error> {
        Ok(Page::view(std::sync::Arc::clone(&self.context), self.known()?.page))
    }
}
