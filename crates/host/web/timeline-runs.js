// Assigns rows to runs. The event stream starts with what happened before the page was opened, and other pages run
// tools too. The timeline first shows the run that this page has started.

/** @typedef {{run: string, tool: string, at: number, number: number}} Run */

/** @typedef {ReturnType<typeof createRuns>} Runs */

export function createRuns() {
  /** @type {Map<string, Run>} */
  const all = new Map();
  /** The run of this page; empty until it has started one. */
  let current = "";
  /** The last run that started, while past events are read. */
  let last = "";
  return {
    /** Adds a run, of this page or another. @param {{run: string, tool?: string | null, at: number}} event
     * @returns {Run} */
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
    /** The run of an entry. An entry without one belongs to the run that was going on.
     * @param {{run?: string | null}} entry @param {boolean} isNews */
    runOf: (entry, isNews) => entry.run ?? (isNews ? current : last),
    /** @param {string} run */
    isCurrent: (run) => run === current,
    /** The time since the start of the run. @param {string} run @param {number} at */
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
