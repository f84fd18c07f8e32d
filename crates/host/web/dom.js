// Helpers that build DOM elements. HTML is never parsed from a string.

/** @import {Json} from "./types.d.ts" */

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Creates an element. Properties that start with `on` are listeners, `data` and `aria` are maps, and the rest are
 * attributes.
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
  if (name === "aria")
    return Object.entries(value).forEach(([key, text]) => element.setAttribute(`aria-${key}`, textOf(text)));
  if (name === "value") return void (/** @type {HTMLInputElement} */ (element).value = value);
  if (name === "checked") return void (/** @type {HTMLInputElement} */ (element).checked = value);
  element.setAttribute(name, value === true ? "" : textOf(value));
}

/** @param {Node} element @param {(Child | Child[])[]} children */
export function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.appendChild(child instanceof Node ? child : document.createTextNode(cut(visible(textOf(child)))));
  }
}

/** The text for a value of foreign data. An object from JSON may have a member `toString` that is not a function, so it
 * cannot be converted with `String`. @param {any} value @returns {string} */
export function textOf(value) {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** A longer text is cut, because drawing it would block the page. */
const MAX_TEXT_CHARS = 60_000;

/** A word of this length is cut sooner: the browser breaks it into lines, which takes it very long. */
const MAX_WORD_CHARS = 2000;

/** @param {string} text */
const hasLongWord = (text) =>
  text.slice(0, MAX_TEXT_CHARS).split(/\s/).some((word) => word.length >= MAX_WORD_CHARS);

/** The beginning of a text, and how much is missing. @param {string} text @param {number} [most] */
export const cut = (text, most = hasLongWord(text) ? MAX_WORD_CHARS : MAX_TEXT_CHARS) =>
  text.length > most ? `${text.slice(0, most)}… (${text.length - most} more characters)` : text;

/**
 * Invisible characters that change how the text around them reads, or make two names look the same. They are shown by
 * their code points instead. The joiners belong to some scripts and to emoji, but not between ASCII characters.
 */
const INVISIBLE_CHARACTERS = new RegExp(
  "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
    "\\u3164\\ufeff\\uffa0]|(?<=[\\x21-\\x7e])[\\u200c\\u200d]|[\\u200c\\u200d](?=[\\x21-\\x7e])",
  "g",
);

/** A text with those characters made visible. @param {string} text */
export const visible = (text) =>
  text.replace(INVISIBLE_CHARACTERS, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

/** Replaces the children of an element. @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** A button that copies a text and confirms it. @param {string} label @param {() => string} text */
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

/** A longer text is cut and shown without colours. */
const MAX_JSON_CHARS = MAX_TEXT_CHARS;
const JSON_TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Shows a value as indented, coloured JSON. @param {Json} value */
export function jsonView(value) {
  const text = JSON.stringify(value, null, 2) ?? "undefined";
  const pre = h("pre", { class: "json", tabindex: "0" });
  if (text.length > MAX_JSON_CHARS) {
    const left = text.length - MAX_JSON_CHARS;
    fill(pre, text.slice(0, MAX_JSON_CHARS), `\n… ${left} more characters; Copy has them all`);
    return pre;
  }
  let at = 0;
  for (const match of text.matchAll(JSON_TOKEN)) {
    const [whole, string, colon] = match;
    const kind = string === undefined ? "scalar" : colon === undefined ? "string" : "key";
    const token = string ?? whole;
    pre.append(text.slice(at, match.index), h("span", { class: `json-${kind}` }, token));
    at = match.index + token.length;
  }
  pre.append(text.slice(at));
  return pre;
}

/** The text of a panel that has nothing to show. @param {string} text */
export const empty = (text) => h("p", { class: "empty" }, text);

/** Runs a function at most once per frame, also in a hidden tab, which draws no frames. @param {() => void} call */
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
