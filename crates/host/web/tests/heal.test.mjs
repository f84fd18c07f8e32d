import assert from "node:assert/strict";
import { test } from "node:test";
import { heal } from "../heal.js";
import { partials, pieces } from "../stream.js";

const TEXTS = [
  '{}',
  '[]',
  '{"city":"Zürich","days":5,"units":"metric","alerts":true,"note":null}',
  ' { "a" : [ 1 , 2.5 , -3e10 , { "b" : [ ] } ] , "c" : { } } ',
  '{"text":"a \\"quoted\\" \\\\ back\\/slash \\n\\t\\u00e9 end","x":"\\\\"}',
  '{"emoji":"\\ud83d\\ude00 and 😀 raw","list":["a","b",["c",["d"]]]}',
  '{"":"empty key","":{"":[]},"deep":{"er":{"est":[{"x":1},{"y":false}]}}}',
  '{"__proto__":{"polluted":true},"constructor":1}',
  '{"comma":"a,b}c]d:e{f[g","n":0,"m":-0.5e-3}',
  '{"rows":[{"id":1,"tags":["x","y"]},{"id":2,"tags":[]},{"id":3}],"total":12345678901234567890}',
];

/** A partial value must be part of the whole: the same keys, starts of lists and strings, whole scalars. */
function isPart(part, whole) {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length <= whole.length && part.every((item, i) => isPart(item, whole[i]));
  if (part !== null && typeof part === "object") {
    return whole !== null && typeof whole === "object" && !Array.isArray(whole)
      && Object.keys(part).every((key) => Object.hasOwn(whole, key) && isPart(part[key], whole[key]));
  }
  return part === whole;
}

for (const text of TEXTS) {
  test(`every beginning of ${text.slice(0, 40)} is valid and invents nothing`, () => {
    const whole = JSON.parse(text);
    for (let end = 0; end <= text.length; end++) {
      const shown = heal(text.slice(0, end));
      if (shown === undefined) continue;
      assert.deepEqual(JSON.parse(JSON.stringify(shown)), shown);
      // A repeated key has its last value in the whole, so a text with a repeat is exempt before its end.
      if (!text.includes('"":"empty key"'))
        assert.ok(isPart(shown, whole), `${text.slice(0, end)} → ${JSON.stringify(shown)}`);
    }
    assert.deepEqual(heal(text), whole);
  });
}

test("a string is shown as it grows, a number only when it has ended", () => {
  assert.deepEqual(heal('{"city":"Zür'), { city: "Zür" });
  assert.deepEqual(heal('{"n":12'), {});
  assert.deepEqual(heal('{"n":12,'), { n: 12 });
  assert.deepEqual(heal('{"ok":tru'), {});
  assert.deepEqual(heal('{"ok":true'), { ok: true });
  assert.deepEqual(heal('{"ke'), {});
  assert.deepEqual(heal('{"key"'), {});
  assert.deepEqual(heal('{"key":'), {});
  assert.equal(heal(""), undefined);
});

test("half an escape and half a surrogate pair are left out", () => {
  assert.deepEqual(heal('{"a":"x\\'), { a: "x" });
  assert.deepEqual(heal('{"a":"x\\u00'), { a: "x" });
  assert.deepEqual(heal('{"a":"x\\\\'), { a: "x\\" });
  assert.deepEqual(heal('{"a":"x\\ud83d'), { a: "x" });
  assert.deepEqual(heal('{"a":"\ud83d'), { a: "" });
});

test("__proto__ is a key like any other", () => {
  const shown = heal('{"__proto__":{"polluted":true}}');
  assert.ok(Object.hasOwn(shown, "__proto__"));
  assert.equal({}.polluted, undefined);
});

test("text that is not JSON ends quietly", () => {
  for (const text of ["}", "nope", '{"a" 1}', "[,]", '{"a":}', "[1 2", '{"a":"\\q"}', "[tru]"])
    assert.doesNotThrow(() => heal(text));
});

test("a simulated model writes in pieces, and each partial is new and not the whole", () => {
  const args = { city: "Zürich", days: 5, list: ["one", "two", "three"], nested: { deep: true } };
  const shown = partials(args).map((partial) => JSON.stringify(partial));
  assert.ok(shown.length >= 3);
  assert.equal(new Set(shown).size, shown.length);
  assert.ok(!shown.includes(JSON.stringify(args)));
  assert.deepEqual(partials({}), []);
  assert.equal(pieces("x".repeat(10_000)).join("").length, 10_000);
  assert.ok(pieces("x".repeat(10_000)).length <= 24);
});
