// Describes what went wrong with a run.

/** @typedef {{message: string, culprit?: string, repair?: string, canRetry?: boolean, isSolved?: boolean}} Problem */

/** @param {unknown} error @param {string} what @param {string} [culprit] @param {string} [repair] @returns {Problem} */
export function problemOf(error, what, culprit, repair) {
  const known = /** @type {Partial<Problem>} */ (error instanceof Error ? error : { message: String(error) });
  return { message: `${what}: ${known.message}`, culprit: known.culprit ?? culprit, repair: known.repair ?? repair };
}

/** Whether an error says that the person has to visit URLs first. @param {import("./types.d.ts").RpcError} error */
export const requiresUrls = ({ code, data }) =>
  code === -32042 && Array.isArray(data?.elicitations) && data.elicitations.length > 0;

/** The person has to visit URLs before the tool can run. @param {string} tool @param {string} server
 * @returns {Problem} */
export const urlsRequired = (tool, server) => ({
  message: `the tool ${tool} needs something from you first (error -32042)`,
  culprit: server,
  repair: "open the URL in the card, do there what it asks for, then run the tool again",
  canRetry: true,
});

/** The person has done what the tool needs. @param {string} tool @returns {Problem} */
export const urlsVisited = (tool) => ({
  message: `what the tool ${tool} needed from you is complete`,
  repair: "run the tool again",
  canRetry: true,
  isSolved: true,
});

/** The View has not completed its handshake in time. @param {number} ms @returns {Problem} */
export const silence = (ms) => ({
  message: `after ${ms / 1000} s the app has not sent ui/notifications/initialized, so the host may send it nothing`,
  culprit: "the app",
  repair:
    "look for errors in the Console tab, for its last message in the timeline, and for blocked loads in the CSP tab; " +
    "often a script error is the cause",
});

/** The page failed to carry out an effect of the bridge. @param {string} effect @param {unknown} error
 * @returns {Problem} */
export const failedEffect = (effect, error) => ({
  message: `${effect} failed: ${error instanceof Error ? error.message : String(error)}`,
  culprit: "the test host's page",
  repair: "see the message that caused it in the timeline",
});
