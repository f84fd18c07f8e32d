import assert from "node:assert/strict";
import { test } from "node:test";
import { format, parse } from "../link.js";

test("a link comes back as it was written", () => {
  const link = {
    server: "s1",
    tool: "get weather",
    args: { city: "Zürich & Basel", n: 1, list: ["a=b"] },
    profile: "strict",
    theme: "dark",
    mode: "pip",
    size: "free",
    free: { width: 800, height: 600 },
    off: ["message", "logging"],
    deny: ["open-link"],
    always: ["download", "message"],
    locale: "de-CH",
    timeZone: "Europe/Zurich",
    stream: true,
    run: true,
  };
  assert.deepEqual(parse(format(link)), link);
  assert.ok(format(link).includes("&off=message,logging&"), format(link));
  assert.ok(format(link).includes("&free=800x600&"), format(link));
});

test("only what there is can be switched off, denied or allowed", () => {
  assert.deepEqual(parse("?off=nope,logging&deny=everything&always=sampling"), { off: ["logging"] });
});

test("a free box keeps within its limits", () => {
  assert.deepEqual(parse("?free=1x99999").free, { width: 160, height: 4000 });
  for (const text of ["800", "800x", "-1x5", "axb", "800x600x2"]) assert.deepEqual(parse(`?free=${text}`), {});
});

test("a locale and a time zone that the browser does not know are left out", () => {
  assert.deepEqual(parse("?locale=xx_YY!&timeZone=Mars/Base"), {});
  assert.deepEqual(parse("?locale=de-CH&timeZone=Europe/Zurich"), { locale: "de-CH", timeZone: "Europe/Zurich" });
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
  assert.equal(format({ tool: undefined, locale: "", off: [], free: undefined }), "");
});
