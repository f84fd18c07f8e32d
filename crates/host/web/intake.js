// What the page takes of a View: nothing that is too large, and of a flood only as much at a time as leaves the page usable.

import { requestId, unfit } from "./unfit.js";

/** @import {Finding, Json, Message} from "./types.d.ts" */

/** How long the page works on messages before it lets others have their turn. */
const SLICE_MS = 10;
/** How long it may take until it may work that long again. */
const ROUND_MS = 40;
/** How many messages may wait for their turn; of more, requests are refused and the rest is dropped. */
const MOST = 4000;
const TOO_FAST = "it came faster than the page takes messages";

/** `answer` is recorded, `send` is not. @typedef {{hear: (message: Json) => void, record: (message: Json, findings: Finding[]) => void, answer: (message: Message) => void, send: (message: Message) => void}} Takers */

/** @param {Takers} to */
export function createIntake({ hear, record, answer, send }) {
  /** @type {Json[]} */
  let waiting = [];
  let overrun = 0;
  let roundStart = 0;
  let used = 0;

  /** Hears messages for as long as there are any and this round lasts. @param {Json[]} messages @returns {number} how many */
  const work = (messages) => {
    const now = performance.now();
    if (now - roundStart > ROUND_MS) [roundStart, used] = [now, 0];
    let heard = 0;
    for (let at = now; heard < messages.length && used + at - now < SLICE_MS; at = performance.now()) hear(messages[heard++]);
    used += performance.now() - now;
    return heard;
  };
  const goOn = () => {
    waiting = waiting.slice(work(waiting));
    if (waiting.length > 0) return void setTimeout(goOn, SLICE_MS);
    if (overrun > 0) tell({ yardstick: "dropped", count: overrun }, `${overrun} messages came faster than the page takes them: requests were refused, the others dropped`);
    overrun = 0;
  };
  /** @param {Json} message @param {string} text */
  const tell = (message, text) => record(message, [{ level: "must", text }]);
  /** Where a message wants an answer, that says why there is no other. @param {Json} message @param {string} why @param {(message: Message) => void} say */
  const refuse = (message, why, say) => {
    const id = requestId(message);
    if (id !== undefined) say({ jsonrpc: "2.0", id, error: { code: -32600, message: `refused: ${why}` } });
  };
  return {
    unfit,
    /** @param {Json} message @param {string} why */
    refused(message, why) {
      tell({ yardstick: "refused", why }, `refused: ${why}`);
      refuse(message, why, answer);
    },
    /** @param {Json} message */
    message(message) {
      if (waiting.length === 0 && work([message]) === 1) return;
      if (waiting.length >= MOST) return void (overrun++, refuse(message, TOO_FAST, send));
      waiting.push(message);
      if (waiting.length === 1) setTimeout(goOn, SLICE_MS);
    },
  };
}
