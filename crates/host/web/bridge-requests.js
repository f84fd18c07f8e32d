// Requests and notifications of a View. Pure: everything to be done becomes an effect of the turn.

import { PROTOCOL, commonModes, container, flush, grant } from "./bridge-turn.js";
import { listAppTools, note, respond, setMode, told } from "./bridge-turn.js";
import { asList, files, isObject, openable, unannounced, wrongParams } from "./bridge-params.js";

/** @import {BridgeState, Container, Json, Mode, Obj, Question} from "./types.d.ts" */
/** @import {Turn} from "./bridge-turn.js" */

/** The largest width and height of a View, in pixels. */
export const MAX_SIDE = 10_000;
/** The smallest size of a View; a smaller one could not be seen, nor debugged. */
export const MIN_SIZE = { width: 160, height: 48 };

/** How many requests of a View may wait for its server. */
export const MAX_OPEN_CALLS = 64;
/** How many questions of a View may wait for the person. */
export const MAX_OPEN_QUESTIONS = 20;

/** A request that has passed all checks. @typedef {{id: string | number, method: string, params: Obj}} Request */

/**
 * The checks for a method: the capability that announces it (`always`: it works unless switched off), and the kind
 * under which the person can deny it.
 * @type {Record<string, {capability?: string, always?: boolean, kind?: string}>}
 */
const GATES = {
  "ui/initialize": {},
  "ping": {},
  "ui/open-link": { capability: "openLinks", kind: "open-link" },
  "ui/download-file": { capability: "downloadFile", kind: "download" },
  "ui/message": { capability: "message", always: true, kind: "message" },
  "ui/update-model-context": { capability: "updateModelContext", always: true, kind: "model-context" },
  "ui/request-display-mode": { kind: "display-mode" },
  "sampling/createMessage": { capability: "sampling", kind: "sampling" },
  "tools/call": { capability: "serverTools", kind: "tool-call" },
  "tools/list": { capability: "serverTools", kind: "tool-call" },
  "resources/read": { capability: "serverResources", kind: "resource-read" },
  "resources/list": { capability: "serverResources", kind: "resource-read" },
  "resources/templates/list": { capability: "serverResources", kind: "resource-read" },
  "prompts/list": {},
};

/** @type {Record<string, (turn: Turn, request: Request) => void>} */
const HANDLERS = {
  "ui/initialize": initialize,
  "ping": (turn, { id }) => respond(turn, id, { result: {} }),
  "ui/open-link": openLink,
  "ui/download-file": downloadFile,
  "ui/message": (turn, { id, method, params }) =>
    question(turn, id, method, { kind: "message", role: params.role, content: asList(params.content) }),
  "ui/update-model-context": updateModelContext,
  "ui/request-display-mode": requestMode,
  "sampling/createMessage": (turn, { id, method, params }) => question(turn, id, method, { kind: "sampling", params }),
};

/** @param {BridgeState} state @param {string} method */
function supported(state, method) {
  if (!Object.hasOwn(GATES, method) || state.policy.unsupported.includes(method)) return false;
  const { capability, always } = GATES[method];
  if (capability === undefined) return true;
  const unannounced = always === true || state.policy.unannounced?.includes(method);
  return !state.policy.off.includes(capability) && (unannounced || state.capabilities[capability] !== undefined);
}

