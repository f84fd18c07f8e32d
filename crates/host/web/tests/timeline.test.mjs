import assert from "node:assert/strict";
import { test } from "node:test";
import {
  KINDS,
  LANES,
  droppedRow,
  kindOf,
  passes,
  preview,
  related,
  rowOf as rowIn,
  runRow,
  short,
  violationEntry,
  worst,
} from "../timeline-model.js";
import { createRows } from "../timeline-rows.js";
import { createRuns } from "../timeline-runs.js";

const entry = (n, from, to, message, more = {}) => ({ n, at: n, from, to, message, ...more });
const rowOf = (one, find) => rowIn(one, find, one.run ?? "");
const ALL = { lanes: [...LANES], kinds: [...KINDS], text: "", findings: false, run: null };

test("messages are told apart", () => {
  const kind = (message) => kindOf(entry(1, "view", "host", message));
  assert.equal(kind({ id: 0, method: "ping" }), "request");
  assert.equal(kind({ method: "x" }), "notification");
  assert.equal(kind({ id: 0, result: {} }), "response");
  assert.equal(kind({ id: 0, error: { code: 1 } }), "error");
  assert.equal(kind("text"), "event");
  assert.equal(kind(null), "event");
});

test("an answer bears the name of its request", () => {
  const rows = new Map();
  const add = (one) => (rows.set(one.n, rowOf(one, (n) => rows.get(n))), rows.get(one.n));
  add(entry(1, "view", "host", { id: 0, method: "tools/call" }));
  assert.equal(add(entry(2, "host", "view", { id: 0, result: {} }, { answers: 1 })).label, "tools/call");
});

test("filters", () => {
  const row = rowOf(
    entry(1, "view", "host", { method: "ui/notifications/size-changed" }, { run: "r1" }),
    () => undefined,
  );
  assert.ok(passes(row, ALL));
  assert.ok(passes(row, { ...ALL, lanes: ["view"] }));
  assert.ok(!passes(row, { ...ALL, lanes: ["server"] }));
  assert.ok(!passes(row, { ...ALL, kinds: ["request"] }));
  assert.ok(passes(row, { ...ALL, text: "size" }));
  assert.ok(!passes(row, { ...ALL, text: "tool" }));
  assert.ok(!passes(row, { ...ALL, findings: true }));
  assert.ok(passes(row, { ...ALL, run: (run) => run === "r1" }));
  assert.ok(!passes(row, { ...ALL, run: (run) => run === "r2" }));
});

test("a run has a line over it where others are shown", () => {
  const line = runRow(-1, { run: "r1", tool: "chart", at: 3, number: 2 });
  assert.equal(line.label, "Run 2: chart");
  assert.ok(passes(line, { ...ALL, text: "nothing", kinds: [] }));
  assert.ok(!passes(line, { ...ALL, run: () => true }));
});

test("the past is told from the run that goes on", () => {
  const runs = createRuns();
  assert.equal(runs.runOf({}, false), "", "before any run");
  runs.begin({ run: "old", tool: "chart", at: 1000 });
  assert.equal(runs.runOf({}, false), "old", "what names no run came between");
  assert.equal(runs.runOf({}, true), "", "this page has not run anything");
  assert.ok(runs.isCurrent("") && !runs.isCurrent("old"));
  runs.start("new");
  assert.deepEqual(runs.begin({ run: "new", tool: null, at: 5000 }), {
    run: "new",
    tool: "a View",
    at: 5000,
    number: 2,
  });
  assert.equal(runs.runOf({}, true), "new");
  assert.equal(runs.runOf({ run: "old" }, true), "old", "a late message keeps its run");
  assert.equal(runs.others(), 1);
  assert.equal(runs.since("new", 5250), 250);
  assert.equal(runs.since("new", 4999), 0);
  runs.clear();
  assert.equal(runs.others(), 0);
  assert.equal(runs.since("new", 5250), 250);
});

test("a person stands where the host stands", () => {
  const row = rowOf(entry(1, "person", "view", { method: "x" }), () => undefined);
  assert.ok(passes(row, { ...ALL, lanes: ["host"] }));
});

