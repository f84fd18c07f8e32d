// What the app has for the model: what it wants it to know, and what it says in the conversation.

import { plain } from "../content.js";
import { copyButton, empty, fill, h, jsonView } from "../dom.js";

/** @import {Store} from "../store.js" */

/** @param {Store} store */
export function modelPanel(store) {
  const context = h("section", {});
  const messages = h("section", {});
  store.watch(["modelContext"], ({ modelContext }) => {
    const head = h("h3", {}, "Context ", modelContext && copyButton("Copy", () => JSON.stringify(modelContext, null, 2)));
    if (!modelContext) return fill(context, head, empty("The app has not sent ui/update-model-context. What it sends is shown here as the model would get it with the next turn; each update replaces the one before."));
    const { content, structuredContent } = modelContext;
    fill(context, head,
      content?.length > 0 && h("blockquote", {}, plain(content)),
      structuredContent && jsonView(structuredContent),
      !content?.length && !structuredContent && empty("The app has emptied it."));
  });
  store.watch(["messages"], (state) => {
    fill(messages, h("h3", {}, "Messages"), state.messages.length === 0 && empty("The app has sent no ui/message."),
      state.messages.map(({ role, content, at }) => h("div", {},
        h("p", {}, h("b", {}, role), h("span", { class: "muted" }, ` ${new Date(at).toLocaleTimeString()}`)),
        h("blockquote", {}, plain(content)),
        content.some((block) => block?.type !== "text") && jsonView(content))));
  });
  return h("div", { class: "panel" }, context, messages);
}
