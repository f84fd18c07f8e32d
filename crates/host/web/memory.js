// What the browser stores: the last arguments of each tool for this tab, and the person's settings for this browser.

/** @import {Link, Obj, Settings} from "./types.d.ts" */

/** @template T @param {() => T} call @param {T} otherwise */
function attempt(call, otherwise) {
  try {
    return call();
  } catch {
    // Storage may be disabled or full; the page works without it.
    return otherwise;
  }
}

/** @param {string} server @param {string} tool */
const key = (server, tool) => `yardstick:args:${server}:${tool}`;

/** @param {string} server @param {string} tool @returns {Obj | undefined} */
export const lastArguments = (server, tool) =>
  attempt(() => JSON.parse(sessionStorage.getItem(key(server, tool)) ?? "null") ?? undefined, undefined);

/** @param {string} server @param {string} tool @param {Obj} args */
export const keepArguments = (server, tool, args) =>
  attempt(() => sessionStorage.setItem(key(server, tool), JSON.stringify(args)), undefined);

const STORED_SETTINGS = /** @type {const} */ (["theme", "stream"]);

export const usualLocale = () => navigator.language ?? "en-US";
export const usualTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

/** The settings of a new page: from the link, or else stored ones, or else the defaults. @param {Link} link
 * @returns {Settings} */
export function startSettings(link) {
  const kept = attempt(() => JSON.parse(localStorage.getItem("yardstick:settings") ?? "{}"), {});
  return {
    theme: link.theme ?? kept.theme ?? "auto",
    mode: link.mode ?? "inline",
    size: /** @type {Settings["size"]} */ (link.size ?? "fit"),
    // Zero until the person drags the box.
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

/** The stored layout of the page. @returns {Partial<import("./layout.js").Layout>} */
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
  const kept = Object.fromEntries(STORED_SETTINGS.map((name) => [name, settings[name]]));
  attempt(() => localStorage.setItem("yardstick:settings", JSON.stringify(kept)), undefined);
}
