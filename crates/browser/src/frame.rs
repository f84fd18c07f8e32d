//! A frame, wherever it runs.

use std::sync::Arc;

use crate::context::Context;
use crate::{Error, FrameInfo};

/// A frame. It stays the same whatever it shows.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) context: Arc<Context>,
    pub(crate) id: String,
}

impl Frame {
    pub(crate) const fn new(context: Arc<Context>, id: String) -> Self {
        Self { context, id }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is known of it, unless it has been removed.
    pub fn info(&self) -> Option<FrameInfo> {
        self.context.frame(&self.id)
    }

    /// What it shows.
    pub fn url(&self) -> String {
        self.info().map(|it| it.url).unwrap_or_default()
    }

    pub(crate) fn known(&self) -> Result<FrameInfo, Error> {
        self.info().ok_or_else(|| Error::Closed { what: "the frame".into() })
    }
}
