// Shows the content of messages as readable text.

import { fill, h, textOf } from "./dom.js";

/** @import {Json} from "./types.d.ts" */

/** Content blocks as text. @param {Json[]} content */
export function plain(content) {
  return content
    .map((block) => (block?.type === "text" ? textOf(block.text) : `[${textOf(block?.type ?? "content")}]`))
    .join("\n");
}

/** A text of this length scrolls within its card. */
const SCROLLS_FROM = 300;

/** The attributes of a text that may scroll; the keyboard reaches it then. @param {string} text */
export const scrolling = (text) => (text.length < SCROLLS_FROM ? {} : { tabindex: "0" });

/** A quoted text in a card. @param {string} text @param {...import("./dom.js").Child} before */
export const quote = (text, ...before) => h("blockquote", scrolling(text), ...before, text);

/** How many messages of a conversation are drawn. */
const MAX_MESSAGES = 200;

/** Shows the messages that a model would get. @param {Json} params */
export function conversation(params) {
  const list = [params?.messages].flat();
  const left = list.length - MAX_MESSAGES;
  const messages = h("div", { class: "sampling" });
  fill(messages,
    params?.systemPrompt && h("p", { class: "muted" }, textOf(params.systemPrompt)),
    ...list
      .slice(0, MAX_MESSAGES)
      .map(
        (/** @type {Json} */ one) =>
          one && quote(plain([one?.content].flat()), h("b", {}, `${textOf(one?.role ?? "unknown")}: `)),
      ),
    left > 0 && h("p", { class: "muted" }, `${left} more messages`),
  );
  return messages;
}

/** The sampling result for the person's text. @param {string} text */
export const sampled = (text) => ({
  role: "assistant",
  content: { type: "text", text },
  model: "a person",
  stopReason: "endTurn",
});
