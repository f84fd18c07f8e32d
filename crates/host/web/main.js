// The page: puts the parts together. The server has drawn the select already; this takes over from there.

import { createApi } from "./api.js";
import { copyButton, h } from "./dom.js";
import { listen } from "./events.js";
import { createForm, startArguments } from "./form.js";
import { listenKeys } from "./keys.js";
import { format, parse } from "./link.js";
import { keepArguments, keepSettings, lastArguments, startSettings } from "./memory.js";
import { createNotice } from "./notice.js";
import { createPicker } from "./picker.js";
import { createQuestions } from "./questions.js";
import { Session } from "./session.js";
import { createStage } from "./stage.js";
import { blank, createStore, selection } from "./store.js";
import { createTabs } from "./tabs.js";
import { createTimeline } from "./timeline.js";
import { createToolbar } from "./toolbar.js";
import { contextPanel } from "./panels/context.js";
import { cspPanel } from "./panels/csp.js";
import { logPanel } from "./panels/log.js";
import { messagesPanel } from "./panels/messages.js";
import { toolsPanel } from "./panels/tools.js";
import { tracePanel } from "./panels/trace.js";

/** @import {HostState, Json, Mode, Server} from "./types.d.ts" */

const link = parse(location.search);
const token = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="yardstick-token"]'))?.content ?? "";
const api = createApi(token);
const store = createStore(blank(startSettings(link)));
const main = document.querySelector("main") ?? document.body.appendChild(h("main", {}));
const select = /** @type {HTMLSelectElement | null} */ (document.getElementById("tool-select")) ?? h("select", { id: "tool-select" });

/** @type {Session | null} */
let session = null;

const stage = createStage(store, { mode: setMode, room: () => session?.roomChanged() });
const timeline = createTimeline();
const form = createForm(store);
const tabs = build();
follow();
start();

/** Whether the link means this tool; the plain form of the page names server and tool in one. @param {string} [server] @param {string} [tool] */
function isNamed(server, tool) {
  return (tool === link.tool && (!link.server || server === link.server)) || `${server}/${tool}` === link.tool;
}

function build() {
  const picker = createPicker(store, select, pick);
  const run = h("button", { type: "button", class: "primary", onclick: () => void runTool() }, "Run");
  const cancel = h("button", { type: "button", onclick: () => session?.cancel() }, "Cancel");
  store.watch(["running", "selected", "argsError", "shown"], (state) => {
    const again = state.shown?.server === state.selected?.server && state.shown?.tool === state.selected?.tool;
    run.textContent = state.shown && again ? "Run again" : "Run";
    run.disabled = !state.selected || state.argsError !== "";
    cancel.hidden = !state.running;
  });
  const toolbar = createToolbar(store, { mode: setMode, close: () => void session?.teardown("closed by the user"), run: () => void runTool() });
  const questions = createQuestions(store, (ticket, decision) => session?.decide(ticket, decision));
  const inspection = createTabs(store, [
    { id: "timeline", title: "Timeline", panel: timeline.element },
    { id: "csp", title: "CSP", panel: cspPanel(store), keys: ["violations"], count: (state) => state.violations.length },
    { id: "context", title: "Context", panel: contextPanel(store), keys: ["modelContext"], count: (state) => (state.modelContext ? 1 : 0) },
    { id: "messages", title: "Messages", panel: messagesPanel(store), keys: ["messages"], count: (state) => state.messages.length },
    { id: "logs", title: "Logs", panel: logPanel(store), keys: ["logs"], count: (state) => state.logs.length },
    { id: "tools", title: "Tools", panel: toolsPanel(store, (event) => session?.feed(event)), keys: ["appTools"], count: (state) => state.appTools.tools.length },
    { id: "trace", title: "Trace", panel: tracePanel(store, api) },
  ]);
  const keys = listenKeys([
    { key: "R", does: "Run", call: () => void runTool() },
    { key: "T", does: "Light or dark", call: flipTheme },
    { key: "/", does: "Search the timeline", call: () => (tabs.show("timeline"), timeline.search()) },
  ], escape);
  const version = h("span", { class: "muted" });
  store.watch(["host"], ({ host }) => void (version.textContent = host?.version ?? ""));
  const help = h("button", { type: "button", class: "small help", title: "Keys", aria: { label: "Keys" }, onclick: keys.sheet }, "?");
  main.replaceChildren(
    h("div", { class: "setup" }, picker, form.element, h("div", { class: "run-row" }, run, cancel)),
    h("div", { class: "middle" }, toolbar.app, createNotice(store), questions, stage.element),
    inspection.element);
  document.querySelector("header")?.append(version, h("span", { class: "grow" }), toolbar.surroundings, copyButton("Copy link", () => location.href), help);
  main.classList.add("alive");
  return inspection;
}

/** Keeps the page itself in step with what is known. */
function follow() {
  store.watch(["status"], ({ status }) => void (main.dataset.appStatus = status));
  store.watch(["settings"], ({ settings }) => {
    document.documentElement.dataset.theme = settings.theme;
    if (settings.theme !== link.theme) keepSettings(settings);
    session?.settingsChanged();
  });
  store.watch(["mode", "view"], ({ mode, view }) => {
    main.dataset.mode = view ? mode : "inline";
    // What a fullscreen app covers cannot be reached by the keyboard either.
    for (const covered of document.querySelectorAll(".top, .setup, .toolbar, .notices, .side")) covered.toggleAttribute("inert", main.dataset.mode === "fullscreen");
  });
  store.watch(["selected", "args", "settings", "shown", "mode"], updateAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => session?.settingsChanged());
}

