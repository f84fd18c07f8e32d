// A View's requests to its own server. Each goes to the host and can be cancelled. A browser opens few connections to
// one origin, so slow calls do not hold theirs: one long-polling request collects the answers to all of them.

/** @import {Json, RpcError} from "./types.d.ts" */
/** @import {Api} from "./api.js" */

/** @typedef {{result?: Json, error?: RpcError}} Answer */
/** @typedef {ReturnType<typeof createAsks>} Asks */

/** @param {Api} api @param {string} view @param {string} run @param {(params: Json) => void} progress takes the
 * progress of a call, before its answer */
export function createAsks(api, view, run, progress) {
  /** @type {Set<string>} */
  const open = new Set();
  /** Resolvers of the slow calls, by call id. @type {Map<string, (answer: Json) => void>} */
  const waiting = new Map();
  /** Answers that arrived before the response that said they come later. @type {Map<string, Json>} */
  const early = new Map();
  let newest = 0;
  let fetching = false;
  const id = (/** @type {string} */ ticket) => `${run}-${ticket}`;

  const fetchAll = async () => {
    if (fetching) return;
    fetching = true;
    try {
      while (waiting.size > 0) {
        for (const { n, callId, answer, progress: params } of (await api.answers(view, newest)).answers) {
          newest = n;
          if (params !== undefined) {
            progress(params);
            continue;
          }
          const tell = waiting.get(callId);
          waiting.delete(callId);
          if (tell) tell(answer);
          else early.set(callId, answer);
        }
      }
    } catch (error) {
      // The View is closed or the host is gone, so no answer will come.
      const tellers = [...waiting.values()];
      waiting.clear();
      for (const tell of tellers) tell({ error: broken(error) });
    } finally {
      fetching = false;
    }
  };
  /** @param {string} callId @returns {Promise<Json>} */
  const later = (callId) => {
    if (early.has(callId)) {
      const answer = early.get(callId);
      early.delete(callId);
      return Promise.resolve(answer);
    }
    const answered = new Promise((tell) => waiting.set(callId, tell));
    void fetchAll();
    return answered;
  };

  return {
    /** @param {{ticket: string, method: string, params: Json}} ask @param {number} seq @returns {Promise<Answer>} */
    async ask({ ticket, method, params }, seq) {
      open.add(ticket);
      try {
        const callId = id(ticket);
        const first = await api.ask(view, { seq, method, params, callId });
        for (const params of first?.progress ?? []) progress(params);
        const reply = first?.later === true ? await later(callId) : first;
        return reply.error ? { error: reply.error } : { result: reply.result };
      } catch (error) {
        return { error: broken(error) };
      } finally {
        open.delete(ticket);
      }
    },
    /** Cancels a request. @param {string} ticket */
    cancel(ticket) {
      if (open.has(ticket)) api.cancel(id(ticket)).catch(() => {});
    },
  };
}

/** @param {unknown} error @returns {RpcError} */
const broken = (error) => ({ code: -32603, message: error instanceof Error ? error.message : String(error) });
