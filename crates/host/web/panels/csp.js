// The CSP tab: the declared, applied, dropped and blocked parts of the content security policy.

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
    fill(
      element,
      ...(view
        ? [blocked(violations, view), ...about(view)]
        : [empty("No app is open. This tab shows the app's content security policy.")]),
    );
  });
  store.watch(["view", "violations"], draw);
  return element;
}

/** @param {Violation[]} list @param {View} view */
function blocked(list, view) {
  const probed =
    list.some(isEvalProbe) &&
    h(
      "p",
      { class: "muted" },
      "The app tested whether it may use eval. It may not. " +
        "Schema libraries do this once when they load and work without it, so it does not count.",
    );
  list = list.filter((one) => !isEvalProbe(one));
  if (list.length === 0) return h("section", {}, h("h3", {}, "Blocked"), probed || empty("Nothing has been blocked."));
  return h(
    "section",
    {},
    h("h3", {}, "Blocked ", h("span", { class: "badge should" }, list.length)),
    probed,
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Directive", "What", "Where"].map((title) => h("th", { scope: "col" }, title)),
          ),
        ),
        h(
          "tbody",
          {},
          list
            .slice(-200)
            .map((one) =>
              h(
                "tr",
                {},
                h("td", { class: "mono nowrap" }, one.directive),
                h("td", { class: "mono wrap" }, one.blocked, one.sample && h("div", { class: "muted" }, one.sample)),
                h("td", { class: "nowrap" }, where(one, view)),
              ),
            ),
        ),
      ),
    ),
  );
}

/** @param {Violation} one @param {View} view */
function where({ source, line }, view) {
  // The document's own URL says nothing; the line number does.
  const file =
    source && !view.viewUrl.startsWith(source.replace(/\/$/, "")) ? new URL(source, view.viewUrl).pathname : "";
  return [file, line && `line ${line}`].filter(Boolean).join(" ");
}

/** @param {View} view */
function about(view) {
  const { csp, permissions } = view;
  return [
    h(
      "section",
      {},
      h("h3", {}, "Dropped"),
      csp.dropped.length === 0
        ? empty("Every declared source was accepted.")
        : h(
            "ul",
            {},
            csp.dropped.map((one) => h("li", {}, h("code", {}, one.source), `: ${one.why}`)),
          ),
    ),
    h(
      "section",
      {},
      h(
        "h3",
        {},
        "Applied ",
        copyButton("Copy", () => csp.applied),
      ),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          { class: "directives" },
          h(
            "tbody",
            {},
            csp.directives.map(([name, sources]) =>
              h(
                "tr",
                {},
                h("th", { scope: "row", class: "mono" }, name),
                h("td", { class: "mono wrap" }, sources.join(" ")),
              ),
            ),
          ),
        ),
      ),
      h("p", { class: "muted" }, ...connections(csp.allowlist)),
    ),
    h(
      "section",
      {},
      h("h3", {}, "Declared"),
      csp.declared
        ? jsonView(csp.declared)
        : empty("The resource declares no `_meta.ui.csp`, so the specification's defaults apply."),
    ),
    h(
      "section",
      {},
      h("h3", {}, "Permissions"),
      h("p", {}, "Declared: ", names(permissions.declared)),
      h("p", {}, "Granted: ", names(permissions.granted)),
      h("p", { class: "muted" }, "Sandbox: ", h("code", {}, view.sandbox)),
    ),
    view.findings.length > 0 &&
      h("section", {}, h("h3", {}, "Findings about the resource"), view.findings.map(finding)),
  ];
}

/** Describes the hosts that the app can reach by other means than requests.
 * @param {string | null | undefined} allowlist */
function connections(allowlist) {
  if (!allowlist) return ["No Connection-Allowlist: this host lets apps open windows, so an app can reach any host."];
  return [
    "Connection-Allowlist: ",
    h("code", {}, allowlist),
    ". Chromium enforces it. In other browsers the app can still reach other hosts by WebRTC, by DNS lookups, " +
      "and by leaving its document.",
  ];
}

/** @param {Record<string, unknown> | null} some */
const names = (some) => Object.keys(some ?? {}).join(", ") || "none";
