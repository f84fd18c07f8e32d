// The App tools tab: tools that the app offers to the host.

import { empty, fill, h, jsonView } from "../dom.js";
import { initial, plan } from "../schema.js";

/** @import {Store} from "../store.js" */
/** @import {BridgeEvent, Tool} from "../types.d.ts" */

/** @param {Store} store @param {(event: BridgeEvent) => void} feed */
export function toolsPanel(store, feed) {
  const list = h("div", {});
  const answer = h("div", {});
  const element = h("div", { class: "panel" },
    h("div", { class: "row" },
      h("button", { type: "button", class: "small", onclick: () => feed({ type: "list-app-tools" }) }, "List again"),
      h("button", { type: "button", class: "small", onclick: () => feed({ type: "ping" }) }, "Ping the app")),
    list, answer);
  store.watch(["appTools", "hasAppTools", "view"], ({ appTools, hasAppTools, view }) => {
    if (!view) return fill(list, empty("No app is open."));
    if (!hasAppTools) return fill(list, empty("The app declares no tools of its own (appCapabilities.tools)."));
    if (appTools.error) return fill(list, empty(`The app could not list its tools: ${appTools.error}`));
    fill(
      list,
      ...(appTools.tools.length === 0
        ? [empty("The app has no tools at the moment.")]
        : appTools.tools.map((tool) => card(tool, feed))),
    );
  });
  store.watch(["appToolResult"], ({ appToolResult }) => {
    if (!appToolResult) return fill(answer);
    const { name, result, error } = appToolResult;
    fill(answer, h("h3", {}, error ? `${name} failed` : `${name} answered`), jsonView(error ?? result));
  });
  return element;
}

/** @param {Tool} tool @param {(event: BridgeEvent) => void} feed */
function card(tool, feed) {
  const args = h("textarea", {
    rows: "3",
    spellcheck: "false",
    aria: { label: `Arguments of ${tool.name}` },
    value: JSON.stringify(initial(plan(tool.inputSchema ?? {})) ?? {}),
  });
  const wrong = h("p", { class: "hint", role: "status" });
  const call = () => {
    try {
      wrong.textContent = "";
      feed({ type: "call-app-tool", name: tool.name, arguments: JSON.parse(args.value || "{}") });
    } catch (error) {
      wrong.textContent = `this is not valid: ${error instanceof Error ? error.message : error}`;
    }
  };
  return h(
    "section",
    { class: "card" },
    h("h3", {}, tool.title ?? tool.name),
    tool.description && h("p", { class: "muted" }, tool.description),
    args,
    wrong,
    h("button", { type: "button", class: "small", onclick: call }, "Call"),
  );
}
