// The model of the timeline: rows, their relations, and the filter. Pure: no DOM.

import { isEvalProbe } from "./violations.js";

/** @import {Entry, Finding, Violation} from "./types.d.ts" */

export const LANES = /** @type {const} */ (["view", "proxy", "host", "server"]);
export const KINDS = /** @type {const} */ (["request", "notification", "response", "error", "event"]);

/**
 * @typedef {object} Row
 * @property {number} key
 * @property {typeof KINDS[number] | "run"} kind a message, or the line over a run
 * @property {string} run the run that it belongs to
 * @property {Entry} entry
 * @property {string} label
 * @property {Finding[]} findings
 * @property {number} [size] the characters of its message
 * @property {string} [hay] lower-case text that a search looks in, once one has
 */
/**
 * @typedef {object} Filter
 * @property {string[]} lanes
 * @property {string[]} kinds
 * @property {string} text
 * @property {boolean} findings only rows with findings
 * @property {((run: string) => boolean) | null} run only these runs
 */

/** @param {Entry} entry @returns {typeof KINDS[number]} */
export function kindOf(entry) {
  const message = isObject(entry.message) ? entry.message : {};
  // A failed tool call has a result that says so.
  if (message.error !== undefined || message.result?.isError === true) return "error";
  if (message.result !== undefined) return "response";
  if (typeof message.method !== "string") return "event";
  return message.id === undefined ? "notification" : "request";
}

/** @param {Entry} entry @param {(n: number) => Row | undefined} find @param {string} run @returns {Row} */
export function rowOf(entry, find, run) {
  const kind = kindOf(entry);
  const asked = entry.answers ? find(entry.answers) : undefined;
  const own = named(entry.message?.yardstick) ?? "message";
  const label = named(entry.message?.method) ?? asked?.label ?? named(entry.method) ?? own;
  const findings = [...(entry.findings ?? [])];
  return { key: entry.n, kind, run, entry, label, findings };
}

/** A View may send anything, so a name may have any type. @param {any} value */
const named = (value) =>
  value === undefined || value === null ? undefined : typeof value === "string" ? value : short(value, 60);
/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null;

/** The text that a search looks in: name, findings and message. Made on first use, because most rows never need it.
 * @param {Row} row */
export function hayOf(row) {
  const found = row.findings.map((one) => one.text).join(" ");
  row.hay ??= `${row.label} ${found} ${JSON.stringify(row.entry.message) ?? ""}`.toLowerCase();
  return row.hay;
}

/** The heading row of a run. @param {number} key @param {{run: string, tool: string, at: number, number: number}} run
 * @returns {Row} */
export function runRow(key, { run, tool, at, number }) {
  const entry = /** @type {Entry} */ ({ n: key, at, from: "host", to: "host", message: {} });
  return { key, kind: "run", run, entry, label: `Run ${number}: ${tool}`, findings: [] };
}

/** The row in place of entries that are no longer kept. @param {number} key @param {number} count @param {number} at
 * @param {string} run @returns {Row} */
export function droppedRow(key, count, at, run) {
  const entry = /** @type {Entry} */ ({
    n: key,
    at,
    from: "host",
    to: "host",
    message: { yardstick: "dropped", count },
  });
  return { key, kind: "event", run, entry, label: `${count} earlier events are no longer kept`, findings: [] };
}

/** The entry for a blocked load. @param {Violation & {n: number}} violation @param {number} at @returns {Entry} */
export function violationEntry(violation, at) {
  const text = `blocked by the CSP: ${violation.directive} ${violation.blocked}`;
  const findings = /** @type {Finding[]} */ (
    isEvalProbe(violation) ? [] : [{ level: "note", text, rule: "apps#host-behavior" }]
  );
  return {
    n: violation.n,
    at,
    view: violation.view,
    run: violation.run,
    from: "view",
    to: "host",
    message: {
      violation: {
        directive: violation.directive,
        blocked: violation.blocked,
        source: violation.source,
        line: violation.line,
        sample: violation.sample,
      },
    },
    method: `CSP ${violation.directive}`,
    findings,
  };
}

/** @param {Row} row @param {Filter} filter */
export function passes(row, filter) {
  if (row.kind === "run") return filter.run === null;
  const lanes = [lane(row.entry.from), lane(row.entry.to)];
  return filter.lanes.some((one) => lanes.includes(one))
    && filter.kinds.includes(row.kind)
    && (!filter.findings || row.findings.length > 0)
    && (filter.run === null || filter.run(row.run))
    && (filter.text === "" || hayOf(row).includes(filter.text));
}

/** The lane of a party; the person shares the host's lane. @param {string} name */
export const lane = (name) => (name === "person" ? "host" : name);

/** The rows related to a row: its request, its response, its cause and its effects. @param {Row} row
 * @param {Row[]} rows */
export function related(row, rows) {
  const { n, answers, cause } = row.entry;
  return new Set(
    rows
      .filter(
        ({ entry }) =>
          entry.n !== n && (entry.n === answers || entry.n === cause || entry.answers === n || entry.cause === n),
      )
      .map((one) => one.key),
  );
}

/** The most serious level among findings. @param {Finding[]} findings */
export const worst = (findings) =>
  ["must", "should", "note"].find((level) => findings.some((one) => one.level === level));

/** A short preview of a message. @param {Entry} entry */
export function preview(entry) {
  const { message } = entry;
  if (message?.error)
    return [message.error.code, message.error.message ?? message.error]
      .map((part) => named(part) ?? "")
      .join(" ")
      .slice(0, 240);
  const body = message?.params ?? message?.result ?? message?.violation ?? ownBody(message);
  return body === undefined ? "" : short(body, 120);
}

/** The members of an event that the host made itself. @param {any} message */
function ownBody(message) {
  if (!isObject(message) || message.yardstick === undefined) return undefined;
  const { yardstick, ...body } = message;
  void yardstick;
  return Object.keys(body).length === 0 ? undefined : body;
}

/** How deep a preview goes. */
const MAX_PREVIEW_DEPTH = 8;

/** The start of a value's JSON, without building all of it. @param {any} value @param {number} room
 * @param {number} [depth] @returns {string} */
export function short(value, room, depth = 0) {
  if (typeof value === "string") return value.length > room ? `"${value.slice(0, room)}…"` : JSON.stringify(value);
  if (value === null || typeof value !== "object") return String(value);
  const [start, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (depth === MAX_PREVIEW_DEPTH) return `${start}…${end}`;
  let text = start;
  for (const key in value) {
    if (text.length > 1) text += ", ";
    if (text.length >= room) return `${text}…${end}`;
    if (!Array.isArray(value)) text += `${key}: `;
    text += short(value[key], Math.max(8, room - text.length - 10), depth + 1);
  }
  return text + end;
}