/** The page came with all that is known of the servers, so the first run need not ask for it. */
function start() {
  const host = /** @type {HostState} */ (JSON.parse(document.getElementById("state")?.textContent ?? "{}"));
  const { settings } = store.get();
  store.set({ host, servers: host.servers, settings: { ...settings, profile: settings.profile || usualProfile(host) } });
  openFirst();
  const stream = listen(api.eventsUrl(), { event: onEvent, state: (connection) => store.set({ connection }) });
  window.addEventListener("pagehide", () => {
    const { view } = store.get();
    if (view) api.closeView(view.id).catch(() => {});
    stream.close();
  });
  // A page that comes back out of the browser's cache has lost its app.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
}

/** The profile that the host was started with. @param {HostState} host */
function usualProfile(host) {
  return String(host.options.profile ?? host.profiles[0]?.name ?? "");
}

/** Opens what the link names, or the only tool there is. */
function openFirst() {
  const state = store.get();
  const tools = state.servers.flatMap((server) => server.tools.filter((tool) => tool.yardstick.isUi && tool.yardstick.visibility.model).map((tool) => ({ server, tool })));
  const named = tools.find(({ server, tool }) => isNamed(server.id, tool.name));
  const chosen = link.tool ? named : tools.length === 1 ? tools[0] : undefined;
  if (!chosen) {
    const settled = state.servers.every((server) => server.state !== "connecting");
    if (link.tool && settled) store.set({ problem: { message: `no connected server has a tool named ${link.tool} with a View`, repair: "pick another one from the list" } });
    return;
  }
  store.set({ problem: null });
  pick(chosen.server.id, chosen.tool.name);
  if (link.args) {
    store.set({ args: link.args });
    form.refresh();
  }
  if (link.run !== false && (link.args || startArguments(chosen.tool).fits)) void runTool();
}

/** @param {string} server @param {string} tool */
function pick(server, tool) {
  const found = store.get().servers.find((one) => one.id === server)?.tools.find((one) => one.name === tool);
  if (!found) return;
  store.set({ selected: { server, tool }, args: lastArguments(server, tool) ?? startArguments(found).args, argsError: "" });
  form.refresh();
}

async function runTool() {
  const state = store.get();
  const chosen = selection(state);
  if (!chosen || state.argsError) return;
  keepArguments(chosen.server.id, chosen.tool.name, state.args);
  const old = session;
  const next = new Session({ api, store, stage }, chosen.server, chosen.tool, state.args);
  session = next;
  timeline.show(next.run);
  if (old) await old.teardown("the tool is run again");
  // While the old app was saving its work, Run may have been pressed once more.
  if (session !== next) return;
  await next.start();
}

/** @param {Mode} mode */
function setMode(mode) {
  if (store.get().view) return session?.feed({ type: "mode", mode });
  store.choose({ mode });
  store.set({ mode });
}

function flipTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme.startsWith("dark");
  store.choose({ theme: dark ? "light" : "dark" });
}

function escape() {
  const { mode, view } = store.get();
  if (!view || mode === "inline") return false;
  setMode("inline");
  return true;
}

function updateAddress() {
  const { selected, args, settings, shown, mode, host } = store.get();
  if (!host) return;
  const usual = startSettings({});
  const query = format({
    server: selected?.server,
    tool: selected?.tool,
    args: selected && Object.keys(args).length > 0 ? args : undefined,
    profile: settings.profile === usualProfile(host) ? undefined : settings.profile,
    theme: settings.theme === "auto" ? undefined : settings.theme,
    mode: mode === "inline" ? undefined : mode,
    size: settings.size === "desktop" ? undefined : settings.size,
    locale: settings.locale === usual.locale ? undefined : settings.locale,
    timeZone: settings.timeZone === usual.timeZone ? undefined : settings.timeZone,
    stream: settings.stream || undefined,
    run: shown ? true : undefined,
  });
  if (query !== location.search) history.replaceState(null, "", `${location.pathname}${query}`);
}

/** @param {Json} event @param {number} number */
function onEvent(event, number) {
  const state = store.get();
  // The stream begins with what happened before the page was opened: history for the timeline, and no news for the rest.
  const isNews = number > (state.host?.newest ?? 0);
  switch (event.kind) {
    case "run":
      return timeline.begin(event);
    case "entry":
      return timeline.add(event.entry, isNews);
    case "violation":
      timeline.violated(event, isNews);
      if (event.view === state.view?.id) store.set({ violations: [...state.violations, event] });
      return;
    case "server":
      return isNews ? onServer(event.server) : undefined;
    case "reload":
      if (isNews && state.shown && (!event.server || state.shown.server === event.server)) void runTool();
  }
}

/** @param {Server} server */
function onServer(server) {
  const { servers, host, selected } = store.get();
  const old = servers.find((one) => one.id === server.id);
  store.set({ servers: old ? servers.map((one) => (one === old ? server : one)) : [...servers, server] });
  if (old && server.id === session?.server.id && JSON.stringify(old.tools) !== JSON.stringify(server.tools)) session.feed({ type: "server-changed", what: "tools" });
  if (host && !selected) openFirst();
}
