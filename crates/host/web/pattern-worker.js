// Tries patterns in a thread of its own, which the page can end.

/** @import {PatternTrial} from "./patterns.js" */

/** Whether the text does not match. An invalid pattern decides nothing. @param {PatternTrial} trial */
function fails({ pattern, text }) {
  try {
    return !new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

globalThis.onmessage = (/** @type {MessageEvent<PatternTrial[]>} */ { data }) => postMessage(data.filter(fails));
