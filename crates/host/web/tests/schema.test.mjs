import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "../patterns.js";
import { example, initial, parseInput, plan, problemText, problems, show, startArguments } from "../schema.js";

const SCHEMA = {
  type: "object",
  required: ["city", "days"],
  $defs: {
    unit: { enum: ["C", "F"], default: "C" },
    node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } },
  },
  properties: {
    city: { type: "string", examples: ["Zürich"], minLength: 2, description: "Where" },
    days: { type: "integer", default: 3, minimum: 1, maximum: 7 },
    unit: { $ref: "#/$defs/unit", title: "Unit" },
    alerts: { type: "boolean" },
    when: { type: ["string", "null"], format: "date" },
    size: { anyOf: [{ type: "number" }, { type: "null" }] },
    level: { oneOf: [{ const: 1, title: "Low" }, { const: 2, title: "High" }] },
    either: { oneOf: [{ type: "string" }, { type: "object", properties: {} }] },
    tags: { type: "array", items: { type: "string" } },
    place: { type: "object", properties: { lat: { type: "number", default: 47.4 }, lon: { type: "number" } } },
    tree: { $ref: "#/$defs/node" },
    anything: {},
  },
};
const field = plan(SCHEMA);
const at = (key) => field.fields.find((one) => one.key === key);

test("each property has its kind of field", () => {
  const kinds = Object.fromEntries(field.fields.map(({ key, field: inner }) => [key, inner.kind]));
  assert.deepEqual(kinds, {
    city: "string", days: "integer", unit: "enum", alerts: "boolean", when: "string", size: "number", level: "enum",
    either: "json", tags: "array", place: "object", tree: "object", anything: "json",
  });
  assert.equal(at("tags").field.items.kind, "string");
  assert.deepEqual(
    [at("when").field.nullable, at("size").field.nullable, at("city").field.nullable],
    [true, true, false],
  );
  assert.deepEqual([at("when").field.format, at("city").required, at("unit").required], ["date", true, false]);
  assert.deepEqual(at("level").field.options, [{ value: 1, label: "Low" }, { value: 2, label: "High" }]);
  assert.deepEqual([at("unit").field.title, at("city").field.description], ["Unit", "Where"]);
});

test("a schema that refers to itself ends as JSON", () => {
  let inner = at("tree").field;
  for (let depth = 0; inner.kind === "object"; depth++) {
    assert.ok(depth < 10);
    inner = inner.fields[0].field;
  }
  assert.equal(inner.kind, "json");
});

test("the form starts with defaults and examples and nothing else", () => {
  assert.deepEqual(initial(field), { city: "Zürich", days: 3, unit: "C", place: { lat: 47.4 } });
  assert.deepEqual(initial(plan({ type: "object" })), undefined);
  assert.deepEqual(initial(plan({ type: "object", properties: {} })), {});
});

test("what is typed becomes a value and back", () => {
  for (const [key, text, value] of [
    ["city", "Basel", "Basel"],
    ["city", "", undefined],
    ["days", "5", 5],
    ["days", "", undefined],
    ["days", "five", "five"],
    ["size", "2.5", 2.5],
    ["either", '{"a":1}', { a: 1 }],
    ["either", "plain", "plain"],
    ["anything", "[1]", [1]],
    ["anything", " ", undefined],
  ])
    assert.deepEqual(parseInput(at(key).field, text), value, `${key} ${text}`);
  assert.equal(show(at("city").field, "Basel"), "Basel");
  assert.equal(show(at("days").field, 5), "5");
  assert.equal(show(at("anything").field, { a: 1 }), '{"a":1}');
  assert.equal(show(at("anything").field, "x"), '"x"');
  assert.equal(show(at("anything").field, undefined), "");
});

test("what does not fit is named with its place", () => {
  const texts = (value) => problems(field, value).map((problem) => `${problem.at} ${problem.text}`);
  assert.deepEqual(texts({ city: "Basel", days: 3, when: null }), []);
  assert.deepEqual(texts({}), ["city is required", "days is required"]);
  assert.deepEqual(texts({ city: "B", days: 9, unit: "K", tags: ["a", 1], place: { lat: "x" }, alerts: "yes" }), [
    "city must be at least 2 characters",
    "days must be at most 7",
    "unit is not one of the choices",
    "alerts must be true or false",
    "tags[1] must be text",
    "place.lat must be a number",
  ]);
  assert.deepEqual(texts([]), ["arguments must be an object"]);
});

