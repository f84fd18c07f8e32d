// The sandbox proxy between the host page and one View, on an origin of its own. It forwards messages and sends only
// one of its own, which says that it is ready. It reports refused messages to the host page in an envelope that a View
// cannot forge. Runs as a classic script in its own document.

(() => {
  "use strict";

  const RESERVED = "ui/notifications/sandbox-";
  const FEATURES = {
    camera: "camera",
    microphone: "microphone",
    geolocation: "geolocation",
    clipboardWrite: "clipboard-write",
  };

  const { hosts = "", view = "" } = document.documentElement.dataset;
  // The browser knows the parent's origin, where it supports this. The proxy never sends anything to a host that is not
  // allowed.
  const parentOrigin = location.ancestorOrigins?.[0];
  const admitted = hosts
    .split(" ")
    .filter((origin) => origin !== "" && (parentOrigin === undefined || origin === parentOrigin));
  if (window.parent === window || admitted.length === 0 || view === "") return;

  // The View inherits the host page's colour scheme. Its media queries match the theme, a View that declares both
  // schemes can be transparent, and any other View keeps an opaque, readable background.
  document.documentElement.style.colorScheme = "light dark";

  /** @type {HTMLIFrameElement | undefined} */
  let frame;
  /** @type {string | undefined} */
  let host;
  let viewOrigin = new URL(view).origin;

  /** @param {unknown} value @returns {value is Record<string, unknown>} */
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  /** @param {Record<string, unknown>} message */
  const isReserved = (message) => typeof message.method === "string" && message.method.startsWith(RESERVED);
  /** Whether it is a report of the host's own script in the View. The View could send the same, but gains nothing by
   * it. @param {unknown} message */
  const isReport = (message) =>
    isObject(message) &&
    (message.yardstick === "escape" ||
      (message.yardstick === "console" && typeof message.level === "string" && typeof message.text === "string"));
  /** @param {unknown} message */
  const toHost = (message) => {
    if (host !== undefined) window.parent.postMessage(message, host);
  };

  /** @param {Record<string, any>} params */
  function load(params) {
    const tokens = typeof params.sandbox === "string" ? params.sandbox : "allow-scripts allow-same-origin allow-forms";
    const opaque = !tokens.split(/\s+/).includes("allow-same-origin");
    if (opaque) viewOrigin = "null";
    const inner = document.createElement("iframe");
    inner.title = "View";
    inner.setAttribute("sandbox", tokens);
    inner.allow = Object.entries(FEATURES)
      .filter(([name]) => isObject(params.permissions?.[name]))
      .map(([, feature]) => feature)
      .join("; ");
    Object.assign(inner.style, { position: "fixed", inset: "0", width: "100%", height: "100%", border: "0" });
    let loads = 0;
    inner.addEventListener("load", () => (++loads === 1 ? blockLoads() : checkSecondLoad(inner)));
    inner.src = view;
    frame = inner;
    document.body.append(inner);
  }

  /** From now on nothing may be loaded into the frame, not even the View. */
  function blockLoads() {
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = "frame-src 'none'";
    document.head.append(policy);
  }

  /**
   * Handles a second load: another document, or the View has rewritten its own. Navigating to a fragment of the View
   * causes no load inside the View, and a policy violation everywhere else.
   * @param {HTMLIFrameElement} inner
   */
  function checkSecondLoad(inner) {
    if (frame === inner) inner.contentWindow?.location.replace(`${view}#`);
  }

  /** The View tried to leave its document, or has left it. */
  function navigated() {
    if (frame === undefined) return;
    frame.remove();
    frame = undefined;
    toHost({ yardstick: "navigated" });
  }

  /** @param {MessageEvent} event */
  function fromHost(event) {
    const message = event.data;
    if (!isObject(message)) return;
    if (message.method === `${RESERVED}resource-ready`) {
      if (host !== undefined) return;
      host = event.origin;
      return load(isObject(message.params) ? message.params : {});
    }
    if (isReserved(message) || event.origin !== host) return;
    frame?.contentWindow?.postMessage(message, viewOrigin === "null" ? "*" : viewOrigin);
  }

  /** @param {MessageEvent} event */
  function fromView(event) {
    const message = event.data;
    if (event.origin === viewOrigin && isReport(message)) return toHost(message);
    const why = event.origin !== viewOrigin ? `it comes from ${event.origin}`
      : !isObject(message) ? "it is not an object"
      : "yardstick" in message ? "it imitates a report of the sandbox proxy"
      : isReserved(message) ? "its method is reserved for the sandbox proxy"
      : undefined;
    if (why === undefined) toHost(message);
    else toHost({ yardstick: "dropped", from: "view", why, message });
  }

  window.addEventListener("message", (event) => {
    if (event.source === window.parent && admitted.includes(event.origin)) fromHost(event);
    else if (frame !== undefined && event.source === frame.contentWindow) fromView(event);
  });

  document.addEventListener("securitypolicyviolation", (event) => {
    if (event.effectiveDirective === "frame-src") navigated();
  });

  for (const origin of admitted) {
    window.parent.postMessage({ jsonrpc: "2.0", method: `${RESERVED}proxy-ready`, params: {} }, origin);
  }
})();
