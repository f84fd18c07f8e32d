// What the app asks of the person: cards beside the app that wait without getting in the way.

import { fill, h } from "./dom.js";

/** @import {Decision, Json, Question} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

/** @type {Record<Question["kind"], string>} */
const TITLES = {
  "open-link": "The app wants to open a link",
  "download": "The app wants to save a file",
  "message": "The app wants to say something in the conversation",
  "sampling": "The app asks the model; you answer for it",
};

/** @param {Store} store @param {(ticket: string, decision: Decision) => void} decide */
export function createQuestions(store, decide) {
  const element = h("div", { class: "questions", role: "region", aria: { label: "Questions of the app", live: "polite" } });
  /** @type {Map<string, HTMLElement>} */
  const cards = new Map();
  store.watch(["questions"], ({ questions }) => {
    const open = new Set(questions.map((one) => one.ticket));
    for (const [ticket, card] of cards) if (!open.has(ticket)) (card.remove(), cards.delete(ticket));
    for (const { ticket, question } of questions) {
      if (cards.has(ticket)) continue;
      const card = draw(store, ticket, question, decide);
      cards.set(ticket, card);
      element.append(card);
    }
    element.hidden = questions.length === 0;
  });
  return element;
}

/** @param {Store} store @param {string} ticket @param {Question} question @param {(ticket: string, decision: Decision) => void} decide */
function draw(store, ticket, question, decide) {
  const always = h("input", { type: "checkbox" });
  const answer = question.kind === "sampling" ? h("textarea", { rows: "3", placeholder: "What the model says", aria: { label: "Answer" } }) : undefined;
  const close = (/** @type {boolean} */ allow) => {
    if (always.checked) remember(store, question.kind, allow);
    decide(ticket, { allow, ...(allow && answer ? { result: sampled(answer.value) } : {}) });
  };
  const remembered = answer ? undefined : h("label", { class: "check" }, always, "Always for this kind");
  return h("form", { class: "card question", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); close(true); } },
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

/** @param {string} text */
const sampled = (text) => ({ role: "assistant", content: { type: "text", text }, model: "a person", stopReason: "endTurn" });

/** @param {Question} question */
function body(question) {
  if (question.kind === "open-link") return h("p", { class: "mono" }, question.url);
  if (question.kind === "download") return h("ul", {}, (question.files ?? []).map((file) => h("li", { class: "mono" }, `${file.name}${file.url ? ` from ${file.url}` : ""}`)));
  if (question.kind === "message") return h("blockquote", {}, plain(question.content ?? []));
  const messages = h("div", { class: "sampling" });
  fill(messages,
    question.params?.systemPrompt && h("p", { class: "muted" }, String(question.params.systemPrompt)),
    ...(question.params?.messages ?? []).map((/** @type {Json} */ one) => h("blockquote", {}, h("b", {}, `${one?.role ?? "?"}: `), plain([one?.content].flat()))));
  return messages;
}

/** Content blocks as text. @param {Json[]} content */
export function plain(content) {
  return content.map((block) => (block?.type === "text" ? block.text : `[${block?.type ?? "content"}]`)).join("\n");
}
