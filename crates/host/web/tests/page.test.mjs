import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

const WEB = new URL("../", import.meta.url);
const read = (name) => readFileSync(new URL(name, WEB), "utf8");
const modules = [
  ...readdirSync(WEB).filter((name) => name.endsWith(".js")),
  ...readdirSync(new URL("panels/", WEB)).map((name) => `panels/${name}`),
];

/** Every module that the page loads, found by following the imports. */
function reached(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, path] of read(name).matchAll(/^(?:import|export) [^"]*from "([^"]+)";/gm)) {
    assert.ok(path.startsWith("."), `${name} imports ${path} from outside`);
    reached(new URL(path, `http://x/${name}`).pathname.slice(1), seen);
  }
  return seen;
}

test("what comes first is little", () => {
  assert.ok([...reached("first-run.js")].length <= 7);
});

test("a module can be put into one file with others: it imports by name, in one line, and exports declarations", () => {
  for (const name of modules) {
    for (const line of read(name)
      .split("\n")
      .filter((line) => /^(import|export)\b/.test(line))) {
      assert.match(
        line,
        /^(import \{ [\w, ]+ \} from "\.{1,2}\/[\w./-]+\.js";|export ((async )?function|const|class) \w+.*)$/,
        `${name}: ${line}`,
      );
    }
  }
});

test("no module is left over", () => {
  // The workers are programs of their own.
  const programs = ["main.js", "events-worker.js", "pattern-worker.js"];
  assert.deepEqual([...new Set(programs.flatMap((name) => [...reached(name)]))].sort(), modules.sort());
});

test("the page has what scripts and tests look for", () => {
  const page = read("page.html");
  for (const part of [
    'name="yardstick-token" content="{{token}}"',
    'id="tool-select"',
    "{{options}}",
    "{{servers}}",
    'class="app-slot"',
    'type="application/json" id="state">{{state}}<',
    'data-app-status="idle"',
  ])
    assert.ok(page.includes(part), part);
});

test("nothing comes from outside, and no HTML is made from strings", () => {
  for (const name of [...modules, "page.html", "page.css", "timeline.css"]) {
    const text = read(name);
    assert.doesNotMatch(text, /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\()/, name);
    assert.doesNotMatch(text, /(src|href)="https?:|url\(["']?https?:/, name);
    assert.doesNotMatch(text, /\b(confirm|alert|prompt)\(/, name);
    assert.ok(text.split("\n").length <= 400, `${name} is long`);
  }
});

/** The WCAG contrast of two colours. */
function contrast(a, b) {
  const light = (hex) => {
    const [red, green, blue] = [1, 3, 5]
      .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

test("the page is legible in light and dark", () => {
  const tokens = Object.fromEntries(
    [...read("page.css").matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
      ([, name, light, dark]) => [name, [light, dark]],
    ),
  );
  const on = [
    ...["bg", "surface", "raised", "sunken"].flatMap((back) => [
      ["text", back],
      ["muted", back],
      ["accent", back],
    ]),
    ["accent", "accent-soft"],
    ["text", "accent-soft"],
    ["muted", "accent-soft"],
    ["bad", "bad-soft"],
    ["text", "bad-soft"],
    ["warn", "warn-soft"],
    ["text", "warn-soft"],
    ["bad", "surface"],
    ["good", "surface"],
    ["warn", "surface"],
  ];
  for (const [text, back] of on) {
    for (const i of [0, 1])
      assert.ok(
        contrast(tokens[text][i], tokens[back][i]) >= 4.5,
        `${text} on ${back}, ${["light", "dark"][i]}: ${contrast(tokens[text][i], tokens[back][i]).toFixed(2)}`,
      );
  }
  for (const i of [0, 1])
    assert.ok(contrast("#ffffff", tokens["accent-strong"][i]) >= 4.5, `white on the accent, ${i}`);
});