test("odd schemas are edited as JSON", () => {
  for (const schema of [
    true,
    null,
    undefined,
    [],
    "x",
    { $ref: "#/nowhere" },
    { $ref: "https://elsewhere" },
    { type: ["string", "number"] },
    { allOf: [] },
  ]) {
    assert.equal(plan(schema).kind, "json");
  }
});

test("a name from the prototype is not a reference", () => {
  assert.equal(plan({ $ref: "#/constructor" }).kind, "json");
});

test("examples fit their schema", () => {
  const required = {
    type: "object", required: ["a", "b", "c", "d", "e", "f", "g"],
    properties: {
      a: { type: "string", minLength: 12 },
      b: { type: "integer", minimum: 5 },
      c: { type: "number", maximum: -2 },
      d: { enum: ["x", "y"] },
      e: { type: "boolean" },
      f: { type: "array", items: {} },
      g: {
        type: "object",
        required: ["h"],
        properties: { h: { type: "string", format: "date" }, i: { type: "string" } },
      },
      optional: { type: "string" },
      proposed: { type: "number", default: 7 },
    },
  };
  const made = example(plan(required));
  assert.deepEqual(made, {
    a: "examplexxxxx",
    b: 5,
    c: -2,
    d: "x",
    e: false,
    f: [],
    g: { h: "2026-01-26" },
    proposed: 7,
  });
  assert.deepEqual(problems(plan(required), made), []);
  assert.deepEqual(problems(field, example(field)), []);
});

test("no example is made where the schema does not say what fits", () => {
  const free = plan({
    type: "object",
    required: ["x"],
    properties: { x: { oneOf: [{ type: "string" }, { type: "number" }] } },
  });
  assert.deepEqual(problems(free, example(free)), [{ at: "x", text: "is required" }]);
});

test("a list that wants items gets them, and says what is missing", () => {
  const points = plan({
    type: "object",
    required: ["points"],
    properties: {
      points: {
        type: "array",
        minItems: 2,
        maxItems: 3,
        items: { type: "object", required: ["x"], properties: { x: { type: "number" } } },
      },
    },
  });
  assert.deepEqual(example(points), { points: [{ x: 1 }, { x: 1 }] });
  assert.deepEqual(problems(points, example(points)), []);
  assert.deepEqual(problems(points, { points: [] }), [{ at: "points", text: "must have at least 2 items" }]);
  assert.deepEqual(problems(points, { points: [1, 2, 3, 4].map((x) => ({ x })) }), [
    { at: "points", text: "must have at most 3 items" },
  ]);
});

test("limits that are none, or larger than any text, do no harm", () => {
  const start = (schema) =>
    startArguments({
      name: "t",
      inputSchema: { type: "object", required: ["a"], properties: { a: schema } },
      yardstick: {},
    });
  for (const limit of [1e300, "10", null, {}, []]) {
    for (const schema of [
      { type: "string", minLength: limit },
      { type: "string", maxLength: limit, pattern: limit },
      { type: "number", minimum: limit },
      { type: "array", items: {}, minItems: limit },
    ]) {
      assert.equal(typeof start(schema).fits, "boolean", JSON.stringify(schema));
    }
  }
  assert.equal(start({ type: "string", minLength: 1e300 }).fits, false);
});

test("a schema that refers to itself does not make a form without end", () => {
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, { $ref: "#" }]));
  const endless = plan({ type: "object", properties });
  const count = (one) =>
    (one.fields ?? []).reduce((sum, { field: inner }) => sum + count(inner), 1) + (one.items ? count(one.items) : 0);
  assert.ok(count(endless) <= 1100, `${count(endless)} fields`);
  assert.equal(endless.fields.length, 60);
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, { type: "string" }]));
  assert.ok(count(plan({ type: "object", properties: wide })) <= 1100);
});

test("members that every object inherits are not there until they are typed", () => {
  const strange = ["constructor", "toString", "__proto__", "hasOwnProperty"];
  const form = plan({
    type: "object",
    properties: JSON.parse(`{${strange.map((name) => `"${name}": {"type": "string"}`)}}`),
    required: strange,
  });
  assert.deepEqual(problems(form, {}).map((one) => one.text), strange.map(() => "is required"));
});

