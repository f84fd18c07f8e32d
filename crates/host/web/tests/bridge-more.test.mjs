import assert from "node:assert/strict";
import { test } from "node:test";
import { safeName } from "../bridge-params.js";
import { MAX_OPEN_CALLS, MAX_OPEN_QUESTIONS } from "../bridge-requests.js";
import { POLICY, Rig, answer, one, sent } from "./bridge-help.mjs";

test("files are saved under safe names once the person agrees", () => {
  const rig = new Rig().start();
  const contents = [
    { type: "resource", resource: { uri: "file:///../../etc/pass%2Fwd", mimeType: "text/plain", text: "x" } },
    { type: "resource_link", uri: "https://a.example/report.pdf", name: "report" },
  ];
  const { ticket, question } = one(rig.say({ id: 1, method: "ui/download-file", params: { contents } }), "ask-person");
  assert.deepEqual(question.files.map((file) => file.name), ["pass_wd", "report"]);
  const effects = rig.feed({ type: "person", ticket, decision: { allow: true } });
  assert.equal(one(effects, "download").files.length, 2);
  assert.deepEqual(answer(effects, 1).result, {});
});

test("a link to a file must be http or https", () => {
  const contents = [{ type: "resource_link", uri: "javascript:1", name: "x" }];
  assert.equal(new Rig().start().request("ui/download-file", { contents }).error.code, -32000);
});

test("names keep nothing that a file system could mistake", () => {
  for (const [from, to] of [
    ["a/b/c.txt", "c.txt"],
    ["..", "download"],
    ["", "download"],
    ["a\u202etxt.exe", "a_txt.exe"],
    ["C:\\x\\con:1", "con_1"],
    ["ui://x/y.csv?z=1#h", "y.csv"],
    [".hidden", "hidden"],
    ["100%", "100%"],
    ["x".repeat(500), "x".repeat(120)],
  ])
    assert.equal(safeName(from), to);
});

test("sampling is answered by the person, every time", () => {
  const rig = new Rig({ policy: { ...POLICY, always: ["sampling"] } }).start();
  const { ticket } = one(
    rig.say({ id: 1, method: "sampling/createMessage", params: { messages: [], maxTokens: 10 } }),
    "ask-person",
  );
  const result = { role: "assistant", content: { type: "text", text: "yes" }, model: "a person" };
  assert.deepEqual(answer(rig.feed({ type: "person", ticket, decision: { allow: true, result } }), 1).result, result);
});

test("app tools: listed after initialized and when they change, and called", () => {
  const rig = new Rig().start({ tools: { listChanged: true } });
  const [list] = sent(rig.effects).filter((message) => message.method === "tools/list");
  assert.deepEqual(one(rig.say({ id: list.id, result: { tools: [{ name: "t" }] } }), "app-tools").tools, [
    { name: "t" },
  ]);
  assert.equal(sent(rig.say({ method: "notifications/tools/list_changed" }))[0].method, "tools/list");
  const [call] = sent(rig.feed({ type: "call-app-tool", name: "t", arguments: { a: 1 } }));
  assert.deepEqual(call.params, { name: "t", arguments: { a: 1 } });
  assert.deepEqual(one(rig.say({ id: call.id, result: { content: [] } }), "app-tool-result").result, { content: [] });
});

test("an app without tools is not asked for them", () => {
  const rig = new Rig().start();
  assert.deepEqual(sent(rig.feed({ type: "list-app-tools" })), []);
  assert.equal(
    one(rig.feed({ type: "call-app-tool", name: "t", arguments: {} }), "app-tool-result").error.code,
    -32601,
  );
});

test("a call of an app tool that hangs ends with an error", () => {
  const rig = new Rig().start({ tools: {} });
  const { ticket } = rig
    .feed({ type: "call-app-tool", name: "t", arguments: {} })
    .find((effect) => effect.type === "timer");
  assert.ok(one(rig.feed({ type: "timeout", ticket }), "app-tool-result").error);
  assert.deepEqual(rig.feed({ type: "timeout", ticket }), []);
});