/** @param {Turn} turn @param {Json} message */
export function onRequest(turn, message) {
  const { state } = turn;
  const { id, method } = message;
  if (state.phase === "new" && method !== "ui/initialize" && method !== "ping")
    return fail(turn, id, -32600, `${method} came before ui/initialize`);
  if (!supported(state, method)) return fail(turn, id, -32601, `Method not found: ${method}`);
  const wrong = wrongParams(method, message.params);
  if (wrong) return fail(turn, id, -32602, `Invalid params for ${method}: ${wrong}`);
  const request = { id, method, params: message.params ?? {} };
  const stranger = unannounced(method, request.params, state.capabilities);
  if (stranger) return fail(turn, id, -32602, `Invalid params for ${method}: it carries ${stranger}`);
  const { kind } = GATES[method];
  if (kind && kind !== "display-mode" && state.policy.deny.includes(kind))
    return fail(turn, id, -32000, `${method} denied by the host`);
  if (Object.hasOwn(HANDLERS, method)) return HANDLERS[method](turn, request);
  if (waiting(state, "server") >= MAX_OPEN_CALLS) {
    return fail(
      turn,
      id,
      -32000,
      `${method} refused: the app already has ${MAX_OPEN_CALLS} open calls, which is the limit`,
    );
  }
  const ticket = `t${state.next++}`;
  state.asks[ticket] = { id, method, kind: "server" };
  turn.effects.push({ type: "ask-server", ticket, method, params: message.params });
}

/** @param {Turn} turn @param {string | number} id @param {number} code @param {string} message */
const fail = (turn, id, code, message) => respond(turn, id, { error: { code, message } });

/** How many requests wait for the server or the person. @param {BridgeState} state @param {"server" | "person"} kind */
const waiting = (state, kind) => Object.values(state.asks).filter((ask) => ask.kind === kind).length;

/**
 * Asks the person, unless they have already allowed this kind.
 * @param {Turn} turn @param {string | number} id @param {string} method @param {Question} asked
 */
function question(turn, id, method, asked) {
  // The person has to write a sampled message, so this question is always asked.
  if (asked.kind !== "sampling" && turn.state.policy.always.includes(asked.kind)) return grant(turn, id, asked);
  if (waiting(turn.state, "person") >= MAX_OPEN_QUESTIONS) {
    return fail(
      turn,
      id,
      -32000,
      `${method} refused: ${MAX_OPEN_QUESTIONS} questions of the app already wait for the person, which is the limit`,
    );
  }
  const ticket = `t${turn.state.next++}`;
  turn.state.asks[ticket] = { id, method, kind: "person", question: asked };
  turn.effects.push({ type: "ask-person", ticket, question: asked });
}

/** @param {Turn} turn @param {Request} request */
function initialize(turn, { id, params }) {
  const { state } = turn;
  const app = params.appCapabilities;
  state.appInfo = params.appInfo;
  state.appTools = isObject(app.tools);
  state.appModes = Array.isArray(app.availableDisplayModes) ? app.availableDisplayModes : null;
  if (state.phase === "new") state.phase = "answered";
  const modes = commonModes(state);
  const current = /** @type {Mode} */ (state.context.displayMode);
  if (!modes.includes(current) && modes.length > 0) {
    state.context = { ...state.context, displayMode: modes[0] };
    turn.effects.push({ type: "mode", mode: modes[0] });
  }
  state.context = { ...state.context, availableDisplayModes: state.hostModes, ...container(state) };
  turn.effects.push({ type: "app", info: state.appInfo, modes, tools: state.appTools });
  respond(turn, id, {
    result: {
      protocolVersion: PROTOCOL,
      hostInfo: state.hostInfo,
      hostCapabilities: state.capabilities,
      hostContext: told(state, state.context),
    },
  });
}

/** @param {Turn} turn @param {Request} request */
function openLink(turn, { id, method, params }) {
  const link = openable(params.url);
  if ("why" in link) return fail(turn, id, -32000, link.why);
  const asked = /** @type {Question} */ ({ kind: "open-link", url: link.url });
  // The resource has declared this origin, so the person is not asked.
  if (turn.state.policy.trusted?.includes(new URL(link.url).origin)) return grant(turn, id, asked);
  question(turn, id, method, asked);
}

/** @param {Turn} turn @param {Request} request */
function downloadFile(turn, { id, method, params }) {
  const list = files(params.contents);
  for (const file of list) {
    if (file.url === undefined) continue;
    const link = openable(file.url);
    if ("why" in link) return fail(turn, id, -32000, `${link.why}; embed the file in the request`);
    file.url = link.url;
  }
  question(turn, id, method, { kind: "download", files: list });
}

