import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { createIntake } from "../intake.js";

let now;
let heard;
let records;
let sent;
let cost;
const intake = () =>
  createIntake({
    hear: (message) => ((now += cost), heard.push(message)),
    record: (message) => records.push(message),
    answer: (message) => sent.push(message),
    send: (message) => sent.push(message),
  });
beforeEach(() => {
  [now, cost, heard, records, sent] = [1000, 0, [], [], []];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("a message is heard at once, and in their order they stay", () => {
  const { message } = intake();
  cost = 4;
  for (let n = 0; n < 10; n++) message(n);
  assert.deepEqual(heard, [0, 1, 2], "the others have their turn later");
  for (let round = 0; round < 10; round++) (mock.timers.tick(10), (now += 41));
  assert.deepEqual(heard, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  message(10);
  assert.equal(heard.at(-1), 10, "at once again");
});

test("of a flood requests are refused, the rest is dropped, and one line tells of it", () => {
  const { message } = intake();
  cost = 20;
  for (let id = 0; id < 5000; id++) message(id % 2 === 0 ? { id, method: "m" } : { method: "n" });
  assert.ok(sent.length > 400 && sent.every(({ error }) => error.code === -32600 && /faster/.test(error.message)));
  cost = 0;
  mock.timers.tick(10);
  now += 41;
  mock.timers.tick(10);
  assert.equal(heard.length, 4001);
  assert.deepEqual(records, [{ yardstick: "dropped", count: 999 }]);
});

test("what is refused is told, and answered where it asks", () => {
  const { refused } = intake();
  refused({ id: 7, method: "m" }, "too large");
  refused({ method: "n" }, "too large");
  assert.deepEqual(sent.map(({ id, error }) => [id, error.message]), [[7, "refused: too large"]]);
  assert.equal(records.length, 2);
});

test("a message that the page fails to handle is answered, and the next ones are heard", () => {
  const { message } = createIntake({
    hear: (one) => {
      if (one.method === "bad") throw new TypeError("Cannot convert object to primitive value");
      heard.push(one);
    },
    record: (one) => records.push(one),
    answer: (one) => sent.push(one),
    send: (one) => sent.push(one),
  });
  message({ id: 1, method: "bad" });
  message({ id: 2, method: "good" });
  assert.deepEqual(heard, [{ id: 2, method: "good" }]);
  assert.equal(sent[0].id, 1);
  assert.deepEqual(records, [{ yardstick: "failed" }]);
});
