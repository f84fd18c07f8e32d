// The stream of what happens in the host process. The browser resumes it by itself; we say when it is lost.

/** @import {Json} from "./types.d.ts" */

/** How long a gap may last before the person is told. */
const GAP_MS = 1500;
/** How long to wait before a stream that the browser gave up is opened again. */
const AGAIN_MS = 2000;

/**
 * @param {string} url
 * @param {{event: (event: Json) => void, state: (state: "open" | "lost") => void}} to
 */
export function listen(url, to) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let gap;
  const open = () => {
    const source = new EventSource(url);
    source.onopen = () => {
      clearTimeout(gap);
      gap = undefined;
      to.state("open");
    };
    source.onmessage = (message) => {
      const event = parse(message.data);
      if (event) to.event(event);
    };
    source.onerror = () => {
      gap ??= setTimeout(() => to.state("lost"), GAP_MS);
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(open, AGAIN_MS);
    };
  };
  open();
}

/** @param {string} text @returns {Json} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
