// Tabs: one visible panel, the others one key away.

import { h } from "./dom.js";

/** @import {PageState, Store} from "./store.js" */

/**
 * Each panel is created when it is first shown.
 * @param {Store} store
 * @param {{id: string, title: string, panel: () => HTMLElement, keys?: (keyof PageState)[],
 *   count?: (state: PageState) => number}[]} tabs
 */
export function createTabs(store, tabs) {
  const buttons = tabs.map(({ id, title, keys, count }, at) => {
    const badge = h("span", { class: "count", hidden: true });
    const button = h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${id}`,
        tabindex: at === 0 ? "0" : "-1",
        aria: { controls: `panel-${id}`, selected: at === 0 },
        onclick: () => show(at),
      },
      title,
      badge,
    );
    if (keys && count) {
      store.watch(keys, (state) => {
        const number = count(state);
        badge.textContent = String(number);
        badge.hidden = number === 0;
      });
    }
    return button;
  });
  const panels = tabs.map(({ id, panel }, at) =>
    h(
      "div",
      { role: "tabpanel", id: `panel-${id}`, class: "tabpanel", hidden: at !== 0, aria: { labelledby: `tab-${id}` } },
      at === 0 && panel(),
    ),
  );
  const show = (/** @type {number} */ at) => {
    if (panels[at].childElementCount === 0) panels[at].append(tabs[at].panel());
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === at));
      button.tabIndex = i === at ? 0 : -1;
      panels[i].hidden = i !== at;
    });
  };
  const bar = h("div", { class: "tabs", role: "tablist", aria: { label: "What happens" } }, buttons);
  bar.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = /** @type {Record<string, number>} */ ({
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: buttons.length - 1,
    })[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = (to + buttons.length) % buttons.length;
    show(next);
    buttons[next].focus();
  });
  return {
    element: h("section", { class: "side", aria: { label: "Inspection" } }, bar, ...panels),
    show: (/** @type {string} */ id) => show(tabs.findIndex((tab) => tab.id === id)),
  };
}
