// Collects the lines of the app and the servers, so that thousands of lines cost one redraw.

import { eachFrame } from "./dom.js";

/** @import {Line} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

/** How many lines are kept. */
const MAX_LINES = 1000;

/** @param {Store} store */
export function createLines(store) {
  /** @type {Line[]} */
  let waiting = [];
  const flush = eachFrame(() => {
    store.set({ lines: [...store.get().lines, ...waiting].slice(-MAX_LINES) });
    waiting = [];
  });
  return (/** @type {Omit<Line, "at">} */ line) => {
    waiting.push({ ...line, at: Date.now() });
    if (waiting.length > MAX_LINES) waiting = waiting.slice(-MAX_LINES);
    flush();
  };
}
