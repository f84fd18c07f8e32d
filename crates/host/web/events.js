// The host's events for this tab: first the past ones, then new ones. All tabs share one stream if the browser has
// shared workers. Otherwise each tab has its own, and closes it while the tab is hidden.

import { openStream } from "./event-source.js";

/** @import {Json} from "./types.d.ts" */
/** @import {Listener as TextListener} from "./event-source.js" */

/** How long a hidden tab keeps its own stream. */
const CLOSE_HIDDEN_AFTER_MS = 10_000;
/** How many events are delivered at a time. */
const EVENTS_PER_TURN = 200;

/** @typedef {{event: (event: Json, number: number, size: number) => void, state: (state: "open" | "lost") => void}}
 * Listener */
/** @typedef {{text: string, number: number}} Told */
/** @typedef {ReturnType<typeof listen>} Stream */

/** @param {{url: string, pastUrl: string}} from @param {number} newest the number of the last event when the page was
 * made @param {Listener} to */
export function listen(from, newest, to) {
  let last = 0;
  /** @param {string} text @param {number} number */
  const tell = (text, number) => {
    if (number <= last) return;
    last = number;
    const event = parse(text);
    if (event) to.event(event, number, text.length);
  };
  const alone = () => listenAlone(from.url, { event: tell, state: to.state });
  return typeof SharedWorker === "undefined"
    ? alone()
    : listenTogether(from, newest, { event: tell, state: to.state }, alone);
}

/** @param {{url: string, pastUrl: string}} from @param {number} newest @param {TextListener} to
 * @param {() => {close: () => void}} otherwise what is done where the worker does not start */
function listenTogether(from, newest, to, otherwise) {
  /** Events to deliver; the past ones come first. @type {Told[]} */
  let waiting = [];
  let past = /** @type {"wanted" | "fetched" | "known"} */ ("wanted");
  let telling = false;
  /** Delivers a few events at a time, so that the page stays usable. */
  const tellAll = () => {
    const some = waiting.slice(0, EVENTS_PER_TURN);
    waiting = waiting.slice(EVENTS_PER_TURN);
    for (const { text, number } of some) to.event(text, number);
    telling = waiting.length > 0;
    if (telling) setTimeout(tellAll);
  };
  /** @param {Told[]} events */
  const add = (events) => {
    waiting = waiting.concat(events);
    if (past !== "known" || telling) return;
    telling = true;
    tellAll();
  };
  const fetchPast = async () => {
    if (past !== "wanted") return;
    past = "fetched";
    try {
      waiting = [...(await pastEvents(from.pastUrl)), ...waiting];
      past = "known";
      add([]);
    } catch {
      past = "wanted";
    }
  };
  const worker = new SharedWorker("/assets/events-worker.js", { type: "module", name: from.url });
  let close = () => worker.port.postMessage("leave");
  worker.onerror = () => void ({ close } = otherwise());
  worker.port.onmessage = ({ data }) => {
    if (data.events) return add(data.events);
    if (data.state) to.state(data.state);
    // From now on this tab misses no event. When a host comes back, its past is fetched too.
    if (data.joined || data.state === "open") void fetchPast();
  };
  worker.port.postMessage({ url: from.url, after: newest });
  return { close: () => close() };
}

/** @param {string} url @param {TextListener} to */
function listenAlone(url, to) {
  const stream = openStream(url, 0, to);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hidden;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(stream.close, CLOSE_HIDDEN_AFTER_MS);
    else stream.open();
  });
  return { close: stream.close };
}

/** The past events that the host still has. @param {string} url @returns {Promise<Told[]>} */
async function pastEvents(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const events = (await response.text()).split("\n\n").map((event) => /^id: (\d+)\ndata: (.*)$/.exec(event));
  return events.filter((event) => event !== null).map(([, number, text]) => ({ text, number: Number(number) }));
}

/** @param {string} text @returns {Json} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
