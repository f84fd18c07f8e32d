// Notices on the stage: why there is no app, or what is wrong and how to fix it.

import { fill, h } from "./dom.js";
import { isReadOnly } from "./annotations.js";
import { requiresNothing } from "./schema.js";
import { settle } from "./settle.js";
import { isOther, selection } from "./store.js";

/** @import {PageState, Store} from "./store.js" */

/** @param {Store} store @param {() => void} runAgain */
export function createNotice(store, runAgain) {
  const element = h("div", { class: "notices", role: "status", aria: { live: "polite" } });
  let drawn = "";
  store.watch(
    ["host", "servers", "connection", "selected", "status", "outcome", "problem", "running", "view", "shown", "result",
      "stale"],
    (state) => {
      // A button that is drawn again while it is pressed misses the click.
      const list = notices(state);
      if (JSON.stringify(list) === drawn) return;
      drawn = JSON.stringify(list);
      fill(element, ...list.map((notice) => card(notice, runAgain)));
      for (const row of element.querySelectorAll(".row")) settle(/** @type {HTMLElement} */ (row));
    },
  );
  return element;
}

/**
 * @typedef {{tone: "plain" | "busy" | "bad" | "warn", title: string, text?: string, culprit?: string,
 *   repair?: string, canRetry?: boolean}} Notice
 */

/** @param {PageState} state @returns {Notice[]} */
export function notices(state) {
  const list = [];
  if (state.connection === "lost") {
    list.push(
      /** @type {Notice} */ ({
        tone: "bad",
        title: "The test host does not respond",
        text: "The page shows the last known state.",
        repair:
          "Start `yardstick host` again. This page reconnects by itself; reload it if address or token changed.",
      }),
    );
  }
  for (const server of state.servers) {
    // Once a tool is chosen, problems of other servers appear only in the list of servers.
    const chosen = state.shown ?? state.selected;
    const selected = server.id === chosen?.server;
    if (selected || !chosen) list.push(...aboutServer(server, selected));
  }
  if (state.stale) {
    list.push(
      /** @type {Notice} */ ({
        tone: "warn",
        title: "The server was restarted",
        text: "This tool does not declare that it is read-only, so the page does not run it again by itself.",
        repair: "Press Run to see what has changed.",
      }),
    );
  }
  if (state.problem) {
    const { isSolved = false, canRetry = false } = state.problem;
    const tone = isSolved ? "plain" : state.status === "failed" && !canRetry ? "bad" : "warn";
    list.push(
      /** @type {Notice} */ ({
        tone,
        title: sentence(state.problem.message),
        culprit: state.problem.culprit,
        repair: state.problem.repair,
        ...(canRetry ? { canRetry } : {}),
      }),
    );
  } else if (state.view === null) {
    list.push(...nothingShown(state));
  }
  return list;
}

/** @param {import("./types.d.ts").Server} server @param {boolean} selected @returns {Notice[]} */
function aboutServer(server, selected) {
  if (server.state === "lost") {
    const repair = "The host reconnects by itself as soon as the server is back.";
    return [
      { tone: "warn", title: `The connection to ${server.name} was lost`, text: server.note ?? undefined, repair },
    ];
  }
  if (server.state === "failed") {
    const repair = "Check the command or the URL that the host was started with.";
    return [
      {
        tone: "bad",
        title: `${server.name} could not be reached`,
        text: server.note ?? undefined,
        culprit: server.description,
        repair,
      },
    ];
  }
  return selected && server.state === "connecting" ? [{ tone: "busy", title: `Connecting to ${server.name} …` }] : [];
}

/** @param {PageState} state @returns {Notice[]} */
function nothingShown(state) {
  if (state.status === "loading")
    return [
      {
        tone: "busy",
        title: selection(state)?.tool.yardstick.isUi === false ? "Running the tool …" : "Opening the app …",
      },
    ];
  if (!state.host)
    return state.connection === "lost" ? [] : [{ tone: "busy", title: "Asking the servers for their tools …" }];
  const tools = state.servers.flatMap((server) => server.tools.filter((tool) => tool.yardstick.isUi));
  const chosen = selection(state);
  if (chosen && state.shown && !isOther(state) && state.result) {
    return [
      {
        tone: "plain",
        title: `${chosen.tool.title ?? chosen.tool.name} has no app`,
        text: `${state.outcome === "failed" ? "The failure that it reports" : "Its result"} is in the Result tab.`,
      },
    ];
  }
  if (state.servers.some((server) => server.state === "connecting") && tools.length === 0)
    return [{ tone: "busy", title: "Connecting …" }];
  if (tools.length === 0 && !chosen) {
    return !state.servers.some((server) => server.state === "ready")
      ? []
      : [
          {
            tone: "plain",
            title: "No tool with an app",
            text: "No connected server has a tool with `_meta.ui.resourceUri`. You can also run tools without an app.",
            repair:
              "Add a resource with a ui:// URI and the MIME type text/html;profile=mcp-app, " +
              "and name its URI in the tool's `_meta.ui.resourceUri`.",
          },
        ];
  }
  if (!chosen)
    return [
      {
        tone: "plain",
        title: "Pick a tool",
        text: "The page shows its app here, and every message of the app in the timeline.",
      },
    ];
  return [
    { tone: "plain", title: `${chosen.tool.title ?? chosen.tool.name} is ready to run`, text: waits(chosen.tool) },
  ];
}

/** Why a tool has not run by itself. @param {import("./types.d.ts").Tool} tool */
const waits = (tool) =>
  !isReadOnly(tool)
    ? "It does not declare that it is read-only, so the page does not run it by itself. " +
      "Check the arguments, then press Run or the R key."
    : requiresNothing(tool)
      ? "Press Run or the R key."
      : "Fill in the arguments, then press Run or the R key.";

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Notice} notice @param {() => void} runAgain */
function card({ tone, title, text, culprit, repair, canRetry }, runAgain) {
  const hide = () => notice.classList.add("put-away");
  const notice = h("div", { class: `notice ${tone}` },
    h("strong", {}, title),
    text && h("p", {}, marked(text)),
    culprit && h("p", {}, h("b", {}, "Cause: "), culprit),
    repair && h("p", {}, h("b", {}, "What to do: "), marked(repair)),
    canRetry &&
      h("div", { class: "row" },
        h("button", { type: "button", class: "small run-again", onclick: runAgain }, "Run again")),
    h("button", { type: "button", class: "small hide", aria: { label: "Hide" }, onclick: hide }, "✕"));
  return notice;
}

/** Shows text in backticks as code. @param {string} text */
const marked = (text) => text.split(/`([^`]+)`/).map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
