//! A frame in any process.

use std::sync::Arc;

use crate::context::PageContext;
use crate::{BrowserError, FrameInfo};

/// A frame. It keeps its identity when it navigates.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) context: Arc<PageContext>,
    pub(crate) id: String,
}

impl Frame {
    pub(crate) const fn new(context: Arc<PageContext>, id: String) -> Self {
        Self { context, id }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The current information on the frame; none if it has been removed.
    pub fn info(&self) -> Option<FrameInfo> {
        self.context.frame(&self.id)
    }

    /// The URL of its document.
    pub fn url(&self) -> String {
        self.info().map(|it| it.url).unwrap_or_default()
    }

    pub(crate) fn known(&self) -> Result<FrameInfo, BrowserError> {
        self.info().ok_or_else(|| BrowserError::Closed { what: "the frame".into() })
    }
}
