// Shows a URL so that a person sees at once where it leads.

import { cut, h } from "./dom.js";

/** What stands before the host is cut at this length, so that it does not push the host out of sight. */
const MAX_CHARS_BEFORE_HOST = 80;

/** Splits a URL into three parts; the middle one is the host. @param {string} address
 * @returns {[string, string, string]} */
export function parts(address) {
  try {
    const { href, host, protocol, username, password } = new URL(address);
    if (host === "") return [href, "", ""];
    const user = `${username}${password && `:${password}`}`;
    const at = `${protocol}//`.length + (user === "" ? 0 : user.length + 1);
    return [href.slice(0, at), host, href.slice(at + host.length)];
  } catch {
    return [address, "", ""];
  }
}

/** What may mislead a person about where a URL leads. @param {string} address @returns {string[]} */
export function warnings(address) {
  const [before, host] = parts(address);
  return [
    /(^|\.)xn--/i.test(host) &&
      "The name of the host has letters of other alphabets (Punycode). It may imitate a name that you know.",
    host !== "" && before.includes("@") && "What stands before the @ is not the host.",
  ].filter((text) => text !== false);
}

/** A URL, and what may mislead a person about it. @param {string} address @returns {HTMLElement[]} */
export const linkWithWarnings = (address) => [
  link(address),
  ...warnings(address).map((text) => h("p", { class: "hint" }, text)),
];

/** @param {string} address */
export function link(address) {
  const [before, host, after] = parts(address);
  const reach = address.length < 600 ? {} : { tabindex: "0" };
  const marked = host && h("strong", { class: "address-host" }, host);
  const start = host ? cut(before, MAX_CHARS_BEFORE_HOST) : before;
  return h("p", { class: "mono address", ...reach }, start, marked, after);
}
