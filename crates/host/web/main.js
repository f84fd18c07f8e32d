// Assembles the page. The host has already rendered the select; the scripts take over from there.

import { isReadOnly } from "./annotations.js";
import { createAppBar } from "./app-bar.js";
import { copyButton, eachFrame, h } from "./dom.js";
import { api, choose, host, link, runName, settings, shallRun, takeFirstRun, usualProfile } from "./first-run.js";
import { listen } from "./events.js";
import { guardTyping } from "./focus.js";
import { createForm } from "./form.js";
import { createInquiries } from "./inquiries.js";
import { createLayout } from "./layout.js";
import { listenKeys } from "./keys.js";
import { createLines } from "./lines.js";
import { format } from "./link.js";
import { keepArguments, keepSettings, lastArguments, usualLocale, usualTimeZone } from "./memory.js";
import { createNotice } from "./notice.js";
import { createPicker } from "./picker.js";
import { createQuestions } from "./questions.js";
import { startArguments } from "./schema.js";
import { Session } from "./session.js";
import { createStage } from "./stage.js";
import { blank, createStore, selection } from "./store.js";
import { createTabs } from "./tabs.js";
import { createTimeline } from "./timeline.js";
import { isEvalProbe } from "./violations.js";
import { createSurroundings } from "./surroundings.js";
import { consolePanel } from "./panels/console.js";
import { cspPanel } from "./panels/csp.js";
import { modelPanel } from "./panels/model.js";
import { resultPanel } from "./panels/result.js";
import { savePanel } from "./panels/save.js";
import { toolsPanel } from "./panels/tools.js";

/** @import {Entry, Json, Mode, Server} from "./types.d.ts" */
/** @import {FirstRun} from "./first-run.js" */
/** @import {Stream} from "./events.js" */

const isKnownProfile = !settings.profile || host.profiles.some((one) => one.name === settings.profile);
const store = createStore({
  ...blank({ ...settings, profile: (isKnownProfile && settings.profile) || usualProfile }),
  host,
  servers: host.servers,
  inquiries: host.inquiries ?? [],
});
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const select = /** @type {HTMLSelectElement} */ (document.getElementById("tool-select"));

/** How long the history waits for the first app. */
const HISTORY_DELAY_MS = 1500;
/** @type {Session | null} */
let session = null;

const stage = createStage(store, { mode: setMode, room: () => session?.roomChanged(), drawer: flipDrawer });
const layout = createLayout(main);
const write = createLines(store);
const timeline = createTimeline({
  send: (server, request) => api.request(server, { ...request, callId: runName(), run: session?.run }),
});
const form = createForm(store);
const inquiries = createInquiries(store, api, () => session);
const tabs = build();
follow();
start();

function build() {
  const picker = createPicker(store, select, pick);
  const run = () => void runTool();
  const findings = () => (layout.showInspection(), tabs.show("timeline"), timeline.showFindings());
  const bar = createAppBar(store, {
    run,
    cancel: () => session?.cancel(),
    mode: setMode,
    close: () => void session?.teardown("closed by the user"),
    findings,
  });
  const questions = createQuestions(store, {
    decide: (ticket, decision) => session?.decide(ticket, decision),
    answer: (inquiry, result) => void inquiries.answer(inquiry, result),
    runAgain: (inquiry) => (inquiry.required?.tool && inquiry.run === session?.run ? runAgain : undefined),
  });
  const inspection = createTabs(store, [
    { id: "timeline", title: "Timeline", panel: () => timeline.element },
    { id: "result", title: "Result", panel: () => resultPanel(store) },
    {
      id: "console",
      title: "Console",
      panel: () => consolePanel(store),
      keys: ["lines"],
      count: (state) => state.lines.filter((line) => line.level === "error").length,
    },
    {
      id: "csp",
      title: "CSP",
      panel: () => cspPanel(store),
      keys: ["violations"],
      count: (state) => state.violations.filter((one) => !isEvalProbe(one)).length,
    },
    {
      id: "model",
      title: "Model",
      panel: () => modelPanel(store),
      keys: ["modelContext", "messages"],
      count: (state) => state.messages.length + (state.modelContext ? 1 : 0),
    },
    {
      id: "tools",
      title: "App tools",
      panel: () => toolsPanel(store, (event) => session?.feed(event)),
      keys: ["appTools"],
      count: (state) => state.appTools.tools.length,
    },
    { id: "save", title: "Save", panel: () => savePanel(store, api) },
  ]);
  const keys = listenKeys([
    { key: "R", does: "Run", call: () => void runTool() },
    { key: "T", does: "Switch between light and dark", call: flipTheme },
    { key: "/", does: "Search the timeline", call: () => (tabs.show("timeline"), timeline.search()) },
  ], escape);
  const stolen = "The app took the keyboard again and again while you were typing, so the page has hidden it.";
  guardTyping(() => write({ from: "host", level: "warning", text: stolen }));
  const version = h("span", { class: "muted" });
  store.watch(["host"], ({ host }) => void (version.textContent = host?.version ?? ""));
  const help = h(
    "button",
    { type: "button", class: "small help", title: "Keyboard shortcuts", onclick: keys.sheet },
    "Keys",
  );
  // An app may already be on the stage. It must not move in the document, because a moved frame reloads.
  main.querySelector(".setup")?.replaceChildren(picker, form.element);
  main.querySelector(".middle")?.prepend(bar, createNotice(store, runAgain));
  document.body.append(questions);
  main.querySelector(".side")?.replaceWith(inspection.element);
  document.querySelector("header")?.append(
    version,
    h("span", { class: "grow" }),
    createSurroundings(store, run),
    ...layout.controls,
    copyButton("Copy link", () => location.href),
    help,
  );
  main.classList.add("alive");
  return inspection;
}

