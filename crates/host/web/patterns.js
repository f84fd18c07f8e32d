// Compares texts with the patterns of a schema. A server's pattern may take for ever, so a worker tries it and is ended
// in time. The page never gives such a pattern to an input, because the browser would try it at every key.

/** @import {Json} from "./types.d.ts" */
/** @import {Field, FieldProblem} from "./schema.js" */

/** How long the patterns of a form may take together. */
const MAX_MATCH_MS = 500;

/** @typedef {{at: string, pattern: string, text: string}} PatternTrial */

/** The texts that do not match their pattern. What cannot be decided in time passes. @param {Field} field
 * @param {Json} value @returns {Promise<FieldProblem[]>} */
export async function patternProblems(field, value) {
  const trials = collect(field, value, "");
  if (trials.length === 0) return [];
  const worker = new Worker("/assets/pattern-worker.js", { type: "module" });
  /** @type {Promise<PatternTrial[]>} */
  const failed = new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => resolve([]);
    setTimeout(resolve, MAX_MATCH_MS, []);
    worker.postMessage(trials);
  });
  const found = (await failed).map(({ at, pattern }) => ({ at, text: `must match the pattern ${pattern}` }));
  worker.terminate();
  return found;
}

/** @param {Field} field @param {Json} value @param {string} at @returns {PatternTrial[]} */
export function collect(field, value, at) {
  if (field.kind === "string" && typeof value === "string" && field.limits?.pattern !== undefined)
    return [{ at, pattern: field.limits.pattern, text: value }];
  const { items } = field;
  if (items && Array.isArray(value)) return value.flatMap((item, i) => collect(items, item, `${at}[${i}]`));
  if (field.kind !== "object" || typeof value !== "object" || value === null) return [];
  return (field.fields ?? [])
    .filter(({ key }) => Object.hasOwn(value, key))
    .flatMap(({ key, field: inner }) => collect(inner, value[key], at ? `${at}.${key}` : key));
}
