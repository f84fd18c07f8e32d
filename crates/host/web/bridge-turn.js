// The building blocks of the bridge's steps: what is sent to a View, and when it may be sent. Pure, like the bridge
// itself.

/** @import {BridgeState, Effect, Json, Message, Mode, Obj, Outgoing, Question} from "./types.d.ts" */

/** The revision of MCP Apps that the host implements. */
export const PROTOCOL = "2026-01-26";
/** How long a View may take to answer `ui/resource-teardown`. */
export const TEARDOWN_TIMEOUT_MS = 1500;
/** How long a View may take to answer any other request. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** One step of the bridge: a mutable copy of the state, and the effects so far.
 * @typedef {{state: BridgeState, effects: Effect[]}} Turn */

/** Requests the app's tools, or the next page of them. @param {Turn} turn
 * @param {{cursor: string, pages: Json[][]}} [after] */
export function listAppTools(turn, after) {
  if (turn.state.phase === "initialized" && !turn.state.appTools) {
    return void turn.effects.push({ type: "app-tools", tools: [] });
  }
  ask(turn, { kind: "list", pages: after?.pages ?? [] }, "tools/list", after ? { cursor: after.cursor } : {});
}

/**
 * Sends a request to the View, if the handshake is done and the host sends such requests.
 * @param {Turn} turn @param {Outgoing} waiting @param {string} method @param {Json} params
 */
export function ask(turn, waiting, method, params) {
  if (turn.state.phase !== "initialized" || turn.state.policy.unsent.includes(method)) return;
  const id = turn.state.next++;
  turn.state.outgoing[`h${id}`] = waiting;
  const message = /** @type {Message} */ ({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
  turn.effects.push({ type: "to-view", message });
  turn.effects.push({
    type: "timer",
    ticket: `h${id}`,
    ms: waiting.kind === "teardown" ? TEARDOWN_TIMEOUT_MS : ANSWER_TIMEOUT_MS,
  });
}

/** Sends the held messages in the order that the specification requires. @param {Turn} turn */
export function flush(turn) {
  const { state } = turn;
  if (state.phase !== "initialized") return;
  const { held, sent } = state;
  const patch = told(state, held.patch ?? {});
  if (Object.keys(patch).length > 0) notify(turn, "ui/notifications/host-context-changed", patch);
  if (held.partial && !sent.input) notify(turn, "ui/notifications/tool-input-partial", { arguments: held.partial });
  held.patch = held.partial = null;
  if (held.input && !sent.input) {
    notify(turn, "ui/notifications/tool-input", { arguments: held.input });
    sent.input = true;
    held.input = null;
  }
  if (held.cancelled && !sent.end) {
    notify(turn, "ui/notifications/tool-cancelled", held.cancelled);
    sent.end = true;
    turn.effects.push({ type: "status", status: "ready" });
  }
  if (held.result && sent.input && !sent.end) {
    notify(turn, "ui/notifications/tool-result", held.result);
    sent.end = true;
    turn.effects.push({ type: "status", status: "ready" });
  }
}

/** @param {Turn} turn @param {string} method @param {Json} params */
export function notify(turn, method, params) {
  if (turn.state.policy.unsent.includes(method)) return;
  const message = /** @type {Message} */ ({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  turn.effects.push({ type: "to-view", message });
}

/** @param {Turn} turn @param {string | number} id @param {{result?: Json, error?: Json}} reply */
export function respond(turn, id, reply) {
  turn.effects.push({ type: "to-view", message: { jsonrpc: "2.0", id, ...reply } });
}

/** Sends the View what changed in its context, and nothing else. @param {Turn} turn @param {Obj} patch */
export function patchContext(turn, patch) {
  const { state } = turn;
  /** @type {Obj} */
  const changed = {};
  for (const [key, value] of Object.entries(patch)) {
    if (JSON.stringify(state.context[key]) !== JSON.stringify(value)) changed[key] = value;
  }
  if (Object.keys(changed).length === 0) return;
  state.context = { ...state.context, ...changed };
  // Before `ui/initialize` is answered, the change simply becomes part of the answer.
  if (state.phase === "new" || state.phase === "closing") return;
  state.held.patch = { ...state.held.patch, ...changed };
  flush(turn);
}

/** The context without the members that this host never sends. @param {BridgeState} state @param {Obj} context
 * @returns {Obj} */
export function told(state, context) {
  const absent = state.policy.absent ?? [];
  return Object.fromEntries(Object.entries(context).filter(([name]) => !absent.includes(name)));
}

/** The container dimensions of the active mode. @param {BridgeState} state @returns {Obj} */
export function container(state) {
  const room = state.containers[/** @type {Mode} */ (state.context.displayMode)];
  return room ? { containerDimensions: room } : {};
}

/** The modes that both sides support. An app that declares none is shown inline. @param {BridgeState} state
 * @returns {Mode[]} */
export function commonModes(state) {
  if (state.phase === "new") return state.hostModes;
  const declared = state.appModes ?? ["inline"];
  return state.hostModes.filter((mode) => declared.includes(mode));
}

/**
 * Changes the display mode if both sides support it and the person has not left it. Returns whether the mode is now
 * active.
 * @param {Turn} turn @param {Mode} mode
 */
export function setMode(turn, mode) {
  const { state } = turn;
  if (state.context.displayMode === mode) return true;
  if (state.phase === "closing" || !commonModes(state).includes(mode) || state.refusedModes.includes(mode))
    return false;
  switchMode(turn, mode);
  return true;
}

/** @param {Turn} turn @param {Mode} mode */
function switchMode(turn, mode) {
  turn.effects.push({ type: "mode", mode });
  const room = turn.state.containers[mode];
  patchContext(turn, { displayMode: mode, ...(room ? { containerDimensions: room } : {}) });
}

/**
 * Sets the mode that the person chose. If they leave a mode, the View cannot get it back until they choose it again.
 * They can also try a mode that the View has not declared.
 * @param {Turn} turn @param {Mode} mode
 */
export function personSetsMode(turn, mode) {
  const { state } = turn;
  const before = /** @type {Mode} */ (state.context.displayMode);
  if (before === mode || state.phase === "closing" || !state.hostModes.includes(mode)) return;
  if (!commonModes(state).includes(mode)) note(turn, `the person tries ${mode}, which the app did not declare`);
  state.refusedModes = [...state.refusedModes, before].filter((one) => one !== mode && one !== "inline");
  switchMode(turn, mode);
}

/** Notes what the host did or did not do. Rust code (protocol::apps) judges whether a message is valid.
 * @param {Turn} turn @param {string} text */
export function note(turn, text) {
  turn.effects.push({ type: "note", text });
}

/**
 * Carries out what the person allowed, and answers the View.
 * @param {Turn} turn @param {string | number} id @param {Question} question @param {Json} [result]
 */
export function grant(turn, id, question, result) {
  const { effects } = turn;
  // Only the browser knows whether it opens.
  if (question.kind === "open-link") return void effects.push({ type: "open-link", id, url: question.url ?? "" });
  if (question.kind === "download") effects.push({ type: "download", files: question.files ?? [] });
  if (question.kind === "message")
    effects.push({ type: "chat-message", role: question.role ?? "user", content: question.content ?? [] });
  respond(turn, id, { result: result ?? {} });
}
