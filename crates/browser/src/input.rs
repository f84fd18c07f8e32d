//! Mouse and keyboard input.

use std::time::Duration;

use serde_json::json;

use crate::keys::{self, Stroke};
use crate::{BrowserError, Frame, Page};

impl Page {
    /// Clicks an element of the main frame; see [`Frame::click`].
    pub async fn click(&self, selector: &str) -> Result<(), BrowserError> {
        self.main().click(selector).await
    }

    /// Clicks at a point of the viewport.
    pub async fn click_at(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        self.click_again_at(x, y, 1).await
    }

    /// Clicks an element of the main frame twice at the same place, whatever is there the second time.
    pub async fn double_click(&self, selector: &str, gap: Duration) -> Result<(), BrowserError> {
        let (x, y) = self.main().bounds(selector).await?.centre();
        self.click_again_at(x, y, 1).await?;
        tokio::time::sleep(gap).await;
        self.click_again_at(x, y, 2).await
    }

    /// Clicks at a point; `count` says which of several clicks it is.
    async fn click_again_at(&self, x: f64, y: f64, count: u8) -> Result<(), BrowserError> {
        for (kind, button, count) in
            [("mouseMoved", "none", 0), ("mousePressed", "left", count), ("mouseReleased", "left", count)]
        {
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count });
            self.call("Input.dispatchMouseEvent", event).await?;
        }
        Ok(())
    }

    /// Moves the mouse to a point of the viewport.
    pub async fn hover_at(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        let event = json!({ "type": "mouseMoved", "x": x, "y": y });
        self.call("Input.dispatchMouseEvent", event).await.map(drop)
    }

    /// Types a text, key by key, into the focused element.
    pub async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        for character in text.chars() {
            match keys::character(character) {
                Some(stroke) => self.strike(&stroke).await?,
                // No key of the keyboard produces this character; an input method would insert it.
                None => drop(self.call("Input.insertText", json!({ "text": character })).await?),
            }
        }
        Ok(())
    }

    /// Presses a key or a chord: `Enter`, `ArrowDown`, `a`, `Shift+Tab`, `Control+a`.
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        let stroke = keys::chord(key).ok_or_else(|| BrowserError::NoSuchKey { key: key.into() })?;
        self.strike(&stroke).await
    }

    /// Presses a key and does not release it. `is_repeat` says that the keyboard repeats a key that is held down.
    pub async fn hold(&self, key: &str, is_repeat: bool) -> Result<(), BrowserError> {
        let stroke = keys::chord(key).ok_or_else(|| BrowserError::NoSuchKey { key: key.into() })?;
        let mut event = stroke.down();
        event["autoRepeat"] = is_repeat.into();
        self.call("Input.dispatchKeyEvent", event).await.map(drop)
    }

    /// Releases a key.
    pub async fn release(&self, key: &str) -> Result<(), BrowserError> {
        let stroke = keys::chord(key).ok_or_else(|| BrowserError::NoSuchKey { key: key.into() })?;
        self.call("Input.dispatchKeyEvent", stroke.up()).await.map(drop)
    }

    async fn strike(&self, stroke: &Stroke) -> Result<(), BrowserError> {
        self.call("Input.dispatchKeyEvent", stroke.down()).await?;
        self.call("Input.dispatchKeyEvent", stroke.up()).await.map(drop)
    }
}

impl Frame {
    /// Clicks the centre of the first element that matches the selector, once it exists and has stopped moving.
    pub async fn click(&self, selector: &str) -> Result<(), BrowserError> {
        let (x, y) = self.bounds(selector).await?.centre();
        self.page()?.click_at(x, y).await
    }

    /// Moves the mouse onto an element.
    pub async fn hover(&self, selector: &str) -> Result<(), BrowserError> {
        let (x, y) = self.bounds(selector).await?.centre();
        self.page()?.hover_at(x, y).await
    }

    /// Clicks an element, then types a text.
    pub async fn type_into(&self, selector: &str, text: &str) -> Result<(), BrowserError> {
        self.click(selector).await?;
        self.page()?.type_text(text).await
    }

    /// Types into the focused element; see [`Page::type_text`].
    pub async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        self.page()?.type_text(text).await
    }

    /// Presses a key; see [`Page::press`].
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        self.page()?.press(key).await
    }

    /// The page of the frame. Input goes to the page; the browser finds the frame that has the mouse or the focus.
    fn page(&self) -> Result<Page, BrowserError> {
        Ok(Page::view(std::sync::Arc::clone(&self.context), self.known()?.page))
    }
}
