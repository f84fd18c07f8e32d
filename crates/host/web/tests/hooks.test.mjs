import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { hooked } from "../hooks.js";

afterEach(() => delete globalThis.yardstickHost);

test("without a driver the page's own function is used", () => {
  const own = () => 1;
  assert.equal(hooked("send", own), own);
  globalThis.yardstickHost = { step: "not a function" };
  assert.equal(hooked("step", own), own);
});

test("a driver's function stands around the page's", () => {
  globalThis.yardstickHost = { send: (own) => (message) => [own(message), own(message)] };
  assert.deepEqual(hooked("send", (message) => message)("twice"), ["twice", "twice"]);
});
