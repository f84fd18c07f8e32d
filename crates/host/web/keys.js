// Keyboard shortcuts of the page, and the dialog that lists them.

import { h } from "./dom.js";

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
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
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

/**
 * An app can move the focus from itself to this page, and so turn what the person types there into shortcuts. Returns
 * whether the focus left an app without a click or the Tab key of the person.
 */
function watchFocus() {
  let taken = false;
  window.addEventListener("blur", () => (taken ||= document.activeElement instanceof HTMLIFrameElement));
  document.addEventListener("pointerdown", () => (taken = false), true);
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLIFrameElement)) taken = false;
  });
  return () => taken;
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) &&
        !(target instanceof HTMLInputElement && target.type === "checkbox")))
  );
}
