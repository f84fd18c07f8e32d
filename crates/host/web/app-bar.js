// The bar above the app: its name, its status, and the actions for the person.

import { invocation } from "./context.js";
import { fill, h, textOf } from "./dom.js";
import { saveScreenshot } from "./screenshot.js";
import { isOther, playedProfile, selection } from "./store.js";

/** @import {Mode, Settings} from "./types.d.ts" */
/** @import {PageState, Store} from "./store.js" */

/** @type {Record<string, string>} */
const STATUS = { idle: "not running", loading: "loading", initialized: "waiting", ready: "ready", failed: "failed" };
/** Text and colour for a call that failed or was cancelled. @type {Record<string, {text: string, as: string}>} */
const OUTCOMES = { failed: { text: "tool error", as: "failed" }, cancelled: { text: "cancelled", as: "idle" } };
const SIZES = { fit: "Fit", desktop: "Desktop", tablet: "Tablet", phone: "Phone", free: "Free" };
const SIZE_HINT = "The width of the app: a desktop has 1280 pixels, a tablet 820, a phone 390";

/**
 * @param {Store} store
 * @param {{run: () => void, cancel: () => void, mode: (mode: Mode) => void, close: () => void,
 *   findings: () => void}} to
 */
export function createAppBar(store, to) {
  const title = h("h2", { class: "app-title" });
  const status = h("span", { class: "status", role: "status" });
  const findings = h("button", {
    type: "button",
    class: "small findings",
    title: "Show them in the timeline",
    onclick: to.findings,
  });
  const domains = h("span", { class: "badge note" });
  const doing = h("span", { class: "doing" });
  const run = h("button", { type: "button", class: "primary small run", onclick: to.run }, "Run");
  const cancel = h("button", { type: "button", class: "small", onclick: to.cancel }, "Cancel");
  const size = h(
    "select",
    {
      title: SIZE_HINT,
      aria: { label: "Size" },
      onchange: () => store.choose({ size: /** @type {Settings["size"]} */ (size.value) }),
    },
    Object.entries(SIZES).map(([value, text]) => h("option", { value }, text)),
  );
  const scale = h("span", { class: "muted scale", title: "The app has its full size and is scaled down to fit" });
  const modes = h(
    "div",
    { class: "segmented wide", role: "group", aria: { label: "Display mode" } },
    /** @type {Mode[]} */ (["inline", "fullscreen", "pip"]).map((mode) =>
      h("button", { type: "button", data: { value: mode }, onclick: () => to.mode(mode) }, mode),
    ),
  );
  const slimModes = h("select", {
    class: "slim",
    aria: { label: "Display mode" },
    onchange: () => to.mode(/** @type {Mode} */ (slimModes.value)),
  });
  const screenshot = h(
    "button",
    {
      type: "button",
      class: "small",
      title: "Save a screenshot of the app",
      aria: { label: "Screenshot" },
      onclick: () => void saveScreenshot(store),
    },
    h("span", { class: "wide" }, "Screenshot"),
    h("span", { class: "slim" }, "⤓"),
  );
  const close = h(
    "button",
    {
      type: "button",
      class: "small",
      title: "Ask the app to close, then remove it",
      aria: { label: "Close" },
      onclick: to.close,
    },
    h("span", { class: "wide" }, "Close"),
    h("span", { class: "slim" }, "✕"),
  );
  const bar = h(
    "div",
    { class: "toolbar", role: "toolbar", aria: { label: "The app" } },
    title,
    status,
    findings,
    domains,
    doing,
    h("span", { class: "row tools" }, run, cancel, modes, slimModes, size, scale, screenshot, close),
  );
  store.watch(
    ["status", "outcome", "found", "view", "shown", "selected", "servers", "appInfo", "running", "argsError", "result"],
    (state) => {
      fill(
        title,
        name(state),
        isOther(state) &&
          h(
            "span",
            { class: "badge should", title: "The app shown belongs to another tool than the chosen one" },
            "not the chosen tool",
          ),
      );
      drawStatus(status, findings, state);
      run.textContent = state.shown && !isOther(state) ? "Run again" : "Run";
      run.disabled = !state.selected || state.argsError !== "";
      cancel.hidden = !state.running;
      close.hidden = screenshot.hidden = state.view === null;
    },
  );
  store.watch(["mode", "modes", "declaredModes", "settings", "scale"], (state) => {
    size.value = state.settings.size;
    scale.textContent = state.scale < 1 ? `${Math.round(state.scale * 100)} %` : "";
    drawModes(modes, state);
    fill(
      slimModes,
      ...state.modes.map((mode) =>
        h("option", { value: mode }, state.declaredModes.includes(mode) ? mode : `${mode} (not declared)`),
      ),
    );
    slimModes.value = state.mode;
  });
  store.watch(["view"], ({ view }) => {
    const wanted = externalDomains(view?.csp.declared ?? null);
    domains.hidden = wanted.length === 0;
    domains.textContent = wanted.length === 1 ? "1 outside domain" : `${wanted.length} outside domains`;
    domains.title = `The app declares these outside domains: ${wanted.join(", ")}`;
  });
  store.watch(["status", "running", "shown", "settings", "servers"], (state) => {
    const tool = state.servers
      .find((one) => one.id === state.shown?.server)
      ?.tools.find((one) => one.name === state.shown?.tool);
    const said =
      tool && (state.running || state.status === "ready") ? invocation(tool, playedProfile(state), state.running) : "";
    fill(doing, said || (state.running && state.status !== "loading" ? "calling the tool …" : ""));
    doing.title = doing.textContent ?? "";
  });
  return bar;
}

