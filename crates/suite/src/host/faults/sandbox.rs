//! Faults of the frames that a View runs in.

use std::sync::Arc;

use host::FaultHooks;
use http::HeaderMap;
use http::header::CONTENT_SECURITY_POLICY;

use super::{HostFault, in_frames, in_page};

/// Every fault of the frames.
pub(super) const FAULTS: &[&HostFault] = &[
    &UNSANDBOXED,
    &PERMISSIONS_CLAIMED,
    &PERMISSIONS_GIVEN,
    &RESERVED_RELAYED,
    &LEAVING_ALLOWED,
    &SINGLE_FRAME,
    &FLAGS_MISSING,
    &PROXY_SILENT,
];

/// The proxy says that it is ready in words of its own, which the page understands.
pub const PROXY_SILENT: HostFault = HostFault {
    page: "addEventListener('message', (event) => {
       if (event.data?.method !== 'host/ready') return;
       event.stopImmediatePropagation();
       const data = { ...event.data, method: 'ui/notifications/sandbox-proxy-ready' };
       dispatchEvent(new MessageEvent('message', { data, origin: event.origin, source: event.source }));
     }, true)",
    ..in_frames(
        "host-proxy-silent",
        "the sandbox proxy does not send sandbox-proxy-ready",
        "if (location.host.startsWith('proxy-')) {
           const page = globalThis.parent;
           const sourceOf = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'source').get;
           const rename = (message) => String(message?.method).endsWith('proxy-ready') ? { ...message, method: 'host/ready' } : message;
           const stand_in = { postMessage: (message, ...more) => page.postMessage(rename(message), ...more) };
           globalThis.parent = stand_in;
           Object.defineProperty(MessageEvent.prototype, 'source', {
             get() { const source = sourceOf.call(this); return source === page ? stand_in : source; },
           });
         }",
    )
};

/// The View's frame has no sandbox.
pub const UNSANDBOXED: HostFault = in_frames(
    "host-unsandboxed",
    "the View's frame has no sandbox attribute",
    "const own = Element.prototype.setAttribute;
     Element.prototype.setAttribute = function (name, value) { if (name !== 'sandbox') own.call(this, name, value); }",
);

/// The proxy's frame lacks a token.
pub const FLAGS_MISSING: HostFault = in_page(
    "host-flags-missing",
    "the frame of the sandbox proxy lacks allow-same-origin",
    "setInterval(() => document.querySelectorAll('iframe').forEach((it) => it.setAttribute('sandbox', 'allow-scripts')), 100)",
);

/// Permissions are announced and not given.
pub const PERMISSIONS_CLAIMED: HostFault = in_frames(
    "host-permissions-claimed",
    "permissions are announced and not given",
    "Object.defineProperty(HTMLIFrameElement.prototype, 'allow', { set() {}, get: () => '' })",
);

/// Permissions are given that nobody declared.
pub const PERMISSIONS_GIVEN: HostFault = HostFault {
    page: GIVE_ALL,
    ..in_frames("host-permissions-given", "every View may use the camera and the microphone", GIVE_ALL)
};

const GIVE_ALL: &str = "const give = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'allow').set;
    Object.defineProperty(HTMLIFrameElement.prototype, 'allow', { set() { give.call(this, 'camera *; microphone *'); } })";

/// Messages that only a proxy may send pass it.
pub const RESERVED_RELAYED: HostFault = in_frames(
    "host-reserved-relayed",
    "messages that are reserved for the sandbox proxy pass it",
    "if (location.host.startsWith('proxy-')) addEventListener('message', (event) => {
       const frame = document.querySelector('iframe');
       if (event.source === frame?.contentWindow && String(event.data?.method).startsWith('ui/notifications/sandbox-'))
         frame.contentWindow.postMessage(event.data, '*');
     })",
);

/// A View may go to any address.
pub const LEAVING_ALLOWED: HostFault = HostFault {
    fault_hooks: Some(|| Arc::new(LeavingAllowed)),
    ..in_frames(
        "host-leaving-allowed",
        "a View may leave its document for any address",
        "if (location.host.startsWith('proxy-')) {
           const own = document.createElement;
           document.createElement = function (name) { return own.call(this, name === 'meta' ? 'span' : name); };
         }",
    )
};

/// The policy of the proxy and the list of the browser would keep a View where it is.
#[derive(Debug)]
struct LeavingAllowed;

impl FaultHooks for LeavingAllowed {
    fn change_proxy_headers(&self, headers: &mut HeaderMap) {
        headers.remove(CONTENT_SECURITY_POLICY);
    }

    fn change_view_headers(&self, headers: &mut HeaderMap) {
        headers.remove("connection-allowlist");
    }
}

/// The View is in a frame of the page itself, without a proxy and on the page's own origin.
pub const SINGLE_FRAME: HostFault = HostFault {
    fault_hooks: Some(|| Arc::new(PolicyOfPageDropped)),
    ..in_page(
        "host-single-frame",
        "the View is in a frame of the page, on the page's own origin",
        PUT_INTO_PAGE,
    )
};

/// The page's own policy would keep a View on its origin from running.
#[derive(Debug)]
struct PolicyOfPageDropped;

impl FaultHooks for PolicyOfPageDropped {
    fn change_page_headers(&self, headers: &mut HeaderMap) {
        headers.remove(CONTENT_SECURITY_POLICY);
    }
}

const PUT_INTO_PAGE: &str = "if (globalThis.top === globalThis) {
    const own = globalThis.fetch;
    let html = '';
    globalThis.fetch = async (path, more) => {
      const response = await own(path, more);
      if (path !== '/api/views' || !response.ok) return response;
      const view = await response.json();
      html = view.html;
      return new Response(JSON.stringify({ ...view, proxyOrigin: location.origin }), { status: response.status });
    };
    Object.defineProperty(HTMLIFrameElement.prototype, 'src', {
      set() { this.removeAttribute('sandbox'); this.srcdoc = html; }, get: () => 'about:srcdoc',
    });
  }";
