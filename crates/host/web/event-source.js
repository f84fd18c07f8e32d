// One stream of the host's events. The browser reconnects by itself; this module reports when the stream is lost.

/** How long the stream may be interrupted before that is reported. */
const LOST_AFTER_MS = 1500;
/** How long to wait before reopening a stream that the browser gave up. */
const REOPEN_PAUSE_MS = 2000;

/** @typedef {{event: (text: string, number: number) => void, state: (state: "open" | "lost") => void}} Listener */

/** Opens a stream that starts after event `after`. @param {string} url @param {number} after @param {Listener} to */
export function openStream(url, after, to) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let gap;
  let last = after;
  let wanted = true;

  const open = () => {
    if (source || !wanted) return;
    const now = new EventSource(`${url}&after=${last}`);
    source = now;
    now.onopen = () => {
      clearTimeout(gap);
      gap = undefined;
      to.state("open");
    };
    now.onmessage = (message) => {
      last = Number(message.lastEventId) || last;
      to.event(message.data, last);
    };
    now.onerror = () => {
      gap ??= setTimeout(() => to.state("lost"), LOST_AFTER_MS);
      if (now.readyState !== EventSource.CLOSED || source !== now) return;
      source = undefined;
      setTimeout(open, REOPEN_PAUSE_MS);
    };
  };
  open();
  return {
    open() {
      wanted = true;
      open();
    },
    close() {
      wanted = false;
      clearTimeout(gap);
      gap = undefined;
      source?.close();
      source = undefined;
    },
  };
}
