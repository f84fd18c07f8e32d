import assert from "node:assert/strict";
import { test } from "node:test";
import { parts, warnings } from "../address.js";
import { safeName } from "../bridge-params.js";
import { plain } from "../content.js";
import { cut, textOf, visible } from "../dom.js";
import { notices } from "../notice.js";
import { requiresUrls, urlsRequired, urlsVisited } from "../problem.js";
import { blank } from "../store.js";

test("characters that nobody sees are shown by their code points", () => {
  assert.equal(visible("pay\u200bpal"), "pay[U+200B]pal");
  assert.equal(visible("a\u202eb\u2066c\u00add\u3164"), "a[U+202E]b[U+2066]c[U+00AD]d[U+3164]");
  assert.equal(visible("send\u200dmail"), "send[U+200D]mail");
  assert.equal(visible("👩\u200d👧 می\u200cخواهم"), "👩\u200d👧 می\u200cخواهم", "joiners where they belong");
});

test("any value has a text", () => {
  assert.equal(textOf(JSON.parse('{"toString":1,"valueOf":1}')), '{"toString":1,"valueOf":1}');
  const odd = [{ type: "text", text: { toString: 1 } }, { type: { toString: 1 } }, null, 1];
  assert.equal(plain(odd).split("\n").length, 4);
  assert.equal(cut("abcdef", 3), "abc… (3 more characters)");
  assert.equal(cut("abc", 3), "abc");
});

test("no text takes longer than its length", () => {
  // Each of these took minutes when every place was compared with what follows.
  const words = `${"x".repeat(1999)} `.repeat(2000);
  assert.ok(cut(words).length < 70_000);
  assert.equal(cut("y".repeat(5000)), `${"y".repeat(2000)}… (3000 more characters)`);
  assert.equal(safeName(`a${".".repeat(3_000_000)}a`), "a");
});

test("where a URL leads is marked, and what misleads about it is said", () => {
  assert.equal(parts("https://bank.example@evil.example/")[1], "evil.example");
  assert.equal(warnings("https://bank.example@evil.example/").length, 1);
  assert.equal(warnings("https://b\u0430nk.example/").length, 1, "a Cyrillic letter");
  assert.equal(warnings("https://sub.xn--bnk-5cd.example/").length, 1);
  for (const plainUrl of ["https://bank.example/?a=b@c", "javascript:alert(1)", "not a URL", "data:,x@y"])
    assert.deepEqual(warnings(plainUrl), [], plainUrl);
});

test("a call that needs URLs offers to run again, before and after", () => {
  const error = (data) => ({ code: -32042, message: "first", data });
  assert.ok(requiresUrls(error({ elicitations: [{}] })));
  for (const data of [undefined, null, 1, {}, { elicitations: [] }, { elicitations: "x" }])
    assert.ok(!requiresUrls(error(data)));
  assert.ok(!requiresUrls({ ...error({ elicitations: [{}] }), code: -32000 }));
  const failed = { ...blank({ mode: "inline" }), connection: "open", status: "failed" };
  const shown = (problem) => notices({ ...failed, problem })[0];
  assert.deepEqual([shown(urlsRequired("t", "s")).tone, shown(urlsRequired("t", "s")).canRetry], ["warn", true]);
  assert.deepEqual([shown(urlsVisited("t")).tone, shown(urlsVisited("t")).canRetry], ["plain", true]);
});
