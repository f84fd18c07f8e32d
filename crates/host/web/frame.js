// The sandbox proxy's iframe on the stage. It accepts only messages from that window and that origin.

/** @import {Json, Server, Tool, View} from "./types.d.ts" */

const PROXY_READY = "ui/notifications/sandbox-proxy-ready";
const RESOURCE_READY = "ui/notifications/sandbox-resource-ready";
/** How many messages are kept until somebody listens. */
const MAX_KEPT_MESSAGES = 1000;

/**
 * @typedef {object} FrameEvents
 * @property {(message: Json, resource: Json) => void} ready the proxy is ready and has the resource
 * @property {(message: Json) => void} message the View sent a message
 * @property {(report: {from: string, why: string, message: Json}) => void} dropped the proxy dropped a message
 * @property {(message: Json) => string | undefined} unfit returns why a message is refused, if it is
 * @property {(message: Json, why: string) => void} refused a message was refused
 * @property {() => void} navigated the View left its document and was closed
 * @property {(line: {level: string, text: string}) => void} console the View wrote to its console, or failed
 * @property {() => void} escape the person pressed Escape in the View
 */

/** @typedef {ReturnType<typeof openFrame>} Frame */

/**
 * Opens the proxy of a View, which loads the View as soon as it can. Messages are kept until somebody listens.
 * @param {View} view @param {HTMLElement} parent @param {string} title
 */
export function openFrame(view, parent, title) {
  const element = document.createElement("iframe");
  element.title = title;
  // The outer frame needs every sandbox token that the inner frame gets: a child never has more than its parent.
  element.setAttribute(
    "sandbox",
    [...new Set(["allow-scripts", "allow-same-origin", ...view.sandbox.split(/\s+/)])].filter(Boolean).join(" "),
  );
  element.allow = view.permissions.allow;
  element.referrerPolicy = "no-referrer";
  const { html, sandbox, csp, permissions } = view;
  const resource = {
    jsonrpc: "2.0",
    method: RESOURCE_READY,
    params: { html, sandbox, csp: csp.declared ?? {}, permissions: permissions.granted ?? {} },
  };
  /** @type {FrameEvents | undefined} */
  let listener;
  /** @type {Json[]} */
  const unheard = [];
  let ready = false;

  const send = (/** @type {Json} */ message) => element.contentWindow?.postMessage(message, view.proxyOrigin);
  /** @param {FrameEvents} to @param {Json} data */
  const tell = (to, data) => {
    const why = to.unfit(data);
    if (why) return to.refused(data, why);
    if (data?.yardstick === "navigated") return to.navigated();
    if (data?.yardstick === "dropped") return to.dropped(data);
    if (data?.yardstick === "console") return to.console(data);
    if (data?.yardstick === "escape") return to.escape();
    return data?.method === PROXY_READY ? to.ready(data, resource) : to.message(data);
  };
  /** @param {MessageEvent} event */
  const hear = (event) => {
    if (event.source !== element.contentWindow || event.source === null || event.origin !== view.proxyOrigin) return;
    const { data } = event;
    if (data?.method === PROXY_READY) {
      if (ready) return;
      ready = true;
      send(resource);
    }
    if (listener) tell(listener, data);
    else if (unheard.length < MAX_KEPT_MESSAGES) unheard.push(data);
  };
  window.addEventListener("message", hear);
  element.src = view.proxyUrl;
  parent.append(element);

  return {
    element,
    send,
    /** @param {FrameEvents} to */
    listen(to) {
      listener = to;
      for (const data of unheard.splice(0)) tell(to, data);
    },
    close() {
      window.removeEventListener("message", hear);
      element.remove();
    },
  };
}

/** The accessible title of a frame. @param {Server} server @param {Tool} tool */
export const titleOf = (server, tool) => `${tool.title ?? tool.name} (app of ${server.name})`;
