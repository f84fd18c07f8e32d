import assert from "node:assert/strict";
import { test } from "node:test";
import { POLICY, Rig, answer, methods, notes, one, sent } from "./bridge-help.mjs";

test("ui/initialize is answered with host info, capabilities and context", () => {
  const { result } = new Rig().initialize();
  assert.equal(result.protocolVersion, "2026-01-26");
  assert.equal(result.hostInfo.name, "yardstick");
  assert.ok(result.hostCapabilities.openLinks);
  assert.equal(result.hostContext.theme, "light");
  assert.deepEqual(result.hostContext.containerDimensions, { width: 600, maxHeight: 800 });
});

test("an unknown protocol version is answered with the host's own", () => {
  const params = { appInfo: { name: "a", version: "1" }, appCapabilities: {}, protocolVersion: "2099-01-01" };
  assert.equal(new Rig().request("ui/initialize", params).result.protocolVersion, "2026-01-26");
});

test("nothing is sent before initialized; then context, partial, input and result come in order", () => {
  const rig = new Rig();
  rig.feed({ type: "tool-input-partial", arguments: { a: 1 } });
  rig.feed({ type: "tool-input-partial", arguments: { a: 1, b: 2 } });
  rig.feed({ type: "tool-input", arguments: { a: 1, b: 2, c: 3 } });
  rig.feed({ type: "tool-result", result: { content: [] } });
  rig.initialize();
  rig.feed({ type: "context", patch: { theme: "dark" } });
  rig.feed({ type: "ping" });
  rig.feed({ type: "list-app-tools" });
  assert.deepEqual(methods(rig.effects), []);
  const effects = rig.say({ method: "ui/notifications/initialized" });
  assert.deepEqual(methods(effects), [
    "ui/notifications/host-context-changed", "ui/notifications/tool-input-partial",
    "ui/notifications/tool-input", "ui/notifications/tool-result",
  ]);
  assert.deepEqual(sent(effects)[1].params.arguments, { a: 1, b: 2 });
  assert.deepEqual(effects.filter((e) => e.type === "status").map((e) => e.status), ["initialized", "ready"]);
});

test("initialized without a handshake opens nothing", () => {
  const rig = new Rig();
  rig.feed({ type: "tool-input", arguments: {} });
  const effects = rig.say({ method: "ui/notifications/initialized" });
  assert.deepEqual(sent(effects), []);
  assert.match(notes(effects)[0], /ignored initialized/);
});

test("initialized with or without params", () => {
  const rig = new Rig();
  rig.initialize();
  assert.ok(one(rig.say({ method: "ui/notifications/initialized", params: {} }), "status"));
});

test("tool-input is sent once", () => {
  const rig = new Rig().start();
  assert.deepEqual(methods(rig.feed({ type: "tool-input", arguments: { a: 1 } })), ["ui/notifications/tool-input"]);
  assert.deepEqual(methods(rig.feed({ type: "tool-input", arguments: { a: 2 } })), []);
});

test("a result waits for the input", () => {
  const rig = new Rig().start();
  assert.deepEqual(methods(rig.feed({ type: "tool-result", result: {} })), []);
  assert.deepEqual(methods(rig.feed({ type: "tool-input", arguments: {} })), [
    "ui/notifications/tool-input",
    "ui/notifications/tool-result",
  ]);
});

test("partials stop with the input", () => {
  const rig = new Rig().start();
  assert.deepEqual(methods(rig.feed({ type: "tool-input-partial", arguments: {} })), [
    "ui/notifications/tool-input-partial",
  ]);
  rig.feed({ type: "tool-input", arguments: {} });
  assert.deepEqual(methods(rig.feed({ type: "tool-input-partial", arguments: {} })), []);
});

test("a call ends once: with a result or cancelled", () => {
  const rig = new Rig().start();
  rig.feed({ type: "tool-input", arguments: {} });
  assert.deepEqual(sent(rig.feed({ type: "tool-cancelled", reason: "user" }))[0].params, { reason: "user" });
  assert.deepEqual(methods(rig.feed({ type: "tool-result", result: {} })), []);
  const other = new Rig().start();
  other.feed({ type: "tool-input", arguments: {} });
  other.feed({ type: "tool-result", result: {} });
  assert.deepEqual(methods(other.feed({ type: "tool-cancelled" })), []);
});

