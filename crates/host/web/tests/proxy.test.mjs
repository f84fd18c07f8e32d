import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SOURCE = readFileSync(new URL("../../sandbox/proxy.js", import.meta.url), "utf8");
const HOST = "http://127.0.0.1:1";
const VIEW = "http://view-x.localhost:2";

/** The proxy in a fake window. */
function rig({ ancestor = HOST, top = false, view = `${VIEW}/` } = {}) {
  const listeners = [];
  const toHost = [];
  const toView = [];
  const frames = [];
  const gone = [];
  const policies = [];
  const violated = [];
  const viewWindow = {
    postMessage: (message, origin) => toView.push([message, origin]),
    location: { replace: (url) => gone.push(url) },
  };
  const parent = { postMessage: (message, origin) => toHost.push([message, origin]) };
  const iframe = () => ({
    style: {}, attributes: {}, listeners: {}, contentWindow: viewWindow, removed: false,
    setAttribute(name, value) { this.attributes[name] = value; },
    addEventListener(name, call) { this.listeners[name] = call; },
    remove() { this.removed = true; },
  });
  const window = { addEventListener: (_, call) => listeners.push(call) };
  window.parent = top ? window : parent;
  if (top) window.postMessage = parent.postMessage;
  const document = {
    documentElement: { style: {}, dataset: { hosts: `${HOST} http://localhost:1`, view } },
    createElement: iframe,
    addEventListener: (name, call) => name === "securitypolicyviolation" && violated.push(call),
    head: { append: (policy) => policies.push(policy) },
    body: { append: (frame) => frames.push(frame) },
  };
  vm.runInNewContext(SOURCE, {
    window,
    document,
    location: { ancestorOrigins: ancestor === null ? undefined : [ancestor] },
    URL,
    Object,
  });
  const hear = (data, source, origin) => listeners.forEach((call) => call({ data, source, origin }));
  return {
    toHost, toView, frames, listeners, parent, viewWindow, gone, policies,
    violate: (effectiveDirective) => violated.forEach((call) => call({ effectiveDirective })),
    host: (data, origin = HOST, source = parent) => hear(data, source, origin),
    view: (data, origin = VIEW, source = viewWindow) => hear(data, source, origin),
  };
}
const ready = (params = {}) => ({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params });
const plain = (value) => JSON.parse(JSON.stringify(value));

