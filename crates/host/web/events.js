// The stream of what happens in the host process. The browser resumes it by itself; we say when it is lost.
// A browser opens only a few connections to one host, for all its tabs together: a page that nobody sees lets go of its stream.

/** @import {Json} from "./types.d.ts" */

/** How long a gap may last before the person is told. */
const GAP_MS = 1500;
/** How long to wait before a stream that the browser gave up is opened again. */
const AGAIN_MS = 2000;
/** How long a hidden page keeps its stream. */
const HIDDEN_MS = 10_000;

/** @typedef {ReturnType<typeof listen>} Stream */

/**
 * @param {string} url
 * @param {{event: (event: Json, number: number) => void, state: (state: "open" | "lost") => void, doubt: () => void}} to
 */
export function listen(url, to) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let gap;
  let last = "";

  const open = () => {
    if (source) return;
    const now = new EventSource(last === "" ? url : `${url}&after=${encodeURIComponent(last)}`);
    source = now;
    now.onopen = () => {
      clearTimeout(gap);
      gap = undefined;
      to.state("open");
    };
    now.onmessage = (message) => {
      last = message.lastEventId || last;
      const event = parse(message.data);
      if (event) to.event(event, Number(message.lastEventId));
    };
    now.onerror = () => {
      gap ??= setTimeout(() => to.state("lost"), GAP_MS);
      to.doubt();
      if (now.readyState !== EventSource.CLOSED || source !== now) return;
      source = undefined;
      setTimeout(open, AGAIN_MS);
    };
  };
  const close = () => {
    clearTimeout(gap);
    gap = undefined;
    source?.close();
    source = undefined;
  };

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hidden;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(close, HIDDEN_MS);
    else open();
  });
  open();
  return { open, close };
}

/** @param {string} text @returns {Json} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