/** Keeps the page's own attributes in step with the state. */
function follow() {
  store.watch(["status"], ({ status }) => void (main.dataset.appStatus = status));
  store.watch(["settings"], ({ settings }) => {
    document.documentElement.dataset.theme = settings.theme;
    if (settings.theme !== link.theme) keepSettings(settings);
    session?.settingsChanged();
  });
  store.watch(["mode", "view"], ({ mode, view }) => {
    main.dataset.mode = view ? mode : "inline";
    // The keyboard cannot reach what a fullscreen app covers.
    if (main.dataset.mode !== "fullscreen") delete main.dataset.drawer;
    for (const covered of document.querySelectorAll(".top, .setup, .toolbar, .divider"))
      covered.toggleAttribute("inert", main.dataset.mode === "fullscreen");
    document
      .querySelector(".side")
      ?.toggleAttribute("inert", main.dataset.mode === "fullscreen" && main.dataset.drawer !== "open");
  });
  store.watch(["selected", "args", "settings", "shown", "mode"], eachFrame(updateAddress));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => session?.settingsChanged());
}

function start() {
  /** @type {Stream | undefined} */
  let stream;
  const state = (/** @type {"open" | "lost"} */ connection) => {
    store.set({ connection });
    if (connection === "lost") void doubt();
  };
  const hear = () => void (stream ??= listen(api.events(), host.newest ?? 0, { event: onEvent, state }));
  openFirst();
  // The history waits until the first app has its result, but not for a slow one.
  setTimeout(hear, session ? HISTORY_DELAY_MS : 0);
  store.watch(["status"], ({ status }) => status === "ready" && hear());
  // Once the page is hidden, the app receives hardly anything; before that it usually does.
  const goodbye = () => (api.leave(), session?.teardown("the page is closed"));
  window.addEventListener("beforeunload", () => void goodbye());
  window.addEventListener("pagehide", () => {
    const { view } = store.get();
    void goodbye();
    if (view) api.closeView(view.id).catch(() => {});
    stream?.close();
  });
  // A page that is restored from the browser's cache has lost its app.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
}

/** The stream was lost. A restarted host on this port has another token; then the page is reloaded. */
async function doubt() {
  const knows = await api.knowsToken().catch(() => true);
  if (!knows) location.reload();
}

/** Opens the tool in the link, or the first tool that can run. */
function openFirst() {
  const { servers } = store.get();
  const early = takeFirstRun();
  const choice = early?.choice ?? choose(servers, link);
  if (!choice) {
    const settled = servers.every((server) => server.state !== "connecting");
    if (link.tool && settled)
      store.set({
        problem: {
          message: `no connected server has a tool named ${link.tool}`,
          repair: "pick another one from the list",
        },
      });
    return;
  }
  store.set({
    problem: null,
    selected: { server: choice.server.id, tool: choice.tool.name },
    args: choice.args,
    argsError: "",
  });
  form.refresh();
  if (!isKnownProfile) return refuseProfile();
  if (early || shallRun(choice, link)) void runTool(early);
}

/** A link with an unknown host profile is not run with another profile. */
function refuseProfile() {
  const message = `the link names the host profile ${settings.profile}, which does not exist`;
  const names = host.profiles.map((one) => one.name).join(", ");
  const repair = `choose another under Host and press Run; there are ${names}`;
  store.set({ problem: { message, culprit: "the link", repair } });
}

/** @param {string} server @param {string} tool */
function pick(server, tool) {
  const found = store.get().servers.find((one) => one.id === server)?.tools.find((one) => one.name === tool);
  if (!found) return;
  store.set({
    selected: { server, tool },
    args: lastArguments(server, tool) ?? startArguments(found).args,
    argsError: "",
  });
  form.refresh();
}

