// Deep links: a state of the page as an address, both ways.

/** @import {Link, Mode, Obj} from "./types.d.ts" */

const THEMES = ["light", "dark", "auto"];
const MODES = ["inline", "fullscreen", "pip"];
const SIZES = ["phone", "tablet", "desktop", "free"];

/** What the query of an address says; what makes no sense is left out. @param {string} search @returns {Link} */
export function parse(search) {
  const query = new URLSearchParams(search);
  /** @type {Link} */
  const link = {};
  for (const key of /** @type {const} */ (["server", "tool", "profile", "locale", "timeZone"])) {
    const value = query.get(key);
    if (value) link[key] = value;
  }
  const theme = query.get("theme");
  if (theme && THEMES.includes(theme)) link.theme = /** @type {Link["theme"]} */ (theme);
  const mode = query.get("mode");
  if (mode && MODES.includes(mode)) link.mode = /** @type {Mode} */ (mode);
  const size = query.get("size");
  if (size && SIZES.includes(size)) link.size = size;
  if (query.has("run")) link.run = query.get("run") === "1";
  if (query.has("stream")) link.stream = query.get("stream") === "1";
  const args = readArgs(query.get("args"));
  if (args) link.args = args;
  return link;
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

/** The query of an address that brings back a state; what is as usual is left out. @param {Link} link @returns {string} */
export function format(link) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(link)) {
    if (value === undefined || value === "" || value === false) continue;
    query.set(key, key === "args" ? JSON.stringify(value) : value === true ? "1" : String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
