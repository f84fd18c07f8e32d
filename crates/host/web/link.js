// Deep links: the page's state as a query string, in both directions. Pure.

/** @import {Link, Mode, Obj} from "./types.d.ts" */

const THEMES = ["light", "dark", "auto"];
const MODES = ["inline", "fullscreen", "pip"];
const SIZES = ["fit", "phone", "tablet", "desktop", "free"];
/** The capabilities that the person can switch off. */
export const SWITCHES = [
  "openLinks",
  "downloadFile",
  "message",
  "updateModelContext",
  "serverTools",
  "serverResources",
  "sampling",
  "logging",
];
/** The kinds of requests that the person can deny. */
export const KINDS = [
  "open-link",
  "download",
  "message",
  "model-context",
  "display-mode",
  "sampling",
  "tool-call",
  "resource-read",
];
/** The kinds of requests that the person can always allow. */
export const GRANTS = ["open-link", "download", "message"];
const LISTS = { off: SWITCHES, deny: KINDS, always: GRANTS };
/** The limits for the sides of a free box. */
export const FREE_SIDE_LIMITS = { least: 160, most: 4000 };

/** Parses a query string; invalid values are left out. @param {string} search @returns {Link} */
export function parse(search) {
  const query = new URLSearchParams(search);
  /** @type {Link} */
  const link = {};
  for (const key of /** @type {const} */ (["server", "tool", "profile", "locale", "timeZone"])) {
    const value = query.get(key);
    if (value && isKnown(key, value)) link[key] = value;
  }
  for (const key of /** @type {const} */ (["off", "deny", "always"])) {
    const named = (query.get(key) ?? "").split(",");
    const known = LISTS[key].filter((name) => named.includes(name));
    if (known.length > 0) link[key] = known;
  }
  const theme = query.get("theme");
  if (theme && THEMES.includes(theme)) link.theme = /** @type {Link["theme"]} */ (theme);
  const mode = query.get("mode");
  if (mode && MODES.includes(mode)) link.mode = /** @type {Mode} */ (mode);
  const size = query.get("size");
  if (size && SIZES.includes(size)) link.size = size;
  const free = readSides(query.get("free"));
  if (free) link.free = free;
  if (query.has("run")) link.run = query.get("run") === "1";
  if (query.has("stream")) link.stream = query.get("stream") === "1";
  const args = readArgs(query.get("args"));
  if (args) link.args = args;
  return link;
}

/** Whether this browser knows the locale or time zone. Other keys are for the host to judge. @param {string} key
 * @param {string} value */
export function isKnown(key, value) {
  try {
    if (key === "locale") return Intl.getCanonicalLocales(value).length === 1;
    if (key === "timeZone") return Boolean(new Intl.DateTimeFormat("en", { timeZone: value }));
    return true;
  } catch {
    return false;
  }
}

/** @param {string | null} text @returns {Link["free"]} */
function readSides(text) {
  const found = /^(\d{1,5})x(\d{1,5})$/.exec(text ?? "");
  if (!found) return undefined;
  const [width, height] = found
    .slice(1)
    .map((side) => Math.min(Math.max(Number(side), FREE_SIDE_LIMITS.least), FREE_SIDE_LIMITS.most));
  return { width, height };
}

/** @param {string | null} text @returns {Obj | undefined} */
function readArgs(text) {
  if (!text) return undefined;
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a query string that restores the state; default values are left out. @param {Link} link @returns {string} */
export function format(link) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(link)) {
    const written = value === undefined || value === false ? "" : write(key, value);
    if (written !== "") query.set(key, written);
  }
  // Commas need no escape, and lists are easier to read without.
  const text = query.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

/** @param {string} key @param {any} value */
function write(key, value) {
  if (key === "args") return JSON.stringify(value);
  if (key === "free") return `${value.width}x${value.height}`;
  return value === true ? "1" : String(value);
}
