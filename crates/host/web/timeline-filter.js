// The timeline's filter, behind one button that shows when rows are filtered out.

import { h } from "./dom.js";
import { KINDS, LANES } from "./timeline-model.js";

/** @import {Filter} from "./timeline-model.js" */

/** @param {Filter} filter is written to @param {Record<string, string>} words for the kinds
 * @param {() => void} changed */
export function createFilterMenu(filter, words, changed) {
  const button = h("button", { type: "button", class: "small", aria: { expanded: "false" }, onclick: flip }, "Filter");
  const only = chip("only findings", "only messages with findings", () => void (filter.findings = !filter.findings));
  const kinds = KINDS.map((name) => chip(words[name], "", () => toggle("kinds", name)));
  const lanes = LANES.map((name) => chip(name, `messages from or to the ${name}`, () => toggle("lanes", name)));
  const element = h("div", { class: "tl-menu", hidden: true },
    h("div", { class: "chips", role: "group", aria: { label: "Kinds of messages" } }, kinds),
    h("div", { class: "chips", role: "group", aria: { label: "From or to" } }, lanes, only));

  /** @param {string} label @param {string} title @param {() => void} set */
  function chip(label, title, set) {
    return h("button", { type: "button", class: "chip", title, onclick: () => (set(), changed()) }, label);
  }

  /** @param {"lanes" | "kinds"} key @param {string} name */
  function toggle(key, name) {
    filter[key] = filter[key].includes(name) ? filter[key].filter((one) => one !== name) : [...filter[key], name];
  }

  function flip() {
    element.hidden = !element.hidden;
    button.setAttribute("aria-expanded", String(!element.hidden));
  }

  /** Updates the button to the state of the filter. */
  function refresh() {
    KINDS.forEach((name, i) => kinds[i].setAttribute("aria-pressed", String(filter.kinds.includes(name))));
    LANES.forEach((name, i) => lanes[i].setAttribute("aria-pressed", String(filter.lanes.includes(name))));
    only.setAttribute("aria-pressed", String(filter.findings));
    const count = LANES.length - filter.lanes.length + KINDS.length - filter.kinds.length + (filter.findings ? 1 : 0);
    button.textContent = count === 0 ? "Filter" : `Filter (${count} on)`;
    button.classList.toggle("on", count > 0);
  }

  only.classList.add("only");
  refresh();
  return { button, element, refresh };
}
