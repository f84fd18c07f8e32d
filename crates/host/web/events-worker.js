// Holds the one event stream for all tabs of the page, because a browser opens few connections to one origin for all
// tabs together. Each tab gets the events since it joined, and fetches earlier ones itself.

import { openStream } from "./event-source.js";

/** @type {Set<MessagePort>} */
const tabs = new Set();
/** @type {ReturnType<typeof openStream> | undefined} */
let stream;
/** @type {"open" | "lost" | undefined} */
let state;

/** How long events are collected into one message. In a flood of events each message costs more than its event. */
const COLLECT_MS = 20;
/** @type {{text: string, number: number}[]} */
let waiting = [];

/** @param {{state: "open" | "lost"} | {events: {text: string, number: number}[]}} message */
const tell = (message) => tabs.forEach((tab) => tab.postMessage(message));
/** @param {string} text @param {number} number */
function add(text, number) {
  if (waiting.push({ text, number }) > 1) return;
  setTimeout(() => {
    tell({ events: waiting });
    waiting = [];
  }, COLLECT_MS);
}

/** @param {MessagePort} tab @param {{url: string, after: number} | "leave"} message */
function hear(tab, message) {
  if (message === "leave") return void tabs.delete(tab);
  tabs.add(tab);
  tab.postMessage({ joined: true });
  if (state) tab.postMessage({ state });
  stream ??= openStream(message.url, message.after, {
    event: add,
    state: (now) => tell({ state: (state = now) }),
  });
}

/** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ { ports: [tab] }) => {
  tab.onmessage = ({ data }) => hear(tab, data);
};
