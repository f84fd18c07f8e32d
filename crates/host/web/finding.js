// Shows a finding with its rule.

import { h } from "./dom.js";

/** @import {Finding} from "./types.d.ts" */

/** @param {Finding} one */
export function finding(one) {
  return h(
    "p",
    { class: `finding ${one.level}` },
    h("span", { class: `badge ${one.level}` }, one.level),
    " ",
    one.text,
    " ",
    one.link
      ? h("a", { href: one.link, target: "_blank", rel: "noopener noreferrer" }, one.rule ?? "the rule")
      : one.rule && h("code", {}, one.rule),
  );
}
