// Limits what the page accepts from a View: it refuses messages that are too large, and handles a flood in slices, so
// that the page stays usable.

import { requestId, unfit } from "./unfit.js";

/** @import {Json, Message} from "./types.d.ts" */

/** How long the page handles messages before it yields. */
const SLICE_MS = 10;
/** The interval in which one such slice may run. */
const SLICE_INTERVAL_MS = 40;
/** How many messages may wait. Beyond that, requests are refused and other messages dropped. */
const MAX_WAITING_MESSAGES = 4000;
const TOO_FAST = "the app sends messages faster than the page can handle them";

/**
 * The receivers: `answer` is recorded, `send` is not.
 * @typedef {{hear: (message: Json) => void, record: (message: Json, note: string) => void,
 *   answer: (message: Message) => void, send: (message: Message) => void}} Takers
 */

/** @param {Takers} to */
export function createIntake({ hear, record, answer, send }) {
  /** @type {Json[]} */
  let waiting = [];
  let overrun = 0;
  let roundStart = 0;
  let used = 0;

  /** Handles one message. A failure of the page must not stop the messages behind it. @param {Json} message */
  const attempt = (message) => {
    try {
      hear(message);
    } catch (error) {
      const why = `the page failed to handle it: ${error instanceof Error ? error.message : error}`;
      record({ yardstick: "failed" }, why);
      refuse(message, why, answer);
    }
  };
  /** Handles messages until the slice is over. @param {Json[]} messages @returns {number} how many */
  const work = (messages) => {
    const now = performance.now();
    if (now - roundStart > SLICE_INTERVAL_MS) [roundStart, used] = [now, 0];
    let heard = 0;
    for (let at = now; heard < messages.length && used + at - now < SLICE_MS; at = performance.now())
      attempt(messages[heard++]);
    used += performance.now() - now;
    return heard;
  };
  const goOn = () => {
    waiting = waiting.slice(work(waiting));
    if (waiting.length > 0) return void setTimeout(goOn, SLICE_MS);
    const text = "messages arrived faster than the page can handle them: requests were refused, others dropped";
    if (overrun > 0) record({ yardstick: "dropped", count: overrun }, `${overrun} ${text}`);
    overrun = 0;
  };
  /**
   * Refuses a message. If it is a request, the View gets an error with the reason.
   * @param {Json} message @param {string} why @param {(message: Message) => void} say
   */
  const refuse = (message, why, say) => {
    const id = requestId(message);
    if (id !== undefined) say({ jsonrpc: "2.0", id, error: { code: -32600, message: `refused: ${why}` } });
  };
  return {
    unfit,
    /** @param {Json} message @param {string} why */
    refused(message, why) {
      record({ yardstick: "refused", why }, `refused: ${why}`);
      refuse(message, why, answer);
    },
    /** @param {Json} message */
    message(message) {
      if (waiting.length === 0 && work([message]) === 1) return;
      if (waiting.length >= MAX_WAITING_MESSAGES) return void (overrun++, refuse(message, TOO_FAST, send));
      waiting.push(message);
      if (waiting.length === 1) setTimeout(goOn, SLICE_MS);
    },
  };
}
