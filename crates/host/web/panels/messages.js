// What the app said in the conversation.

import { empty, fill, h, jsonView } from "../dom.js";
import { plain } from "../questions.js";

/** @import {Store} from "../store.js" */

/** @param {Store} store */
export function messagesPanel(store) {
  const element = h("div", { class: "panel" });
  store.watch(["messages"], ({ messages }) => {
    if (messages.length === 0) return fill(element, empty("The app has sent no ui/message."));
    fill(element, ...messages.map(({ role, content, at }) => h("section", {},
      h("h3", {}, role, h("span", { class: "muted" }, ` ${new Date(at).toLocaleTimeString()}`)),
      h("blockquote", {}, plain(content)),
      content.some((block) => block?.type !== "text") && jsonView(content))));
  });
  return element;
}
