// Cards for questions of the app and of servers, in a fixed place beside the app. They never move the app. A new card
// ignores clicks for a moment, because such a click was meant for what was there before.

import { link } from "./address.js";
import { conversation, plain, quote, sampled } from "./content.js";
import { h } from "./dom.js";
import { inquiryCard } from "./inquiry.js";

/** @import {Decision, Inquiry, Json, Question} from "./types.d.ts" */
/** @import {PageState, Store} from "./store.js" */

/** How many cards are shown at a time; the rest are counted. */
const MAX_SHOWN_CARDS = 3;
/** How long a card ignores clicks after it appeared or moved. */
const IGNORE_CLICKS_MS = 700;

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
  store.watch(["questions", "inquiries"], (state) => {
    const all = cards(store, state, to);
    const first = all.slice(0, MAX_SHOWN_CARDS);
    const places = new Map([...shown.keys()].map((key, at) => [key, at]));
    for (const [key, card] of shown) if (!first.some((one) => one.key === key)) (card.remove(), shown.delete(key));
    first.forEach(({ key, draw }, at) => {
      if (!shown.has(key)) {
        const card = draw();
        shown.set(key, card);
        list.append(card);
      }
      if (places.get(key) !== at) settle(/** @type {HTMLElement} */ (shown.get(key)));
    });
    more.textContent = `${all.length - first.length} more ${all.length - first.length === 1 ? "waits" : "wait"}`;
    more.hidden = all.length === first.length;
    element.hidden = all.length === 0;
  });
  return element;
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
        servers.find((one) => one.id === inquiry.server)?.name ?? "A server",
        (result) => to.answer(inquiry, result),
        to.runAgain(inquiry),
      ),
  }));
  return [...ofServers, ...ofApp];
}

/** The timers of cards that ignore clicks. @type {WeakMap<HTMLElement, ReturnType<typeof setTimeout>>} */
const settling = new WeakMap();

/** Disables a card briefly, so that it can be read before it is answered. A card in which the person types keeps the
 * keyboard and ignores only the pointer. @param {HTMLElement} card */
function settle(card) {
  card.inert = !card.contains(document.activeElement);
  card.classList.add("settling");
  clearTimeout(settling.get(card));
  const timer = setTimeout(() => {
    card.inert = false;
    card.classList.remove("settling");
  }, IGNORE_CLICKS_MS);
  settling.set(card, timer);
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

/** @param {Question} question */
function body(question) {
  if (question.kind === "open-link") return link(question.url ?? "");
  if (question.kind === "download")
    return h(
      "ul",
      {},
      (question.files ?? []).map((file) =>
        h("li", { class: "mono" }, file.name, file.url ? [" from ", link(file.url)] : ""),
      ),
    );
  if (question.kind === "message") return quote(plain(question.content ?? []));
  return conversation(question.params);
}
