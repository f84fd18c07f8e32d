// The host's own API. Every failure becomes one kind of error that says who is to blame and what to do.

/** @import {Json, LogEntry, RpcError, View} from "./types.d.ts" */

export class ApiError extends Error {
  /** @param {string} message @param {{culprit?: string, repair?: string, status?: number}} [more] */
  constructor(message, more = {}) {
    super(message);
    this.culprit = more.culprit;
    this.repair = more.repair;
    this.status = more.status;
  }
}

/** @typedef {ReturnType<typeof createApi>} Api */

/** The error in the place of a tool's result, if it is one. A result may have a member `error` of its own; content is what it must have. @param {Json} answer @returns {RpcError | undefined} */
export function refusalOf(answer) {
  return typeof answer?.error?.code === "number" && answer.content === undefined ? answer.error : undefined;
}

/** @param {string} token */
export function createApi(token) {
  /** Whether the page is on its way out: what is sent now has to outlive it. */
  let leaving = false;
  /** @param {string} method @param {string} path @param {Json} [body] @param {RequestInit} [more] @returns {Promise<Json>} */
  async function send(method, path, body, more = {}) {
    const headers = { "x-yardstick-token": token, ...(body === undefined ? {} : { "content-type": "application/json" }) };
    let response;
    try {
      response = await fetch(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }), keepalive: leaving, ...more });
    } catch (error) {
      if (more.signal?.aborted) throw error;
      throw new ApiError("the test host does not answer", { culprit: "yardstick host", repair: "start `yardstick host` again and reload this page" });
    }
    const value = await response.json().catch(() => undefined);
    if (response.ok) return value;
    throw new ApiError(value?.error?.message ?? `HTTP ${response.status} from ${path}`, { ...value?.error, status: response.status });
  }
  return {
    /** @param {{serverId: string, tool: string, run: string, profile?: string}} want @returns {Promise<View>} */
    openView: (want) => send("POST", "/api/views", want),
    /** Closes a View; a page that leaves lets it finish what it has asked for. @param {string} id */
    closeView: (id) => send("DELETE", `/api/views/${encodeURIComponent(id)}${leaving ? "?leaving=1" : ""}`, undefined, { keepalive: true }),
    /** The page is about to go, and may yet stay. */
    leave: () => void (leaving = true, setTimeout(() => (leaving = false), 1000)),
    isLeaving: () => leaving,
    /** What the server answers, or `{later: true}` if that takes its time. @param {string} id @param {{seq: number, method: string, params: Json, callId: string}} ask @returns {Promise<Json>} */
    ask: (id, ask) => send("POST", `/api/views/${encodeURIComponent(id)}/request`, { ...ask, later: true }),
    /** The answers that took their time, after number `after`, when there are any. @param {string} id @param {number} after @returns {Promise<{answers: {n: number, callId: string, answer: Json}[]}>} */
    answers: (id, after) => send("GET", `/api/views/${encodeURIComponent(id)}/answers?after=${after}`),
    /** @param {string} id @param {LogEntry[]} entries */
    log: (id, entries) => send("POST", `/api/views/${encodeURIComponent(id)}/log`, { entries }),
    /** @param {{serverId: string, name: string, arguments: Record<string, any>, callId: string, run: string, profile?: string, begins?: boolean}} call @returns {Promise<Json>} */
    call: (call) => send("POST", "/api/tools/call", call),
    /** What the person says to an inquiry of a server; nothing refuses it. @param {number} id @param {Json} result */
    answerInquiry: (id, result) => send("POST", `/api/inquiries/${id}`, { result }),
    /** A request that the person has written. @param {string} server @param {{method: string, params: Json, callId: string, run?: string}} request @returns {Promise<Json>} */
    request: (server, request) => send("POST", `/api/servers/${encodeURIComponent(server)}/request`, request),
    /** @param {string} callId */
    cancel: (callId) => send("POST", "/api/tools/cancel", { callId }),
    /** Whether the host that answers here is the one that this page came from. @returns {Promise<boolean>} */
    knowsToken: async () => (await fetch("/api/ping", { headers: { "x-yardstick-token": token } })).status !== 401,
    /** @param {string} [view] */
    traceUrl: (view) => `/api/trace?token=${encodeURIComponent(token)}${view ? `&view=${encodeURIComponent(view)}` : ""}`,
    events: () => ({ url: `/api/events?token=${encodeURIComponent(token)}`, pastUrl: `/api/events/past?token=${encodeURIComponent(token)}` }),
  };
}
