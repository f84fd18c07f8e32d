// What the app and the servers write, gathered: thousands of lines at once cost the page one drawing.

import { eachFrame } from "./dom.js";

/** @import {Line} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

/** How many lines are kept. */
const MOST = 1000;

/** @param {Store} store */
export function createLines(store) {
  /** @type {Line[]} */
  let waiting = [];
  const flush = eachFrame(() => {
    store.set({ lines: [...store.get().lines, ...waiting].slice(-MOST) });
    waiting = [];
  });
  return (/** @type {Omit<Line, "at">} */ line) => {
    waiting.push({ ...line, at: Date.now() });
    if (waiting.length > MOST) waiting = waiting.slice(-MOST);
    flush();
  };
}
