// Keyboard shortcuts of the page, and the dialog that lists them.

import { h } from "./dom.js";
import { isTyping, watchFocus } from "./focus.js";

/** @typedef {{key: string, does: string, call: () => void}} Shortcut */

/** @param {Shortcut[]} shortcuts @param {() => boolean} escape does what Escape should do; says whether it did
 * anything */
export function listenKeys(shortcuts, escape) {
  const sheet = h("dialog", { class: "sheet", aria: { label: "Keys" } },
    h("h2", {}, "Keys"),
    h(
      "dl",
      {},
      [...shortcuts, { key: "Esc", does: "Leave fullscreen or picture-in-picture, close a row" }].flatMap(
        ({ key, does }) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)],
      ),
    ),
    h("form", { method: "dialog" }, h("button", { class: "small" }, "Close")),
  );
  document.body.append(sheet);
  const all = [...shortcuts, { key: "?", does: "Show the keyboard shortcuts", call: () => sheet.showModal() }];
  const isTaken = watchFocus();
  document.addEventListener("keydown", ignoreHeldKey, true);
  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      if (isTyping(event.target) && event.target instanceof HTMLElement) return event.target.blur();
      if (!sheet.open && escape()) event.preventDefault();
      return;
    }
    if (isTyping(event.target) || sheet.open || isTaken()) return;
    const found = all.find(({ key }) => key.toLowerCase() === event.key.toLowerCase());
    if (!found) return;
    event.preventDefault();
    found.call();
  });
  return { sheet: () => sheet.showModal() };
}

/** A key that is held down presses no button and sends no form: the person pressed it once, and perhaps for something
 * that is gone by now. @param {KeyboardEvent} event */
function ignoreHeldKey(event) {
  const { target, key, repeat } = event;
  const writes = target instanceof HTMLTextAreaElement || (key === " " && isTyping(target));
  if (repeat && (key === "Enter" || key === " ") && !writes) event.preventDefault();
}
