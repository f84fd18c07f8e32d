// Tests of each profile file as the page applies it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { capabilities, containers, hostInfo, hostModes, invocation, policy, surroundings } from "../context.js";
import { allVariables, themed } from "../style.js";
import { Rig, methods, notes, one, sent } from "./bridge-help.mjs";

const FOLDER = new URL("../../profiles/", import.meta.url);
const PROFILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")));
const named = (name) => PROFILES.find((profile) => profile.name === name);
const SETTINGS = {
  theme: "dark",
  mode: "inline",
  size: "fit",
  free: { width: 500, height: 400 },
  locale: "de-CH",
  timeZone: "Europe/Zurich",
  profile: "",
  stream: false,
  off: [],
  deny: [],
  always: [],
};
const ROOM = { stage: { width: 640 }, window: { width: 1280, height: 800 } };
const VIEW = { permissions: { granted: {} }, csp: { declared: null, dropped: [] }, redirects: [] };
const TOOL = {
  name: "t",
  inputSchema: {},
  yardstick: {},
  _meta: { "openai/toolInvocation/invoking": "Looking", "openai/toolInvocation/invoked": "Found" },
};

/** A bridge of a host with that profile. */
function rig(name, view = VIEW) {
  const profile = named(name);
  return new Rig({
    hostInfo: hostInfo(profile, "1"),
    capabilities: capabilities(profile, SETTINGS, view, false),
    context: {
      ...surroundings(SETTINGS, {
        systemDark: false,
        version: "1",
        browser: "Browser/1",
        call: { id: "run-1", tool: TOOL },
        profile,
      }),
      displayMode: "inline",
      availableDisplayModes: hostModes(profile),
    },
    containers: containers(SETTINGS, ROOM, profile),
    hostModes: hostModes(profile),
    policy: policy(profile, SETTINGS, view),
  });
}
const MODES = { availableDisplayModes: ["inline", "fullscreen", "pip"] };
const context = (name) => rig(name).initialize(MODES).result.hostContext;

for (const profile of PROFILES) {
  test(`${profile.name}: what is announced is what the file says, and what is said of it is kept`, () => {
    const { result } = rig(profile.name).initialize(MODES);
    const { sandbox, ...announced } = result.hostCapabilities;
    const { sampling, ...said } = profile.capabilities;
    if (said.serverResources) said.serverResources = {};
    assert.deepEqual(announced, said);
    assert.equal(sandbox === undefined, profile.sandbox?.announced === false);
    assert.equal(result.hostInfo.name, profile.hostInfo?.name ?? "yardstick");
    for (const name of profile.context.absent ?? []) assert.equal(result.hostContext[name], undefined, name);
    if (!profile.context.absent?.includes("availableDisplayModes"))
      assert.deepEqual(result.hostContext.availableDisplayModes, profile.context.displayModes);
  });

  test(`${profile.name}: what it does not have is answered with -32601, and what it never sends is not sent`, () => {
    const bridge = rig(profile.name).start({ ...MODES, tools: {} });
    for (const method of profile.methods?.unsupported ?? [])
      assert.equal(bridge.request(method, {}).error.code, -32601, method);
    bridge.feed({ type: "tool-input-partial", arguments: { a: 1 } });
    bridge.feed({ type: "tool-input", arguments: { a: 1 } });
    bridge.feed({ type: "tool-cancelled", reason: "enough" });
    bridge.feed({ type: "context", patch: { theme: "light" } });
    bridge.feed({ type: "call-app-tool", name: "x", arguments: {} });
    bridge.feed({ type: "teardown" });
    const said = methods(bridge.effects);
    const unsent = profile.notifications?.unsent ?? [];
    assert.deepEqual(said.filter((method) => unsent.includes(method)), []);
    assert.ok(said.includes("ui/notifications/tool-input"));
    if (unsent.includes("ui/resource-teardown")) assert.ok(one(bridge.effects, "torn-down"), "it is gone at once");
    else assert.ok(said.includes("ui/resource-teardown"));
  });
}

test("a host with nothing but the handshake tells nothing and answers ping", () => {
  const bridge = rig("minimal");
  const { result } = bridge.initialize(MODES);
  assert.deepEqual([result.hostCapabilities, result.hostContext], [{}, {}]);
  bridge.say({ method: "ui/notifications/initialized" });
  for (const method of [
    "ui/open-link",
    "ui/message",
    "ui/request-display-mode",
    "tools/call",
    "tools/list",
    "resources/read",
    "prompts/list",
  ]) {
    assert.equal(bridge.request(method, {}).error.code, -32601, method);
  }
  assert.deepEqual(bridge.request("ping").result, {});
});

