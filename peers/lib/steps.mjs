// One JSON line per step on stdout: {"step": "call:echo", "ok": true, "detail": …}.

import assert from 'node:assert/strict';

const STEP_LIMIT_MS = 20_000;

export class Steps {
  #failed = 0;

  /** Runs one step; what it returns, or why it failed, becomes `detail`. */
  async run(step, body) {
    try {
      this.#print(step, true, (await limited(step, body())) ?? null);
      return true;
    } catch (error) {
      this.#failed += 1;
      this.#print(step, false, describe(error));
      return false;
    }
  }

  get exitCode() {
    return this.#failed === 0 ? 0 : 1;
  }

  #print(step, ok, detail) {
    process.stdout.write(`${JSON.stringify({ step, ok, detail })}\n`);
  }
}

/** Fails the step unless `condition` holds. */
export function expect(condition, message) {
  assert.ok(condition, message);
}

/** Resolves when `ready` says so; rejects with `what` after the limit. */
export async function until(ready, what, limitMs = 5_000) {
  const end = Date.now() + limitMs;
  while (!ready()) {
    if (Date.now() > end) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function describe(error) {
  const code = error?.code === undefined || error.code === 'ERR_ASSERTION' ? '' : ` (code ${error.code})`;
  return `${error?.message ?? error}${code}`;
}

async function limited(step, promise) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${step} took longer than ${STEP_LIMIT_MS} ms`)),
      STEP_LIMIT_MS,
    );
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
