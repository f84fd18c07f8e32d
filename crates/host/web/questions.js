// Cards for questions of the app and of servers, in a fixed place beside the app. They never move the app, and a new
// card takes the place of no other.

import { linkWithWarnings } from "./address.js";
import { conversation, plain, quote, sampled } from "./content.js";
import { h } from "./dom.js";
import { inquiryCard } from "./inquiry.js";
import { settle } from "./settle.js";

/** @import {Decision, Inquiry, Json, Question} from "./types.d.ts" */
/** @import {PageState, Store} from "./store.js" */

/** How many cards are shown at a time; the rest are counted. */
const MAX_SHOWN_CARDS = 3;

/** @type {Record<Question["kind"], string>} */
const TITLES = {
  "open-link": "The app wants to open a link",
  "download": "The app wants to save a file",
  "message": "The app wants to send a message to the conversation",
  "sampling": "The app asks the model; you answer for it",
};

/** @typedef {{key: string, draw: () => HTMLElement}} Card */

/**
 * @param {Store} store
 * @param {{decide: (ticket: string, decision: Decision) => void, answer: (inquiry: Inquiry, result: Json) => void,
 *   runAgain: (inquiry: Inquiry) => (() => void) | undefined}} to
 */
export function createQuestions(store, to) {
  const list = h("div", { class: "cards" });
  const more = h("p", { class: "card more", role: "status" });
  const element = h(
    "div",
    { class: "questions", role: "region", aria: { label: "Questions for you", live: "polite" } },
    list,
    more,
  );
  /** @type {Map<string, HTMLElement>} */
  const shown = new Map();
  const settleMoved = createSettler(element);
  store.watch(["questions", "inquiries"], (state) => {
    const all = cards(store, state, to);
    const isShown = (/** @type {Card} */ { key }) => shown.has(key);
    const first = [...all.filter(isShown), ...all.filter((card) => !isShown(card))].slice(0, MAX_SHOWN_CARDS);
    for (const [key, card] of shown) if (!first.some((one) => one.key === key)) (card.remove(), shown.delete(key));
    for (const { key, draw } of first) {
      if (shown.has(key)) continue;
      const card = draw();
      shown.set(key, card);
      list.append(card);
    }
    more.textContent = `${all.length - first.length} more ${all.length - first.length === 1 ? "waits" : "wait"}`;
    more.hidden = all.length === first.length;
    element.hidden = all.length === 0;
    settleMoved([...shown.values()]);
  });
  const settleAll = () => settleMoved([...shown.values()]);
  new ResizeObserver(settleAll).observe(list);
  window.addEventListener("resize", settleAll);
  // What the cards cover makes room for them.
  const root = document.documentElement;
  new ResizeObserver(() => root.style.setProperty("--cards", `${element.offsetHeight}px`)).observe(element);
  return element;
}

/** Settles the cards that are new or have moved since the last call. Scrolling does not count as a move.
 * @param {HTMLElement} scroller */
function createSettler(scroller) {
  /** @type {WeakMap<HTMLElement, string>} */
  const places = new WeakMap();
  return (/** @type {HTMLElement[]} */ cards) => {
    for (const card of cards) {
      const { left, top } = card.getBoundingClientRect();
      const place = `${Math.round(left)} ${Math.round(top + scroller.scrollTop)}`;
      if (places.get(card) === place) continue;
      places.set(card, place);
      settle(card);
    }
  };
}

/** @param {Store} store @param {PageState} state @param {Parameters<typeof createQuestions>[1]} to @returns {Card[]} */
function cards(store, { questions, inquiries, servers }, to) {
  const ofApp = questions.map(({ ticket, question }) => ({
    key: `app ${ticket}`,
    draw: () => questionCard(store, ticket, question, to.decide),
  }));
  const ofServers = inquiries.map((inquiry) => ({
    key: `server ${inquiry.id}${inquiry.required?.opened ? " opened" : ""}`,
    draw: () =>
      inquiryCard(
        inquiry,
        servers.find((one) => one.id === inquiry.server),
        (result) => to.answer(inquiry, result),
        to.runAgain(inquiry),
      ),
  }));
  return [...ofServers, ...ofApp];
}

/** @param {Store} store @param {string} ticket @param {Question} question
 * @param {(ticket: string, decision: Decision) => void} decide */
function questionCard(store, ticket, question, decide) {
  const always = h("input", { type: "checkbox" });
  const answer =
    question.kind === "sampling"
      ? h("textarea", { rows: "3", placeholder: "What the model says", aria: { label: "Answer" } })
      : undefined;
  const close = (/** @type {boolean} */ allow) => {
    if (always.checked) remember(store, question.kind, allow);
    decide(ticket, { allow, ...(allow && answer ? { result: sampled(answer.value) } : {}) });
  };
  const remembered = answer ? undefined : h("label", { class: "check" }, always, "Always allow this kind of request");
  return h(
    "form",
    {
      class: "card question",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        close(true);
      },
    },
    h("strong", {}, TITLES[question.kind]),
    body(question),
    answer,
    h("div", { class: "row" },
      h("button", { type: "submit", class: "primary small" }, answer ? "Send" : "Allow"),
      h("button", { type: "button", class: "small", onclick: () => close(false) }, "Deny"),
      remembered));
}

/** @param {Store} store @param {string} kind @param {boolean} allow */
function remember(store, kind, allow) {
  const { always, deny } = store.get().settings;
  if (allow) store.choose({ always: [...new Set([...always, kind])] });
  else store.choose({ deny: [...new Set([...deny, kind])] });
}

/** @param {Question} question @returns {HTMLElement[]} */
function body(question) {
  if (question.kind === "open-link") return linkWithWarnings(question.url ?? "");
  if (question.kind === "download") return [fileList(question.files ?? [])];
  if (question.kind === "message") return [quote(plain(question.content ?? []))];
  return [conversation(question.params)];
}

/** How many files are listed; the rest are counted. */
const MAX_LISTED_FILES = 50;

/** @param {import("./types.d.ts").SavedFile[]} files */
function fileList(files) {
  const left = files.length - MAX_LISTED_FILES;
  return h("ul", left > 0 ? { tabindex: "0" } : {},
    files
      .slice(0, MAX_LISTED_FILES)
      .map((file) =>
        h("li", { class: "mono" }, file.name, ...(file.url ? [" from ", ...linkWithWarnings(file.url)] : [])),
      ),
    left > 0 && h("li", {}, `and ${left} more files`));
}