test("rooms are the profile's", () => {
  assert.deepEqual(context("claude").containerDimensions, { width: 720, maxHeight: 5000 });
  assert.deepEqual(context("chatgpt").containerDimensions, { height: 695, maxWidth: 768 });
  assert.equal(context("vscode").containerDimensions.maxHeight, 720);
  assert.equal(context("codex").containerDimensions, undefined);
  assert.deepEqual(
    containers({ ...SETTINGS, size: "phone" }, ROOM, named("claude")).inline.width,
    390,
    "the person's size wins",
  );
});

test("a user agent is the host's, the browser's or ours", () => {
  assert.equal(context("mistral").userAgent, "Le Chat/1.0.0");
  assert.equal(context("claude").userAgent, "Browser/1");
  assert.equal(context("strict").userAgent, "yardstick/1");
  assert.equal(context("vscode").userAgent, undefined);
});

test("style variables are all, some or none; of both themes or of one; with fonts or without", () => {
  const all = Object.keys(allVariables()).length;
  assert.equal(Object.keys(context("claude").styles.variables).length, all);
  assert.ok(context("claude").styles.css.fonts);
  assert.equal(context("cursor").styles, undefined);
  assert.equal(Object.keys(context("mistral").styles.variables).length, named("mistral").variables.length);
  assert.equal(context("mistral").styles.css, undefined);
  assert.equal(Object.keys(context("chatgpt").styles.variables).length, all - named("chatgpt").styles.absent.length);
  const [light, dark] = ["light", "dark"].map((theme) => themed(named("chatgpt"), theme));
  assert.equal(light["--color-background-primary"], "#ffffff");
  assert.equal(dark["--color-background-primary"], "#16191d");
  assert.equal(dark["--shadow-sm"], "0 1px 2px rgb(0 0 0 / 40%)");
  assert.ok(!JSON.stringify([light, dark]).includes("light-dark("));
});

test("a change of what a host never sends causes no message", () => {
  const bridge = rig("vscode").start(MODES);
  const effects = bridge.feed({ type: "context", patch: { timeZone: "UTC" } });
  assert.deepEqual(sent(effects), []);
  const both = bridge.feed({ type: "context", patch: { timeZone: "Asia/Tokyo", theme: "light" } });
  assert.deepEqual(sent(both)[0].params, { theme: "light" });
});

test("goose calls tools without announcing it", () => {
  const bridge = rig("goose").start(MODES);
  assert.equal(bridge.initialize(MODES).result.hostCapabilities.serverTools, undefined);
  assert.equal(
    one(bridge.say({ id: 5, method: "tools/call", params: { name: "t" } }), "ask-server").method,
    "tools/call",
  );
  assert.equal(bridge.request("resources/read", { uri: "ui://a" }).error.code, -32601);
});

test("a View that asks to be closed is heard in one host and not in another", () => {
  const ask = { method: "ui/notifications/request-teardown" };
  assert.ok(one(rig("vscode").start(MODES).say(ask), "request-teardown"));
  const effects = rig("claude").start(MODES).say(ask);
  assert.equal(one(effects, "request-teardown"), undefined);
  assert.equal(notes(effects)[0], "ui/notifications/request-teardown has no effect in this host");
});

test("a link to an origin that the resource has named is opened without a question", () => {
  const bridge = rig("chatgpt", { ...VIEW, redirects: ["https://shop.example"] }).start(MODES);
  const known = bridge.say({ id: 1, method: "ui/open-link", params: { url: "https://shop.example/cart" } });
  assert.equal(one(known, "open-link").url, "https://shop.example/cart");
  const other = bridge.say({ id: 2, method: "ui/open-link", params: { url: "https://shop.example.evil.example/" } });
  assert.ok(one(other, "ask-person") && !one(other, "open-link"));
});

test("what a tool says while it runs is shown where the host shows it", () => {
  assert.equal(invocation(TOOL, named("chatgpt"), true), "Looking");
  assert.equal(invocation(TOOL, named("chatgpt"), false), "Found");
  assert.equal(invocation(TOOL, named("copilot"), true), "");
  assert.equal(invocation(TOOL, named("strict"), true), "");
  assert.equal(invocation({ ...TOOL, _meta: undefined }, named("chatgpt"), true), "");
});
