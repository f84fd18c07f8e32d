import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

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

let heard;
let states;
let doubts = 0;
const start = () => listen("/api/events?token=t", { event: (event) => heard.push(event), state: (state) => states.push(state), doubt: () => doubts++ });
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  [sources, heard, states] = [[], [], []];
  document.hidden = false;
});
afterEach(() => mock.timers.reset());

test("events are parsed, and what is no JSON is passed over", () => {
  start();
  sources[0].onmessage({ data: '{"kind":"entry"}', lastEventId: "1" });
  sources[0].onmessage({ data: "{", lastEventId: "2" });
  assert.deepEqual(heard, [{ kind: "entry" }]);
});

test("a short gap is not worth a word, a long one is", () => {
  start();
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
  start();
  sources[0].onmessage({ data: "{}", lastEventId: "41" });
  sources[0].readyState = 2;
  sources[0].onerror();
  mock.timers.tick(2500);
  assert.equal(sources.length, 2);
  assert.equal(sources[1].url, "/api/events?token=t&after=41");
});

test("a stream that breaks off makes the page ask whether it is still the same host", () => {
  start();
  const before = doubts;
  sources[0].onerror();
  assert.equal(doubts, before + 1);
});

test("a hidden page lets go after a while and takes up where it was", () => {
  start();
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

test("a page that is left closes its stream", () => {
  start().close();
  assert.equal(sources[0].readyState, 2);
});
