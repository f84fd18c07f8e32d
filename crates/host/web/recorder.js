// Writes down every message that the page sees or sends, in order, and hands them to the host in batches.

import { eachFrame } from "./dom.js";

/** @import {Finding, Json, Lane, LogEntry} from "./types.d.ts" */
/** @import {Api} from "./api.js" */

/** Longer HTML is cut: the host has it anyway. */
const HTML = 2048;
/** How many messages go in one batch. */
const BATCH = 400;

/** @typedef {ReturnType<typeof createRecorder>} Recorder */

/** @param {Api} api @param {string} view */
export function createRecorder(api, view) {
  const start = performance.now();
  let seq = 0;
  /** @type {LogEntry[]} */
  let waiting = [];
  /** The last message that has arrived. */
  let arrived = 0;
  let sending = false;
  /** @type {{upTo: number, tell: () => void}[]} */
  let waiters = [];

  /** One batch after the other, so that they arrive in order; what comes in the meantime goes with the next. */
  const pump = async () => {
    sending = true;
    while (waiting.length > 0) {
      const entries = waiting.splice(0, BATCH);
      // The host may be gone; the stream of events tells the person so.
      await api.log(view, entries).catch(() => {});
      arrived = entries[entries.length - 1].seq;
      waiters.filter(({ upTo }) => upTo <= arrived).forEach(({ tell }) => tell());
      waiters = waiters.filter(({ upTo }) => upTo > arrived);
    }
    sending = false;
  };
  /** Resolves when all that has been written down so far has arrived. @returns {Promise<void>} */
  const flush = () => {
    const upTo = seq;
    if (!sending) void pump();
    return arrived >= upTo ? Promise.resolve() : new Promise((tell) => waiters.push({ upTo, tell }));
  };
  const soon = eachFrame(() => void flush());
  return {
    /** Writes a message down, with what there is to say about it. @param {Lane} from @param {Lane} to @param {Json} message @param {Finding[]} [findings] */
    add(from, to, message, findings = []) {
      /** @type {LogEntry} */
      const entry = { seq: ++seq, at: Math.round((performance.now() - start) * 10) / 10, from, to, message: cut(message) };
      if (findings.length > 0) entry.findings = findings;
      const broken = findings.filter((one) => one.level === "must").map((one) => one.text);
      if (broken.length > 0) entry.note = broken.join("; ");
      waiting.push(entry);
      soon();
      return entry;
    },
    flush,
  };
}

/** Longer messages are cut: a batch has to fit into one request. */
const LONGEST = 1_000_000;

/** Deeper messages are not kept as they are: a reader of JSON has a limit, and one message must not cost a batch. */
const DEEPEST = 100;

/** @param {Json} value @param {number} room @returns {boolean} */
const isDeep = (value, room) => typeof value === "object" && value !== null && (room === 0 || Object.values(value).some((inner) => isDeep(inner, room - 1)));

/** A message without what is too long to be kept, and never nothing: the host wants to see that there was one. @param {Json} message */
function cut(message) {
  const html = message?.params?.html;
  if (typeof html === "string" && html.length > HTML) {
    return { ...message, params: { ...message.params, html: `${html.slice(0, HTML)}… (${html.length} characters)` } };
  }
  const text = JSON.stringify(message) ?? "null";
  if (text.length <= LONGEST && !isDeep(message, DEEPEST)) return message ?? null;
  return { yardstick: "cut", beginning: `${text.slice(0, HTML)}… (${text.length} characters)` };
}
