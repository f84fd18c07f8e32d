// What every View of the probe server runs: the handshake, the steps of its scene, and the record of all that it heard.
// It reports through the tool `report` of its own server. Depends on nothing but the browser.

(() => {
  "use strict";

  /** @type {Record<string, any>} scene, nonce, read, declared, undeclared and what else the server tells */
  const probe = JSON.parse(document.getElementById("probe").textContent);
  /** Longer messages are recorded by their length alone. */
  const MAX_MESSAGE_CHARS = 32_000;
  const MAX_MESSAGES = 400;
  const MAX_FACTS_CHARS = 1_000_000;
  const OWN_IDS = "report-";
  /** Everything that went over the bridge, in order. @type {{at: number, way: string, message: any}[]} */
  const traffic = [];
  /** @type {Record<string, any>} what the scene found out */
  const facts = {};
  /** @type {Map<any, (message: any) => void>} */
  const waiting = new Map();
  /** @type {Record<string, (message: any) => any>} answers to requests of the host; undefined answers nothing */
  const answers = { "ping": () => ({}), "ui/resource-teardown": () => ({}) };
  const violations = [];
  const errors = [];
  let last = 0;
  let reports = 0;
  let isDone = false;

  const now = () => Math.round(performance.now());
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const isOwn = (message) => typeof message?.id === "string" && message.id.startsWith(OWN_IDS);

  /** A copy that can be sent on, or what can be said about it. */
  function copy(message) {
    try {
      const text = JSON.stringify(message);
      return text === undefined || text.length > MAX_MESSAGE_CHARS
        ? { probe: "long", type: typeof message, chars: text?.length ?? 0, method: message?.method, id: message?.id }
        : JSON.parse(text);
    } catch (error) {
      return { probe: "unreadable", why: String(error) };
    }
  }

  function record(way, message) {
    if (isOwn(message)) return;
    if (traffic.length < MAX_MESSAGES) traffic.push({ at: now(), way, message: copy(message) });
  }

  /** Sends a message as it is. */
  function post(message) {
    record("to-host", message);
    parent.postMessage(message, "*");
  }

  const say = (method, params) => post({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });

  /** The host's answer, or `{timeout: true}`. */
  function ask(method, params, { id = ++last, limit = 4000 } = {}) {
    const answered = new Promise((resolve) => {
      waiting.set(id, resolve);
      setTimeout(() => resolve({ timeout: true }), limit);
    });
    post({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return answered.finally(() => waiting.delete(id));
  }

  const callTool = (name, args = {}, more) => ask("tools/call", { name, arguments: args }, more);

  function respond(message) {
    const answer = answers[message.method];
    if (!answer) {
      const error = { code: -32601, message: "the probe has no such method" };
      return post({ jsonrpc: "2.0", id: message.id, error });
    }
    Promise.resolve(answer(message)).then((result) => {
      if (result !== undefined) post({ jsonrpc: "2.0", id: message.id, result });
    });
  }

  addEventListener("message", (event) => {
    record(event.source === parent ? "to-view" : "foreign", event.data);
    if (event.source !== parent) return;
    const message = event.data;
    if (typeof message !== "object" || message === null) return;
    if (message.method !== undefined && "id" in message) respond(message);
    else if ("id" in message) waiting.get(message.id)?.(message);
  });
  document.addEventListener("securitypolicyviolation", (event) => {
    if (violations.length < 100)
      violations.push({ directive: event.effectiveDirective, blocked: event.blockedURI, policy: event.originalPolicy });
  });
  addEventListener("error", (event) => errors.push(String(event.message).slice(0, 500)));
  addEventListener("unhandledrejection", (event) => errors.push(String(event.reason).slice(0, 500)));

  /** All that is known so far. */
  function state(stage, done = isDone) {
    const whole = { scene: probe.scene, nonce: probe.nonce, read: probe.read, stage, at: now(), done };
    const told = { ...whole, facts, traffic, violations, errors };
    return JSON.stringify(told).length > MAX_FACTS_CHARS ? { ...whole, facts, traffic: [], violations: [], errors } : told;
  }

  /** Tells the server. Not every host passes it on, so the same is readable in the document. */
  async function report(stage, done) {
    const id = `${OWN_IDS}${++reports}`;
    const answered = new Promise((resolve) => {
      waiting.set(id, resolve);
      setTimeout(() => resolve({ timeout: true }), 3000);
    });
    const params = { name: "report", arguments: { report: state(stage, done) } };
    parent.postMessage({ jsonrpc: "2.0", id, method: "tools/call", params }, "*");
    return answered;
  }

  /** The first message of the host with that method, also if it came before; undefined after the limit. */
  async function heard(method, limit = 5000) {
    const end = now() + limit;
    for (;;) {
      const found = traffic.find((one) => one.way === "to-view" && one.message?.method === method);
      if (found || now() > end) return found?.message;
      await sleep(20);
    }
  }

  /** Shakes hands; the result of `ui/initialize`. */
  async function initialize({ modes = ["inline", "fullscreen"], id, pause = 0 } = {}) {
    const params = {
      protocolVersion: "2026-01-26",
      appInfo: { name: `yardstick-probe-${probe.scene}`, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: modes },
    };
    const answer = await ask("ui/initialize", params, { id: id ?? ++last, limit: 8000 });
    facts.initialize = answer.result ?? answer;
    if (pause > 0) await sleep(pause);
    say("ui/notifications/initialized", {});
    return answer.result ?? {};
  }

  /** What became of an attempt: its value, or its error. */
  async function attempt(name, act, limit = 3000) {
    const late = sleep(limit).then(() => ({ timeout: true }));
    try {
      facts[name] = await Promise.race([Promise.resolve(act()).then((value) => ({ value: copy(value ?? null) })), late]);
    } catch (error) {
      facts[name] = { threw: `${error?.name ?? "Error"}: ${error?.message ?? error}`.slice(0, 300) };
    }
    return facts[name];
  }

  /** Runs the scene, and reports whatever came of it. @param {() => Promise<void>} steps */
  async function scene(steps) {
    try {
      await steps();
    } catch (error) {
      errors.push(String(error?.stack ?? error).slice(0, 1000));
    }
    // Whoever reads the document learns it last, so that it is known whether the report passed the host.
    await report("done", true);
    isDone = true;
    await sleep(200);
  }

  globalThis.probeState = () => state("read");
  Object.assign(globalThis, {
    probe, facts, traffic, answers, sleep, post, say, ask, callTool, report, heard, initialize, attempt, scene, now,
  });
})();