for (const id of [0, "", 1, -1, "0", "abc", 1.5, Number.MAX_SAFE_INTEGER]) {
  test(`the id ${JSON.stringify(id)} comes back as it is`, () => {
    assert.deepEqual(new Rig().start().request("ping", undefined, id), { jsonrpc: "2.0", id, result: {} });
  });
}

test("an id that is null cannot be answered", () => {
  const effects = new Rig().start().say({ id: null, method: "ping" });
  assert.deepEqual(sent(effects), []);
  assert.equal(notes(effects).length, 1);
});

test("unknown methods are -32601, also names from the prototype", () => {
  for (const method of [
    "ui/openLink",
    "nope",
    "constructor",
    "toString",
    "__proto__",
    "initialize",
    "ui/notifications/initialized",
  ]) {
    assert.equal(new Rig().start().request(method).error.code, -32601, method);
  }
});

const INVALID = [
  ["ui/open-link", {}],
  ["ui/open-link", { url: 5 }],
  ["ui/open-link", []],
  ["ui/message", { role: "assistant", content: [] }],
  ["ui/message", { role: "user", content: "hi" }],
  ["ui/message", { role: "user", content: [{ type: "text" }] }],
  ["ui/message", { role: "user", content: [{ type: "video" }] }],
  ["ui/request-display-mode", { mode: "cinema" }],
  ["ui/request-display-mode", undefined],
  ["ui/update-model-context", { content: {} }],
  ["ui/update-model-context", { structuredContent: [] }],
  ["ui/download-file", { contents: [] }],
  ["ui/download-file", { contents: [{ type: "resource", resource: { uri: "x" } }] }],
  ["tools/call", {}],
  ["tools/call", { name: "a", arguments: [] }],
  ["resources/read", {}],
  ["sampling/createMessage", { messages: [] }],
  ["ui/initialize", {}], ["ui/initialize", { protocolVersion: "1", appInfo: {}, appCapabilities: {} }],
];
for (const [method, params] of INVALID) {
  test(`${method} ${JSON.stringify(params)} is -32602`, () => {
    const { error } = new Rig().start().request(method, params);
    assert.equal(error.code, -32602);
    assert.ok(error.message.startsWith(`Invalid params for ${method}: `), error.message);
  });
}

test("a link is opened when the person allows it", () => {
  const rig = new Rig().start();
  const { ticket, question } = one(
    rig.say({ id: "a", method: "ui/open-link", params: { url: "https://example.com/x" } }),
    "ask-person",
  );
  assert.deepEqual(question, { kind: "open-link", url: "https://example.com/x" });
  const effects = rig.feed({ type: "person", ticket, decision: { allow: true } });
  assert.deepEqual(one(effects, "open-link"), { type: "open-link", id: "a", url: "https://example.com/x" });
  assert.equal(answer(effects, "a"), undefined, "not before it has opened");
  assert.deepEqual(answer(rig.feed({ type: "link-opened", id: "a", ok: true }), "a").result, {});
  assert.deepEqual(rig.feed({ type: "person", ticket, decision: { allow: true } }), [], "a decision counts once");
});

test("a denied link is -32000 and not opened", () => {
  const rig = new Rig().start();
  const { ticket } = one(
    rig.say({ id: 0, method: "ui/open-link", params: { url: "http://example.com" } }),
    "ask-person",
  );
  const effects = rig.feed({ type: "person", ticket, decision: { allow: false } });
  assert.equal(answer(effects, 0).error.code, -32000);
  assert.equal(one(effects, "open-link"), undefined);
});

test("only http and https are opened", () => {
  for (const url of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "JaVaScRiPt:1",
    "blob:https://a/b",
    "about:blank",
    "/relative",
    "",
  ]) {
    const effects = new Rig().start().say({ id: 1, method: "ui/open-link", params: { url } });
    assert.equal(answer(effects, 1).error.code, -32000, url);
    assert.equal(one(effects, "ask-person"), undefined, url);
  }
});

test("allowed for good means not asked again", () => {
  const rig = new Rig({ policy: { ...POLICY, always: ["open-link"] } }).start();
  const effects = rig.say({ id: 1, method: "ui/open-link", params: { url: "https://a.example" } });
  assert.ok(one(effects, "open-link"));
  assert.equal(
    answer(rig.feed({ type: "link-opened", id: 1, ok: false }), 1).error.code,
    -32000,
    "the browser may have blocked it",
  );
});