test("ping goes both ways", () => {
  const rig = new Rig().start();
  const [ping] = sent(rig.feed({ type: "ping" }));
  assert.equal(ping.method, "ping");
  assert.equal(one(rig.say({ id: ping.id, result: {} }), "pong").ok, true);
});

test("changed server tools are told to a View that was promised so", () => {
  const rig = new Rig().start();
  assert.equal(sent(rig.feed({ type: "server-changed", what: "tools" }))[0].method, "notifications/tools/list_changed");
  assert.deepEqual(sent(rig.feed({ type: "server-changed", what: "resources" })), []);
});

test("log messages are shown, or noted when the host takes none", () => {
  const rig = new Rig().start();
  const params = { level: "warning", logger: "app", data: { a: 1 } };
  assert.deepEqual(one(rig.say({ method: "notifications/message", params }), "log"), { type: "log", ...params });
  const off = new Rig({ policy: { ...POLICY, off: ["logging"] } }).start();
  assert.deepEqual(off.say({ method: "notifications/message", params }).map((effect) => effect.type), ["note"]);
});

test("a View may ask to be closed", () => {
  assert.ok(one(new Rig().start().say({ method: "ui/notifications/request-teardown" }), "request-teardown"));
});

test("requests before ui/initialize are refused", () => {
  const rig = new Rig();
  const effects = rig.say({ id: 1, method: "tools/call", params: { name: "x" } });
  assert.equal(answer(effects, 1).error.code, -32600);
  assert.equal(one(effects, "ask-server"), undefined);
  assert.deepEqual(rig.request("ping").result, {});
});

test("open questions are withdrawn when the View goes", () => {
  const rig = new Rig().start();
  const { ticket } = one(
    rig.say({ id: 1, method: "ui/open-link", params: { url: "https://a.example" } }),
    "ask-person",
  );
  const timer = one(rig.feed({ type: "teardown" }), "timer");
  assert.equal(one(rig.feed({ type: "timeout", ticket: timer.ticket }), "withdraw").ticket, ticket);
});

