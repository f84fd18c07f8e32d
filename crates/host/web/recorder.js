// Writes down every message that the page sees or sends, in order, and hands them to the host in batches. What comes faster
// than the host takes it is counted in the place of being kept.

import { eachFrame } from "./dom.js";

/** @import {Finding, Json, Lane, LogEntry} from "./types.d.ts" */
/** @import {Api} from "./api.js" */

/** Longer HTML is cut: the host has it anyway. */
const HTML = 2048;
/** What goes in one batch at most: messages, and their characters. */
const BATCH = 400;
const BATCH_TEXT = 4_000_000;
/** What waits at most. */
const WAITING = 4000;
const WAITING_TEXT = 16_000_000;

/** A message, and how long it is as JSON. @typedef {{entry: LogEntry, length: number}} Waiting */
/** @typedef {ReturnType<typeof createRecorder>} Recorder */

/** @param {Api} api @param {string} view */
export function createRecorder(api, view) {
  const start = performance.now();
  let seq = 0;
  /** @type {Waiting[]} */
  let waiting = [];
  /** The characters of all that waits. */
  let text = 0;
  /** How many messages have not been kept since the last one that was. */
  let skipped = 0;
  /** The last message that has arrived. */
  let arrived = 0;
  let sending = false;
  /** @type {{upTo: number, tell: () => void}[]} */
  let waiters = [];

  /** @param {Lane} from @param {Lane} to @param {Json} message @param {number} length @param {Finding[]} findings */
  const keep = (from, to, message, length, findings) => {
    /** @type {LogEntry} */
    const entry = { seq: ++seq, at: Math.round((performance.now() - start) * 10) / 10, from, to, message };
    if (findings.length > 0) entry.findings = findings;
    const broken = findings.filter((one) => one.level === "must").map((one) => one.text);
    if (broken.length > 0) entry.note = broken.join("; ");
    waiting.push({ entry, length });
    text += length;
    return entry;
  };
  const tellSkipped = () => {
    if (skipped === 0) return;
    const finding = /** @type {Finding} */ ({ level: "note", text: `${skipped} messages came faster than they could be kept, and are not in the record` });
    keep("host", "host", { yardstick: "dropped", count: skipped }, 0, [finding]);
    skipped = 0;
  };
  /** The oldest of what waits, as much as one request may carry. */
  const take = () => {
    let [count, length] = [0, 0];
    while (count < Math.min(waiting.length, BATCH) && (count === 0 || length + waiting[count].length <= BATCH_TEXT)) length += waiting[count++].length;
    text -= length;
    return waiting.splice(0, count).map(({ entry }) => entry);
  };
  /** One batch after the other, so that they arrive in order; what comes in the meantime goes with the next. */
  const pump = async () => {
    sending = true;
    while (waiting.length > 0) {
      const entries = take();
      if (waiting.length === 0) tellSkipped();
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
    /** Writes a message down, with what there is to say about it, unless too much waits already. @param {Lane} from @param {Lane} to @param {Json} message @param {Finding[]} [findings] @returns {LogEntry | undefined} */
    add(from, to, message, findings = []) {
      soon();
      if (waiting.length >= WAITING) return void (skipped += 1);
      const { shown, length } = cut(message);
      if (text + length > WAITING_TEXT) return void (skipped += 1);
      tellSkipped();
      return keep(from, to, shown, length, findings);
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

/** A message without what is too long to be kept, and never nothing: the host wants to see that there was one. @param {Json} message @returns {{shown: Json, length: number}} */
function cut(message) {
  const html = message?.params?.html;
  if (typeof html === "string" && html.length > HTML) {
    return { shown: { ...message, params: { ...message.params, html: `${html.slice(0, HTML)}… (${html.length} characters)` } }, length: 2 * HTML };
  }
  const text = JSON.stringify(message) ?? "null";
  if (text.length <= LONGEST && !isDeep(message, DEEPEST)) return { shown: message ?? null, length: text.length };
  return { shown: { yardstick: "cut", beginning: `${text.slice(0, HTML)}… (${text.length} characters)` }, length: HTML };
}
