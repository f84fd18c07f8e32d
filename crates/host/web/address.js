// An address as a person should read it: where it really leads stands out.

import { h } from "./dom.js";

/** The address in three parts, the middle one being who answers there. @param {string} address @returns {[string, string, string]} */
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

/** @param {string} address */
export function link(address) {
  const [before, host, after] = parts(address);
  return h("p", { class: "mono address" }, before, host && h("strong", { class: "address-host" }, host), after);
}
