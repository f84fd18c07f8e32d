import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SOURCE = readFileSync(new URL("../../sandbox/openai.js", import.meta.url), "utf8");
const PROXY = "http://proxy-x.localhost:2";
const ALL = [
  "callTool",
  "sendFollowUpMessage",
  "openExternal",
  "requestDisplayMode",
  "setWidgetState",
  "notifyIntrinsicHeight",
  "requestModal",
  "requestClose",
  "uploadFile",
  "getFileDownloadUrl",
  "setOpenInAppUrl",
  "selectFiles",
  "requestCheckout",
];
const plain = (value) => JSON.parse(JSON.stringify(value));
const CONTEXT = {
  theme: "dark",
  locale: "de-CH",
  displayMode: "inline",
  platform: "mobile",
  deviceCapabilities: { touch: true, hover: false },
  containerDimensions: { width: 390, maxHeight: 500 },
  safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 },
};

/** The bridge in a fake window with a manual clock. */
function rig({ methods = ALL, eager = false } = {}) {
  const toHost = [];
  const timers = [];
  const observers = [];
  let height = 100;
  class MessageEvent extends Event {
    #source;
    #trusted;
    constructor(type, { data, source, origin, trusted = false }) {
      super(type);
      Object.assign(this, { data, origin });
      this.#source = source;
      this.#trusted = trusted;
      Object.defineProperty(this, "isTrusted", { get: () => this.#trusted });
    }
    get source() {
      return this.#source;
    }
  }
  const parent = {
    postMessage: (message, origin) => toHost.push([plain(message), origin]),
    focus() {
      return this === parent;
    },
  };
  const window = new EventTarget();
  window.parent = parent;
  const document = new EventTarget();
  document.currentScript = { dataset: { told: JSON.stringify({ methods, eager }) } };
  document.documentElement = { getBoundingClientRect: () => ({ height }) };
  const context = {
    window, document, MessageEvent, CustomEvent, URL, Blob, crypto, console: { error() {} },
    location: { ancestorOrigins: [PROXY] }, navigator: { language: "en-US" }, matchMedia: () => ({ matches: false }),
    setTimeout: (call) => timers.push(call),
    ResizeObserver: class {
      constructor(call) {
        this.call = call;
      }
      observe() {
        observers.push(this.call);
        this.call();
      }
    },
    FileReader: class {
      readAsDataURL() {
        this.result = "data:,x";
        this.onload();
      }
    },
  };
  vm.runInNewContext(SOURCE, context);
  const events = [];
  window.addEventListener("openai:set_globals", (event) => events.push(plain(event.detail.globals)));
  const self = {
    window, parent, events, toHost,
    /** The messages that the host received since the last call. */
    heard: () => toHost.splice(0).map(([message]) => message),
    methods: () => self.heard().map((message) => message.method ?? `answer ${message.id}`),
    /** Runs everything that waits for a timer. */
    tick() {
      while (timers.length > 0) timers.shift()();
      return self;
    },
    parsed() {
      document.dispatchEvent(new Event("DOMContentLoaded"));
      return self.tick();
    },
    host(message, source = parent) {
      window.dispatchEvent(
        new MessageEvent("message", { data: { jsonrpc: "2.0", ...message }, source, origin: PROXY, trusted: true }),
      );
      return self.tick();
    },
    /** The widget uses the bridge, and the host answers its handshake. */
    start() {
      void window.openai;
      self.parsed();
      self.host({
        id: "window.openai/0",
        result: { protocolVersion: "2026-01-26", hostInfo: {}, hostCapabilities: {}, hostContext: CONTEXT },
      });
      return self;
    },
    grow(to) {
      height = to;
      observers.forEach((call) => call());
    },
  };
  return self;
}
const RESULT = { content: [], structuredContent: { n: 1 }, _meta: { secret: 2 } };
const answerLast = (bridge, reply) => {
  const asked = bridge.heard().at(-1);
  bridge.host({ id: asked.id, ...reply });
  return asked;
};

test("a document that never looks at window.openai hears nothing of the bridge", () => {
  const bridge = rig().parsed();
  assert.deepEqual(bridge.toHost, []);
  assert.equal(bridge.window.parent.focus(), true, "the parent is still a window");
});

test("a widget that looks at it gets one handshake, to the origin around it", () => {
  const bridge = rig();
  for (let look = 0; look < 5; look++) void bridge.window.openai.toolOutput;
  assert.deepEqual(bridge.toHost, [], "not before it is parsed");
  bridge.parsed();
  for (let look = 0; look < 5; look++) void bridge.window.openai.toolOutput;
  bridge.tick();
  assert.equal(bridge.toHost.length, 1);
  assert.equal(bridge.toHost[0][1], PROXY);
  const [{ method, params }] = bridge.heard();
  assert.equal(method, "ui/initialize");
  assert.deepEqual(params.appCapabilities, { availableDisplayModes: ["inline", "fullscreen", "pip"] });
});

test("a widget by its media type gets it without looking", () => {
  assert.deepEqual(rig({ eager: true }).parsed().methods(), ["ui/initialize"]);
});

test("after the handshake the surroundings are there, and the height is told", () => {
  const bridge = rig().start();
  assert.deepEqual(bridge.methods(), [
    "ui/initialize",
    "ui/notifications/initialized",
    "ui/notifications/size-changed",
  ]);
  const { theme, locale, displayMode, maxHeight, safeArea, userAgent, view } = plain(bridge.window.openai);
  assert.deepEqual([theme, locale, displayMode, maxHeight], ["dark", "de-CH", "inline", 500]);
  assert.deepEqual(safeArea, { insets: CONTEXT.safeAreaInsets });
  assert.deepEqual(userAgent, { device: { type: "mobile" }, capabilities: { touch: true, hover: false } });
  assert.equal(view.mode, "inline");
  bridge.grow(240);
  assert.deepEqual(bridge.heard()[0].params, { height: 240 });
  bridge.window.openai.notifyIntrinsicHeight(80);
  bridge.grow(300);
  assert.deepEqual(
    bridge.heard().map((message) => message.params),
    [{ height: 80 }],
    "a widget that says its height is not measured",
  );
});

test("input and result become globals, and events tell of what changed alone", () => {
  const bridge = rig().start();
  bridge.events.length = 0;
  bridge.host({ method: "ui/notifications/tool-input", params: { arguments: { q: "x" } } });
  bridge.host({ method: "ui/notifications/tool-result", params: RESULT });
  bridge.host({ method: "ui/notifications/host-context-changed", params: { theme: "light" } });
  const { toolInput, toolOutput, toolResponseMetadata } = plain(bridge.window.openai);
  assert.deepEqual([toolInput, toolOutput], [{ q: "x" }, { n: 1 }]);
  assert.equal(toolResponseMetadata.secret, 2);
  assert.deepEqual(toolResponseMetadata.mcp_tool_result, RESULT);
  assert.deepEqual(
    bridge.events.map((globals) => Object.keys(globals)),
    [["toolInput"], ["toolOutput", "toolResponseMetadata"], ["theme"]],
  );
});

test("callTool gives the result, or the error of the host", async () => {
  const bridge = rig().start();
  bridge.heard();
  const called = bridge.window.openai.callTool("t", { a: 1 });
  const asked = answerLast(bridge, { result: RESULT });
  assert.deepEqual([asked.method, asked.params], ["tools/call", { name: "t", arguments: { a: 1 } }]);
  assert.deepEqual(plain(await called), RESULT);
  const failed = bridge.window.openai.callTool("t");
  answerLast(bridge, { error: { code: -32602, message: "no" } });
  await assert.rejects(failed, (why) => why.message === "no" && why.code === -32602);
});

test("what is called before the handshake waits for it", () => {
  const bridge = rig();
  void bridge.window.openai.sendFollowUpMessage({ prompt: "hi" });
  bridge.parsed();
  assert.deepEqual(bridge.methods(), ["ui/initialize"]);
  bridge.host({ id: "window.openai/0", result: { hostContext: {} } });
  const [first, second] = bridge.heard();
  assert.equal(first.method, "ui/notifications/initialized");
  assert.deepEqual(
    [second.method, second.params],
    ["ui/message", { role: "user", content: [{ type: "text", text: "hi" }] }],
  );
});

test("each function is one message of the standard", async () => {
  const bridge = rig().start();
  const { openai } = bridge.window;
  const cases = [
    [() => openai.openExternal({ href: "https://a.example" }), "ui/open-link", { url: "https://a.example" }],
    [() => openai.requestDisplayMode({ mode: "fullscreen" }), "ui/request-display-mode", { mode: "fullscreen" }],
    [() => openai.setWidgetState({ page: 2 }), "ui/update-model-context", { structuredContent: { page: 2 } }],
    [
      () => openai.setWidgetState({ modelContent: "seen", privateContent: "own" }),
      "ui/update-model-context",
      { content: [{ type: "text", text: "seen" }] },
    ],
  ];
  for (const [call, method, params] of cases) {
    bridge.heard();
    const done = call();
    const asked = answerLast(bridge, { result: { mode: "fullscreen" } });
    assert.deepEqual([asked.method, asked.params], [method, params]);
    await done;
  }
  assert.deepEqual(plain(openai.widgetState), { modelContent: "seen", privateContent: "own" });
});

test("a state that the model cannot be told is kept nevertheless", async () => {
  const bridge = rig().start();
  const done = bridge.window.openai.setWidgetState({ page: 3 });
  answerLast(bridge, { error: { code: -32601, message: "no" } });
  await done;
  assert.deepEqual(plain(bridge.window.openai.widgetState), { page: 3 });
});

test("a modal is the same document, told so, until it is closed", async () => {
  const bridge = rig().start();
  const { openai } = bridge.window;
  await openai.requestModal({ params: { step: "pay" } });
  assert.deepEqual(plain(openai.view), { mode: "modal", params: { step: "pay" } });
  bridge.heard();
  await openai.requestClose();
  assert.equal(openai.view.mode, "inline");
  assert.deepEqual(bridge.heard(), []);
  await openai.requestClose();
  assert.deepEqual(bridge.methods(), ["ui/notifications/request-teardown"]);
});

test("files stay in the View and can be fetched again", async () => {
  const { openai } = rig().start().window;
  const { fileId } = await openai.uploadFile(new Blob(["x"]));
  assert.deepEqual(plain(await openai.getFileDownloadUrl({ fileId })), { downloadUrl: "data:,x" });
  await assert.rejects(openai.getFileDownloadUrl({ fileId: "none" }));
});

test("what the host lacks, and what this host cannot do, is not there", () => {
  const { openai } = rig({ methods: ["callTool"] }).window;
  assert.equal(typeof openai.callTool, "function");
  assert.equal(openai.requestModal, undefined);
  const { openai: full } = rig().window;
  assert.deepEqual(ALL.filter((name) => full[name] === undefined), ["selectFiles", "requestCheckout"]);
});

test("requests of the host are answered for a widget", () => {
  const bridge = rig().start();
  bridge.heard();
  bridge.host({ id: 5, method: "ping" });
  bridge.host({ id: 6, method: "ui/resource-teardown", params: {} });
  bridge.host({ id: 7, method: "tools/list" });
  const [ping, teardown, list] = bridge.heard();
  assert.deepEqual([ping.result, teardown.result, list.error.code], [{}, {}, -32601]);
});

test("an app with a handshake of its own keeps it: the bridge only listens", async () => {
  const bridge = rig();
  const app = [];
  bridge.window.addEventListener(
    "message",
    (event) => event.source === bridge.window.parent && app.push(plain(event.data)),
  );
  void bridge.window.openai.theme;
  bridge.window.parent.postMessage({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {} }, "*");
  bridge.parsed();
  assert.deepEqual(bridge.methods(), ["ui/initialize"], "one handshake");
  bridge.host({ id: 0, result: { hostContext: CONTEXT } });
  assert.equal(bridge.window.openai.theme, "dark");
  const called = bridge.window.openai.callTool("t", {});
  assert.deepEqual(bridge.heard(), [], "nothing of ours before the app is initialized");
  bridge.window.parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*");
  bridge.tick();
  assert.equal(answerLast(bridge, { result: RESULT }).method, "tools/call");
  await called;
  bridge.host({ method: "ui/notifications/tool-result", params: RESULT });
  bridge.host({ id: 9, method: "ui/resource-teardown", params: {} });
  assert.deepEqual(bridge.heard(), [], "the app answers for itself");
  assert.deepEqual(
    app.map((message) => message.method ?? message.id),
    [0, "ui/notifications/tool-result", "ui/resource-teardown"],
    "and hears no answer of ours",
  );
  assert.deepEqual(plain(bridge.window.openai.toolOutput), { n: 1 });
});

test("an app that begins late is answered from the handshake there was, and told what it missed", () => {
  const bridge = rig().start();
  bridge.host({ method: "ui/notifications/tool-input", params: { arguments: { q: 1 } } });
  bridge.host({ method: "ui/notifications/host-context-changed", params: { theme: "light" } });
  bridge.heard();
  const app = [];
  bridge.window.addEventListener(
    "message",
    (event) => event.source === bridge.window.parent && app.push(plain(event.data)),
  );
  bridge.window.parent.postMessage({ jsonrpc: "2.0", id: "late", method: "ui/initialize", params: {} }, "*");
  bridge.tick();
  assert.equal(app[0].id, "late");
  assert.equal(app[0].result.hostContext.theme, "light");
  bridge.host({ method: "ui/notifications/tool-result", params: RESULT });
  assert.equal(app.length, 1, "nothing before it is initialized");
  bridge.window.parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*");
  bridge.tick();
  assert.deepEqual(
    app.slice(1).map((message) => message.method),
    ["ui/notifications/tool-input", "ui/notifications/tool-result"],
  );
  assert.deepEqual(bridge.heard(), [], "the host hears of one handshake");
  bridge.host({ id: 3, method: "ping" });
  assert.equal(app.at(-1).method, "ping", "from now on the app answers");
  assert.deepEqual(bridge.heard(), []);
});

test("a late app waits for the answer that is under way", () => {
  const bridge = rig();
  void bridge.window.openai;
  bridge.parsed();
  const app = [];
  bridge.window.addEventListener("message", (event) => app.push(plain(event.data)));
  bridge.window.parent.postMessage({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {} }, "*");
  bridge.tick();
  assert.deepEqual(app, []);
  bridge.host({ id: "window.openai/0", result: { hostContext: CONTEXT } });
  assert.equal(app[0].id, 0);
  assert.deepEqual(bridge.methods(), ["ui/initialize", "ui/notifications/initialized"]);
});

test("where the bridge was refused, the app may try", () => {
  const bridge = rig();
  void bridge.window.openai;
  bridge.parsed();
  bridge.host({ id: "window.openai/0", error: { code: -32602, message: "no" } });
  bridge.heard();
  bridge.window.parent.postMessage({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {} }, "*");
  assert.deepEqual(bridge.methods(), ["ui/initialize"]);
});

test("only the frame around it is heard", () => {
  const bridge = rig().start();
  bridge.host({ method: "ui/notifications/tool-result", params: RESULT }, { postMessage() {} });
  assert.equal(bridge.window.openai.toolOutput, null);
});

test("a mock that the app puts in its place stays", () => {
  const { window } = rig();
  window.openai = { mine: true };
  assert.deepEqual(window.openai, { mine: true });
});

test("a host that takes text alone for the model is told the widget's state in text", () => {
  for (const [taken, params] of [
    [{ text: {} }, { content: [{ type: "text", text: '{"page":2}' }] }],
    [{ text: {}, structuredContent: {} }, { structuredContent: { page: 2 } }],
  ]) {
    const bridge = rig();
    void bridge.window.openai.setWidgetState({ page: 2 });
    bridge.parsed();
    bridge.host({
      id: "window.openai/0",
      result: {
        protocolVersion: "2026-01-26",
        hostInfo: {},
        hostCapabilities: { updateModelContext: taken },
        hostContext: CONTEXT,
      },
    });
    assert.deepEqual(bridge.heard().find(({ method }) => method === "ui/update-model-context").params, params);
  }
});