/** @param {PageState} state */
function name(state) {
  const tool =
    state.servers.find((one) => one.id === state.shown?.server)?.tools.find((one) => one.name === state.shown?.tool) ??
    (state.shown ? undefined : selection(state)?.tool);
  return textOf(
    state.appInfo?.title ?? tool?.title ?? tool?.annotations?.title ?? state.appInfo?.name ?? tool?.name ?? "No app",
  );
}

/**
 * Draws the status and the number of findings; an app can be ready and still break rules.
 * @param {HTMLElement} status @param {HTMLElement} findings @param {PageState} state
 */
function drawStatus(status, findings, state) {
  const outcome = state.status === "idle" || state.status === "loading" ? undefined : OUTCOMES[state.outcome];
  const { must, should } = state.found;
  const isRunning = state.status === "loading" && selection(state)?.tool.yardstick.isUi === false;
  status.textContent = outcome?.text ?? (isRunning ? "running" : STATUS[state.status]);
  status.dataset.status = outcome?.as ?? (state.status === "ready" && must > 0 ? "flawed" : state.status);
  findings.hidden = must + should === 0;
  findings.dataset.level = must > 0 ? "must" : "should";
  findings.textContent = [
    must > 0 && plural(must, "broken rule"),
    should > 0 && plural(should, "unfollowed advice", "unfollowed advice"),
  ]
    .filter(Boolean)
    .join(", ");
}

/** @param {number} count @param {string} one @param {string} [more] */
const plural = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** @param {HTMLElement} modes @param {PageState} state */
function drawModes(modes, state) {
  for (const button of modes.querySelectorAll("button")) {
    const own = /** @type {Mode} */ (button.dataset.value);
    button.setAttribute("aria-pressed", String(own === state.mode));
    button.disabled = own !== state.mode && !state.modes.includes(own);
    const undeclared = !state.declaredModes.includes(own);
    button.classList.toggle("undeclared", undeclared && !button.disabled);
    button.title = button.disabled
      ? "This host does not support this mode"
      : undeclared
        ? "The app did not declare this mode; you can try it anyway"
        : "";
  }
}

/** The outside domains that the app declares. @param {Record<string, any> | null} declared @returns {string[]} */
export function externalDomains(declared) {
  const lists = Object.values(declared ?? {})
    .filter(Array.isArray)
    .flat();
  return [...new Set(lists.filter((one) => typeof one === "string"))];
}
