// The surroundings of the app that a person can turn: theme, mode, size, profile, and the rarer ones behind Options.

import { invocation } from "./context.js";
import { fill, h } from "./dom.js";
import { GRANTS, KINDS, SWITCHES, isKnown } from "./link.js";
import { playedProfile, profileOf, toldAtStart } from "./store.js";

/** @import {Mode, Settings} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

/** @type {Record<string, string>} */
const STATUS = {
  idle: "no app", loading: "loading", initialized: "waiting", ready: "ready", failed: "failed",
};
/** What a call came to that is not as wished, and as what it is coloured. @type {Record<string, {text: string, as: string}>} */
const OUTCOMES = { failed: { text: "tool error", as: "failed" }, cancelled: { text: "cancelled", as: "idle" } };
const LOCALES = ["en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "pt-BR", "ja-JP", "zh-CN", "ko-KR", "hi-IN", "ar-EG", "he-IL"];
const ZONES = ["UTC", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo", "Europe/London", "Europe/Zurich", "Asia/Kolkata", "Asia/Tokyo", "Australia/Sydney"];

/** What the person can turn: what holds for every app, and what is about the one on the stage. @param {Store} store @param {{mode: (mode: Mode) => void, close: () => void, run: () => void}} to */
export function createToolbar(store, to) {
  const status = h("span", { class: "status", role: "status" });
  const doing = h("span", { class: "doing" });
  const close = h("button", { type: "button", class: "small", title: "Tear the app down", onclick: to.close }, "Close app");
  const apply = h("button", { type: "button", class: "small primary", title: "An app learns of the host and its capabilities only when it starts", onclick: to.run }, "Run again to apply");
  const size = picker(["desktop", "tablet", "phone", "free"], (value) => store.choose({ size: /** @type {Settings["size"]} */ (value) }));
  const profiles = h("select", { onchange: (/** @type {Event} */ event) => store.choose({ profile: valueOf(event) }) });
  const surroundings = h("div", { class: "surroundings", role: "toolbar", aria: { label: "Surroundings of every app" } },
    apply,
    segmented("Theme", ["auto", "light", "dark"], (theme) => store.choose({ theme })),
    labelled("Host", profiles),
    optionsMenu(store));
  const app = h("div", { class: "toolbar", role: "toolbar", aria: { label: "The app" } },
    status,
    segmented("Display mode", ["inline", "fullscreen", "pip"], to.mode),
    labelled("Size", size),
    doing,
    close);
  store.watch(["status", "outcome", "settings", "mode", "modes", "view", "host", "shown"], (state) => {
    apply.hidden = state.view === null || state.shown?.told === toldAtStart(state.settings);
    const outcome = state.status === "idle" || state.status === "loading" ? undefined : OUTCOMES[state.outcome];
    status.textContent = outcome?.text ?? STATUS[state.status];
    status.dataset.status = outcome?.as ?? state.status;
    close.hidden = state.view === null;
    press(surroundings, "Theme", state.settings.theme);
    press(app, "Display mode", state.mode, state.modes);
    size.value = state.settings.size;
  });
  store.watch(["status", "running", "shown", "settings", "servers"], (state) => {
    const tool = state.servers.find((one) => one.id === state.shown?.server)?.tools.find((one) => one.name === state.shown?.tool);
    const said = tool && (state.running || state.status === "ready") ? invocation(tool, playedProfile(state), state.running) : "";
    doing.textContent = said || (state.running && state.status !== "loading" ? "calling the tool …" : "");
    doing.title = doing.textContent;
  });
  store.watch(["host", "settings"], (state) => {
    const current = profileOf(state);
    fill(profiles, ...(state.host?.profiles ?? []).map((profile) => h("option", { value: profile.name }, profile.title ?? profile.name)));
    profiles.value = current?.name ?? "";
    const gaps = current?.gaps?.length ? `Not known or not played:\n${current.gaps.map((gap) => `- ${gap}`).join("\n")}` : "";
    profiles.title = [current?.description, current?.date && `As of ${current.date}.`, gaps].filter(Boolean).join("\n");
  });
  return { surroundings, app };
}

/** @param {Event} event */
const valueOf = (event) => /** @type {HTMLSelectElement} */ (event.target).value;

/** @param {string} text @param {HTMLElement} control */
const labelled = (text, control) => h("label", { class: "labelled" }, h("span", {}, text), control);

/** @param {string[]} values @param {(value: string) => void} choose */
function picker(values, choose) {
  return h("select", { onchange: (/** @type {Event} */ event) => choose(valueOf(event)) }, values.map((value) => h("option", { value }, value)));
}

/** @template {string} T @param {string} label @param {T[]} values @param {(value: T) => void} choose */
function segmented(label, values, choose) {
  return h("div", { class: "segmented", role: "group", aria: { label } },
    values.map((value) => h("button", { type: "button", data: { value }, onclick: () => choose(value) }, value)));
}

/** @param {HTMLElement} bar @param {string} label @param {string} value @param {string[]} [possible] */
function press(bar, label, value, possible) {
  for (const button of bar.querySelectorAll(`[aria-label="${label}"] button`)) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const own = button.dataset.value ?? "";
    button.setAttribute("aria-pressed", String(own === value));
    button.disabled = possible !== undefined && own !== value && !possible.includes(own);
    button.title = button.disabled ? "app and host do not both have this mode" : "";
  }
}

/** @param {Store} store */
function optionsMenu(store) {
  const menu = h("div", { id: "options", class: "menu", popover: "auto", role: "dialog", aria: { label: "Options" } });
  const button = h("button", { type: "button", class: "small", popovertarget: "options" }, "Options");
  const changed = h("span", { class: "badge note", hidden: true });
  menu.addEventListener("toggle", () => place(menu, button));
  store.watch(["settings", "host"], ({ settings, host }) => {
    const count = settings.off.length + settings.deny.length + settings.always.length + (settings.stream ? 1 : 0);
    changed.textContent = String(count);
    changed.hidden = count === 0;
    drawOptions(menu, store, settings, Boolean(host?.options.allowSampling));
  });
  return h("span", { class: "options" }, button, changed, menu);
}

/** @param {HTMLElement} menu @param {HTMLElement} button */
function place(menu, button) {
  const rect = button.getBoundingClientRect();
  const width = Math.min(380, window.innerWidth - 16);
  menu.style.width = `${width}px`;
  menu.style.left = `${Math.max(8, Math.min(rect.left, window.innerWidth - width - 8))}px`;
  menu.style.top = `${rect.bottom + 4}px`;
  menu.style.maxHeight = `${window.innerHeight - rect.bottom - 16}px`;
}

/** @param {HTMLElement} menu @param {Store} store @param {Settings} settings @param {boolean} sampling */
function drawOptions(menu, store, settings, sampling) {
  const focused = document.activeElement instanceof HTMLElement && menu.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const checks = (/** @type {string} */ title, /** @type {string[]} */ names, /** @type {"off" | "deny" | "always"} */ key, /** @type {boolean} */ invert) =>
    h("fieldset", {}, h("legend", {}, title), h("div", { class: "checks" }, names.map((name) => {
      const box = h("input", {
        type: "checkbox", data: { key: `${key}-${name}` }, checked: settings[key].includes(name) !== invert,
        onchange: () => store.choose({ [key]: box.checked !== invert ? [...settings[key], name] : settings[key].filter((one) => one !== name) }),
      });
      return h("label", { class: "check" }, box, name);
    })));
  const stream = h("input", { type: "checkbox", data: { key: "stream" }, checked: settings.stream, onchange: () => store.choose({ stream: stream.checked }) });
  fill(menu,
    h("div", { class: "row" }, suggest("Locale", "locales", LOCALES, settings.locale, (locale) => store.choose({ locale })),
      suggest("Time zone", "zones", ZONES, settings.timeZone, (timeZone) => store.choose({ timeZone }))),
    h("label", { class: "check" }, stream, "Stream the arguments as a model writes them"),
    checks("Capabilities (told to the app when it starts)", SWITCHES.filter((name) => name !== "sampling" || sampling), "off", true),
    checks("Deny requests", KINDS.filter((name) => name !== "sampling" || sampling), "deny", false),
    checks("Allow without asking", GRANTS, "always", false));
  if (focused) /** @type {HTMLElement | null} */ (menu.querySelector(`[data-key="${focused}"]`))?.focus();
}

/** @param {string} label @param {string} id @param {string[]} values @param {string} value @param {(value: string) => void} choose */
function suggest(label, id, values, value, choose) {
  const box = h("input", { list: id, data: { key: id }, value, onchange: () => box.value.trim() && isKnown(id === "locales" ? "locale" : "timeZone", box.value.trim()) ? choose(box.value.trim()) : (box.value = value) });
  return h("label", { class: "labelled" }, h("span", {}, label), box, h("datalist", { id }, values.map((one) => h("option", { value: one }))));
}
