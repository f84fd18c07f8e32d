//! The frame tree of all pages of a context, across processes.

use serde_json::Value;

use crate::worlds::origin;

/// Information on a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameInfo {
    /// The id, which stays the same when the frame navigates.
    pub id: String,
    /// The id of the parent frame.
    pub parent: Option<String>,
    /// The id of its page or popup.
    pub page: String,
    /// The URL of its document.
    pub url: String,
    /// The origin of its document; `null` when opaque.
    pub origin: String,
    /// The name attribute.
    pub name: String,
    /// Whether it runs in another process than its parent frame.
    pub isolated: bool,
    /// The session that controls it.
    pub(crate) session: String,
}

/// All frames of a context.
#[derive(Debug, Default)]
pub(crate) struct Frames(Vec<FrameInfo>);

impl Frames {
    pub(crate) fn get(&self, id: &str) -> Option<&FrameInfo> {
        self.0.iter().find(|frame| frame.id == id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut FrameInfo> {
        self.0.iter_mut().find(|frame| frame.id == id)
    }

    /// The frames that a session controls.
    pub(crate) fn of_session<'a>(&'a self, session: &'a str) -> impl Iterator<Item = &'a FrameInfo> {
        self.0.iter().filter(move |frame| frame.session == session)
    }

    /// Adds a frame that a session reported: a new one, or one that has moved to this process. Returns whether it is
    /// new.
    pub(crate) fn add_frame(&mut self, session: &str, page: &str, id: &str, parent: Option<&str>) -> bool {
        if let Some(known) = self.get_mut(id) {
            known.session = session.into();
            return false;
        }
        self.0.push(FrameInfo {
            id: id.into(),
            parent: parent.map(str::to_owned),
            page: page.into(),
            url: String::new(),
            origin: "null".into(),
            name: String::new(),
            isolated: false,
            session: session.into(),
        });
        true
    }

    /// Records that a frame shows another document. The reporting session now controls the frame.
    pub(crate) fn navigated(&mut self, session: &str, page: &str, frame: &Value) {
        let text = |key: &str| frame[key].as_str().unwrap_or_default();
        self.add_frame(session, page, text("id"), frame["parentId"].as_str());
        // The old document's frames are gone, and their processes may end without reporting it.
        self.remove_inside(text("id"));
        if let Some(known) = self.get_mut(text("id")) {
            known.url = format!("{}{}", text("url"), text("urlFragment"));
            known.origin = origin(text("securityOrigin"));
            known.name = text("name").into();
        }
    }

    /// Removes a frame and the frames in it.
    pub(crate) fn remove(&mut self, id: &str) {
        self.remove_inside(id);
        self.0.retain(|it| it.id != id);
    }

    fn remove_inside(&mut self, id: &str) {
        let inside = self.0.iter().filter(|it| it.parent.as_deref() == Some(id));
        let inside: Vec<_> = inside.map(|it| it.id.clone()).collect();
        inside.iter().for_each(|id| self.remove(id));
    }

    /// The frames of a page; parents come before their children.
    pub(crate) fn tree(&self, page: &str) -> Vec<FrameInfo> {
        let mut found = Vec::new();
        self.walk(page, &mut found);
        found
    }

    fn walk(&self, id: &str, found: &mut Vec<FrameInfo>) {
        found.extend(self.get(id).cloned());
        for child in self.0.iter().filter(|it| it.parent.as_deref() == Some(id)) {
            self.walk(&child.id, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_that_changes_its_process_stays_the_same_frame() {
        let mut frames = Frames::default();
        frames.add_frame("s1", "main", "main", None);
        assert!(frames.add_frame("s1", "main", "child", Some("main")));
        assert!(!frames.add_frame("s2", "main", "child", Some("main")));
        frames.navigated(
            "s2",
            "main",
            &json!({ "id": "child", "url": "http://b/", "securityOrigin": "://" }),
        );
        frames.add_frame("s2", "main", "inner", Some("child"));
        let ids: Vec<_> = frames.tree("main").into_iter().map(|it| (it.id, it.session, it.origin)).collect();
        let expected = [("main", "s1"), ("child", "s2"), ("inner", "s2")];
        assert_eq!(ids, expected.map(|(id, session)| (id.into(), session.into(), "null".into())));
    }

    #[test]
    fn a_removed_frame_takes_its_children_along() {
        let mut frames = Frames::default();
        frames.add_frame("s", "main", "main", None);
        frames.add_frame("s", "main", "child", Some("main"));
        frames.add_frame("s", "main", "inner", Some("child"));
        frames.remove("child");
        assert_eq!(frames.tree("main").len(), 1);
    }
}
