// Places where a program that drives the page can put its own function around one of the page's. It sets
// `globalThis.yardstickHost` before the page's scripts run; in a browser that nobody drives there is none.

/** What can be wrapped: `step` decides what follows from an event, `send` records a message and posts it to the View.
 * @typedef {"step" | "send"} HookName */

/**
 * The page's function, or what the driver makes of it.
 * @template {Function} F
 * @param {HookName} name @param {F} own @returns {F}
 */
export function hooked(name, own) {
  const wrap = /** @type {any} */ (globalThis).yardstickHost?.[name];
  return typeof wrap === "function" ? wrap(own) : own;
}
