import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { settled } from "./turns.mjs";

// These tests need only the first module, not the page.
registerHooks({
  resolve: (name, context, next) =>
    name === "./main.js" ? { url: "data:text/javascript,", shortCircuit: true } : next(name, context),
});
const elements = {
  state: JSON.stringify({ mayRun: true, servers: [], profiles: [], options: { profile: "strict" } }),
  modules: "[]",
};
globalThis.location = { search: "" };
globalThis.document = { querySelector: () => null, getElementById: (id) => ({ textContent: elements[id] }) };
const { admitted, choose, isForModel, isOwn, shallRun } = await import("../first-run.js");
const { createAsks } = await import("../asks.js");
const { refusalOf } = await import("../api.js");

const tool = (name, more = {}, visibility = { model: true, app: true }) => ({
  name,
  inputSchema: { type: "object" },
  yardstick: { uri: "ui://a", isUi: true, visibility, findings: [] },
  ...more,
});
const danger = tool("danger", { annotations: { destructiveHint: true } });
const look = tool("look", { annotations: { readOnlyHint: true } });
const servers = [
  {
    id: "0",
    name: "S",
    state: "ready",
    tools: [
      danger,
      tool("unsaid"),
      tool("wanting", { annotations: { readOnlyHint: true }, inputSchema: { type: "object", required: ["to"] } }),
      look,
    ],
  },
];
const runs = (named, may = true) => shallRun(choose(servers, named), named, may);

test("a named tool is run on load only if the link says so", () => {
  assert.equal(choose(servers, { tool: "danger" }).tool.name, "danger");
  assert.equal(runs({ tool: "danger" }), false);
  assert.equal(runs({ tool: "danger", args: {} }), false);
  assert.equal(runs({ tool: "look" }), false);
  assert.equal(runs({ tool: "danger", args: {}, run: true }), true);
  assert.equal(runs({ tool: "0/look", run: false }), false);
});

test("by itself runs only a tool that says that it reads, and for which nothing has to be made up", () => {
  assert.equal(choose(servers, {}).tool.name, "look");
  assert.equal(runs({}), true);
  assert.equal(runs({ run: false }), false);
  const only = [{ ...servers[0], tools: servers[0].tools.filter((one) => one !== look) }];
  for (const named of [{}, { args: {} }, { run: true }])
    assert.equal(shallRun(choose(only, named), named, true), false);
  assert.equal(runs({ tool: "wanting", run: true }), false, "nothing is made up for a link either");
  assert.equal(runs({ tool: "wanting", args: { to: "me" }, run: true }), true);
});

test("a page that is loaded again runs only what changes nothing", () => {
  const again = (named) => shallRun(choose(servers, named), named, true, "reload");
  assert.equal(again({ tool: "look", run: true }), true);
  assert.equal(again({ tool: "unsaid", run: true }), false);
});

test("a link of somebody else runs nothing and grants nothing, and keeps what it shows", () => {
  assert.equal(runs({ tool: "danger", args: {}, run: true }, false), false);
  assert.equal(runs({}, false), false);
  const named = { tool: "danger", args: { a: 1 }, always: ["open-link"] };
  assert.deepEqual({ ...admitted(named, false) }, { tool: "danger", args: { a: 1 }, always: undefined });
  assert.equal(admitted(named, true), named);
});

test("what an app had opened is somebody else's, a page that loads again is not", () => {
  assert.equal(isOwn({ mayRun: true, linked: true }, "navigate"), false);
  assert.equal(isOwn({ mayRun: true, linked: true }, "reload"), true);
  assert.equal(isOwn({ mayRun: true, linked: false }, "navigate"), true);
  assert.equal(isOwn({ mayRun: false, linked: false }, "reload"), false);
});

test("a tool that is not for the model is not chosen", () => {
  const hidden = tool("hidden", {}, { model: false, app: true });
  const quiet = tool("quiet", { _meta: { "openai/visibility": "private" } });
  assert.equal(choose([{ ...servers[0], tools: [hidden] }], { tool: "hidden" }), undefined);
  const openai = { name: "chatgpt", openai: { methods: [] } };
  assert.equal(isForModel(quiet, { name: "strict" }), true);
  assert.equal(isForModel(quiet, openai), false);
  assert.equal(isForModel(quiet, { name: "deaf", openai: { unread: ["openai/visibility"] } }), true);
  assert.equal(
    isForModel(tool("both", { _meta: { "openai/visibility": "private", ui: { visibility: ["model"] } } }), openai),
    true,
  );
  assert.equal(choose([{ ...servers[0], tools: [quiet] }], {}, openai), undefined);
});

test("a result may have an error of its own", () => {
  assert.deepEqual(refusalOf({ error: { code: -32602, message: "no" } }), { code: -32602, message: "no" });
  assert.equal(refusalOf({ content: [], error: { code: 5 } }), undefined);
  assert.equal(refusalOf({ error: "text", structuredContent: {} }), undefined);
  assert.equal(refusalOf({ content: [] }), undefined);
  assert.equal(refusalOf(undefined), undefined);
});

/** A host that answers nothing at once. */
function slowHost() {
  const asked = [];
  const polls = [];
  const api = {
    ask: async (_, { callId }) => (asked.push(callId), { later: true }),
    answers: (_, after) => new Promise((resolve, reject) => polls.push({ after, resolve, reject })),
    cancel: async () => {},
  };
  return { api, asked, polls };
}

test("calls that take long wait on one connection, and are answered as they end", async () => {
  const { api, asked, polls } = slowHost();
  const asks = createAsks(api, "v", "r");
  const answers = Array.from({ length: 9 }, (_, n) =>
    asks.ask({ ticket: String(n), method: "tools/call", params: {} }, n),
  );
  await settled();
  assert.equal(asked.length, 9, "none is held back");
  assert.equal(polls.length, 1);
  polls[0].resolve({ answers: [{ n: 1, callId: "r-8", answer: { result: "last first" } }] });
  assert.deepEqual(await answers[8], { result: "last first" });
  await settled();
  assert.deepEqual(polls.map((poll) => poll.after), [0, 1]);
  polls[1].resolve({ answers: [{ n: 2, callId: "r-0", answer: { error: { code: 1, message: "no" } } }] });
  assert.deepEqual(await answers[0], { error: { code: 1, message: "no" } });
});

test("nobody waits for a View that is closed", async () => {
  const { api, polls } = slowHost();
  const asks = createAsks(api, "v", "r");
  const answers = ["a", "b"].map((ticket) => asks.ask({ ticket, method: "tools/call", params: {} }, 1));
  await settled();
  polls[0].reject(new Error("the view v was closed"));
  for (const answer of await Promise.all(answers))
    assert.deepEqual(answer, { error: { code: -32603, message: "the view v was closed" } });
});

test("an answer that overtakes the word that it comes later is kept", async () => {
  const { api, polls } = slowHost();
  const held = [];
  const asks = createAsks(
    {
      ...api,
      ask: (_, { callId }) => (callId === "r-b" ? new Promise((tell) => held.push(tell)) : api.ask(_, { callId })),
    },
    "v",
    "r",
  );
  const first = asks.ask({ ticket: "a", method: "tools/call", params: {} }, 1);
  const second = asks.ask({ ticket: "b", method: "tools/call", params: {} }, 2);
  await settled();
  polls[0].resolve({
    answers: [
      { n: 1, callId: "r-b", answer: { result: 2 } },
      { n: 2, callId: "r-a", answer: { result: 1 } },
    ],
  });
  assert.deepEqual(await first, { result: 1 });
  held[0]({ later: true });
  assert.deepEqual(await second, { result: 2 });
});
