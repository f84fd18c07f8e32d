// The bridge between one View and the host: a pure state machine. No DOM, no clock, no network. `step(state, event)`
// returns the next state and the effects; the page carries them out.

import { onNotification, onRequest } from "./bridge-requests.js";
import { ANSWER_TIMEOUT_MS, TEARDOWN_TIMEOUT_MS, ask, container, flush, grant } from "./bridge-turn.js";
import { listAppTools, note, notify, patchContext, personSetsMode, respond } from "./bridge-turn.js";

/** @import {BridgeEvent, BridgeOptions, BridgeState, Json, Message, Obj, Outgoing, Step} from "./types.d.ts" */
/** @import {Turn} from "./bridge-turn.js" */

/** How many pages of an app's tools are requested. */
const MAX_TOOL_PAGES = 20;

/**
 * The state of a bridge to a View that has not sent anything yet.
 * @param {BridgeOptions} options
 * @returns {BridgeState}
 */
export function open(options) {
  /** @type {BridgeState} */
  const state = {
    ...options,
    phase: "new",
    appModes: null,
    appTools: false,
    appInfo: null,
    held: { patch: null, partial: null, input: null, result: null, cancelled: null, list: false },
    sent: { input: false, end: false },
    asks: {},
    outgoing: {},
    next: 1,
    modelContext: null,
    refusedModes: [],
  };
  state.context = { ...state.context, ...container(state) };
  return state;
}

/**
 * Returns the next state and the effects.
 * @param {BridgeState} before
 * @param {BridgeEvent} event
 * @returns {Step}
 */
export function step(before, event) {
  if (before.phase === "closed") return { state: before, effects: [] };
  const state = {
    ...before,
    held: { ...before.held },
    sent: { ...before.sent },
    asks: { ...before.asks },
    outgoing: { ...before.outgoing },
  };
  /** @type {Turn} */
  const turn = { state, effects: [] };
  react(turn, event);
  return turn;
}

/** @param {Turn} turn @param {BridgeEvent} event */
function react(turn, event) {
  const { state } = turn;
  switch (event.type) {
    case "from-view":
      return fromView(turn, event.message);
    case "tool-input":
      if (!state.sent.input && !state.held.input && !state.held.cancelled) state.held.input = event.arguments;
      return flush(turn);
    case "tool-input-partial":
      if (!state.sent.input && !state.held.input && !state.sent.end) state.held.partial = event.arguments;
      return flush(turn);
    case "tool-result":
      if (!ended(state)) state.held.result = event.result;
      return flush(turn);
    case "tool-cancelled":
      if (!ended(state)) state.held.cancelled = event.reason === undefined ? {} : { reason: event.reason };
      return flush(turn);
    case "context":
      return patchContext(turn, event.patch);
    case "containers":
      state.containers = event.containers;
      return patchContext(turn, { ...event.patch, ...container(state) });
    case "policy":
      state.policy = event.policy;
      return;
    case "mode":
      return personSetsMode(turn, event.mode);
    case "progress":
      return state.phase === "initialized" ? notify(turn, "notifications/progress", event.params) : undefined;
    case "link-opened":
      return respond(
        turn,
        event.id,
        event.ok ? { result: {} } : { error: { code: -32000, message: "the browser did not open the link" } },
      );
    case "teardown":
      return teardown(turn, event.reason);
    case "server-reply":
      return serverReply(turn, event);
    case "server-changed":
      return serverChanged(turn, event.what);
    case "person":
      return person(turn, event);
    case "call-app-tool":
      return callAppTool(turn, event);
    case "list-app-tools":
      return listAppTools(turn);
    case "ping":
      return ask(turn, { kind: "ping" }, "ping", undefined);
    case "timeout":
      return timeout(turn, event.ticket);
  }
}

/** @param {BridgeState} state */
const ended = (state) => state.sent.end || state.held.result !== null || state.held.cancelled !== null;

/** @param {Turn} turn @param {Json} message */
function fromView(turn, message) {
  if (message === null || typeof message !== "object" || message.jsonrpc !== "2.0") {
    return note(turn, "the host ignored a message that is not JSON-RPC 2.0");
  }
  const isAnswer = "result" in message || "error" in message;
  if (typeof message.method === "string" && !isAnswer) {
    if (!("id" in message)) return onNotification(turn, message);
    if (typeof message.id === "string" || typeof message.id === "number") return onRequest(turn, message);
    return note(turn, "the host cannot answer a request whose id is neither a string nor a number");
  }
  if (isAnswer) return answered(turn, message);
  note(turn, "the host ignored a message that is neither a request, a notification nor a response");
}

/** Handles a View's response to one of the host's requests. @param {Turn} turn @param {Message} message */
function answered(turn, message) {
  const ticket = typeof message.id === "number" ? `h${message.id}` : "";
  const waiting = turn.state.outgoing[ticket];
  if (!waiting) return note(turn, "the host ignored a response to a request that it did not send");
  delete turn.state.outgoing[ticket];
  settle(turn, waiting, message);
}

