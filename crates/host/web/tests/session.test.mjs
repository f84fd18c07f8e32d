import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { settled } from "./turns.mjs";

/** A fake window with only what a session uses. */
const listeners = new Set();
globalThis.window = {
  addEventListener: (_, call) => listeners.add(call),
  removeEventListener: (_, call) => listeners.delete(call),
};
globalThis.requestAnimationFrame = setImmediate;
globalThis.matchMedia = () => ({ matches: false });
// The page yields when a slice of time is used up; how fast this machine is does not matter here.
mock.method(performance, "now", () => 0);
globalThis.document = {
  createElement: () => {
    const sent = [];
    return {
      sent,
      setAttribute() {},
      remove() {
        this.removed = true;
      },
      contentWindow: { postMessage: (message, origin) => sent.push({ message, origin }) },
    };
  },
};
const { Session } = await import("../session.js");
const { blank, createStore } = await import("../store.js");

const ORIGIN = "http://proxy-x.localhost:2";
const VIEW = {
  id: "v1",
  proxyUrl: `${ORIGIN}/`,
  proxyOrigin: ORIGIN,
  viewUrl: "http://view-x.localhost:2/",
  html: "<p>".repeat(2000),
  sandbox: "allow-scripts",
  csp: { declared: null, applied: "", directives: [], dropped: [] },
  permissions: { declared: null, granted: null, allow: "" },
  border: null,
  findings: [],
};
const SETTINGS = {
  theme: "light",
  mode: "inline",
  size: "fit",
  free: { width: 0, height: 0 },
  locale: "en",
  timeZone: "UTC",
  profile: "",
  stream: false,
  off: [],
  deny: [],
  always: [],
};
const later = () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

let rig;
beforeEach(() => {
  listeners.clear();
  const view = later();
  const call = later();
  const did = [];
  const api = {
    openView: () => (did.push("open"), view.promise),
    call: () => (did.push("call"), call.promise),
    cancel: async () => did.push("cancel"),
    isLeaving: () => false,
    closeView: async (id) => did.push(`close ${id}`),
    log: async (_, entries) =>
      did.push(...entries.map((one) => `${one.from}>${one.to} ${one.message?.method ?? "answer"}`)),
    ask: async (_, { method }) => (did.push(`ask ${method}`), { result: { asked: method } }),
  };
  const store = createStore(blank(SETTINGS));
  const slot = {
    append(frame) {
      rig.frame = frame;
    },
  };
  const stage = {
    containers: () => ({ inline: { width: 100, maxHeight: 100 } }),
    slot: () => slot,
    resize: (size) => did.push(`resize ${size.height}`),
    save() {
      throw new Error("the disk is full");
    },
  };
  const session = new Session(
    { api, store, stage, escape: () => did.push("escape"), write: () => {} },
    {
      server: { id: "s", name: "S", tools: [] },
      tool: { name: "t", yardstick: { isUi: true } },
      args: { a: 1 },
      name: "run-1",
    },
  );
  rig = { view, call, did, store, session, frame: null };
});

/** What the proxy's window sends. */
const post = (data, more = {}) =>
  listeners.forEach((call) => call({ data, source: rig.frame.contentWindow, origin: ORIGIN, ...more }));
const say = (message) => post({ jsonrpc: "2.0", ...message });
const sent = () => rig.frame.sent.map(({ message }) => message.method ?? `answer ${message.id}`);
async function shown() {
  const started = rig.session.start();
  rig.view.resolve(VIEW);
  await started;
  post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} });
}
function handshake() {
  say({
    id: 0,
    method: "ui/initialize",
    params: { appInfo: { name: "a", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" },
  });
  say({ method: "ui/notifications/initialized" });
}

test("View and call are asked for at once", () => {
  void rig.session.start();
  assert.deepEqual(rig.did.slice(0, 2).sort(), ["call", "open"]);
  assert.equal(rig.store.get().status, "loading");
});

test("input and result that came early are delivered after the handshake", async () => {
  const started = rig.session.start();
  rig.call.resolve({ content: [] });
  await settled();
  rig.view.resolve(VIEW);
  await started;
  post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} });
  assert.deepEqual(sent(), ["ui/notifications/sandbox-resource-ready"]);
  handshake();
  assert.deepEqual(sent().slice(1), ["answer 0", "ui/notifications/tool-input", "ui/notifications/tool-result"]);
  assert.equal(rig.store.get().status, "ready");
  assert.ok(rig.frame.sent.every(({ origin }) => origin === ORIGIN), "never to just any origin");
});