for (const content of [{ type: "text", text: "hi" }, [{ type: "text", text: "hi" }]]) {
  test(`ui/message with ${Array.isArray(content) ? "a list" : "one block"}`, () => {
    const rig = new Rig().start();
    const { ticket } = one(rig.say({ id: 1, method: "ui/message", params: { role: "user", content } }), "ask-person");
    const effects = rig.feed({ type: "person", ticket, decision: { allow: true } });
    assert.deepEqual(one(effects, "chat-message").content, [{ type: "text", text: "hi" }]);
    assert.deepEqual(answer(effects, 1).result, {});
  });
}

test("the last model context wins", () => {
  const rig = new Rig().start();
  rig.request("ui/update-model-context", { content: [{ type: "text", text: "one" }] });
  assert.deepEqual(rig.request("ui/update-model-context", { structuredContent: { two: 2 } }).result, {});
  assert.deepEqual(rig.state.modelContext, { structuredContent: { two: 2 } });
});

test("the modes told are the host's; undeclared ones are entered only by the person, with a word", () => {
  const rig = new Rig();
  assert.deepEqual(
    rig.initialize({ availableDisplayModes: ["fullscreen", "inline", "cinema"] }).result.hostContext
      .availableDisplayModes,
    ["inline", "fullscreen", "pip"],
  );
  rig.say({ method: "ui/notifications/initialized" });
  const effects = rig.say({ id: 1, method: "ui/request-display-mode", params: { mode: "pip" } });
  assert.deepEqual(answer(effects, 1).result, { mode: "inline" });
  assert.equal(one(effects, "mode"), undefined);
  const tried = rig.feed({ type: "mode", mode: "pip" });
  assert.equal(one(tried, "mode").mode, "pip");
  assert.equal(notes(tried)[0], "the person tries pip, which the app did not declare");
});

test("a mode that the person has left stays refused until they choose it again", () => {
  const rig = new Rig().start({ availableDisplayModes: ["inline", "fullscreen"] });
  const ask = () => rig.request("ui/request-display-mode", { mode: "fullscreen" }).result.mode;
  assert.equal(ask(), "fullscreen");
  rig.feed({ type: "mode", mode: "inline" });
  assert.deepEqual([ask(), ask()], ["inline", "inline"]);
  rig.feed({ type: "mode", mode: "fullscreen" });
  assert.equal(
    rig.request("ui/request-display-mode", { mode: "inline" }).result.mode,
    "inline",
    "back is never refused",
  );
  assert.equal(ask(), "fullscreen");
});

test("progress of an app's call comes back to it", () => {
  const rig = new Rig().start();
  assert.deepEqual(sent(rig.feed({ type: "progress", params: { progressToken: 1, progress: 2 } })), [
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 2 } },
  ]);
});

test("an app that declares no modes stays inline", () => {
  const rig = new Rig().start();
  assert.deepEqual(rig.request("ui/request-display-mode", { mode: "fullscreen" }).result, { mode: "inline" });
});

test("a declared mode is entered, answered and told with its room", () => {
  const rig = new Rig().start({ availableDisplayModes: ["inline", "fullscreen"] });
  const effects = rig.say({ id: 1, method: "ui/request-display-mode", params: { mode: "fullscreen" } });
  assert.deepEqual(answer(effects, 1).result, { mode: "fullscreen" });
  assert.equal(one(effects, "mode").mode, "fullscreen");
  assert.deepEqual(sent(effects)[0].params, {
    displayMode: "fullscreen",
    containerDimensions: { width: 1000, height: 700 },
  });
});

test("an app that is never inline is shown as it declared", () => {
  const rig = new Rig();
  const { result } = rig.initialize({ availableDisplayModes: ["pip"] });
  assert.equal(result.hostContext.displayMode, "pip");
  assert.equal(one(rig.effects, "mode").mode, "pip");
});

test("host-context-changed has just what changed", () => {
  const rig = new Rig().start();
  const effects = rig.feed({ type: "context", patch: { theme: "dark", locale: "en" } });
  assert.deepEqual(sent(effects)[0].params, { theme: "dark" });
  assert.deepEqual(rig.feed({ type: "context", patch: { theme: "dark" } }), []);
});

