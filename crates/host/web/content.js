// Content of messages as a person reads it.

import { fill, h } from "./dom.js";

/** @import {Json} from "./types.d.ts" */

/** Content blocks as text. @param {Json[]} content */
export function plain(content) {
  return content.map((block) => (block?.type === "text" ? block.text : `[${block?.type ?? "content"}]`)).join("\n");
}

/** What a model would be given. @param {Json} params */
export function conversation(params) {
  const messages = h("div", { class: "sampling" });
  fill(messages,
    params?.systemPrompt && h("p", { class: "muted" }, String(params.systemPrompt)),
    ...[params?.messages].flat().map((/** @type {Json} */ one) => one && h("blockquote", {}, h("b", {}, `${one?.role ?? "unknown"}: `), plain([one?.content].flat()))));
  return messages;
}

/** What the model says, as a person wrote it. @param {string} text */
export const sampled = (text) => ({ role: "assistant", content: { type: "text", text }, model: "a person", stopReason: "endTurn" });
