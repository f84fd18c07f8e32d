// What a server asks the person while it works: to fill in a form, to open an address, to answer for the model.

import { link, parts } from "./address.js";
import { conversation, sampled } from "./content.js";
import { h } from "./dom.js";
import { drawMembers } from "./form.js";
import { initial, plan, problems } from "./schema.js";

/** @import {Inquiry, Json, Obj} from "./types.d.ts" */

/** @typedef {(result: Json) => void} Answer `undefined` refuses */

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer @returns {HTMLElement} */
export function inquiryCard(inquiry, server, answer) {
  if (inquiry.method === "sampling/createMessage") return samplingCard(inquiry, server, answer);
  return inquiry.params?.mode === "url" ? urlCard(inquiry, server, answer) : formCard(inquiry, server, answer);
}

/** @param {string} title @param {Inquiry} inquiry @param {() => void} accept @param {(HTMLElement | string | undefined)[]} content @param {HTMLElement} buttons */
function card(title, inquiry, accept, content, buttons) {
  const message = inquiry.params?.message;
  return h("form", { class: "card question inquiry", novalidate: true, onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); accept(); } },
    h("strong", {}, title),
    typeof message === "string" && h("p", { class: "message" }, message),
    ...content,
    buttons);
}

/** @param {HTMLButtonElement} submit @param {Answer} answer */
const choices = (submit, answer) => h("div", { class: "row" }, submit,
  h("button", { type: "button", class: "small", onclick: () => answer({ action: "decline" }) }, "Decline"),
  h("button", { type: "button", class: "small", title: "Neither yes nor no", onclick: () => answer({ action: "cancel" }) }, "Cancel"));

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer */
function formCard(inquiry, server, answer) {
  const field = plan(inquiry.params?.requestedSchema ?? { type: "object", properties: {} });
  /** @type {Obj} */
  let content = { ...unticked(field), ...initial(field) };
  const submit = h("button", { type: "submit", class: "primary small" }, "Send");
  const hint = h("p", { class: "hint", role: "status" });
  const wrong = () => problems(field, content).map((one) => `${one.at} ${one.text}`).join("; ");
  const write = (/** @type {Obj} */ next) => {
    content = next;
    hint.textContent = "";
  };
  const send = () => {
    hint.textContent = wrong();
    if (hint.textContent === "") answer({ action: "accept", content });
  };
  const fields = h("div", { class: "fields" }, ...drawMembers(field, content, write));
  return card(`${server} asks you`, inquiry, send, [fields, hint], choices(submit, answer));
}

/** A box that is not ticked says no. @param {import("./schema.js").Field} field */
const unticked = (field) => Object.fromEntries((field.fields ?? []).filter((one) => one.required && one.field.kind === "boolean").map((one) => [one.key, false]));

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer */
function urlCard(inquiry, server, answer) {
  const address = String(inquiry.params?.url ?? "");
  const isWeb = /^https?:\/\//i.test(parts(address).join(""));
  const open = () => {
    if (!isWeb) return;
    window.open(address, "_blank", "noopener,noreferrer");
    answer({ action: "accept" });
  };
  const submit = h("button", { type: "submit", class: "primary small", disabled: !isWeb }, "Open it");
  const refused = isWeb ? undefined : h("p", { class: "hint" }, "This is not an address of the web, so it is not opened.");
  return card(`${server} wants you to open an address`, inquiry, open, [link(address), refused], choices(submit, answer));
}

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer */
function samplingCard(inquiry, server, answer) {
  const text = h("textarea", { rows: "3", placeholder: "What the model says", aria: { label: "Answer" } });
  const buttons = h("div", { class: "row" },
    h("button", { type: "submit", class: "primary small" }, "Send"),
    h("button", { type: "button", class: "small", onclick: () => answer(undefined) }, "Deny"));
  return card(`${server} asks the model; you answer for it`, inquiry, () => answer(sampled(text.value)), [conversation(inquiry.params), text], buttons);
}
