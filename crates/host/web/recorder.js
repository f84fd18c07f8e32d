// Records every message that the page sends or receives, in order, and sends them to the host in batches. Messages that
// arrive faster than the host accepts them are only counted.

import { eachFrame } from "./dom.js";

/** @import {Json, Lane, LogEntry} from "./types.d.ts" */
/** @import {Api} from "./api.js" */

/** Longer HTML is cut; the host has it anyway. */
const MAX_HTML_CHARS = 2048;
/** The limits of one batch: messages, and their characters. */
const MAX_BATCH_ENTRIES = 400;
const MAX_BATCH_CHARS = 4_000_000;
/** The limits of the queue: messages, and their characters. */
const MAX_QUEUED_ENTRIES = 4000;
const MAX_QUEUED_CHARS = 16_000_000;

/** A message and the length of its JSON. @typedef {{entry: LogEntry, length: number}} Waiting */
/** @typedef {ReturnType<typeof createRecorder>} Recorder */

/** @param {Api} api @param {string} view */
export function createRecorder(api, view) {
  const start = performance.now();
  let seq = 0;
  /** @type {Waiting[]} */
  let waiting = [];
  /** The characters of the queued messages. */
  let text = 0;
  /** How many messages were dropped since the last recorded one. */
  let skipped = 0;
  /** The sequence number of the last message that the host has. */
  let arrived = 0;
  let sending = false;
  /** @type {{upTo: number, tell: () => void}[]} */
  let waiters = [];

  /** @param {Lane} from @param {Lane} to @param {Json} message @param {number} length @param {string[]} notes */
  const keep = (from, to, message, length, notes) => {
    /** @type {LogEntry} */
    const entry = { seq: ++seq, at: Math.round((performance.now() - start) * 10) / 10, from, to, message };
    if (notes.length > 0) entry.notes = notes;
    waiting.push({ entry, length });
    text += length;
    return entry;
  };
  const tellSkipped = () => {
    if (skipped === 0) return;
    keep("host", "host", { yardstick: "dropped", count: skipped }, 0, [
      `${skipped} messages arrived faster than they could be recorded, and are missing here`,
    ]);
    skipped = 0;
  };
  /** Takes the oldest queued messages that fit into one request. */
  const take = () => {
    let [count, length] = [0, 0];
    while (
      count < Math.min(waiting.length, MAX_BATCH_ENTRIES) &&
      (count === 0 || length + waiting[count].length <= MAX_BATCH_CHARS)
    )
      length += waiting[count++].length;
    text -= length;
    return waiting.splice(0, count).map(({ entry }) => entry);
  };
  /** Sends one batch after the other, so that they arrive in order. */
  const pump = async () => {
    sending = true;
    while (waiting.length > 0) {
      const entries = take();
      if (waiting.length === 0) tellSkipped();
      // The host may be gone; the event stream reports that to the person.
      await api.log(view, entries).catch(() => {});
      arrived = entries[entries.length - 1].seq;
      waiters.filter(({ upTo }) => upTo <= arrived).forEach(({ tell }) => tell());
      waiters = waiters.filter(({ upTo }) => upTo > arrived);
    }
    sending = false;
  };
  /** Resolves when the host has all messages recorded so far. @returns {Promise<void>} */
  const flush = () => {
    const upTo = seq;
    if (!sending) void pump();
    return arrived >= upTo ? Promise.resolve() : new Promise((tell) => waiters.push({ upTo, tell }));
  };
  const soon = eachFrame(() => void flush());
  return {
    /**
     * Records a message with notes on what the host did about it, unless the queue is full.
     * @param {Lane} from @param {Lane} to @param {Json} message @param {string[]} [notes]
     *   @returns {LogEntry | undefined}
     */
    add(from, to, message, notes = []) {
      soon();
      if (waiting.length >= MAX_QUEUED_ENTRIES) return void (skipped += 1);
      const { shown, length } = cut(message);
      if (text + length > MAX_QUEUED_CHARS) return void (skipped += 1);
      tellSkipped();
      return keep(from, to, shown, length, notes);
    },
    flush,
  };
}

/** Longer messages are cut, because a batch has to fit into one request. */
const MAX_ENTRY_CHARS = 1_000_000;

/** Deeper messages are replaced, because JSON parsers limit nesting and one message must not fail a batch. */
const MAX_DEPTH = 100;

/** @param {Json} value @param {number} room @returns {boolean} */
const isDeep = (value, room) =>
  typeof value === "object" &&
  value !== null &&
  (room === 0 || Object.values(value).some((inner) => isDeep(inner, room - 1)));

/**
 * The message without what is too long. It is never empty: the host should see that there was one.
 * @param {Json} message @returns {{shown: Json, length: number}}
 */
function cut(message) {
  const html = message?.params?.html;
  if (typeof html === "string" && html.length > MAX_HTML_CHARS) {
    return {
      shown: {
        ...message,
        params: { ...message.params, html: `${html.slice(0, MAX_HTML_CHARS)}… (${html.length} characters)` },
      },
      length: 2 * MAX_HTML_CHARS,
    };
  }
  const text = JSON.stringify(message) ?? "null";
  if (text.length <= MAX_ENTRY_CHARS && !isDeep(message, MAX_DEPTH))
    return { shown: message ?? null, length: text.length };
  return {
    shown: { yardstick: "cut", beginning: `${text.slice(0, MAX_HTML_CHARS)}… (${text.length} characters)` },
    length: MAX_HTML_CHARS,
  };
}
