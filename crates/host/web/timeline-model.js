// The timeline without its looks: rows, what answers what, and which rows a filter lets through. Pure.

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
  // A tool that failed has a result that says so.
  if (message.error !== undefined || message.result?.isError === true) return "error";
  if (message.result !== undefined) return "response";
  if (typeof message.method !== "string") return "event";
  return message.id === undefined ? "notification" : "request";
}

/** @param {Entry} entry @param {(n: number) => Row | undefined} find @param {string} run @returns {Row} */
export function rowOf(entry, find, run) {
  const kind = kindOf(entry);
  const asked = entry.answers ? find(entry.answers) : undefined;
  const label = named(entry.message?.method) ?? asked?.label ?? named(entry.method) ?? named(entry.note) ?? "message";
  const findings = [...(entry.findings ?? [])];
  if (entry.note && !findings.some((one) => one.text === entry.note)) findings.push({ level: "note", text: entry.note });
  return { key: entry.n, kind, run, entry, label, findings };
}

/** A View may say anything, so what should be a name may be of any type. @param {any} value */
const named = (value) => (value === undefined || value === null ? undefined : typeof value === "string" ? value : short(value, 60));
/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null;

/** What a search looks in: name, findings and the message itself. Made when it is first asked for, for most rows never are. @param {Row} row */
export function hayOf(row) {
  row.hay ??= `${row.label} ${row.findings.map((one) => one.text).join(" ")} ${JSON.stringify(row.entry.message) ?? ""}`.toLowerCase();
  return row.hay;
}

/** The line over a run. @param {number} key @param {{run: string, tool: string, at: number, number: number}} run @returns {Row} */
export function runRow(key, { run, tool, at, number }) {
  const entry = /** @type {Entry} */ ({ n: key, at, from: "host", to: "host", message: {} });
  return { key, kind: "run", run, entry, label: `Run ${number}: ${tool}`, findings: [] };
}

/** The line in the place of what is no longer kept. @param {number} key @param {number} count @param {number} at @param {string} run @returns {Row} */
export function droppedRow(key, count, at, run) {
  const entry = /** @type {Entry} */ ({ n: key, at, from: "host", to: "host", message: { yardstick: "dropped", count } });
  return { key, kind: "event", run, entry, label: `${count} earlier events are no longer kept`, findings: [] };
}

/** A blocked load as a row of its own. @param {Violation & {n: number}} violation @param {number} at @returns {Entry} */
export function violationEntry(violation, at) {
  const text = `blocked by the CSP: ${violation.directive} ${violation.blocked}`;
  const findings = /** @type {Finding[]} */ (isEvalProbe(violation) ? [] : [{ level: "note", text, rule: "apps#host-behavior" }]);
  return { n: violation.n, at, view: violation.view, run: violation.run, from: "view", to: "host", message: { violation: { directive: violation.directive, blocked: violation.blocked, source: violation.source, line: violation.line, sample: violation.sample } }, method: `CSP ${violation.directive}`, findings };
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

/** A person stands where the host stands. @param {string} name */
export const lane = (name) => (name === "person" ? "host" : name);

/** The rows that belong to a row: its request, its answer, its cause and what it caused. @param {Row} row @param {Row[]} rows */
export function related(row, rows) {
  const { n, answers, cause } = row.entry;
  return new Set(rows.filter(({ entry }) => entry.n !== n && (entry.n === answers || entry.n === cause || entry.answers === n || entry.cause === n)).map((one) => one.key));
}

/** The worst level of some findings. @param {Finding[]} findings */
export const worst = (findings) => (["must", "should", "note"].find((level) => findings.some((one) => one.level === level)));

/** A short look into a message. @param {Entry} entry */
export function preview(entry) {
  const { message } = entry;
  if (message?.error) return [message.error.code, message.error.message ?? message.error].map((part) => named(part) ?? "").join(" ").slice(0, 240);
  const body = message?.params ?? message?.result ?? message?.violation;
  return body === undefined ? "" : short(body, 120);
}

/** How deep a short look goes. */
const DEEPEST = 8;

/** The beginning of a value's JSON, without making all of it. @param {any} value @param {number} room @param {number} [depth] @returns {string} */
export function short(value, room, depth = 0) {
  if (typeof value === "string") return value.length > room ? `"${value.slice(0, room)}…"` : JSON.stringify(value);
  if (value === null || typeof value !== "object") return String(value);
  const [start, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (depth === DEEPEST) return `${start}…${end}`;
  let text = start;
  for (const key in value) {
    if (text.length > 1) text += ", ";
    if (text.length >= room) return `${text}…${end}`;
    text += `${Array.isArray(value) ? "" : `${key}: `}${short(value[key], Math.max(8, room - text.length - 10), depth + 1)}`;
  }
  return text + end;
}
