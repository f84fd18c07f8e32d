import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { capabilities, containers, hostModes, policy, surroundings } from "../context.js";
import { allVariables, variables } from "../style.js";

const SETTINGS = {
  theme: "auto",
  mode: "inline",
  size: "fit",
  free: { width: 500, height: 400 },
  locale: "de-CH",
  timeZone: "Europe/Zurich",
  profile: "strict",
  stream: false,
  off: [],
  deny: [],
  always: [],
};
const ROOM = { stage: { width: 640 }, window: { width: 1280, height: 800 } };
const VIEW = {
  permissions: { declared: { camera: {} }, granted: { camera: {} }, allow: "camera" },
  csp: {
    declared: { connectDomains: ["https://a.example", "bad source"] },
    applied: "",
    directives: [],
    dropped: [{ source: "bad source", why: "no" }],
  },
};

/** The standard names, read from the Rust source that defines them. */
function standardNames() {
  const rust = readFileSync(new URL("../../../protocol/src/apps/style.rs", import.meta.url), "utf8");
  const words = (text) => [...text.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
  const background = words(/const BACKGROUND[^=]*= &\[([^\]]*)\]/.exec(rust)[1]);
  const groups = /const GROUPS[^=]*= &\[([\s\S]*?)\n\];/.exec(rust)[1];
  const names = [];
  for (const [, start, ends] of groups.matchAll(/\(\s*"([^"]+)",\s*(BACKGROUND|&\[[^\]]*\])/g)) {
    for (const end of ends === "BACKGROUND" ? background : words(ends)) names.push(start + end);
  }
  return names;
}

test("every standard variable has a value, and there is no other", () => {
  const names = standardNames();
  assert.ok(names.length > 70);
  assert.deepEqual(Object.keys(allVariables()).sort(), names.sort());
});

/** The WCAG contrast of two colours. */
function contrast(a, b) {
  const light = (hex) => {
    const [r, g, bl] = [1, 3, 5]
      .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
const pair = (name) => allVariables()[name].match(/#[0-9a-f]{6}/g);

test("texts are legible on their backgrounds in light and dark", () => {
  const on = [
    ["primary", "primary"],
    ["secondary", "primary"],
    ["tertiary", "primary"],
    ["primary", "secondary"],
    ["secondary", "tertiary"],
    ["inverse", "inverse"],
    ["info", "info"],
    ["danger", "danger"],
    ["success", "success"],
    ["warning", "warning"],
  ];
  for (const [text, background] of on) {
    const texts = pair(`--color-text-${text}`);
    const backs = pair(`--color-background-${background}`);
    for (const i of [0, 1])
      assert.ok(
        contrast(texts[i], backs[i]) >= 4.5,
        `${text} on ${background}: ${texts[i]} ${backs[i]} ${contrast(texts[i], backs[i])}`,
      );
  }
});

test("a profile gives all variables, some, or its own", () => {
  assert.equal(Object.keys(variables("all")).length, Object.keys(allVariables()).length);
  assert.deepEqual(Object.keys(variables(["--font-sans", "--nope"])), ["--font-sans"]);
  assert.deepEqual(variables({ "--font-sans": "Comic Sans" }), { "--font-sans": "Comic Sans" });
});

test("surroundings are complete", () => {
  const tool = { name: "t", inputSchema: {}, yardstick: { secret: 1 } };
  const context = surroundings(SETTINGS, { systemDark: true, version: "1.2", call: { id: "run-1", tool } });
  assert.deepEqual(Object.keys(context).sort(), [
    "deviceCapabilities",
    "locale",
    "platform",
    "safeAreaInsets",
    "styles",
    "theme",
    "timeZone",
    "toolInfo",
    "userAgent",
  ]);
  assert.equal(context.theme, "dark");
  assert.deepEqual(context.toolInfo, { id: "run-1", tool: { name: "t", inputSchema: {} } });
  assert.match(context.styles.variables["--color-text-primary"], /^light-dark\(/);
});

test("a phone is mobile, has touch and its own room", () => {
  const phone = { ...SETTINGS, size: "phone" };
  const context = surroundings(phone, { systemDark: false, version: "1" });
  assert.equal(context.platform, "mobile");
  assert.deepEqual(context.deviceCapabilities, { touch: true, hover: false });
  assert.deepEqual(containers(phone, ROOM).inline, { width: 390, maxHeight: 844 });
});

test("room: flexible height in the flow, fixed in fullscreen and where the person drags", () => {
  assert.deepEqual(containers(SETTINGS, ROOM).inline, { width: 640, maxHeight: 5000 });
  assert.deepEqual(containers(SETTINGS, ROOM).fullscreen, { width: 1280, height: 800 });
  assert.deepEqual(containers({ ...SETTINGS, size: "free" }, ROOM).inline, { width: 500, height: 400 });
  const profile = {
    name: "p",
    context: {
      containerDimensions: {
        inline: { height: 695, maxWidth: 768 },
        fullscreen: {},
        pip: { width: 360, maxHeight: 480 },
      },
    },
  };
  assert.deepEqual(containers(SETTINGS, ROOM, profile).inline, { height: 695, maxWidth: 768 });
  assert.deepEqual(containers(SETTINGS, ROOM, profile).pip, { width: 360, maxHeight: 480 });
  const flow = { name: "p", context: { containerDimensions: { inline: { maxHeight: 2000 } } } };
  const small = { ...ROOM, window: { width: 390, height: 800 } };
  assert.deepEqual(
    containers(SETTINGS, small, profile).pip,
    { width: 360, maxHeight: 360 },
    "half of a phone stays free",
  );
  assert.deepEqual(containers(SETTINGS, small).pip, { width: 366, height: 300 }, "and nothing stands out of it");
  assert.deepEqual(containers(SETTINGS, ROOM, flow).inline, { width: 640, maxHeight: 2000 });
});

test("what is switched off is not announced, and the sandbox is what is enforced", () => {
  const told = capabilities(undefined, { ...SETTINGS, off: ["openLinks"] }, VIEW, false);
  assert.equal(told.openLinks, undefined);
  assert.equal(told.sampling, undefined);
  assert.deepEqual(told.sandbox, { permissions: { camera: {} }, csp: { connectDomains: ["https://a.example"] } });
  assert.ok(capabilities(undefined, SETTINGS, VIEW, true).sampling);
});

test("modes and methods are the profile's", () => {
  assert.deepEqual(hostModes(undefined), ["inline", "fullscreen", "pip"]);
  const profile = {
    name: "p",
    context: { displayModes: ["pip", "inline"] },
    methods: { unsupported: ["ui/message"] },
    notifications: { unsent: ["x"] },
  };
  assert.deepEqual(hostModes(profile), ["inline", "pip"]);
  assert.deepEqual(policy(profile, SETTINGS).unsupported, ["ui/message"]);
  assert.deepEqual(policy(undefined, SETTINGS).unsent, []);
});
