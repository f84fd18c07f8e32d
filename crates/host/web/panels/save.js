// The Save tab: the recording as a file, and the page's state as a link.

import { copyButton, h } from "../dom.js";

/** @import {Api} from "../api.js" */
/** @import {Store} from "../store.js" */

/** @param {Store} store @param {Api} api */
export function savePanel(store, api) {
  const all = h("a", { class: "button small", href: api.traceUrl(), download: "" }, "Everything");
  const one = h("a", { class: "button small", download: "" }, "This app only");
  const address = h("p", { class: "mono wrap" });
  const json = h("pre", { class: "json", tabindex: "0" });
  store.watch(["view"], ({ view }) => {
    one.hidden = view === null;
    if (view) one.href = api.traceUrl(view.id);
  });
  store.watch(["selected", "args", "settings", "status"], () => {
    // Another watcher updates the address, so it is read a moment later.
    queueMicrotask(() => (address.textContent = location.href));
  });
  store.watch(["host"], ({ host }) => {
    json.textContent = host
      ? `yardstick ${host.version}, ${host.servers.length} ${host.servers.length === 1 ? "server" : "servers"}`
      : "";
  });
  return h(
    "div",
    { class: "panel" },
    h(
      "section",
      {},
      h("h3", {}, "Recording"),
      h(
        "p",
        {},
        "Every message of this session, one per line. Check it with ",
        h("code", {}, "yardstick check wire FILE --side both"),
        ".",
      ),
      h("div", { class: "row" }, all, one),
    ),
    h(
      "section",
      {},
      h("h3", {}, "Deep link "),
      h("p", {}, "Opens this page with the same tool, arguments and settings, and runs the tool."),
      address, copyButton("Copy link", () => location.href)),
    h("section", {}, h("h3", {}, "Host"), json));
}