test("a change before ui/initialize is part of its answer", () => {
  const rig = new Rig();
  rig.feed({ type: "context", patch: { theme: "dark" } });
  assert.equal(rig.initialize().result.hostContext.theme, "dark");
  assert.deepEqual(methods(rig.say({ method: "ui/notifications/initialized" })), []);
});

test("more room is told when it is the room of the mode that is on", () => {
  const rig = new Rig().start();
  const effects = rig.feed({
    type: "containers",
    containers: { inline: { width: 390, maxHeight: 844 }, pip: { width: 1, height: 1 } },
  });
  assert.deepEqual(sent(effects)[0].params, { containerDimensions: { width: 390, maxHeight: 844 } });
});

test("teardown is a request that is awaited", () => {
  const rig = new Rig().start();
  const effects = rig.feed({ type: "teardown", reason: "run again" });
  const [message] = sent(effects);
  assert.equal(message.method, "ui/resource-teardown");
  assert.deepEqual(message.params, { reason: "run again" });
  assert.ok(one(effects, "timer").ms <= 5000);
  assert.equal(one(effects, "torn-down"), undefined);
  assert.equal(one(rig.say({ id: message.id, result: {} }), "torn-down").answered, true);
});

test("a View that does not answer the teardown is closed after the limit", () => {
  const rig = new Rig().start();
  const { ticket } = one(rig.feed({ type: "teardown" }), "timer");
  const effects = rig.feed({ type: "timeout", ticket });
  assert.equal(one(effects, "torn-down").answered, false);
  assert.equal(notes(effects).length, 1);
});

test("after the teardown nothing is sent; while it runs, only answers", () => {
  const rig = new Rig().start();
  const { ticket } = one(rig.feed({ type: "teardown" }), "timer");
  rig.feed({ type: "context", patch: { theme: "dark" } });
  rig.feed({ type: "tool-input", arguments: {} });
  rig.feed({ type: "teardown" });
  assert.deepEqual(methods(rig.effects), ["ui/resource-teardown"]);
  assert.ok(rig.request("ping").result, "the View may still save its work");
  rig.feed({ type: "timeout", ticket });
  const before = rig.effects.length;
  rig.request("ping");
  rig.feed({ type: "tool-result", result: {} });
  assert.equal(rig.effects.length, before);
});

test("a View that never spoke is closed without a word", () => {
  const effects = new Rig().feed({ type: "teardown" });
  assert.deepEqual(effects.map((effect) => effect.type), ["torn-down"]);
});

test("sizes are clamped, and ignored where the host fixed them", () => {
  const size = (rig, params) => one(rig.say({ method: "ui/notifications/size-changed", params }), "resize");
  const rig = new Rig().start();
  assert.deepEqual(size(rig, { width: 900, height: 200 }), { type: "resize", height: 200 });
  assert.equal(size(rig, { height: 1e9 }).height, 800);
  assert.equal(size(rig, { height: -5 }).height, 48);
  assert.equal(size(rig, { height: Infinity }), undefined);
  assert.equal(size(rig, { height: "100vh" }), undefined);
  assert.equal(size(rig, { width: 5 }), undefined);
  const free = new Rig({ containers: { inline: {} } }).start();
  assert.deepEqual(size(free, { width: 33_554_426, height: 1e9 }), { type: "resize", width: 10_000, height: 10_000 });
  assert.deepEqual(
    size(free, { width: -5, height: 0 }),
    { type: "resize", width: 160, height: 48 },
    "an app stays in sight",
  );
});

test("notifications are never answered", () => {
  const rig = new Rig().start();
  for (const method of [
    "nope",
    "ping",
    "ui/initialize",
    "ui/open-link",
    "ui/notifications/size-changed",
    "tools/call",
  ]) {
    assert.deepEqual(sent(rig.say({ method })), [], method);
  }
});

test("a response to nothing is ignored, and said to be", () => {
  const rig = new Rig().start();
  for (const message of [
    { id: 1, result: {} },
    { id: "h1", result: {} },
    { id: 99, error: { code: 1, message: "" } },
    { result: {} },
  ]) {
    const effects = rig.say(message);
    assert.deepEqual(effects.map((effect) => effect.type), ["note"]);
  }
});