test("only the proxy's window and origin are heard, and it is ready once", async () => {
  await shown();
  post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready" });
  post({ jsonrpc: "2.0", id: 1, method: "ping" }, { origin: "http://evil.example" });
  post({ jsonrpc: "2.0", id: 2, method: "ping" }, { source: {} });
  assert.deepEqual(sent(), ["ui/notifications/sandbox-resource-ready"]);
});

test("what the app asks of its server is asked, and every message is written down in order", async () => {
  await shown();
  handshake();
  say({ id: 1, method: "tools/call", params: { name: "x" } });
  await settled();
  assert.equal(sent().at(-1), "answer 1");
  await settled();
  const log = rig.did.filter((one) => one.includes(">"));
  assert.deepEqual(log.slice(0, 4), [
    "proxy>host ui/notifications/sandbox-proxy-ready",
    "host>proxy ui/notifications/sandbox-resource-ready",
    "view>host ui/initialize",
    "host>view answer",
  ]);
  assert.ok(log.includes("view>host tools/call"));
});

test("a View that cannot be opened fails with the reason", async () => {
  const started = rig.session.start();
  rig.view.reject(Object.assign(new Error("no HTML"), { culprit: "S", repair: "send HTML" }));
  await started;
  assert.equal(rig.store.get().status, "failed");
  assert.deepEqual(rig.store.get().problem, {
    message: "the app could not be opened: no HTML",
    culprit: "S",
    repair: "send HTML",
  });
});

test("an error instead of a result is told to the View as cancelled, and the run stays failed", async () => {
  await shown();
  rig.call.resolve({ error: { code: -32603, message: "broken" } });
  await settled();
  handshake();
  assert.deepEqual(sent().slice(2), ["ui/notifications/tool-input", "ui/notifications/tool-cancelled"]);
  assert.equal(rig.store.get().status, "failed");
});

test("cancel tells server and View, and a late result changes nothing", async () => {
  await shown();
  handshake();
  rig.session.cancel();
  assert.ok(rig.did.includes("cancel"));
  assert.equal(sent().at(-1), "ui/notifications/tool-cancelled");
  rig.call.resolve({ content: [] });
  await settled();
  assert.equal(sent().at(-1), "ui/notifications/tool-cancelled");
});

test("a teardown waits for the View's answer, then everything goes", async () => {
  await shown();
  handshake();
  const over = rig.session.teardown("again");
  const { id } = rig.frame.sent.at(-1).message;
  assert.equal(sent().at(-1), "ui/resource-teardown");
  assert.equal(rig.frame.removed, undefined);
  say({ id, result: {} });
  await over;
  await settled();
  assert.equal(rig.frame.removed, true);
  assert.equal(listeners.size, 0);
  assert.equal(rig.did.at(-1), "close v1");
});

test("a View that comes after it was given up is closed", async () => {
  const started = rig.session.start();
  await rig.session.teardown("too slow");
  rig.view.resolve(VIEW);
  await started;
  assert.equal(rig.frame, null);
  assert.ok(rig.did.includes("close v1"));
});

test("a View that navigates is closed and said to be at fault", async () => {
  await shown();
  post({ yardstick: "navigated" });
  assert.equal(rig.frame.removed, true);
  assert.equal(rig.store.get().status, "failed");
  await rig.session.teardown("again");
});

test("streamed arguments come in parts before the whole, and the call after them", async () => {
  rig.store.choose({ stream: true });
  rig.session.args = { text: "a text that is long enough for a few pieces", n: 1 };
  const started = rig.session.start();
  rig.view.resolve(VIEW);
  await settled();
  post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready" });
  handshake();
  assert.ok(!rig.did.includes("call"));
  rig.call.resolve({ content: [] });
  await started;
  const kinds = sent().slice(2).map((one) => one.replace("ui/notifications/", ""));
  assert.ok(kinds.filter((one) => one === "tool-input-partial").length > 2);
  assert.deepEqual(kinds.slice(-2), ["tool-input", "tool-result"]);
  assert.equal(kinds.indexOf("tool-input"), kinds.lastIndexOf("tool-input-partial") + 1);
});