test("formats, characters and large numbers are checked", () => {
  const wrong = (schema, value) => problems(plan(schema), value).map((one) => one.text);
  for (const [format, good, bad] of [
    ["email", "a@b.example", "a b@c"],
    ["uri", "mailto:a@b.example", "not a uri"],
    ["date", "2026-02-28", "2026-13-01"],
    ["date-time", "2026-02-28T12:00:00+01:00", "2026-02-28"],
  ]) {
    assert.deepEqual(wrong({ type: "string", format }, good), [], format);
    assert.match(wrong({ type: "string", format }, bad)[0] ?? "", new RegExp(`valid ${format}`));
  }
  assert.deepEqual(wrong({ type: "string", format: "phone" }, "anything"), []);
  assert.deepEqual(wrong({ type: "string", maxLength: 2 }, "👍👍"), []);
  const whole = plan({ type: "integer" });
  assert.equal(parseInput(whole, "9007199254740992"), 9007199254740992);
  assert.equal(parseInput(whole, "9007199254740993"), "9007199254740993");
  assert.match(problems(whole, "9007199254740993")[0].text, /too large/);
  assert.equal(parseInput(plan({ type: "number" }), "1e3"), 1000);
});

test("very many choices are compared once, and a form offers only so many", () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `choice ${i}`);
  const many = plan({ type: "array", items: { enum: names } });
  assert.deepEqual(problems(many, names), []);
  assert.deepEqual(problems(many, [...names, "none"]), [{ at: "[10000]", text: "is not one of the choices" }]);
  const properties = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`p${i}`, { enum: names }]));
  const kinds = plan({ type: "object", properties }).fields.map((one) => one.field.kind);
  assert.deepEqual(kinds, ["enum", "enum", "json", "json", "json"]);
});

test("what a form has no room for is counted", () => {
  const wide = (/** @type {number} */ count) => ({
    type: "object",
    required: Array.from({ length: count }, (_, i) => `p${i}`),
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string" }])),
  });
  assert.equal(plan(wide(400)).leftOut, undefined);
  const form = plan(wide(600));
  assert.equal(form.fields.length + form.leftOut, 600);
  assert.match(problemText(problems(plan(wide(30)), {})), /^p0 is required; .*; p9 is required; 20 more$/);
});

test("the texts that have a pattern are collected with their places", () => {
  const code = { type: "string", pattern: "^[A-Z]+$" };
  const form = plan({
    type: "object",
    properties: {
      code,
      free: { type: "string" },
      list: { type: "array", items: code },
      in: { type: "object", properties: { code } },
    },
  });
  const value = { code: "A", free: "b", list: ["C", 1], in: { code: "D" }, other: "e" };
  const found = collect(form, value, "").map(({ at, text }) => `${at} ${text}`);
  assert.deepEqual(found, ["code A", "list[0] C", "in.code D"]);
  assert.deepEqual(collect(form, null, ""), []);
});

test("a member may have any name and any title", () => {
  const schema = JSON.parse(`{"type": "object", "properties": {
    "__proto__": {"type": "string", "default": "own"},
    "constructor": {"type": "string", "format": "constructor", "title": ""},
    "toString": {"enum": ["", " ", "a"], "enumNames": ["", "Blank"]},
    "valueOf": {"oneOf": [{"const": "", "title": " "}, {"const": "b", "title": "B"}]}
  }, "required": ["constructor"]}`);
  const hostile = plan(schema);
  assert.equal(JSON.stringify(initial(hostile)), `{"__proto__":"own"}`);
  assert.equal(JSON.stringify(example(hostile)), `{"__proto__":"own","constructor":"example"}`);
  const [, named, listed, titled] = hostile.fields.map((one) => one.field);
  assert.equal(named.title, undefined, "the form shows the name instead");
  assert.deepEqual(listed.options.map((one) => one.label), [`""`, "Blank", "a"]);
  assert.deepEqual(titled.options.map((one) => one.label), [`""`, "B"]);
  assert.deepEqual(problems(hostile, {}), [{ at: "constructor", text: "is required" }]);
});
