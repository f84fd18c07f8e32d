// Small helpers to make elements. No HTML is ever parsed from a string.

/** @import {Json} from "./types.d.ts" */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. Properties that begin with `on` are listeners, `data` and `aria` are maps, the rest are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, any>} [props] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(element, name, value);
  append(element, children);
  return element;
}

/** @param {HTMLElement} element @param {string} name @param {any} value */
function setProp(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) return element.addEventListener(name.slice(2), value);
  if (name === "data") return void Object.assign(element.dataset, value);
  if (name === "aria") return Object.entries(value).forEach(([key, text]) => element.setAttribute(`aria-${key}`, String(text)));
  if (name === "value") return void (/** @type {HTMLInputElement} */ (element).value = value);
  if (name === "checked") return void (/** @type {HTMLInputElement} */ (element).checked = value);
  element.setAttribute(name, value === true ? "" : String(value));
}

/** @param {Node} element @param {(Child | Child[])[]} children */
export function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.appendChild(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
}

/** Characters that change how the text around them is read: they are shown by their names instead. */
const HIDDEN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** A text in which nothing acts unseen. @param {string} text */
export const visible = (text) => text.replace(HIDDEN, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

/** Puts other children into an element. @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** A button that copies a text and says that it did. @param {string} label @param {() => string} text */
export function copyButton(label, text) {
  const button = h("button", { type: "button", class: "small", onclick: () => void copy() }, label);
  const copy = async () => {
    const done = await writeClipboard(text());
    button.textContent = done ? "Copied" : "Copy failed";
    setTimeout(() => (button.textContent = label), 1200);
  };
  return button;
}

/** @param {string} text */
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Longer than this a text is shown cut, and without colours. */
const LONGEST = 60_000;
const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A value as indented JSON, coloured. @param {Json} value */
export function jsonView(value) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  const pre = h("pre", { class: "json", tabindex: "0" });
  if (text.length > LONGEST) {
    fill(pre, text.slice(0, LONGEST), `\n… ${text.length - LONGEST} more characters; Copy has them all`);
    return pre;
  }
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    const kind = string === undefined ? "scalar" : colon === undefined ? "string" : "key";
    const token = string ?? whole;
    pre.append(text.slice(at, match.index), h("span", { class: `json-${kind}` }, token));
    at = match.index + token.length;
  }
  pre.append(text.slice(at));
  return pre;
}

/** A sentence for a panel that has nothing to show. @param {string} text */
export const empty = (text) => h("p", { class: "empty" }, text);

/** Runs a function once per frame at most, also where frames are not drawn. @param {() => void} call */
export function eachFrame(call) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    const once = () => {
      if (!waiting) return;
      waiting = false;
      call();
    };
    requestAnimationFrame(once);
    setTimeout(once, 80);
  };
}
