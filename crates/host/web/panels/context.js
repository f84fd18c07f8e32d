// What the app wants the model to know. Only the last word counts.

import { copyButton, empty, fill, h, jsonView } from "../dom.js";
import { plain } from "../questions.js";

/** @import {Store} from "../store.js" */

/** @param {Store} store */
export function contextPanel(store) {
  const element = h("div", { class: "panel" });
  store.watch(["modelContext"], ({ modelContext }) => {
    if (!modelContext) return fill(element, empty("The app has not sent ui/update-model-context. What it sends is shown here as the model would get it with the next turn; each update replaces the one before."));
    const { content, structuredContent } = modelContext;
    fill(element,
      h("section", {}, h("h3", {}, "Content"), content?.length ? h("blockquote", {}, plain(content)) : empty("none")),
      h("section", {}, h("h3", {}, "Structured content"), structuredContent ? jsonView(structuredContent) : empty("none")),
      h("section", {}, h("h3", {}, "As sent ", copyButton("Copy", () => JSON.stringify(modelContext, null, 2))), jsonView(modelContext)));
  });
  return element;
}
