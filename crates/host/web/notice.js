// What stands on the stage when there is no app, or something is wrong: plain words, and the repair.

import { fill, h } from "./dom.js";
import { isReadOnly } from "./annotations.js";
import { requiresNothing } from "./schema.js";
import { isOther, selection } from "./store.js";

/** @import {PageState, Store} from "./store.js" */

/** @param {Store} store */
export function createNotice(store) {
  const element = h("div", { class: "notices", role: "status", aria: { live: "polite" } });
  store.watch(["host", "servers", "connection", "selected", "status", "problem", "running", "view", "shown", "result", "stale"], (state) => {
    fill(element, ...notices(state).map(card));
  });
  return element;
}

/** @typedef {{tone: "plain" | "busy" | "bad" | "warn", title: string, text?: string, culprit?: string, repair?: string}} Notice */

/** @param {PageState} state @returns {Notice[]} */
export function notices(state) {
  const list = [];
  if (state.connection === "lost") {
    list.push(/** @type {Notice} */ ({
      tone: "bad", title: "The test host does not answer", text: "What you see is what was last known.",
      repair: "Start `yardstick host` again. This page reconnects by itself; reload it if the address or the token changed.",
    }));
  }
  for (const server of state.servers) {
    // Once a tool is chosen, another server's trouble is for the list of servers to tell.
    const chosen = state.shown ?? state.selected;
    const selected = server.id === chosen?.server;
    if (selected || !chosen) list.push(...aboutServer(server, selected));
  }
  if (state.stale) list.push(/** @type {Notice} */ ({ tone: "warn", title: "The server has started again", text: "This tool does not say that it only reads, so it is not run again by itself.", repair: "Press Run to see what has changed." }));
  if (state.problem) {
    const tone = state.status === "failed" ? "bad" : "warn";
    list.push(/** @type {Notice} */ ({ tone, title: sentence(state.problem.message), culprit: state.problem.culprit, repair: state.problem.repair }));
  } else if (state.view === null) {
    list.push(...nothingShown(state));
  }
  return list;
}

/** @param {import("./types.d.ts").Server} server @param {boolean} selected @returns {Notice[]} */
function aboutServer(server, selected) {
  if (server.state === "lost") {
    return [{ tone: "warn", title: `${server.name} went away`, text: server.note ?? undefined, repair: "It is reconnected by itself as soon as it is back." }];
  }
  if (server.state === "failed") {
    return [{ tone: "bad", title: `${server.name} could not be reached`, text: server.note ?? undefined, culprit: server.description, repair: "Check the command or the address that the host was started with." }];
  }
  return selected && server.state === "connecting" ? [{ tone: "busy", title: `Connecting to ${server.name} …` }] : [];
}

/** @param {PageState} state @returns {Notice[]} */
function nothingShown(state) {
  if (state.status === "loading") return [{ tone: "busy", title: selection(state)?.tool.yardstick.isUi === false ? "Running the tool …" : "Opening the app …" }];
  if (!state.host) return state.connection === "lost" ? [] : [{ tone: "busy", title: "Asking the servers for their tools …" }];
  const tools = state.servers.flatMap((server) => server.tools.filter((tool) => tool.yardstick.isUi));
  const chosen = selection(state);
  if (chosen && state.shown && !isOther(state) && state.result) return [{ tone: "plain", title: `${chosen.tool.title ?? chosen.tool.name} has no app`, text: "What it gave back is under Result." }];
  if (state.servers.some((server) => server.state === "connecting") && tools.length === 0) return [{ tone: "busy", title: "Connecting …" }];
  if (tools.length === 0 && !chosen) {
    return !state.servers.some((server) => server.state === "ready") ? [] : [{
      tone: "plain", title: "No tool with an app",
      text: "None of the connected servers has a tool with `_meta.ui.resourceUri`. Tools without an app can be run all the same.",
      repair: "Add a resource with a ui:// address and MIME type text/html;profile=mcp-app, and name it in the tool's `_meta.ui.resourceUri`.",
    }];
  }
  if (!chosen) return [{ tone: "plain", title: "Pick a tool", text: "Its app is shown here, and every message that it exchanges beside it." }];
  return [{ tone: "plain", title: `${chosen.tool.title ?? chosen.tool.name} is ready to run`, text: waits(chosen.tool) }];
}

/** Why a tool has not been run by itself. @param {import("./types.d.ts").Tool} tool */
const waits = (tool) => (isReadOnly(tool) ? (requiresNothing(tool) ? "Press Run, or the key R." : "Fill in the arguments and press Run, or the key R.") : "It does not say that it only reads, so it waits for you. Look at the arguments and press Run, or the key R.");

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Notice} notice */
function card({ tone, title, text, culprit, repair }) {
  return h("div", { class: `notice ${tone}` },
    h("strong", {}, title),
    text && h("p", {}, marked(text)),
    culprit && h("p", {}, h("b", {}, "Cause: "), culprit),
    repair && h("p", {}, h("b", {}, "What to do: "), marked(repair)));
}

/** What stands between backticks is code. @param {string} text */
const marked = (text) => text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
