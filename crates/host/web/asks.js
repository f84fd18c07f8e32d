// What a View asks of its own server: each request goes to the host, and can be taken back.

/** @import {Json, RpcError} from "./types.d.ts" */
/** @import {Api} from "./api.js" */

/** @typedef {{result?: Json, error?: RpcError}} Answer */
/** @typedef {ReturnType<typeof createAsks>} Asks */

/** @param {Api} api @param {string} view @param {string} run */
export function createAsks(api, view, run) {
  /** @type {Set<string>} */
  const open = new Set();
  const id = (/** @type {string} */ ticket) => `${run}-${ticket}`;
  return {
    /** @param {{ticket: string, method: string, params: Json}} ask @param {number} seq @returns {Promise<Answer>} */
    async ask({ ticket, method, params }, seq) {
      open.add(ticket);
      try {
        const reply = await api.ask(view, { seq, method, params, callId: id(ticket) });
        return reply.error ? { error: reply.error } : { result: reply.result };
      } catch (error) {
        return { error: { code: -32603, message: error instanceof Error ? error.message : String(error) } };
      } finally {
        open.delete(ticket);
      }
    },
    /** Nobody waits for the answer any more. @param {string} ticket */
    takeBack(ticket) {
      if (open.has(ticket)) api.cancel(id(ticket)).catch(() => {});
    },
  };
}
