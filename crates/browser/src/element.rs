//! Elements: where they are on the page, through all frames around them.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{Error, Frame};

const PAUSE: Duration = Duration::from_millis(25);
/// How long an element may take to appear and to come to rest.
const PATIENCE: Duration = Duration::from_secs(10);

/// A rectangle in the coordinates of the page's viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Rect {
    /// Its middle.
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    fn shifted(self, (x, y): (f64, f64)) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }
}

impl Frame {
    /// Where the first element that a selector finds is on the page; scrolls it into view, and waits until it is there,
    /// has a size and rests.
    pub async fn bounds(&self, selector: &str) -> Result<Rect, Error> {
        let (end, mut before) = (Instant::now() + PATIENCE, None);
        while Instant::now() < end {
            let now = match self.look(selector).await {
                Ok(rect) => rect,
                Err(Error::Refused { .. } | Error::Left { .. }) => None,
                Err(why) => return Err(why),
            };
            match now {
                Some(rect) if before == now => return Ok(rect),
                _ => before = now,
            }
            tokio::time::sleep(PAUSE).await;
        }
        let why = Error::never_came(format!("a visible element `{selector}` in {}", self.url()), PATIENCE);
        Err(match before {
            Some(_) => why.but("it is there, but does not rest"),
            None => why,
        })
    }

    async fn look(&self, selector: &str) -> Result<Option<Rect>, Error> {
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

    /// How far the process's topmost frame is from the corner of the page.
    async fn offset(&self) -> Result<(f64, f64), Error> {
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

    /// Where the content of a frame begins in the process around it.
    async fn corner(&self, id: &str, around: &str) -> Result<(f64, f64), Error> {
        let owner = self.context.call(around, "DOM.getFrameOwner", json!({ "frameId": id })).await?;
        let node = json!({ "backendNodeId": owner["backendNodeId"] });
        let model = self.context.call(around, "DOM.getBoxModel", node).await?;
        let corner = rect(&model["model"]["content"]);
        Ok(corner.map_or((0.0, 0.0), |it| (it.x, it.y)))
    }
}

/// The rectangle around a quad: four corners, eight numbers.
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
