// The settings that apply to every app: theme, host profile, and the rarer ones under Options.

import { fill, h } from "./dom.js";
import { GRANTS, KINDS, SWITCHES, isKnown } from "./link.js";
import { profileOf, toldAtStart } from "./store.js";

/** @import {Settings} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

const LOCALES = [
  "en-US",
  "en-GB",
  "de-DE",
  "fr-FR",
  "es-ES",
  "pt-BR",
  "ja-JP",
  "zh-CN",
  "ko-KR",
  "hi-IN",
  "ar-EG",
  "he-IL",
];
const ZONES = [
  "UTC",
  "America/New_York",
  "America/Los_Angeles",
  "America/Sao_Paulo",
  "Europe/London",
  "Europe/Zurich",
  "Asia/Kolkata",
  "Asia/Tokyo",
  "Australia/Sydney",
];

/** @param {Store} store @param {() => void} run */
export function createSurroundings(store, run) {
  const apply = h(
    "button",
    {
      type: "button",
      class: "small primary",
      title: "An app learns about the host and its capabilities only when it starts",
      onclick: run,
    },
    "Run again to apply",
  );
  const profiles = h("select", { onchange: (/** @type {Event} */ event) => store.choose({ profile: valueOf(event) }) });
  const element = h("div", { class: "surroundings", role: "toolbar", aria: { label: "Settings for every app" } },
    apply,
    segmented("Theme", ["auto", "light", "dark"], (theme) => store.choose({ theme })),
    labelled("Host", profiles),
    optionsMenu(store));
  store.watch(["settings", "view", "shown"], (state) => {
    apply.hidden = state.view === null || state.shown?.told === toldAtStart(state.settings);
    press(element, "Theme", state.settings.theme);
  });
  store.watch(["host", "settings"], (state) => {
    const current = profileOf(state);
    fill(
      profiles,
      ...(state.host?.profiles ?? []).map((profile) =>
        h("option", { value: profile.name }, profile.title ?? profile.name),
      ),
    );
    profiles.value = current?.name ?? "";
    const gaps = current?.gaps?.length
      ? `Unknown or not simulated:\n${current.gaps.map((gap) => `- ${gap}`).join("\n")}`
      : "";
    profiles.title = [current?.description, current?.date && `As of ${current.date}.`, gaps].filter(Boolean).join("\n");
  });
  return element;
}

/** @param {Event} event */
const valueOf = (event) => /** @type {HTMLSelectElement} */ (event.target).value;

/** @param {string} text @param {HTMLElement} control */
const labelled = (text, control) => h("label", { class: "labelled" }, h("span", {}, text), control);

/** @template {string} T @param {string} label @param {T[]} values @param {(value: T) => void} choose */
function segmented(label, values, choose) {
  return h("div", { class: "segmented", role: "group", aria: { label } },
    values.map((value) => h("button", { type: "button", data: { value }, onclick: () => choose(value) }, value)));
}

/** @param {HTMLElement} bar @param {string} label @param {string} value */
function press(bar, label, value) {
  for (const button of bar.querySelectorAll(`[aria-label="${label}"] button`)) {
    if (button instanceof HTMLButtonElement)
      button.setAttribute("aria-pressed", String(button.dataset.value === value));
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
  const focused =
    document.activeElement instanceof HTMLElement && menu.contains(document.activeElement)
      ? document.activeElement.dataset.key
      : undefined;
  const checks = (
    /** @type {string} */ title,
    /** @type {string[]} */ names,
    /** @type {"off" | "deny" | "always"} */ key,
    /** @type {boolean} */ invert,
  ) =>
    h(
      "fieldset",
      {},
      h("legend", {}, title),
      h(
        "div",
        { class: "checks" },
        names.map((name) => {
          const box = h("input", {
            type: "checkbox",
            data: { key: `${key}-${name}` },
            checked: settings[key].includes(name) !== invert,
            onchange: () =>
              store.choose({
                [key]: box.checked !== invert ? [...settings[key], name] : settings[key].filter((one) => one !== name),
              }),
          });
          return h("label", { class: "check" }, box, name);
        }),
      ),
    );
  const stream = h("input", {
    type: "checkbox",
    data: { key: "stream" },
    checked: settings.stream,
    onchange: () => store.choose({ stream: stream.checked }),
  });
  fill(
    menu,
    h(
      "div",
      { class: "row" },
      suggest("Locale", "locales", LOCALES, settings.locale, (locale) => store.choose({ locale })),
      suggest("Time zone", "zones", ZONES, settings.timeZone, (timeZone) => store.choose({ timeZone })),
    ),
    h("label", { class: "check" }, stream, "Stream the arguments as a model writes them"),
    checks(
      "Capabilities (declared when the app starts)",
      SWITCHES.filter((name) => name !== "sampling" || sampling),
      "off",
      true,
    ),
    checks(
      "Deny requests",
      KINDS.filter((name) => name !== "sampling" || sampling),
      "deny",
      false,
    ),
    checks("Allow without asking", GRANTS, "always", false),
  );
  if (focused) /** @type {HTMLElement | null} */ (menu.querySelector(`[data-key="${focused}"]`))?.focus();
}

/** @param {string} label @param {string} id @param {string[]} values @param {string} value
 * @param {(value: string) => void} choose */
function suggest(label, id, values, value, choose) {
  const box = h("input", {
    list: id,
    aria: { label },
    data: { key: id },
    value,
    onchange: () =>
      box.value.trim() && isKnown(id === "locales" ? "locale" : "timeZone", box.value.trim())
        ? choose(box.value.trim())
        : (box.value = value),
  });
  return h(
    "label",
    { class: "labelled" },
    h("span", {}, label),
    box,
    h(
      "datalist",
      { id },
      values.map((one) => h("option", { value: one })),
    ),
  );
}
