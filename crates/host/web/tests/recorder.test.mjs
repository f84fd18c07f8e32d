import assert from "node:assert/strict";
import { test } from "node:test";
import { settled } from "./turns.mjs";

globalThis.requestAnimationFrame = setImmediate;
const { createRecorder } = await import("../recorder.js");

/** A slow host. */
function slowHost() {
  const batches = [];
  const open = [];
  const log = (_, entries) => {
    batches.push(entries.map((one) => one.seq));
    return new Promise((resolve, reject) => open.push({ resolve, reject }));
  };
  return { api: { log }, batches, open };
}

test("one batch at a time; what comes in the meantime goes together with the next", async () => {
  const host = slowHost();
  const recorder = createRecorder(host.api, "v");
  for (let i = 0; i < 5; i++) {
    recorder.add("view", "host", {});
    void recorder.flush();
  }
  assert.deepEqual(host.batches, [[1]]);
  host.open[0].resolve();
  await settled();
  assert.deepEqual(host.batches, [[1], [2, 3, 4, 5]]);
});

test("who flushes waits for what was there, not for what came later", async () => {
  const host = slowHost();
  const recorder = createRecorder(host.api, "v");
  recorder.add("view", "host", {});
  let done = false;
  void recorder.flush().then(() => (done = true));
  recorder.add("view", "host", {});
  await settled();
  assert.equal(done, false);
  host.open[0].resolve();
  await settled();
  assert.equal(done, true);
  await createRecorder(host.api, "w").flush();
});

test("a host that is gone holds nobody up", async () => {
  const host = slowHost();
  const recorder = createRecorder(host.api, "v");
  recorder.add("view", "host", {});
  const flushed = recorder.flush();
  host.open[0].reject(new Error("gone"));
  await flushed;
});

test("a flood is cut into batches, and long HTML is cut short", async () => {
  const sizes = [];
  const seen = [];
  const recorder = createRecorder(
    { log: async (_, entries) => (sizes.push(entries.length), seen.push(...entries)) },
    "v",
  );
  recorder.add("host", "proxy", { params: { html: "x".repeat(100_000), other: 1 } });
  for (let i = 0; i < 1000; i++) recorder.add("view", "host", {});
  await recorder.flush();
  assert.ok(Math.max(...sizes) <= 400);
  assert.deepEqual(seen.map((one) => one.seq), Array.from({ length: 1001 }, (_, i) => i + 1));
  assert.ok(seen[0].message.params.html.length < 3000);
  assert.equal(seen[0].message.params.other, 1);
});

test("notes go along with their message", async () => {
  const seen = [];
  const recorder = createRecorder({ log: async (_, entries) => seen.push(...entries) }, "v");
  recorder.add("view", "host", {}, ["ignored"]);
  recorder.add("view", "host", {});
  await recorder.flush();
  assert.deepEqual(seen.map((one) => one.notes), [["ignored"], undefined]);
});

test("a message that is too deep to be read is cut, and those beside it are kept", async () => {
  const seen = [];
  const recorder = createRecorder({ log: async (_, entries) => seen.push(...entries) }, "v");
  let deep = {};
  for (let i = 0; i < 200; i++) deep = { deep };
  recorder.add("view", "host", { method: "x", params: deep });
  recorder.add("view", "host", { method: "y", params: { a: [{ b: {} }] } });
  await recorder.flush();
  assert.equal(seen[0].message.yardstick, "cut");
  assert.deepEqual(seen[1].message, { method: "y", params: { a: [{ b: {} }] } });
});

test("what comes faster than the host takes it is counted in the place of being kept", async () => {
  const host = slowHost();
  const seen = [];
  const recorder = createRecorder(
    { log: (view, entries) => (seen.push(...entries), host.api.log(view, entries)) },
    "v",
  );
  for (let i = 0; i < 5000; i++) recorder.add("view", "host", { i });
  assert.equal(recorder.add("view", "host", {}), undefined, "nobody is told a number that never comes");
  const flushed = recorder.flush();
  for (let i = 0; i < 20; i++) (host.open.forEach(({ resolve }) => resolve()), await settled());
  await flushed;
  const last = seen.at(-1);
  assert.deepEqual(last.message, { yardstick: "dropped", count: 1001 });
  assert.match(last.notes[0], /^1001 messages arrived faster/);
  assert.equal(seen.length, 4001);
  assert.deepEqual(seen.map((one) => one.seq), Array.from({ length: 4001 }, (_, i) => i + 1));
});

test("a batch is bounded in characters too", async () => {
  const sizes = [];
  const recorder = createRecorder({ log: async (_, entries) => void sizes.push(JSON.stringify(entries).length) }, "v");
  for (let i = 0; i < 12; i++) recorder.add("view", "host", { text: "x".repeat(900_000) });
  await recorder.flush();
  assert.ok(sizes.length >= 3 && Math.max(...sizes) < 5_000_000, String(sizes));
});
