// One stream of what happens in the host process. The browser resumes it by itself; we say when it is lost.

/** How long a gap may last before the person is told. */
const GAP_MS = 1500;
/** How long to wait before a stream that the browser gave up is opened again. */
const AGAIN_MS = 2000;

/** @typedef {{event: (text: string, number: number) => void, state: (state: "open" | "lost") => void}} Listener */

/** Opens a stream behind event `after`. @param {string} url @param {number} after @param {Listener} to */
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
      gap ??= setTimeout(() => to.state("lost"), GAP_MS);
      if (now.readyState !== EventSource.CLOSED || source !== now) return;
      source = undefined;
      setTimeout(open, AGAIN_MS);
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
