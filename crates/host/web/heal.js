// Completes JSON that is still being written, so that a part of it can be shown. Unfinished parts (half a key, a number
// that may continue, half a literal) are left out; nothing is invented. Pure.

/** @import {Json} from "./types.d.ts" */

const NOTHING = Symbol("nothing yet");
const LITERALS = new Map([["true", true], ["false", false], ["null", null]]);

/** Returns the value of a partial JSON text; undefined if there is nothing to show yet. @param {string} text
 * @returns {Json} */
export function heal(text) {
  const reader = { text, at: 0 };
  const value = readValue(reader);
  return value === NOTHING ? undefined : value;
}

/** @typedef {{text: string, at: number}} Reader */

/** @param {Reader} reader */
function skip(reader) {
  while (/[\s]/.test(reader.text[reader.at] ?? "x")) reader.at++;
}

/** @param {Reader} reader @returns {Json} */
function readValue(reader) {
  skip(reader);
  const first = reader.text[reader.at];
  if (first === undefined) return NOTHING;
  if (first === "{") return readObject(reader);
  if (first === "[") return readArray(reader);
  if (first === '"') return readString(reader).value;
  return readScalar(reader);
}

/** @param {Reader} reader @returns {Json} */
function readObject(reader) {
  /** @type {Record<string, Json>} */
  const object = {};
  reader.at++;
  for (;;) {
    skip(reader);
    if (reader.text[reader.at] === ",") reader.at++;
    skip(reader);
    if (reader.text[reader.at] === "}") return void reader.at++, object;
    if (reader.text[reader.at] !== '"') return object;
    const key = readString(reader);
    skip(reader);
    if (!key.closed || reader.text[reader.at] !== ":") return object;
    reader.at++;
    const value = readValue(reader);
    if (value === NOTHING) return object;
    Object.defineProperty(object, key.value, { value, enumerable: true, configurable: true, writable: true });
  }
}

/** @param {Reader} reader @returns {Json} */
function readArray(reader) {
  /** @type {Json[]} */
  const array = [];
  reader.at++;
  for (;;) {
    skip(reader);
    if (reader.text[reader.at] === ",") reader.at++;
    skip(reader);
    if (reader.text[reader.at] === "]") return void reader.at++, array;
    const value = readValue(reader);
    if (value === NOTHING) return array;
    array.push(value);
  }
}

/** Reads a string, complete or not; half an escape is left out. @param {Reader} reader */
function readString(reader) {
  const start = ++reader.at;
  let end = start;
  while (end < reader.text.length && reader.text[end] !== '"') end += reader.text[end] === "\\" ? 2 : 1;
  const closed = end < reader.text.length;
  reader.at = Math.min(end + 1, reader.text.length);
  let body = reader.text.slice(start, Math.min(end, reader.text.length));
  if (!closed) body = whole(body);
  try {
    return { value: /** @type {string} */ (JSON.parse(`"${body}"`)), closed };
  } catch {
    return { value: "", closed: false };
  }
}

/** Removes an unfinished escape and half a surrogate pair from the end. @param {string} body */
function whole(body) {
  const cut = body.replace(/(^|[^\\])((?:\\\\)*)\\(u[0-9a-fA-F]{0,3})?$/, "$1$2");
  return cut.replace(/(\\u[dD][89abAB][0-9a-fA-F]{2}|[\ud800-\udbff])$/, "");
}

/** Reads a number or a literal. At the end of the text it may continue, so it counts as nothing yet.
 * @param {Reader} reader @returns {Json} */
function readScalar(reader) {
  const word = /^[^\s,\]}]*/.exec(reader.text.slice(reader.at, reader.at + 400))?.[0] ?? "";
  if (word === "") return NOTHING;
  reader.at += word.length;
  if (LITERALS.has(word)) return LITERALS.get(word);
  if (reader.at >= reader.text.length) return NOTHING;
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(word) ? Number(word) : NOTHING;
}