test("what is not JSON-RPC 2.0 is ignored", () => {
  const rig = new Rig().start();
  for (const message of [null, 5, "x", [], {}, { jsonrpc: "1.0", id: 1, method: "ping" }]) {
    assert.deepEqual(rig.feed({ type: "from-view", message }).map((effect) => effect.type), ["note"]);
  }
});

test("what belongs to the server is passed on, and its answer passed back", () => {
  const rig = new Rig().start();
  for (const method of [
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
  ]) {
    const params = { name: "a", uri: "b" };
    const { ticket, ...ask } = one(rig.say({ id: method, method, params }), "ask-server");
    assert.deepEqual(ask, { type: "ask-server", method, params });
    assert.deepEqual(answer(rig.feed({ type: "server-reply", ticket, result: { ok: method } }), method).result, {
      ok: method,
    });
    assert.deepEqual(rig.feed({ type: "server-reply", ticket, result: {} }), [], "one answer each");
  }
});

test("an error of the server is passed back whole", () => {
  const rig = new Rig().start();
  const { ticket } = one(rig.say({ id: 5, method: "tools/call", params: { name: "x" } }), "ask-server");
  const error = { code: -32602, message: "no", data: { a: 1 } };
  assert.deepEqual(answer(rig.feed({ type: "server-reply", ticket, error }), 5).error, error);
});

test("a request that the View cancels is not answered", () => {
  const rig = new Rig().start();
  const { ticket } = one(rig.say({ id: 5, method: "tools/call", params: { name: "x" } }), "ask-server");
  assert.equal(
    one(rig.say({ method: "notifications/cancelled", params: { requestId: 5 } }), "withdraw").ticket,
    ticket,
  );
  assert.deepEqual(rig.feed({ type: "server-reply", ticket, result: {} }), []);
});

const GATED = [
  ["openLinks", "ui/open-link", { url: "https://a.example" }, "open-link"],
  [
    "downloadFile",
    "ui/download-file",
    { contents: [{ type: "resource", resource: { uri: "a.txt", text: "" } }] },
    "download",
  ],
  ["message", "ui/message", { role: "user", content: [] }, "message"],
  ["updateModelContext", "ui/update-model-context", {}, "model-context"],
  ["serverTools", "tools/call", { name: "a" }, "tool-call"],
  ["serverResources", "resources/read", { uri: "a" }, "resource-read"],
  ["sampling", "sampling/createMessage", { messages: [], maxTokens: 1 }, "sampling"],
];
for (const [capability, method, params, kind] of GATED) {
  test(`${method}: -32601 when ${capability} is off, -32000 when ${kind} is denied`, () => {
    const off = new Rig({ policy: { ...POLICY, off: [capability] } }).start();
    assert.equal(off.request(method, params).error.code, -32601);
    const denied = new Rig({ policy: { ...POLICY, deny: [kind] } }).start();
    assert.equal(denied.request(method, params).error.code, -32000);
    const lacking = new Rig({ policy: { ...POLICY, unsupported: [method] } }).start();
    assert.equal(lacking.request(method, params).error.code, -32601);
  });
}

test("a capability that the host does not have is -32601, also when a later policy turns to it", () => {
  const rig = new Rig({ capabilities: {} }).start();
  for (const [, method, params] of GATED.filter(([name]) => name !== "message" && name !== "updateModelContext")) {
    assert.equal(rig.request(method, params).error.code, -32601, method);
  }
  const later = new Rig().start();
  later.feed({ type: "policy", policy: { ...POLICY, off: ["openLinks"] } });
  assert.equal(later.request("ui/open-link", { url: "https://a.example" }).error.code, -32601);
});

test("denied display modes are answered with the mode that is on", () => {
  const rig = new Rig({ policy: { ...POLICY, deny: ["display-mode"] } }).start({
    availableDisplayModes: ["inline", "pip"],
  });
  assert.deepEqual(rig.request("ui/request-display-mode", { mode: "pip" }).result, { mode: "inline" });
});

test("notifications that a profile does not send are not sent", () => {
  const rig = new Rig({ policy: { ...POLICY, unsent: ["ui/notifications/tool-input-partial"] } }).start();
  assert.deepEqual(methods(rig.feed({ type: "tool-input-partial", arguments: {} })), []);
  assert.deepEqual(methods(rig.feed({ type: "tool-input", arguments: {} })), ["ui/notifications/tool-input"]);
});