/** @param {Turn} turn @param {Outgoing} waiting @param {{result?: Json, error?: Json}} reply */
function settle(turn, waiting, reply) {
  const { effects } = turn;
  switch (waiting.kind) {
    case "teardown":
      return close(turn, "result" in reply);
    case "ping":
      return void effects.push({ type: "pong", ok: "result" in reply });
    case "list":
      return listed(turn, waiting.pages ?? [], reply);
    case "call":
      return void effects.push({
        type: "app-tool-result",
        name: waiting.name ?? "",
        result: reply.result,
        error: reply.error,
      });
  }
}

/** Handles one page of the app's tools; there may be more. @param {Turn} turn @param {Json[][]} before
 * @param {{result?: Json, error?: Json}} reply */
function listed(turn, before, { result, error }) {
  const pages = [...before, Array.isArray(result?.tools) ? result.tools : []];
  const cursor = result?.nextCursor;
  if (typeof cursor === "string" && pages.length < MAX_TOOL_PAGES) return listAppTools(turn, { cursor, pages });
  if (cursor !== undefined)
    note(
      turn,
      typeof cursor === "string"
        ? `the host stopped after ${MAX_TOOL_PAGES} pages of the app's tools`
        : "the host cannot use a nextCursor that is not a string",
    );
  turn.effects.push({ type: "app-tools", tools: pages.flat(), error: error?.message });
}

/** @param {Turn} turn @param {string} ticket */
function timeout(turn, ticket) {
  const waiting = turn.state.outgoing[ticket];
  if (!waiting) return;
  delete turn.state.outgoing[ticket];
  const text = waiting.kind === "teardown"
    ? `the View did not answer ui/resource-teardown within ${TEARDOWN_TIMEOUT_MS} ms`
    : `the View did not answer within ${ANSWER_TIMEOUT_MS / 1000} s`;
  note(turn, text);
  settle(turn, waiting, { error: { code: -32001, message: text } });
}

/** @param {Turn} turn @param {boolean} answered */
function close(turn, answered) {
  turn.state.phase = "closed";
  for (const ticket of Object.keys(turn.state.asks)) turn.effects.push({ type: "withdraw", ticket });
  turn.state.asks = {};
  turn.state.outgoing = {};
  turn.effects.push({ type: "torn-down", answered });
}

/** @param {Turn} turn @param {string} [reason] */
function teardown(turn, reason) {
  if (turn.state.phase === "closing") return;
  // Before `initialized` nothing may be sent, so there is no answer to wait for. Some hosts never send this request.
  if (turn.state.phase !== "initialized" || turn.state.policy.unsent.includes("ui/resource-teardown"))
    return close(turn, true);
  ask(turn, { kind: "teardown" }, "ui/resource-teardown", reason === undefined ? {} : { reason });
  turn.state.phase = "closing";
}

/** @param {Turn} turn @param {{ticket: string, result?: Json, error?: Json}} reply */
function serverReply(turn, { ticket, result, error }) {
  const asked = turn.state.asks[ticket];
  if (!asked || asked.kind === "person") return;
  delete turn.state.asks[ticket];
  respond(turn, asked.id, error ? { error } : { result: result ?? {} });
}

/** @param {Turn} turn @param {"tools" | "resources" | "prompts"} what */
function serverChanged(turn, what) {
  const capability =
    turn.state.capabilities[{ tools: "serverTools", resources: "serverResources", prompts: "serverPrompts" }[what]];
  if (capability?.listChanged && turn.state.phase === "initialized")
    notify(turn, `notifications/${what}/list_changed`, undefined);
}

/** @param {Turn} turn @param {{ticket: string, decision: import("./types.d.ts").Decision}} answer */
function person(turn, { ticket, decision }) {
  const asked = turn.state.asks[ticket];
  if (!asked?.question) return;
  delete turn.state.asks[ticket];
  if (!decision.allow)
    return respond(turn, asked.id, { error: { code: -32000, message: `${asked.method} denied by the user` } });
  grant(turn, asked.id, asked.question, decision.result);
}

/** @param {Turn} turn @param {{name: string, arguments: Obj}} call */
function callAppTool(turn, call) {
  if (!turn.state.appTools) {
    const error = { code: -32601, message: "the app did not declare tools of its own" };
    return void turn.effects.push({ type: "app-tool-result", name: call.name, error });
  }
  if (turn.state.policy.unsent.includes("tools/call")) {
    const error = { code: -32601, message: "this host does not call the tools of apps" };
    return void turn.effects.push({ type: "app-tool-result", name: call.name, error });
  }
  ask(turn, { kind: "call", name: call.name }, "tools/call", { name: call.name, arguments: call.arguments });
}