/** @param {FirstRun} [early] */
async function runTool(early) {
  const state = store.get();
  const chosen = selection(state);
  if (!chosen || state.argsError) return;
  keepArguments(chosen.server.id, chosen.tool.name, state.args);
  const old = session;
  const next = new Session(
    { api, store, stage, escape, write },
    { ...chosen, args: state.args, name: early?.name ?? runName() },
  );
  session = next;
  timeline.show(next.run);
  if (!chosen.tool.yardstick.isUi) (layout.showInspection(), tabs.show("result"));
  if (old) await old.teardown("the tool is run again");
  // Run may have been pressed again while the old app was saving its work.
  if (session !== next) return;
  await next.start(early);
}

/** @param {Mode} mode */
function setMode(mode) {
  if (store.get().view) return session?.feed({ type: "mode", mode });
  store.choose({ mode });
  store.set({ mode });
}

/** Shows or hides the inspection below a fullscreen app. */
function flipDrawer() {
  if (main.dataset.drawer === "open") delete main.dataset.drawer;
  else main.dataset.drawer = "open";
  document.querySelector(".side")?.toggleAttribute("inert", main.dataset.drawer !== "open");
  document.querySelector(".drawer")?.setAttribute("aria-pressed", String(main.dataset.drawer === "open"));
  stage.changed();
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
  const { selected, args, settings, shown, mode } = store.get();
  const query = format({
    server: selected?.server,
    tool: selected?.tool,
    args: selected && Object.keys(args).length > 0 ? args : undefined,
    profile: settings.profile === usualProfile ? undefined : settings.profile,
    theme: settings.theme === "auto" ? undefined : settings.theme,
    mode: mode === "inline" ? undefined : mode,
    size: settings.size === "fit" ? undefined : settings.size,
    free: settings.size === "free" && settings.free.width > 0 ? settings.free : undefined,
    off: settings.off,
    deny: settings.deny,
    always: settings.always,
    locale: settings.locale === usualLocale() ? undefined : settings.locale,
    timeZone: settings.timeZone === usualTimeZone() ? undefined : settings.timeZone,
    stream: settings.stream || undefined,
    run: shown ? true : undefined,
  });
  if (query !== location.search) history.replaceState(null, "", `${location.pathname}${query}`);
}

/** @param {Json} event @param {number} number @param {number} size */
function onEvent(event, number, size) {
  const state = store.get();
  // The stream starts with events from before the page was opened. The timeline shows them; the rest of the page
  // ignores them.
  const isNews = number > host.newest;
  switch (event.kind) {
    case "run":
      return timeline.begin(event);
    case "entry":
      timeline.add(event.entry, isNews, size);
      return count(event.entry);
    case "output":
      return isNews
        ? write({
            from: event.line.from,
            level: event.line.from === "stdout" ? "warning" : "info",
            text: event.line.text,
          })
        : undefined;
    case "violation":
      timeline.violated(event, isNews);
      if (event.view === state.view?.id) store.set({ violations: [...state.violations.slice(-999), event] });
      return;
    case "dropped":
      timeline.dropped(event.count);
      return isNews ? void catchUp() : undefined;
    case "server":
      return isNews ? onServer(event.server) : undefined;
    case "inquiry":
      return isNews ? inquiries.put(event.inquiry) : undefined;
    case "inquiry-closed":
      return inquiries.close(event.id, event.complete === true);
    case "reload":
      if (isNews && state.shown && (!event.server || state.shown.server === event.server)) reload();
  }
}

/** Asks the host for the state of servers and inquiries, because events about them were missed. */
async function catchUp() {
  const state = await api.state().catch(() => undefined);
  if (!state) return;
  inquiries.replace(state.inquiries ?? []);
  for (const server of state.servers) onServer(server);
}

/** Counts the findings of the run on the stage. @param {Entry} entry */
function count({ run, findings = [] }) {
  if (findings.length === 0 || run !== session?.run) return;
  const { must, should } = store.get().found;
  const countAt = (/** @type {string} */ level) => findings.filter((one) => one.level === level).length;
  store.set({ found: { must: must + countAt("must"), should: should + countAt("should") } });
}

/** The server was restarted. Read-only tools run again; others wait for the person. */
function reload() {
  const chosen = selection(store.get());
  if (chosen && isReadOnly(chosen.tool)) void runTool();
  else store.set({ stale: true });
}

/** Runs the tool of the current run again, with the same arguments. */
function runAgain() {
  if (!session) return;
  const { server, tool, args } = session;
  pick(server.id, tool.name);
  store.set({ args, argsError: "" });
  form.refresh();
  void runTool();
}

/** @param {Server} server */
function onServer(server) {
  const { servers, selected } = store.get();
  const old = servers.find((one) => one.id === server.id);
  store.set({ servers: old ? servers.map((one) => (one === old ? server : one)) : [...servers, server] });
  if (old && server.id === session?.server.id && JSON.stringify(old.tools) !== JSON.stringify(server.tools))
    session.feed({ type: "server-changed", what: "tools" });
  if (!selected) openFirst();
}
