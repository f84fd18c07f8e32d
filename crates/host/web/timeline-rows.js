// The rows that the timeline has, of which the oldest give way. Pure.

/** @import {Row} from "./timeline-model.js" */

/** How many rows are kept, and how many characters of their messages. */
const MOST = 20_000;
const MOST_TEXT = 64_000_000;
/** How many go at a time, so that a flood does not begin anew with every row. */
const PIECE = 1000;

export function createRows(most = MOST, mostText = MOST_TEXT, piece = PIECE) {
  /** @type {Row[]} */
  const rows = [];
  /** @type {Map<number, Row>} */
  const byKey = new Map();
  let text = 0;
  const kept = {
    rows,
    byKey,
    /** How many have given way. */
    forgotten: 0,
    /** Adds a row; whether it is new. @param {Row} row */
    add(row) {
      if (byKey.has(row.key)) return false;
      byKey.set(row.key, row);
      rows.push(row);
      text += row.size ?? 0;
      return true;
    },
    /** Lets the oldest go if there are too many; whether there were. */
    shrink() {
      if (rows.length <= most + piece && (text <= mostText || rows.length === 1)) return false;
      const gone = rows.splice(0, Math.max(rows.length - most, Math.min(piece, rows.length - 1)));
      for (const row of gone) {
        byKey.delete(row.key);
        text -= row.size ?? 0;
      }
      kept.forgotten += gone.length;
      return true;
    },
    clear() {
      rows.length = text = kept.forgotten = 0;
      byKey.clear();
    },
  };
  return kept;
}
