// Writes down every message that the page sees or sends, in order, and hands them to the host in batches.

import { eachFrame } from "./dom.js";

/** @import {Json, Lane, LogEntry} from "./types.d.ts" */
/** @import {Api} from "./api.js" */

/** Longer HTML is cut: the host has it anyway. */
const HTML = 2048;

/** @typedef {ReturnType<typeof createRecorder>} Recorder */

/** @param {Api} api @param {string} view */
export function createRecorder(api, view) {
  const start = performance.now();
  let seq = 0;
  /** @type {LogEntry[]} */
  let waiting = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const entries = waiting;
    waiting = [];
    // The host may be gone; the stream of events tells the person so.
    api.log(view, entries).catch(() => {});
  };
  const soon = eachFrame(flush);
  return {
    /** Writes a message down and gives its number. @param {Lane} from @param {Lane} to @param {Json} message @param {string} [note] */
    add(from, to, message, note) {
      const entry = { seq: ++seq, at: Math.round((performance.now() - start) * 10) / 10, from, to, message: cut(message), ...(note ? { note } : {}) };
      waiting.push(entry);
      soon();
      return entry;
    },
    flush,
  };
}

/** Longer messages are cut: a batch has to fit into one request. */
const LONGEST = 1_000_000;

/** A message without what is too long to be kept, and never nothing: the host wants to see that there was one. @param {Json} message */
function cut(message) {
  const html = message?.params?.html;
  if (typeof html === "string" && html.length > HTML) {
    return { ...message, params: { ...message.params, html: `${html.slice(0, HTML)}… (${html.length} characters)` } };
  }
  const text = JSON.stringify(message) ?? "null";
  if (text.length <= LONGEST) return message ?? null;
  return { yardstick: "cut", beginning: `${text.slice(0, HTML)}… (${text.length} characters)` };
}
