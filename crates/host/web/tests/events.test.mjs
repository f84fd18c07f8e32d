import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { settled, until } from "./turns.mjs";

let sources = [];
let shown;
class Source {
  static CLOSED = 2;
  readyState = 0;
  constructor(url) {
    this.url = url;
    sources.push(this);
  }
  close() {
    this.readyState = 2;
  }
}
globalThis.EventSource = Source;
globalThis.document = { hidden: false, addEventListener: (_, call) => (shown = call) };
const { listen } = await import("../events.js");

const FROM = { url: "/api/events?token=t", pastUrl: "/api/events/past?token=t" };
let heard;
let states;
const start = () => listen(FROM, 0, { event: (event) => heard.push(event), state: (state) => states.push(state) });
beforeEach(() => {
  [sources, heard, states] = [[], [], []];
  document.hidden = false;
});

/** Without shared workers each tab has its own stream. */
function alone() {
  mock.timers.enable({ apis: ["setTimeout"] });
  return start();
}
afterEach(() => mock.timers.reset());

test("events are parsed, and text that is not JSON is ignored", () => {
  alone();
  sources[0].onmessage({ data: '{"kind":"entry"}', lastEventId: "1" });
  sources[0].onmessage({ data: "{", lastEventId: "2" });
  assert.deepEqual(heard, [{ kind: "entry" }]);
});

test("a short gap is not worth a word, a long one is", () => {
  alone();
  sources[0].onerror();
  mock.timers.tick(1000);
  sources[0].onopen();
  mock.timers.tick(1000);
  assert.deepEqual(states, ["open"]);
  sources[0].onerror();
  mock.timers.tick(2000);
  assert.deepEqual(states, ["open", "lost"]);
});

test("a stream that the browser gave up is opened again where it ended", () => {
  alone();
  sources[0].onmessage({ data: "{}", lastEventId: "41" });
  sources[0].readyState = 2;
  sources[0].onerror();
  mock.timers.tick(2500);
  assert.equal(sources.length, 2);
  assert.equal(sources[1].url, "/api/events?token=t&after=41");
});

test("a hidden tab lets go after a while and takes up where it was", () => {
  alone();
  sources[0].onmessage({ data: "{}", lastEventId: "7" });
  document.hidden = true;
  shown();
  mock.timers.tick(9000);
  assert.equal(sources[0].readyState, 0);
  mock.timers.tick(2000);
  assert.equal(sources[0].readyState, 2);
  document.hidden = false;
  shown();
  assert.match(sources[1].url, /&after=7$/);
  assert.deepEqual(states, []);
});

test("a tab that is left closes its stream", () => {
  alone().close();
  assert.equal(sources[0].readyState, 2);
});

/** Tabs that share a worker, connected by a channel with two ends. */
async function together(past) {
  const { promise, resolve } = Promise.withResolvers();
  globalThis.fetch = async () => (await promise, { ok: true, text: async () => past });
  globalThis.SharedWorker = class {
    constructor() {
      const { port1, port2 } = new MessageChannel();
      this.port = port1;
      ports.push(port1, port2);
      globalThis.onconnect({ ports: [port2] });
    }
  };
  await import("../events-worker.js");
  return resolve;
}
let ports = [];
afterEach(() => {
  ports.forEach((port) => port.close());
  ports = [];
  delete globalThis.SharedWorker;
});

test("tabs share one stream, and each hears the past first and nothing twice", async () => {
  const answer = await together('id: 1\ndata: {"n":1}\n\nid: 2\ndata: {"n":2}\n\n');
  start();
  await until(() => sources.length > 0);
  const other = [];
  const second = listen(FROM, 0, { event: (event) => other.push(event), state() {} });
  await settled();
  assert.equal(sources.length, 1, "one stream for both");
  sources[0].onmessage({ data: '{"n":2}', lastEventId: "2" });
  sources[0].onmessage({ data: '{"n":3}', lastEventId: "3" });
  await settled();
  assert.deepEqual(heard, [], "the past comes first");
  answer();
  await until(() => heard.length + other.length >= 6);
  assert.deepEqual(heard.map((event) => event.n), [1, 2, 3]);
  assert.deepEqual(other, heard);
  second.close();
  await settled();
  sources[0].onmessage({ data: '{"n":4}', lastEventId: "4" });
  await until(() => heard.length > 3);
  assert.deepEqual([heard.length, other.length], [4, 3], "who has left hears no more");
});
