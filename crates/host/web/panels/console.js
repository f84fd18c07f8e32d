// The Console tab: the app's console, errors and log messages, and the servers' stderr and stray stdout lines.

import { eachFrame, empty, fill, h } from "../dom.js";

/** @import {Line} from "../types.d.ts" */
/** @import {Store} from "../store.js" */

/** How many of the newest lines are shown. */
const MAX_SHOWN_LINES = 300;
/** @type {Record<Line["from"], string>} */
const NAMES = { console: "app", log: "app log", stderr: "stderr", stdout: "stdout", host: "host" };

/** @param {Store} store */
export function consolePanel(store) {
  const element = h("div", { class: "panel", role: "log" });
  const draw = eachFrame(() => {
    const { lines } = store.get();
    if (lines.length === 0)
      return fill(
        element,
        empty("Nothing yet. This tab shows the app's console, errors and log messages, and the servers' stderr."),
      );
    fill(
      element,
      ...lines
        .slice(-MAX_SHOWN_LINES)
        .map(({ from, level, logger, text, at }) =>
          h(
            "div",
            { class: `log-line ${level}`, data: { from } },
            h("span", { class: "muted mono" }, new Date(at).toLocaleTimeString()),
            h("span", { class: "log-from" }, NAMES[from]),
            h("span", { class: "log-level" }, level),
            h("span", { class: "mono wrap log-text" }, logger && h("span", { class: "muted" }, `${logger}: `), text),
          ),
        ),
    );
  });
  // An app may write thousands of lines at once; they are drawn together.
  store.watch(["lines"], draw);
  return element;
}
