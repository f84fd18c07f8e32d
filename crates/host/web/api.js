// The client for the host's API. Every failure becomes an `ApiError` that names the cause and the fix.

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

/**
 * A call that the person makes.
 * @typedef {{serverId: string, name: string, arguments: Record<string, any>, callId: string, run: string,
 *   profile?: string, begins?: boolean}} CallRequest
 */
/** @typedef {ReturnType<typeof createApi>} Api */

/**
 * The error in place of a tool's result, if there is one. A result may have its own member `error`; only `content` is
 * required.
 * @param {Json} answer @returns {RpcError | undefined}
 */
export function refusalOf(answer) {
  return typeof answer?.error?.code === "number" && answer.content === undefined ? answer.error : undefined;
}

/** @param {string} token */
export function createApi(token) {
  /** Whether the page is being left. Requests must then outlive it. */
  let leaving = false;
  /** @param {string} method @param {string} path @param {Json} [body] @param {RequestInit} [more]
   * @returns {Promise<Json>} */
  async function send(method, path, body, more = {}) {
    const headers = {
      "x-yardstick-token": token,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    let response;
    try {
      response = await fetch(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        keepalive: leaving,
        ...more,
      });
    } catch (error) {
      if (more.signal?.aborted) throw error;
      throw new ApiError("the test host does not respond", {
        culprit: "yardstick host",
        repair: "start `yardstick host` again and reload this page",
      });
    }
    const value = await response.json().catch(() => undefined);
    if (response.ok) return value;
    throw new ApiError(value?.error?.message ?? `HTTP ${response.status} from ${path}`, {
      ...value?.error,
      status: response.status,
    });
  }
  return {
    /** @returns {Promise<import("./types.d.ts").HostState>} */
    state: () => send("GET", "/api/state"),
    /** @param {{serverId: string, tool: string, run: string, profile?: string}} want @returns {Promise<View>} */
    openView: (want) => send("POST", "/api/views", want),
    /** Closes a View. When the page is being left, the host lets the View's open requests finish. @param {string} id */
    closeView: (id) =>
      send("DELETE", `/api/views/${encodeURIComponent(id)}${leaving ? "?leaving=1" : ""}`, undefined, {
        keepalive: true,
      }),
    /** The page is about to be left; the person may still stay. */
    leave: () => void (leaving = true, setTimeout(() => (leaving = false), 1000)),
    isLeaving: () => leaving,
    /**
     * The server's answer, or `{later: true}` if it takes longer.
     * @param {string} id @param {{seq: number, method: string, params: Json, callId: string}} ask
     *   @returns {Promise<Json>}
     */
    ask: (id, ask) => send("POST", `/api/views/${encodeURIComponent(id)}/request`, { ...ask, later: true }),
    /**
     * Waits for the late answers, and the progress before them, after number `after`.
     * @param {string} id @param {number} after
     *   @returns {Promise<{answers: {n: number, callId: string, answer?: Json, progress?: Json}[]}>}
     */
    answers: (id, after) => send("GET", `/api/views/${encodeURIComponent(id)}/answers?after=${after}`),
    /** @param {string} id @param {LogEntry[]} entries */
    log: (id, entries) => send("POST", `/api/views/${encodeURIComponent(id)}/log`, { entries }),
    /** @param {CallRequest} call @returns {Promise<Json>} */
    call: (call) => send("POST", "/api/tools/call", call),
    /** Sends the person's answer to an inquiry; `undefined` refuses. @param {number} id @param {Json} result */
    answerInquiry: (id, result) => send("POST", `/api/inquiries/${id}`, { result }),
    /**
     * Sends a request that the person wrote.
     * @param {string} server @param {{method: string, params: Json, callId: string, run?: string}} request
     * @returns {Promise<Json>}
     */
    request: (server, request) => send("POST", `/api/servers/${encodeURIComponent(server)}/request`, request),
    /** @param {string} callId */
    cancel: (callId) => send("POST", "/api/tools/cancel", { callId }),
    /** Whether the host at this address is the one that served this page. @returns {Promise<boolean>} */
    knowsToken: async () => (await fetch("/api/ping", { headers: { "x-yardstick-token": token } })).status !== 401,
    /** @param {string} [view] */
    traceUrl: (view) =>
      `/api/trace?token=${encodeURIComponent(token)}${view ? `&view=${encodeURIComponent(view)}` : ""}`,
    events: () => ({
      url: `/api/events?token=${encodeURIComponent(token)}`,
      pastUrl: `/api/events/past?token=${encodeURIComponent(token)}`,
    }),
  };
}
