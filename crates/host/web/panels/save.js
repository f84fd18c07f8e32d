// What can be kept of a session: the recording as a file, and the state as an address.

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
    // The address is brought up to date by another watcher, so it is read a moment later.
    queueMicrotask(() => (address.textContent = location.href));
  });
  store.watch(["host"], ({ host }) => {
    json.textContent = host ? `yardstick ${host.version}, ${host.servers.length} ${host.servers.length === 1 ? "server" : "servers"}` : "";
  });
  return h("div", { class: "panel" },
    h("section", {}, h("h3", {}, "Recording"), h("p", {}, "Every message of this session, one per line. ", h("code", {}, "yardstick check wire FILE --side both"), " judges it."), h("div", { class: "row" }, all, one)),
    h("section", {}, h("h3", {}, "Deep link "), h("p", {}, "Opens this page with the same tool, arguments and surroundings, and runs it."), address, copyButton("Copy link", () => location.href)),
    h("section", {}, h("h3", {}, "Host"), json));
}
