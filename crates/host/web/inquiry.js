// Cards for what a server asks the person during a request: to fill in a form, to open a URL, or to answer for the
// model.

import { link, linkWithWarnings } from "./address.js";
import { openable } from "./bridge-params.js";
import { conversation, sampled, scrolling } from "./content.js";
import { h, textOf } from "./dom.js";
import { drawMembers } from "./form.js";
import { patternProblems } from "./patterns.js";
import { initial, plan, problemText, problems } from "./schema.js";

/** @import {Inquiry, Json, Obj, Server} from "./types.d.ts" */

/** @typedef {(result: Json) => void} Answer `undefined` refuses */

/** @param {Inquiry} inquiry @param {Server | undefined} from @param {Answer} answer @param {(() => void) | undefined}
 * runAgain runs the tool again whose call needs this URL @returns {HTMLElement} */
export function inquiryCard(inquiry, from, answer, runAgain) {
  const card = draw(inquiry, from?.name ?? "A server", answer, runAgain);
  // A server chooses its own name, and two may have the same. The person knows how the host reaches it.
  if (from?.description) card.querySelector("strong")?.after(h("p", { class: "origin" }, from.description));
  return card;
}

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer @param {(() => void) | undefined} runAgain */
function draw(inquiry, server, answer, runAgain) {
  if (inquiry.method === "sampling/createMessage") return samplingCard(inquiry, server, answer);
  if (inquiry.required?.opened) return openedCard(inquiry, server, answer, runAgain);
  return inquiry.params?.mode === "url" ? urlCard(inquiry, server, answer) : formCard(inquiry, server, answer);
}

/** @param {string} title @param {Inquiry} inquiry @param {() => void} accept
 * @param {(HTMLElement | string | undefined)[]} content @param {HTMLElement} buttons */
function card(title, inquiry, accept, content, buttons) {
  const message = inquiry.params?.message;
  return h(
    "form",
    {
      class: "card question inquiry",
      novalidate: true,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        accept();
      },
    },
    h("strong", {}, title),
    typeof message === "string" && message !== "" && h("p", { class: "message", ...scrolling(message) }, message),
    ...content,
    buttons);
}

/** @param {HTMLButtonElement} submit @param {Answer} answer */
const choices = (submit, answer) =>
  h(
    "div",
    { class: "row" },
    submit,
    h("button", { type: "button", class: "small", onclick: () => answer({ action: "decline" }) }, "Decline"),
    h(
      "button",
      { type: "button", class: "small", title: "Close without an answer", onclick: () => answer({ action: "cancel" }) },
      "Cancel",
    ),
  );

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer */
function formCard(inquiry, server, answer) {
  const field = plan(inquiry.params?.requestedSchema ?? { type: "object", properties: {} });
  /** @type {Obj} */
  let content = { ...unticked(field), ...(field.kind === "object" ? initialMembers(field) : {}) };
  const submit = h("button", { type: "submit", class: "primary small" }, "Send");
  const hint = h("p", { class: "hint", role: "status" });
  const write = (/** @type {Obj} */ next) => {
    content = next;
    hint.textContent = "";
  };
  const send = async () => {
    submit.disabled = true;
    const sent = content;
    const found = problems(field, sent);
    hint.textContent = problemText(found.length > 0 ? found : await patternProblems(field, sent));
    submit.disabled = false;
    if (hint.textContent === "") answer({ action: "accept", content: sent });
  };
  const fields = h("div", { class: "fields" }, ...drawMembers(field, content, write));
  return card(`${server} asks you`, inquiry, () => void send(), [fields, hint], choices(submit, answer));
}

/** The defaults of a form's members. A default of the whole form may be anything. @param {import("./schema.js").Field}
 * field @returns {Obj} */
const initialMembers = (field) => initial({ ...field, initial: undefined }) ?? {};

/** A checkbox that is not ticked means false. @param {import("./schema.js").Field} field */
const unticked = (field) =>
  Object.fromEntries(
    (field.fields ?? []).filter((one) => one.required && one.field.kind === "boolean").map((one) => [one.key, false]),
  );

/** Opens a URL in a tab that cannot reach this page. @param {string} url */
const openTab = (url) => void window.open(url, "_blank", "noopener,noreferrer");

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer */
function urlCard(inquiry, server, answer) {
  const address = textOf(inquiry.params?.url ?? "");
  const target = openable(address);
  const open = () => {
    if (!("url" in target)) return;
    openTab(target.url);
    answer({ action: "accept" });
  };
  const submit = h("button", { type: "submit", class: "primary small", disabled: !("url" in target) }, "Open");
  const refused =
    "url" in target
      ? undefined
      : h("p", { class: "hint" }, "This is not an http or https URL, so the page does not open it.");
  const title = inquiry.required
    ? `${server} needs you to open a URL before ${inquiry.required.tool ?? "the app's request"} can run`
    : `${server} wants you to open a URL`;
  return card(title, inquiry, open, [...linkWithWarnings(address), refused], choices(submit, answer));
}

/** The card for a URL that is open in another tab. @param {Inquiry} inquiry @param {string} server
 * @param {Answer} answer @param {(() => void) | undefined} runAgain */
function openedCard(inquiry, server, answer, runAgain) {
  const address = textOf(inquiry.params?.url ?? "");
  const target = openable(address);
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", class: "small", onclick }, text);
  const buttons = h("div", { class: "row" },
    runAgain && h("button", { type: "submit", class: "primary small" }, "Run again"),
    "url" in target && button("Open again", () => openTab(target.url)),
    button("Close", () => answer({ action: "cancel" })));
  const text = "Opened in another tab. This card closes when the server says that it is done.";
  const content = [link(address), h("p", { class: "muted" }, text)];
  return card(`${server} waits for you in another tab`, inquiry, runAgain ?? (() => {}), content, buttons);
}

/** @param {Inquiry} inquiry @param {string} server @param {Answer} answer */
function samplingCard(inquiry, server, answer) {
  const text = h("textarea", { rows: "3", placeholder: "What the model says", aria: { label: "Answer" } });
  const buttons = h("div", { class: "row" },
    h("button", { type: "submit", class: "primary small" }, "Send"),
    h("button", { type: "button", class: "small", onclick: () => answer(undefined) }, "Deny"),
  );
  return card(
    `${server} asks the model; you answer for it`,
    inquiry,
    () => answer(sampled(text.value)),
    [conversation(inquiry.params), text],
    buttons,
  );
}
