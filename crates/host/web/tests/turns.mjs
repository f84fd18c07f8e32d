import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";

/** Ends when everything has run that only waits for its turn: promises, and messages between ports. No time passes. */
export async function settled() {
  for (let turns = 0; turns < 10; turns++) await turn();
}

/** Ends when something holds. @param {() => boolean} holds */
export async function until(holds) {
  const end = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < end, `still not so after ten seconds: ${holds}`);
    await turn();
  }
}
