// The Model tab: the context and the messages that the app sends to the model.

import { plain } from "../content.js";
import { copyButton, eachFrame, empty, fill, h, jsonView } from "../dom.js";

/** @import {Store} from "../store.js" */

/** @param {Store} store */
export function modelPanel(store) {
  const context = h("section", {});
  const messages = h("section", {});
  // An app may send thousands of updates at once; only the last one in a frame is drawn.
  const drawContext = eachFrame(() => {
    const { modelContext } = store.get();
    const head = h(
      "h3",
      {},
      "Context ",
      modelContext && copyButton("Copy", () => JSON.stringify(modelContext, null, 2)),
    );
    const none =
      "The app has not sent ui/update-model-context. This tab shows its context as the model would get it " +
      "with the next turn. Each update replaces the previous one.";
    if (!modelContext) return fill(context, head, empty(none));
    const { content, structuredContent } = modelContext;
    fill(context, head,
      content?.length > 0 && h("blockquote", {}, plain(content)),
      structuredContent && jsonView(structuredContent),
      !content?.length && !structuredContent && empty("The app has cleared the context."));
  });
  const drawMessages = eachFrame(() => {
    const state = store.get();
    fill(messages, h("h3", {}, "Messages"), state.messages.length === 0 && empty("The app has sent no ui/message."),
      state.messages.map(({ role, content, at }) => h("div", {},
        h("p", {}, h("b", {}, role), h("span", { class: "muted" }, ` ${new Date(at).toLocaleTimeString()}`)),
        h("blockquote", {}, plain(content)),
        content.some((block) => block?.type !== "text") && jsonView(content))));
  });
  store.watch(["modelContext"], drawContext);
  store.watch(["messages"], drawMessages);
  return h("div", { class: "panel" }, context, messages);
}