test("ready is told to the real parent only", () => {
  const { toHost } = rig();
  assert.deepEqual(plain(toHost), [
    [{ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, HOST],
  ]);
});

test("a foreign parent is never spoken to, nor is a proxy alone in a window", () => {
  assert.deepEqual(rig({ ancestor: "https://evil.example" }).toHost, []);
  assert.deepEqual(rig({ ancestor: "https://evil.example" }).listeners, []);
  assert.deepEqual(rig({ top: true }).toHost, []);
});

test("where the browser does not tell the parent's origin, both admitted ones are addressed", () => {
  assert.deepEqual(rig({ ancestor: null }).toHost.map(([, origin]) => origin), [HOST, "http://localhost:1"]);
});

test("the View is loaded once, with the sandbox and the permissions that the host names", () => {
  const proxy = rig();
  proxy.host(
    ready({ sandbox: "allow-scripts allow-same-origin", permissions: { camera: {}, clipboardWrite: {}, usb: {} } }),
  );
  proxy.host(ready());
  assert.equal(proxy.frames.length, 1);
  assert.equal(proxy.frames[0].src, `${VIEW}/`);
  assert.equal(proxy.frames[0].attributes.sandbox, "allow-scripts allow-same-origin");
  assert.equal(proxy.frames[0].allow, "camera; clipboard-write");
});

test("resource-ready counts only from the parent and from an admitted origin", () => {
  const proxy = rig();
  proxy.host(ready(), "https://evil.example");
  proxy.host(ready(), HOST, {});
  proxy.view(ready());
  assert.deepEqual(proxy.frames, []);
});

test("messages pass both ways, each to a named origin", () => {
  const proxy = rig();
  proxy.host(ready());
  proxy.host({ jsonrpc: "2.0", id: 0, result: {} });
  assert.deepEqual(plain(proxy.toView), [[{ jsonrpc: "2.0", id: 0, result: {} }, VIEW]]);
  proxy.view({ jsonrpc: "2.0", id: 0, method: "ui/initialize" });
  assert.deepEqual(plain(proxy.toHost[1]), [{ jsonrpc: "2.0", id: 0, method: "ui/initialize" }, HOST]);
});

test("the host's reserved messages stop at the proxy, and so does another admitted origin later on", () => {
  const proxy = rig();
  proxy.host(ready());
  proxy.host({ jsonrpc: "2.0", method: "ui/notifications/sandbox-other" });
  assert.deepEqual(proxy.toView, []);
});

test("what a View must not send is dropped and reported", () => {
  const proxy = rig();
  proxy.host(ready());
  const bad = [
    { jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready" },
    { jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready" },
    { yardstick: "navigated" },
    { yardstick: "dropped", from: "view" },
    "text",
    null,
    5,
    [],
  ];
  for (const message of bad) proxy.view(message);
  proxy.view({ jsonrpc: "2.0", method: "x" }, "https://elsewhere.example");
  const reports = proxy.toHost.slice(1).map(([message]) => plain(message));
  assert.equal(reports.length, bad.length + 1);
  for (const report of reports) assert.equal(report.yardstick, "dropped");
});

test("other windows are not heard", () => {
  const proxy = rig();
  proxy.host(ready());
  proxy.view({ jsonrpc: "2.0", method: "x" }, VIEW, {});
  assert.equal(proxy.toHost.length, 1);
});

test("after its first load nothing else may be loaded into the frame", () => {
  const proxy = rig();
  proxy.host(ready());
  assert.deepEqual(proxy.policies, []);
  proxy.frames[0].listeners.load();
  assert.deepEqual(
    proxy.policies.map(({ httpEquiv, content }) => [httpEquiv, content]),
    [["Content-Security-Policy", "frame-src 'none'"]],
  );
});

test("a further load is looked into, and does not close a View that wrote its document anew", () => {
  const proxy = rig();
  proxy.host(ready());
  proxy.frames[0].listeners.load();
  assert.deepEqual(proxy.gone, []);
  proxy.frames[0].listeners.load();
  assert.deepEqual(proxy.gone, [`${VIEW}/#`]);
  assert.equal(proxy.frames[0].removed, false);
  proxy.view({ jsonrpc: "2.0", method: "x" });
  assert.equal(proxy.toHost[1][0].method, "x");
});

test("a View that navigates is closed and reported, and then neither heard nor spoken to", () => {
  const proxy = rig();
  proxy.host(ready());
  proxy.violate("img-src");
  assert.equal(proxy.frames[0].removed, false);
  proxy.violate("frame-src");
  assert.equal(proxy.frames[0].removed, true);
  assert.deepEqual(plain(proxy.toHost[1]), [{ yardstick: "navigated" }, HOST]);
  proxy.view({ jsonrpc: "2.0", method: "x" });
  proxy.host({ jsonrpc: "2.0", method: "y" });
  proxy.frames[0].listeners.load();
  proxy.violate("frame-src");
  assert.deepEqual([proxy.toHost.length, proxy.toView.length], [2, 0]);
});

test("without allow-same-origin the View's origin is null", () => {
  const proxy = rig();
  proxy.host(ready({ sandbox: "allow-scripts" }));
  proxy.view({ jsonrpc: "2.0", method: "x" }, "null");
  assert.equal(proxy.toHost[1][0].method, "x");
  proxy.host({ jsonrpc: "2.0", method: "y" });
  assert.equal(proxy.toView[0][1], "*");
});
