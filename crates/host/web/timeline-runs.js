// Which run of a tool a row belongs to. The stream of events begins with what happened before the page was opened, and other
// pages run tools too; what a person wants to see first is the run that they have just started.

/** @typedef {{run: string, tool: string, at: number, number: number}} Run */

/** @typedef {ReturnType<typeof createRuns>} Runs */

export function createRuns() {
  /** @type {Map<string, Run>} */
  const all = new Map();
  /** The run of this page; none until it has started one. */
  let current = "";
  /** The run that began last, while the past is read. */
  let last = "";
  return {
    /** A run has begun, here or elsewhere. @param {{run: string, tool?: string | null, at: number}} event @returns {Run} */
    begin({ run, tool, at }) {
      const known = { run, tool: tool ?? "a View", at, number: all.size + 1 };
      all.set(run, known);
      last = run;
      return known;
    },
    /** This page starts a run. @param {string} run */
    start(run) {
      current = run;
    },
    /** The run of a message; one that names none came between, and belongs to what was going on. @param {{run?: string | null}} entry @param {boolean} isNews */
    of: (entry, isNews) => entry.run ?? (isNews ? current : last),
    /** @param {string} run */
    isCurrent: (run) => run === current,
    /** How long after the start of its run something happened. @param {string} run @param {number} at */
    since: (run, at) => Math.max(0, at - (all.get(run)?.at ?? 0)),
    /** How many other runs there are. */
    others: () => all.size - (all.has(current) ? 1 : 0),
    clear() {
      const kept = all.get(current);
      all.clear();
      if (kept) all.set(current, { ...kept, number: 1 });
    },
  };
}
