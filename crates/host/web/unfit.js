// Which messages of a View are not taken. It may send whatever can be cloned: cycles, big integers, and gigabytes.

/** @import {Json} from "./types.d.ts" */

/** Heavier messages are refused, in about the characters that they would have as JSON. */
export const HEAVIEST = 4 * 1024 * 1024;
/** What one value comes to besides its characters, and what one byte of a buffer does. */
const ITEM = 8;

/** Deeper messages are refused: whoever reads JSON has a limit. */
const DEEPEST = 500;

/** Why a message is not taken, if so. It is looked at only until that is known. @param {Json} message @param {number} [most] @returns {string | undefined} */
export function unfit(message, most = HEAVIEST) {
  /** @type {Json[]} */
  const open = [message];
  const depths = [0];
  let room = most;
  while (open.length > 0) {
    const one = open.pop();
    const depth = depths.pop() ?? 0;
    if (typeof one === "bigint") return "a BigInt cannot be written as JSON";
    if (depth > DEEPEST) return `it is nested more than ${DEEPEST} deep, or it contains itself`;
    const size = sizeOf(one);
    room -= ITEM * (1 + size) + (typeof one === "string" ? one.length : 0);
    if (typeof one === "object" && size === 0) {
      for (const key in one) {
        room -= key.length;
        // What waits to be looked at weighs something too.
        if (room < open.length * ITEM) break;
        open.push(one[key]);
        depths.push(depth + 1);
      }
    }
    if (room < open.length * ITEM) return `it is larger than ${most / 1024 / 1024} MiB as JSON`;
  }
  return undefined;
}

/** The bytes of a buffer or the items of a collection, which JSON shows as nothing or one by one. @param {Json} one @returns {number} */
function sizeOf(one) {
  if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) return one.byteLength;
  return one instanceof Map || one instanceof Set ? one.size : 0;
}

/** The id of a message that wants an answer. @param {Json} data @returns {string | number | undefined} */
export function requestId(data) {
  const { id, method } = typeof data === "object" && data !== null ? data : /** @type {Json} */ ({});
  return typeof method === "string" && (typeof id === "number" || (typeof id === "string" && id.length < 1000)) ? id : undefined;
}
