// Decides which messages of a View the page refuses. A View may send anything that can be cloned: cycles, big integers,
// gigabytes. Pure.

/** @import {Json} from "./types.d.ts" */

/** The largest message, in about the characters that it has as JSON. */
export const MAX_MESSAGE_WEIGHT = 4 * 1024 * 1024;
/** The weight of a value besides its characters, and the weight of a byte in a buffer. */
const VALUE_WEIGHT = 8;

/** Deeper messages are refused, because JSON parsers limit nesting. */
const MAX_DEPTH = 500;

/**
 * Returns why a message is refused, if it is. The message is examined only until that is known.
 * @param {Json} message @param {number} [most] @returns {string | undefined}
 */
export function unfit(message, most = MAX_MESSAGE_WEIGHT) {
  /** @type {Json[]} */
  const open = [message];
  const depths = [0];
  let room = most;
  while (open.length > 0) {
    const one = open.pop();
    const depth = depths.pop() ?? 0;
    if (typeof one === "bigint") return "a BigInt cannot be written as JSON";
    if (depth > MAX_DEPTH) return `it has more than ${MAX_DEPTH} levels, or it contains itself`;
    const size = sizeOf(one);
    room -= VALUE_WEIGHT * (1 + size) + (typeof one === "string" ? one.length : 0);
    if (typeof one === "object" && size === 0) {
      for (const key in one) {
        room -= key.length;
        // Values that wait to be examined also count.
        if (room < open.length * VALUE_WEIGHT) break;
        open.push(one[key]);
        depths.push(depth + 1);
      }
    }
    if (room < open.length * VALUE_WEIGHT) return `it is larger than ${most / 1024 / 1024} MiB as JSON`;
  }
  return undefined;
}

/** The bytes of a buffer or the items of a collection. JSON shows the former as nothing, the latter one by one.
 * @param {Json} one @returns {number} */
function sizeOf(one) {
  if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) return one.byteLength;
  return one instanceof Map || one instanceof Set ? one.size : 0;
}

/** The id of a request. @param {Json} data @returns {string | number | undefined} */
export function requestId(data) {
  const { id, method } = typeof data === "object" && data !== null ? data : /** @type {Json} */ ({});
  return typeof method === "string" && (typeof id === "number" || (typeof id === "string" && id.length < 1000))
    ? id
    : undefined;
}