/** A small pseudo-random generator, so that a failing walk can be repeated. */
function dice(seed) {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** One random event: from a View that follows no rules, from the page, the server or the person. */
function randomEvent(roll, tickets) {
  const ids = [0, 1, "", "a", -3, 7.5];
  const id = ids[roll(ids.length)];
  const ticket = tickets.length > 0 ? tickets[roll(tickets.length)] : "t1";
  const view = (message) => ({ type: "from-view", message: { jsonrpc: "2.0", ...message } });
  const made = [
    () =>
      view({
        id,
        method: "ui/initialize",
        params: {
          appInfo: { name: "a", version: "1" },
          appCapabilities: { tools: {}, availableDisplayModes: ["inline", "pip"] },
          protocolVersion: "2026-01-26",
        },
      }),
    () => view({ method: "ui/notifications/initialized" }),
    () => view({ id, method: "ui/open-link", params: { url: "https://a.example" } }),
    () => view({ id, method: "ui/request-display-mode", params: { mode: ["inline", "fullscreen", "pip"][roll(3)] } }),
    () => view({ id, method: "tools/call", params: { name: "x" } }),
    () => view({ id, method: "nope" }),
    () => view({ id: roll(9), result: {} }),
    () => view({ method: "ui/notifications/size-changed", params: { height: roll(1e9), width: -roll(1e9) } }),
    () => ({ type: "from-view", message: [null, 1, "x", {}, []][roll(5)] }),
    () => ({ type: "tool-input-partial", arguments: {} }),
    () => ({ type: "tool-input", arguments: {} }),
    () => ({ type: "tool-result", result: {} }),
    () => ({ type: "tool-cancelled" }),
    () => ({ type: "context", patch: { theme: ["light", "dark"][roll(2)] } }),
    () => ({ type: "mode", mode: ["inline", "fullscreen", "pip"][roll(3)] }),
    () => ({ type: "server-reply", ticket, result: {} }),
    () => ({ type: "person", ticket, decision: { allow: roll(2) === 1 } }),
    () => ({ type: "call-app-tool", name: "x", arguments: {} }),
    () => ({ type: "ping" }),
    () => ({ type: "timeout", ticket: `h${roll(9)}` }),
    () => (roll(20) === 0 ? { type: "teardown" } : { type: "list-app-tools" }),
  ];
  return made[roll(made.length)]();
}

test("random walks: nothing early, nothing late, ids echoed, input once and before the result", () => {
  for (let seed = 1; seed <= 400; seed++) {
    const roll = dice(seed);
    const rig = new Rig();
    const tickets = [];
    const owed = new Map();
    const seen = { initialized: false, closed: false, inputs: 0, ends: 0 };
    for (let i = 0; i < 120; i++) {
      const event = randomEvent(roll, tickets);
      const message = event.type === "from-view" ? event.message : undefined;
      const handshake = message?.method === "ui/notifications/initialized" && rig.state.phase === "answered";
      const isRequest = message?.jsonrpc === "2.0" && message.method && "id" in message;
      if (isRequest && !seen.closed) owed.set(message.id, (owed.get(message.id) ?? 0) + 1);
      const effects = rig.feed(event);
      if (handshake) seen.initialized = true;
      if (seen.closed) assert.deepEqual(effects, [], `seed ${seed}`);
      for (const effect of effects) {
        if (effect.ticket?.startsWith("t")) tickets.push(effect.ticket);
        if (effect.type === "torn-down") seen.closed = true;
        if (effect.type === "mode")
          assert.ok(effect.mode !== "fullscreen" || !seen.initialized || event.type === "mode", `seed ${seed}`);
        if (effect.type === "resize")
          assert.ok((effect.height ?? 0) >= 0 && (effect.height ?? 0) <= 800, `seed ${seed}`);
        if (effect.type !== "to-view") continue;
        const out = effect.message;
        if (out.method === undefined) {
          assert.ok((owed.get(out.id) ?? 0) > 0, `seed ${seed}: an answer to nobody, ${JSON.stringify(out)}`);
          owed.set(out.id, owed.get(out.id) - 1);
          continue;
        }
        assert.ok(seen.initialized, `seed ${seed}: ${out.method} before initialized`);
        if (out.method === "ui/notifications/tool-input") assert.equal(++seen.inputs, 1);
        if (out.method === "ui/notifications/tool-input-partial") assert.equal(seen.inputs, 0);
        if (out.method === "ui/notifications/tool-result") assert.equal(seen.inputs, 1);
        if (/tool-(result|cancelled)$/.test(out.method)) assert.equal(++seen.ends, 1);
      }
    }
  }
});

test("calls beyond what may be under way are refused, and taken again when one has ended", () => {
  const rig = new Rig().start();
  const call = (id) => rig.say({ id, method: "tools/call", params: { name: "t" } });
  const tickets = Array.from({ length: MAX_OPEN_CALLS }, (_, n) => one(call(`c${n}`), "ask-server").ticket);
  const refused = call("more");
  assert.equal(one(refused, "ask-server"), undefined);
  assert.match(answer(refused, "more").error.message, /already has 64 open calls/);
  assert.equal(answer(refused, "more").error.code, -32000);
  rig.feed({ type: "server-reply", ticket: tickets[0], result: {} });
  assert.ok(one(call("again"), "ask-server"));
});

test("questions beyond what a person is asked at a time are refused", () => {
  const rig = new Rig().start();
  const ask = (id) => rig.say({ id, method: "ui/open-link", params: { url: "https://a.example/" } });
  for (let n = 0; n < MAX_OPEN_QUESTIONS; n++) assert.ok(one(ask(`q${n}`), "ask-person"));
  const refused = ask("more");
  assert.equal(one(refused, "ask-person"), undefined);
  assert.match(answer(refused, "more").error.message, /20 questions of the app already wait/);
  assert.ok(
    one(rig.say({ id: "call", method: "tools/call", params: { name: "t" } }), "ask-server"),
    "calls have a bound of their own",
  );
});