test("a cancel before the View is there keeps the View, which is told", async () => {
  const started = rig.session.start();
  rig.session.cancel();
  assert.ok(rig.did.includes("cancel"));
  rig.view.resolve(VIEW);
  await started;
  post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} });
  handshake();
  assert.deepEqual(sent().slice(2), ["ui/notifications/tool-input", "ui/notifications/tool-cancelled"]);
  assert.ok(!rig.did.includes("close v1"));
  assert.deepEqual(
    [rig.store.get().status, rig.store.get().outcome, rig.store.get().running],
    ["ready", "cancelled", false],
  );
});

test("a cancel while the arguments are written stops them, and no call is made", async () => {
  rig.store.choose({ stream: true });
  const started = rig.session.start();
  rig.view.resolve(VIEW);
  await settled();
  rig.session.cancel();
  post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready" });
  handshake();
  await started;
  assert.ok(!rig.did.includes("call"));
  assert.deepEqual(sent().slice(2), ["ui/notifications/tool-cancelled"]);
  assert.equal(rig.store.get().status, "ready");
});

test("an effect that fails is told, and the answer behind it is given", async () => {
  rig.store.choose({ always: ["download"] });
  await shown();
  handshake();
  say({
    id: 9,
    method: "ui/download-file",
    params: { contents: [{ type: "resource", resource: { uri: "file:///a", text: "x" } }] },
  });
  assert.equal(sent().at(-1), "answer 9");
  assert.match(rig.store.get().problem.message, /download failed: the disk is full/);
});

test("a host that is chosen during a run, and what is switched off, count from the next", async () => {
  const profiles = [
    { name: "one", capabilities: { openLinks: {} }, context: { platform: "web" } },
    { name: "two", methods: { unsupported: ["ui/open-link", "ping"] }, context: { platform: "desktop" } },
  ];
  rig.store.set({ host: { version: "1", profiles, options: {}, servers: [] } });
  rig.store.choose({ profile: "one" });
  await shown();
  handshake();
  const before = rig.frame.sent.length;
  rig.store.choose({ profile: "two", off: ["openLinks"], deny: ["message"] });
  rig.session.settingsChanged();
  assert.equal(rig.frame.sent.length, before, "the View is told nothing of the other host");
  say({ id: 5, method: "ping" });
  assert.deepEqual(rig.frame.sent.at(-1).message.result, {});
  say({ id: 6, method: "ui/open-link", params: { url: "https://a.example/" } });
  assert.equal(rig.store.get().questions.length, 1);
  say({ id: 7, method: "ui/message", params: { role: "user", content: [] } });
  assert.equal(rig.frame.sent.at(-1).message.error.code, -32000, "what is denied is denied at once");
});

test("a page that goes says so to its View at once", async () => {
  await shown();
  handshake();
  void rig.session.teardown("the page is closed");
  assert.equal(sent().at(-1), "ui/resource-teardown");
});

test("a result with a member named error is a result all the same", async () => {
  await shown();
  handshake();
  rig.call.resolve({ content: [], error: { code: 1, message: "my own" } });
  await settled();
  assert.equal(sent().at(-1), "ui/notifications/tool-result");
  assert.equal(rig.store.get().status, "ready");
});

test("a driver can hold back and add messages, and only what was posted is recorded", async () => {
  globalThis.yardstickHost = {
    send: (own) => (message) => {
      if (message.method !== "ui/notifications/tool-input") own(message);
    },
    step: (own) => (state, event) => {
      const { state: next, effects } = own(state, event);
      const extra = { type: "to-view", message: { jsonrpc: "2.0", method: "extra" } };
      return { state: next, effects: event.type === "tool-result" ? [...effects, extra] : effects };
    },
  };
  const { page, server, tool, args, run } = rig.session;
  rig.session = new Session(page, { server, tool, args, name: run });
  delete globalThis.yardstickHost;
  await shown();
  handshake();
  rig.call.resolve({ content: [] });
  await settled();
  assert.deepEqual(sent().slice(1), ["answer 0", "ui/notifications/tool-result", "extra"]);
  assert.ok(rig.did.includes("host>view extra") && !rig.did.includes("host>view ui/notifications/tool-input"));
});
