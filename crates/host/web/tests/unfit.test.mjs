import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_MESSAGE_WEIGHT, requestId, unfit } from "../unfit.js";

test("what is usual is not heavy", () => {
  for (const value of [
    undefined,
    null,
    1,
    "text",
    {},
    [],
    { size: 1e12, byteLength: "x" },
    { a: [{ b: "c".repeat(1000) }] },
  ]) {
    assert.equal(unfit(value), undefined, JSON.stringify(value));
  }
  assert.equal(unfit({ text: "x".repeat(MAX_MESSAGE_WEIGHT - 100) }), undefined);
});

test("texts, lists, buffers and collections weigh what they hold", () => {
  const some = [
    { text: "x".repeat(MAX_MESSAGE_WEIGHT) },
    { list: new Array(MAX_MESSAGE_WEIGHT / 4).fill(1) },
    { bytes: new Uint8Array(20_000_000) },
    { bytes: new ArrayBuffer(20_000_000) },
    { map: new Map(Array.from({ length: MAX_MESSAGE_WEIGHT / 4 }, (_, n) => [n, n])) },
    Object.fromEntries(Array.from({ length: MAX_MESSAGE_WEIGHT / 12 }, (_, n) => [`key-${n}`, n])),
  ];
  for (const value of some) assert.match(unfit(value), /larger than 4 MiB/);
});

test("what is endless as JSON is refused without writing it out", () => {
  const cycle = {};
  cycle.self = cycle;
  let again = ["x"];
  for (let n = 0; n < 60; n++) again = [again, again];
  assert.match(unfit(cycle), /contains itself/);
  assert.match(unfit(again), /larger than/);
});

test("why a message is not taken, and whom that is told to", () => {
  assert.equal(unfit({ id: 1 }), undefined);
  assert.match(unfit({ params: [{ id: 1n }] }), /cannot be written as JSON/);
  assert.match(unfit({ bytes: new Uint8Array(MAX_MESSAGE_WEIGHT) }), /larger than 4 MiB/);
  assert.deepEqual(
    [{ id: 0, method: "a" }, { id: "x", method: "a" }, { id: 0 }, { id: {}, method: "a" }, null, "text"].map(requestId),
    [0, "x", undefined, undefined, undefined, undefined],
  );
});
