//! Every response passes here: nothing leaves the server that its handler has not seen.

use http::{HeaderMap, HeaderValue};

use super::{Response, Shared, guard};
use crate::Transport;
use crate::serve::Handler;

/// What a response answers.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The transport that the path belongs to.
    pub transport: Transport,
    /// The headers of the request.
    pub headers: &'a HeaderMap,
    /// The method of the JSON-RPC message, where one was read on Streamable HTTP.
    pub method: Option<&'a str>,
}

/// A response that the handler has seen. Only [`finish`] makes one, and only such a one is sent.
pub(super) struct Finished(Response);

/// Shows a response to the handler.
pub(super) fn finish<H: Handler>(shared: &Shared<H>, answered: Answered<'_>, response: Response) -> Finished {
    Finished(shared.handler.on_response(answered, response))
}

impl Finished {
    /// The same, readable by the browser at `origin`.
    pub(super) fn for_browser_at(mut self, origin: &HeaderValue) -> Self {
        guard::allow(origin, self.0.headers_mut());
        self
    }

    /// The response, ready to be sent.
    pub(super) fn into_response(self) -> Response {
        self.0
    }
}
