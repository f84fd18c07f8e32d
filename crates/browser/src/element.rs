//! The position of elements on the page, across all frames around them.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{BrowserError, Frame};

const POLL_INTERVAL: Duration = Duration::from_millis(25);
/// How long an element may take to appear and to stop moving.
const ELEMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// A rectangle in the coordinates of the page's viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// The distance from the left edge.
    pub x: f64,
    /// The distance from the top edge.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Rect {
    /// The centre of the rectangle.
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    fn shifted(self, (x, y): (f64, f64)) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }
}

impl Frame {
    /// The bounds of the first element that matches the selector. Scrolls it into view, and waits until it exists, has
    /// a size and has stopped moving.
    pub async fn bounds(&self, selector: &str) -> Result<Rect, BrowserError> {
        let (end, mut before) = (Instant::now() + ELEMENT_TIMEOUT, None);
        while Instant::now() < end {
            let now = match self.look(selector).await {
                Ok(rect) => rect,
                Err(BrowserError::Refused { .. } | BrowserError::Left { .. }) => None,
                Err(why) => return Err(why),
            };
            match now {
                Some(rect) if before == now => return Ok(rect),
                _ => before = now,
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let why = BrowserError::timed_out(
            format!("a visible element `{selector}` in {}", self.url()),
            ELEMENT_TIMEOUT,
        );
        Err(match before {
            Some(_) => why.instead("it exists, but does not stop moving"),
            None => why,
        })
    }

    async fn look(&self, selector: &str) -> Result<Option<Rect>, BrowserError> {
        let script = format!("document.querySelector({})", Value::from(selector));
        let Some(object) = self.handle(&script).await? else { return Ok(None) };
        let frame = self.known()?;
        let (context, session) = (&self.context, frame.session.as_str());
        let object = json!({ "objectId": object });
        context.call(session, "DOM.scrollIntoViewIfNeeded", object.clone()).await?;
        let quads = context.call(session, "DOM.getContentQuads", object.clone()).await?;
        drop(context.connection.send(Some(session), "Runtime.releaseObject", object));
        let rects = quads["quads"].as_array().into_iter().flatten().filter_map(rect);
        let Some(rect) = { rects }.find(|it| it.width > 0.0 && it.height > 0.0) else { return Ok(None) };
        Ok(Some(rect.shifted(self.offset().await?)))
    }

    /// The position of this process's topmost frame on the page.
    async fn offset(&self) -> Result<(f64, f64), BrowserError> {
        let (mut x, mut y) = (0.0, 0.0);
        let mut frame = self.known()?;
        while let Some(parent) = frame.parent.as_deref().and_then(|id| self.context.frame(id)) {
            if parent.session != frame.session {
                let (dx, dy) = self.corner(&frame.id, &parent.session).await?;
                (x, y) = (x + dx, y + dy);
            }
            frame = parent;
        }
        Ok((x, y))
    }

    /// The position of a frame's content within the process around it.
    async fn corner(&self, id: &str, around: &str) -> Result<(f64, f64), BrowserError> {
        let owner = self.context.call(around, "DOM.getFrameOwner", json!({ "frameId": id })).await?;
        let node = json!({ "backendNodeId": owner["backendNodeId"] });
        let model = self.context.call(around, "DOM.getBoxModel", node).await?;
        let corner = rect(&model["model"]["content"]);
        Ok(corner.map_or((0.0, 0.0), |it| (it.x, it.y)))
    }
}

/// The bounding rectangle of a quad, which is given as four corners or eight numbers.
fn rect(quad: &Value) -> Option<Rect> {
    let numbers: Vec<f64> = quad.as_array()?.iter().filter_map(Value::as_f64).collect();
    if numbers.len() != 8 {
        return None;
    }
    let range = |skip: usize| {
        let all = numbers.iter().skip(skip).step_by(2).copied();
        all.fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(it), high.max(it)))
    };
    let ((left, right), (top, bottom)) = (range(0), range(1));
    Some(Rect { x: left, y: top, width: right - left, height: bottom - top })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_becomes_the_rectangle_around_it() {
        let found = rect(&json!([10, 20, 40, 20, 40, 30, 10, 30])).unwrap();
        assert_eq!(found, Rect { x: 10.0, y: 20.0, width: 30.0, height: 10.0 });
        assert_eq!(found.shifted((5.0, 1.0)).centre(), (30.0, 26.0));
        assert_eq!(rect(&json!([1, 2])), None);
    }
}
