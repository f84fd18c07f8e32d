// The content security policy: what was declared, what was applied, what was dropped, what was blocked.

import { copyButton, eachFrame, empty, fill, h, jsonView } from "../dom.js";
import { finding } from "../finding.js";
import { isEvalProbe } from "../violations.js";

/** @import {Store} from "../store.js" */
/** @import {View, Violation} from "../types.d.ts" */

/** @param {Store} store */
export function cspPanel(store) {
  const element = h("div", { class: "panel" });
  const draw = eachFrame(() => {
    const { view, violations } = store.get();
    fill(element, ...(view ? [blocked(violations, view), ...about(view)] : [empty("No app is open. Its policy is shown here.")]));
  });
  store.watch(["view", "violations"], draw);
  return element;
}

/** @param {Violation[]} list @param {View} view */
function blocked(list, view) {
  const probed = list.some(isEvalProbe) && h("p", { class: "muted" }, "The app tried whether code can be made from text (eval). It cannot; schema libraries try this once when they load and go on without, so it is not counted.");
  list = list.filter((one) => !isEvalProbe(one));
  if (list.length === 0) return h("section", {}, h("h3", {}, "Blocked"), probed || empty("Nothing has been blocked."));
  return h("section", {}, h("h3", {}, "Blocked ", h("span", { class: "badge should" }, list.length)), probed,
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Directive", "What", "Where"].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, list.slice(-200).map((one) => h("tr", {},
        h("td", { class: "mono nowrap" }, one.directive), h("td", { class: "mono wrap" }, one.blocked, one.sample && h("div", { class: "muted" }, one.sample)),
        h("td", { class: "nowrap" }, where(one, view))))))));
}

/** @param {Violation} one @param {View} view */
function where({ source, line }, view) {
  // The document's own address says nothing; the line does.
  const file = source && !view.viewUrl.startsWith(source.replace(/\/$/, "")) ? new URL(source, view.viewUrl).pathname : "";
  return [file, line && `line ${line}`].filter(Boolean).join(" ");
}

/** @param {View} view */
function about(view) {
  const { csp, permissions } = view;
  return [
    h("section", {}, h("h3", {}, "Dropped"),
      csp.dropped.length === 0 ? empty("Every declared source was accepted.")
        : h("ul", {}, csp.dropped.map((one) => h("li", {}, h("code", {}, one.source), `: ${one.why}`)))),
    h("section", {}, h("h3", {}, "Applied ", copyButton("Copy", () => csp.applied)),
      h("div", { class: "scroll" }, h("table", { class: "directives" }, h("tbody", {}, csp.directives.map(([name, sources]) =>
        h("tr", {}, h("th", { scope: "row", class: "mono" }, name), h("td", { class: "mono wrap" }, sources.join(" "))))))),
      h("p", { class: "muted" }, ...connections(csp.allowlist))),
    h("section", {}, h("h3", {}, "Declared"),
      csp.declared ? jsonView(csp.declared) : empty("The resource declares no `_meta.ui.csp`, so the defaults of the specification hold.")),
    h("section", {}, h("h3", {}, "Permissions"),
      h("p", {}, "Declared: ", names(permissions.declared)), h("p", {}, "Granted: ", names(permissions.granted)),
      h("p", { class: "muted" }, "Sandbox: ", h("code", {}, view.sandbox))),
    view.findings.length > 0 && h("section", {}, h("h3", {}, "Findings about the resource"), view.findings.map(finding)),
  ];
}

/** What is said about the hosts that the app can reach in other ways. @param {string | null | undefined} allowlist */
function connections(allowlist) {
  if (!allowlist) return ["No Connection-Allowlist: this host lets an app open windows, so it can reach any host."];
  return ["Connection-Allowlist: ", h("code", {}, allowlist), ". Chromium enforces it. Where a browser does not, the app can still reach other hosts by WebRTC, by looking up names, and by leaving its document."];
}

/** @param {Record<string, unknown> | null} some */
const names = (some) => Object.keys(some ?? {}).join(", ") || "none";
