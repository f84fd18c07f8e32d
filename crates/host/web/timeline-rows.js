// The timeline's rows; the oldest are dropped when there are too many. Pure: no DOM.

/** @import {Row} from "./timeline-model.js" */

/** How many rows are kept, and how many characters of their messages. */
const MAX_ROWS = 20_000;
const MAX_ROW_CHARS = 64_000_000;
/** How many rows are dropped at a time, so that a flood does not cause work for every row. */
const ROWS_PER_DROP = 1000;

export function createRows(most = MAX_ROWS, mostText = MAX_ROW_CHARS, piece = ROWS_PER_DROP) {
  /** @type {Row[]} */
  const rows = [];
  /** @type {Map<number, Row>} */
  const byKey = new Map();
  let text = 0;
  const kept = {
    rows,
    byKey,
    /** How many rows were dropped. */
    forgotten: 0,
    /** Adds a row, and returns whether it is new. @param {Row} row */
    add(row) {
      if (byKey.has(row.key)) return false;
      byKey.set(row.key, row);
      rows.push(row);
      text += row.size ?? 0;
      return true;
    },
    /** Drops the oldest rows if there are too many, and returns whether it did. */
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
