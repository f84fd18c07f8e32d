// What is remembered: the last arguments of each tool for this tab, the choices of the person for this browser.

/** @import {Link, Obj, Settings} from "./types.d.ts" */

/** @template T @param {() => T} call @param {T} otherwise */
function attempt(call, otherwise) {
  try {
    return call();
  } catch {
    // Storage can be switched off or full; the page works without it.
    return otherwise;
  }
}

/** @param {string} server @param {string} tool */
const key = (server, tool) => `yardstick:args:${server}:${tool}`;

/** @param {string} server @param {string} tool @returns {Obj | undefined} */
export const lastArguments = (server, tool) => attempt(() => JSON.parse(sessionStorage.getItem(key(server, tool)) ?? "null") ?? undefined, undefined);

/** @param {string} server @param {string} tool @param {Obj} args */
export const keepArguments = (server, tool, args) => attempt(() => sessionStorage.setItem(key(server, tool), JSON.stringify(args)), undefined);

const KEPT = /** @type {const} */ (["theme", "stream"]);

export const usualLocale = () => navigator.language ?? "en-US";
export const usualTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

/** The settings of a fresh page: what the link says, else what was kept, else the usual. @param {Link} link @returns {Settings} */
export function startSettings(link) {
  const kept = attempt(() => JSON.parse(localStorage.getItem("yardstick:settings") ?? "{}"), {});
  return {
    theme: link.theme ?? kept.theme ?? "auto",
    mode: link.mode ?? "inline",
    size: /** @type {Settings["size"]} */ (link.size ?? "fit"),
    // Nothing until somebody drags it.
    free: link.free ?? { width: 0, height: 0 },
    locale: link.locale ?? usualLocale(),
    timeZone: link.timeZone ?? usualTimeZone(),
    profile: link.profile ?? "",
    stream: link.stream ?? kept.stream ?? false,
    off: link.off ?? [],
    deny: link.deny ?? [],
    always: link.always ?? [],
  };
}

/** How the person has arranged the page. @returns {Partial<import("./layout.js").Layout>} */
export function lastLayout() {
  const kept = attempt(() => JSON.parse(localStorage.getItem("yardstick:layout") ?? "{}"), {});
  return typeof kept === "object" && kept !== null ? kept : {};
}

/** @param {import("./layout.js").Layout} layout */
export function keepLayout(layout) {
  attempt(() => localStorage.setItem("yardstick:layout", JSON.stringify(layout)), undefined);
}

/** @param {Settings} settings */
export function keepSettings(settings) {
  const kept = Object.fromEntries(KEPT.map((name) => [name, settings[name]]));
  attempt(() => localStorage.setItem("yardstick:settings", JSON.stringify(kept)), undefined);
}
