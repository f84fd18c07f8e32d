// What the app logged.

import { eachFrame, empty, fill, h } from "../dom.js";

/** @import {Store} from "../store.js" */

/** How many lines are drawn; older ones are still in the timeline. */
const DRAWN = 300;

/** @param {Store} store */
export function logPanel(store) {
  const element = h("div", { class: "panel", role: "log" });
  const draw = eachFrame(() => {
    const { logs } = store.get();
    if (logs.length === 0) return fill(element, empty("The app has logged nothing (notifications/message)."));
    fill(element, ...logs.slice(-DRAWN).map(({ level, logger, data, at }) => h("div", { class: `log-line ${level}` },
      h("span", { class: "muted mono" }, new Date(at).toLocaleTimeString()), h("span", { class: "log-level" }, level),
      logger && h("span", { class: "muted" }, logger), h("span", { class: "mono wrap" }, typeof data === "string" ? data : JSON.stringify(data)))));
  });
  // An app may log thousands of lines at once; they are drawn together.
  store.watch(["logs"], draw);
  return element;
}
