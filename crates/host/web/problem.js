// What went wrong with a run, in words for the person.

/** @typedef {{message: string, culprit?: string, repair?: string}} Problem */

/** @param {unknown} error @param {string} what @param {string} [culprit] @param {string} [repair] @returns {Problem} */
export function problemOf(error, what, culprit, repair) {
  const known = /** @type {Partial<Problem>} */ (error instanceof Error ? error : { message: String(error) });
  return { message: `${what}: ${known.message}`, culprit: known.culprit ?? culprit, repair: known.repair ?? repair };
}

/** The View has not spoken for a while. @param {number} ms @returns {Problem} */
export const silence = (ms) => ({
  message: `the app has not said ui/notifications/initialized after ${ms / 1000} s, so nothing may be sent to it`,
  culprit: "the app",
  repair: "see the Console tab for errors, the timeline for its last message and the CSP tab for what was blocked; an error in its script often stops it here",
});

/** The page could not do what the bridge wanted. @param {string} effect @param {unknown} error @returns {Problem} */
export const failedEffect = (effect, error) => ({
  message: `${effect} failed: ${error instanceof Error ? error.message : String(error)}`,
  culprit: "the page of the test host",
  repair: "the message that led to it is in the timeline",
});
