import assert from "node:assert/strict";
import { test } from "node:test";
import { format, parse } from "../link.js";

test("a link comes back as it was written", () => {
  const link = {
    server: "s1", tool: "get weather", args: { city: "Zürich & Basel", n: 1, list: ["a=b"] }, profile: "strict", theme: "dark",
    mode: "pip", size: "phone", locale: "de-CH", timeZone: "Europe/Zurich", stream: true, run: true,
  };
  assert.deepEqual(parse(format(link)), link);
});

test("what makes no sense is left out", () => {
  assert.deepEqual(parse("?theme=pink&mode=cinema&size=huge&args=[1]&tool="), {});
  assert.deepEqual(parse("?args={broken"), {});
  assert.deepEqual(parse("?args=null"), {});
});

test("run=0 says not to run", () => {
  assert.equal(parse("?run=0").run, false);
  assert.equal(parse("").run, undefined);
});

test("nothing gives an empty query", () => {
  assert.equal(format({}), "");
  assert.equal(format({ tool: undefined, locale: "" }), "");
});
