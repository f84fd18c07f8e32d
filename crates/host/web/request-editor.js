// Lets the person change a request of the timeline and send it again.

import { h } from "./dom.js";

/** @import {Entry, Json} from "./types.d.ts" */

/** @param {Entry} entry @param {(server: string, request: {method: string, params: Json}) => Promise<Json>} send
 * @param {() => void} back */
export function requestEditor(entry, send, back) {
  const { method, params = {} } = entry.message;
  const text = h("textarea", {
    rows: "8",
    spellcheck: "false",
    aria: { label: `Parameters of ${method}` },
    value: JSON.stringify(params, null, 2),
  });
  const said = h("p", { class: "hint", role: "status" });
  const sendIt = async () => {
    try {
      const answer = await send(entry.server ?? "", { method, params: JSON.parse(text.value || "{}") });
      said.textContent = answer?.error
        ? `The server answered with an error: ${answer.error.message}`
        : "Sent. The request and its response are in the timeline.";
    } catch (error) {
      said.textContent = `The request was not sent: ${error instanceof Error ? error.message : error}`;
    }
  };
  return [h("b", {}, method), text, said, h("div", { class: "row" },
    h("button", { type: "button", class: "small primary", onclick: () => void sendIt() }, "Send"),
    h("button", { type: "button", class: "small", onclick: back }, "Back"))];
}