test("request, answer and cause belong together", () => {
  const rows = [
    entry(1, "view", "host", { id: 0, method: "tools/call" }),
    entry(2, "host", "server", { id: 9, method: "tools/call" }, { cause: 1 }),
    entry(3, "server", "host", { id: 9, result: {} }, { answers: 2 }),
    entry(4, "host", "view", { id: 0, result: {} }, { answers: 1, cause: 3 }),
    entry(5, "view", "host", { method: "x" }),
  ].map((one) => rowOf(one, () => undefined));
  assert.deepEqual([...related(rows[0], rows)], [2, 4]);
  assert.deepEqual([...related(rows[2], rows)], [2, 4]);
  assert.deepEqual([...related(rows[4], rows)], []);
});

test("previews are short, whatever the message", () => {
  const big = { html: "x".repeat(1e6), list: Array.from({ length: 1e5 }, (_, i) => i), deep: { a: { b: { c: {} } } } };
  assert.ok(short(big, 120).length < 400);
  assert.equal(short({ a: 1, b: ["x", null] }, 120), '{a: 1, b: ["x", null]}');
  assert.equal(preview(entry(1, "view", "host", { error: { code: -32601, message: "no" } })), "-32601 no");
  assert.equal(preview(entry(1, "view", "host", null)), "");
});

test("a blocked load is a row with a finding", () => {
  const row = rowOf(
    violationEntry({ view: "v", directive: "connect-src", blocked: "https://x", n: 7 }, 5),
    () => undefined,
  );
  assert.deepEqual([row.key, row.kind, row.label, worst(row.findings)], [7, "event", "CSP connect-src", "note"]);
});

test("the worst level stands for all", () => {
  assert.equal(worst([{ level: "note", text: "" }, { level: "must", text: "" }]), "must");
  assert.equal(worst([]), undefined);
});

test("a row can be made of anything", () => {
  const odd = [5, -1.5, true, null, "text", [], ["x"], {}, { toString: 1 }, { a: { toString: null } }];
  for (const value of odd) {
    for (const message of [
      value,
      { jsonrpc: "2.0", id: value, method: value },
      { id: 1, method: "m", params: value },
      { id: value, result: value },
      { id: 1, error: value },
      { error: { code: value, message: value } },
    ]) {
      const row = rowOf(entry(1, "view", "host", message, { method: value, id: value, note: null }), () => undefined);
      assert.equal(typeof row.label, "string");
      assert.equal(typeof preview(row.entry), "string");
      assert.ok(KINDS.includes(row.kind));
      passes(row, { ...ALL, text: "x" });
    }
  }
  assert.equal(rowOf(entry(1, "view", "host", { jsonrpc: "2.0", id: 1, method: 5 }), () => undefined).label, "5");
  let deep = [];
  for (let n = 0; n < 100_000; n += 1) deep = [deep];
  assert.ok(short(deep, 120).length < 60);
});

test("a search looks into the message, and reads it once", () => {
  let reads = 0;
  const params = { note: "Wanted: a Needle", toJSON() { reads += 1; return { note: this.note }; } };
  const row = rowOf(entry(1, "view", "host", { id: "abc-7", method: "x", params }), () => undefined);
  assert.equal(reads, 0);
  assert.ok(passes(row, { ...ALL, text: "a needle" }));
  assert.ok(passes(row, { ...ALL, text: "abc-7" }));
  assert.ok(!passes(row, { ...ALL, text: "haystack" }));
  assert.equal(reads, 1);
});

test("the oldest rows give way, some at a time", () => {
  const kept = createRows(100, 10_000, 10);
  const add = (key, size) => (kept.add({ key, size }), kept.shrink());
  for (let key = 1; key <= 110; key++) assert.equal(add(key, 1), false);
  assert.equal(add(111, 1), true);
  assert.deepEqual([kept.rows.length, kept.rows[0].key, kept.byKey.size, kept.forgotten], [100, 12, 100, 11]);
  assert.equal(kept.add({ key: 111 }), false, "the same row once");
  assert.equal(add(112, 20_000), true, "a large message takes the room of many");
  assert.deepEqual([kept.rows.length, kept.forgotten], [91, 21]);
  kept.clear();
  assert.deepEqual([kept.rows.length, kept.byKey.size, kept.forgotten], [0, 0, 0]);
});

test("what is no longer kept is one line of the run that goes on", () => {
  const row = droppedRow(-3, 17, 5, "run-1");
  assert.deepEqual([row.kind, row.run, row.label], ["event", "run-1", "17 earlier events are no longer kept"]);
});
