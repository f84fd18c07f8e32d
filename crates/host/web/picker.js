// The list of servers and their tools; in a narrow window the page's native select instead.

import { cut, fill, h } from "./dom.js";
import { isForModel } from "./first-run.js";
import { profileOf } from "./store.js";

/** @import {Profile, Server, Tool} from "./types.d.ts" */
/** @import {PageState, Store} from "./store.js" */

/** From this number of tools on there is a filter box. */
const FILTER_FROM = 8;
/** The list shows the beginning of longer texts of a tool. */
const MAX_HINT_CHARS = 500;
/** @type {Record<Server["state"], string>} */
const STATES = { connecting: "connecting", ready: "connected", lost: "lost, reconnecting", failed: "failed" };

/** @param {Store} store @param {HTMLSelectElement} select @param {(server: string, tool: string) => void} pick */
export function createPicker(store, select, pick) {
  const filter = h("input", {
    type: "search",
    placeholder: "Filter tools",
    aria: { label: "Filter tools" },
    oninput: () => draw(store.get()),
  });
  const groups = h("div", { class: "tool-groups" });
  const label = h("label", { class: "select-label" }, h("span", {}, "Tool"), select);
  const element = h("section", { class: "picker", aria: { label: "Servers and tools" } }, label, filter, groups);
  /** The host profile that the list was drawn for; with another the model may have other tools.
   * @type {Profile | undefined} */
  let played;
  const draw = (/** @type {PageState} */ state) => {
    if (!state.host) return;
    played = profileOf(state);
    const count = state.servers.reduce((sum, server) => sum + callable(server, state).length, 0);
    filter.hidden = count < FILTER_FROM;
    const words = filter.hidden ? "" : filter.value.trim().toLowerCase();
    fill(groups, state.servers.map((server) => group(server, words, state, pick)));
    fillSelect(select, state);
  };
  select.addEventListener("change", () => {
    const { serverId = "", tool = "" } = select.selectedOptions[0]?.dataset ?? {};
    pick(serverId, tool);
  });
  store.watch(["host", "servers", "selected"], draw);
  store.watch(["settings"], (state) => profileOf(state) !== played && draw(state));
  return element;
}

/** The tools with an app that the model may call in the current host profile. @param {Server} server
 * @param {PageState} state */
const shown = (server, state) => callable(server, state).filter((tool) => tool.yardstick.isUi);

/** The tools that the model may call. @param {Server} server @param {PageState} state */
function callable(server, state) {
  const profile = profileOf(state);
  return server.tools.filter((tool) => isForModel(tool, profile));
}

/** @param {Server} server @param {string} words @param {PageState} state
 * @param {(server: string, tool: string) => void} pick */
function group(server, words, state, pick) {
  const matching = (/** @type {Tool[]} */ tools) =>
    tools.filter((tool) => `${tool.name} ${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase().includes(words));
  const tools = matching(shown(server, state));
  const plain = matching(callable(server, state).filter((tool) => !tool.yardstick.isUi));
  const known = new Set(callable(server, state));
  const hidden = server.tools.filter((tool) => !known.has(tool));
  const title = server.title && server.title !== server.name ? server.title : undefined;
  const facts = [title, server.protocol, server.transport, server.version && `v${server.version}`]
    .filter(Boolean)
    .join(" · ");
  const key = `${server.id} plain`;
  return h(
    "div",
    { class: "tool-group" },
    h(
      "h2",
      { title: server.description ?? "" },
      h("span", { class: `dot ${server.state}`, role: "img", aria: { label: STATES[server.state] } }),
      server.name,
    ),
    h("p", { class: "muted facts" }, server.state === "ready" ? facts : STATES[server.state]),
    server.note && h("p", { class: "muted facts" }, server.note),
    h(
      "ul",
      {},
      tools.map((tool) => h("li", {}, item(server, tool, state, pick))),
    ),
    tools.length + plain.length === 0 &&
      server.state === "ready" &&
      h("p", { class: "muted" }, words ? "no tool matches" : "no tools"),
    plain.length > 0 &&
      fold(
        key,
        `${plain.length} ${plain.length === 1 ? "tool" : "tools"} without an app`,
        words !== "" || tools.length === 0 || plain.some((tool) => isCurrent(server, tool, state)),
        () =>
          h(
            "ul",
            {},
            plain.map((tool) => h("li", {}, item(server, tool, state, pick))),
          ),
      ),
    hidden.length > 0 &&
      fold(`${server.id} hidden`, `${hidden.length} only for apps`, false, () =>
        h(
          "ul",
          { class: "others" },
          hidden.map((tool) => h("li", { title: tool.description ?? "" }, tool.name)),
        ),
      ),
  );
}

/** The folds that the person has opened. @type {Set<string>} */
const opened = new Set();

/** A fold whose content is drawn only when it is opened. @param {string} key @param {string} title
 * @param {boolean} open @param {() => HTMLElement} draw */
function fold(key, title, open, draw) {
  const element = h("details", {}, h("summary", {}, title));
  const fillIn = () => element.childElementCount === 1 && element.append(draw());
  if (open || opened.has(key)) (element.open = true, fillIn());
  element.addEventListener("toggle", () => {
    if (!element.open) return void opened.delete(key);
    opened.add(key);
    fillIn();
  });
  return element;
}

/** @param {Server} server @param {Tool} tool @param {PageState} state */
const isCurrent = (server, tool, state) => state.selected?.server === server.id && state.selected.tool === tool.name;

/** @param {Server} server @param {Tool} tool @param {PageState} state
 * @param {(server: string, tool: string) => void} pick */
function item(server, tool, state, pick) {
  const current = isCurrent(server, tool, state);
  const found = tool.yardstick.findings;
  const worst = found.some((one) => one.level === "must")
    ? "must"
    : found.some((one) => one.level === "should")
      ? "should"
      : "note";
  return h(
    "button",
    {
      type: "button",
      class: "tool",
      title: cut([tool.title, tool.name, tool.description].filter(Boolean).join("\n"), MAX_HINT_CHARS),
      ...(current ? { aria: { current: "true" } } : {}),
      onclick: () => pick(server.id, tool.name),
    },
    h("span", { class: "tool-name" }, cut(tool.title ?? tool.name, MAX_HINT_CHARS)),
    tool.title &&
      slug(tool.title) !== slug(tool.name) &&
      h("span", { class: "muted mono" }, cut(tool.name, MAX_HINT_CHARS)),
    tool.description && h("span", { class: "tool-about" }, cut(tool.description, MAX_HINT_CHARS)),
    found.length > 0 &&
      h("span", { class: `badge ${worst}`, title: found.map((one) => one.text).join("\n") }, found.length),
  );
}

/** @param {string} text */
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Updates the native select. @param {HTMLSelectElement} select @param {PageState} state */
function fillSelect(select, state) {
  const options = state.servers.flatMap((server) => callable(server, state).map((tool) => {
    const data = { serverId: server.id, tool: tool.name, resourceUri: tool.yardstick.uri ?? "" };
    const option = h("option", { value: tool.name, data }, `${server.name}: ${tool.title ?? tool.name}`);
    option.selected = state.selected?.server === server.id && state.selected.tool === tool.name;
    return option;
  }));
  const none = h("option", { value: "", disabled: true }, options.length > 0 ? "Pick a tool" : "no tools");
  none.selected = !options.some((option) => option.selected);
  fill(select, [none, ...options]);
}
