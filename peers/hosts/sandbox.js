// The sandbox proxy: puts the View into a frame of its own, and passes messages on, both ways.
(() => {
  "use strict";
  const NAMES = { camera: "camera *", microphone: "microphone *", geolocation: "geolocation *", clipboardWrite: "clipboard-write *" };
  const RESERVED = "ui/notifications/sandbox-";
  const host = new URL(document.referrer).origin;
  const inner = document.createElement("iframe");
  inner.style.cssText = "width: 100%; height: 100%; border: 0";
  addEventListener("message", ({ source, origin, data }) => {
    const method = String(data?.method ?? "");
    if (source === parent && origin === host) {
      if (method === `${RESERVED}resource-ready`) {
        inner.setAttribute("sandbox", data.params.sandbox ?? "allow-scripts");
        inner.allow = Object.keys(data.params.permissions ?? {}).map((name) => NAMES[name]).filter(Boolean).join("; ");
        inner.srcdoc = data.params.html;
        document.body.append(inner);
      } else if (!method.startsWith(RESERVED)) inner.contentWindow?.postMessage(data, "*");
    } else if (source === inner.contentWindow && !method.startsWith(RESERVED)) parent.postMessage(data, host);
  });
  parent.postMessage({ jsonrpc: "2.0", method: `${RESERVED}proxy-ready`, params: {} }, host);
})();