/** @param {Turn} turn @param {Request} request */
function updateModelContext(turn, { id, params }) {
  turn.state.modelContext = params;
  turn.effects.push({ type: "model-context", context: params });
  respond(turn, id, { result: {} });
}

/** Answers with the mode that is active afterwards, also when nothing changed. @param {Turn} turn
 * @param {Request} request */
function requestMode(turn, { id, params }) {
  const { state } = turn;
  if (!state.policy.deny.includes("display-mode")) setMode(turn, params.mode);
  respond(turn, id, { result: { mode: state.context.displayMode } });
}

/** @param {Turn} turn @param {Json} message */
export function onNotification(turn, message) {
  const { method, params } = message;
  if (turn.state.policy.ignored?.includes(method)) return note(turn, `${method} has no effect in this host`);
  switch (method) {
    case "ui/notifications/initialized":
      return initialized(turn, message);
    case "ui/notifications/size-changed":
      return resize(turn, message);
    case "ui/notifications/request-teardown":
      return void turn.effects.push({ type: "request-teardown" });
    case "notifications/message":
      return log(turn, params, message);
    case "notifications/tools/list_changed":
      return turn.state.appTools ? listAppTools(turn) : undefined;
    case "notifications/cancelled":
      return cancelled(turn, params);
    case "notifications/progress":
      return;
    default:
      note(turn, `this host does not know ${method}`);
  }
}

/** @param {Turn} turn @param {Json} message */
function initialized(turn, message) {
  const { state } = turn;
  if (state.phase === "new")
    return note(turn, "the host ignored initialized, because it arrived before ui/initialize was answered");
  if (state.phase !== "answered") return;
  state.phase = "initialized";
  turn.effects.push({ type: "status", status: "initialized" });
  flush(turn);
  if (state.appTools) listAppTools(turn);
}

/** @param {Turn} turn @param {Json} message */
function resize(turn, message) {
  const params = isObject(message.params) ? message.params : {};
  const room = /** @type {Container} */ (turn.state.context.containerDimensions ?? {});
  const width = axis(turn, "width", params.width, room.width, room.maxWidth, message);
  const height = axis(turn, "height", params.height, room.height, room.maxHeight, message);
  if (width === undefined && height === undefined) return;
  turn.effects.push({
    type: "resize",
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  });
}

/**
 * One axis of a size: nothing if the host fixed it, otherwise limited to its range.
 * @param {Turn} turn @param {"width" | "height"} name @param {Json} value @param {number | undefined} fixed
 *   @param {number | undefined} most @param {Json} message
 * @returns {number | undefined}
 */
function axis(turn, name, value, fixed, most, message) {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value) || fixed !== undefined) return undefined;
  const limit = Math.min(most ?? MAX_SIDE, MAX_SIDE);
  const least = Math.min(MIN_SIZE[name], limit);
  if (value <= 0 || value > MAX_SIDE) note(turn, `the host limits ${name} ${value} to ${least}..${limit}`);
  return Math.min(Math.max(value, least), limit);
}

/** @param {Turn} turn @param {Json} params @param {Json} message */
function log(turn, params, message) {
  if (turn.state.policy.off.includes("logging") || turn.state.capabilities.logging === undefined) {
    return note(turn, "this host does not accept log messages");
  }
  const level = /^[a-z]{1,16}$/.test(params?.level) ? String(params.level) : "info";
  const logger = typeof params?.logger === "string" ? params.logger : undefined;
  turn.effects.push({ type: "log", level, logger, data: params?.data });
}

/** The View has cancelled a request. @param {Turn} turn @param {Json} params */
function cancelled(turn, params) {
  for (const [ticket, ask] of Object.entries(turn.state.asks)) {
    if (ask.id !== params?.requestId) continue;
    delete turn.state.asks[ticket];
    turn.effects.push({ type: "withdraw", ticket });
  }
}
