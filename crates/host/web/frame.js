// The proxy's iframe on the stage. Only messages of that very window and that very origin are heard.

/** @import {Json, View} from "./types.d.ts" */

const READY = "ui/notifications/sandbox-proxy-ready";
const RESOURCE = "ui/notifications/sandbox-resource-ready";

/**
 * @typedef {object} FrameEvents
 * @property {(message: Json) => void} ready the proxy is there
 * @property {(message: Json) => void} message the View said something
 * @property {(report: {from: string, why: string, message: Json}) => void} dropped the proxy refused to pass something on
 * @property {() => void} navigated the View left its document and was closed
 */

/** @typedef {ReturnType<typeof openFrame>} Frame */

/** @param {View} view @param {HTMLElement} parent @param {string} title @param {FrameEvents} to */
export function openFrame(view, parent, title, to) {
  const element = document.createElement("iframe");
  element.title = title;
  // The outer frame needs every token that the inner one is to have: a child never gets more than its parent.
  element.setAttribute("sandbox", [...new Set(["allow-scripts", "allow-same-origin", ...view.sandbox.split(/\s+/)])].filter(Boolean).join(" "));
  element.allow = view.permissions.allow;
  element.referrerPolicy = "no-referrer";
  let ready = false;

  /** @param {MessageEvent} event */
  const hear = (event) => {
    if (event.source !== element.contentWindow || event.source === null || event.origin !== view.proxyOrigin) return;
    const data = event.data;
    const why = unreadable(data);
    if (why) return to.dropped({ from: "view", why: `it cannot be written as JSON, ${why}`, message: { yardstick: "unreadable" } });
    if (data?.yardstick === "navigated") return to.navigated();
    if (data?.yardstick === "dropped") return to.dropped(data);
    if (data?.method !== READY) return to.message(data);
    if (ready) return;
    ready = true;
    to.ready(data);
  };
  window.addEventListener("message", hear);
  element.src = view.proxyUrl;
  parent.append(element);

  return {
    element,
    /** Hands the resource to the proxy; gives the message that was sent. @returns {Json} */
    load() {
      const { html, sandbox, csp, permissions } = view;
      const params = { html, sandbox, csp: csp.declared ?? {}, permissions: permissions.granted ?? {} };
      const message = { jsonrpc: "2.0", method: RESOURCE, params };
      element.contentWindow?.postMessage(message, view.proxyOrigin);
      return message;
    },
    /** @param {Json} message */
    send: (message) => element.contentWindow?.postMessage(message, view.proxyOrigin),
    close() {
      window.removeEventListener("message", hear);
      element.remove();
    },
  };
}

/** Why JSON cannot carry it, if so. A View may send whatever can be cloned: cycles and big integers too. @param {Json} data */
function unreadable(data) {
  try {
    JSON.stringify(data);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
  }
}
