// What the app and the servers write: the app's console and its failures, its log messages, what servers write to stderr, and
// what they write to stdout that is not a message.

import { eachFrame, empty, fill, h } from "../dom.js";

/** @import {Line} from "../types.d.ts" */
/** @import {Store} from "../store.js" */

/** How many lines are drawn; older ones are gone. */
const DRAWN = 300;
/** @type {Record<Line["from"], string>} */
const NAMES = { console: "app", log: "app log", stderr: "stderr", stdout: "stdout", host: "host" };

/** @param {Store} store */
export function consolePanel(store) {
  const element = h("div", { class: "panel", role: "log" });
  const draw = eachFrame(() => {
    const { lines } = store.get();
    if (lines.length === 0) return fill(element, empty("Nothing yet. The app's console and errors, its log messages and what the servers write to stderr are shown here."));
    fill(element, ...lines.slice(-DRAWN).map(({ from, level, logger, text, at }) => h("div", { class: `log-line ${level}`, data: { from } },
      h("span", { class: "muted mono" }, new Date(at).toLocaleTimeString()), h("span", { class: "log-from" }, NAMES[from]), h("span", { class: "log-level" }, level),
      h("span", { class: "mono wrap log-text" }, logger && h("span", { class: "muted" }, `${logger}: `), text))));
  });
  // An app may write thousands of lines at once; they are drawn together.
  store.watch(["lines"], draw);
  return element;
}
