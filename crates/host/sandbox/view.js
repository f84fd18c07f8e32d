// Runs in a View's document before its own scripts. It reports the View's console lines, its errors, and the Escape key
// to the host. It changes nothing else: every console call still reaches the browser's console.

(() => {
  "use strict";

  const MAX_LINE_CHARS = 2_000;
  /** How many lines are reported per second; the rest are only counted. */
  const MAX_LINES_PER_SECOND = 100;
  const postToParent = window.parent.postMessage.bind(window.parent);
  let count = 0;
  let dropped = 0;

  /** @param {string} level @param {string} text */
  const say = (level, text) => {
    if (count === 0) setTimeout(reset, 1000);
    if (++count > MAX_LINES_PER_SECOND) return void dropped++;
    postToParent({ yardstick: "console", level, text: text.slice(0, MAX_LINE_CHARS) }, "*");
  };
  const reset = () => {
    const lost = dropped;
    count = dropped = 0;
    if (lost > 0) say("warn", `${lost} more lines were not recorded`);
  };

  /** @param {unknown} value @returns {string} */
  const shown = (value) => {
    if (typeof value === "string") return value;
    try {
      if (value instanceof Error) return value.stack ?? String(value);
      return JSON.stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };

  for (const level of /** @type {const} */ (["debug", "log", "info", "warn", "error"])) {
    const own = console[level];
    console[level] = (...values) => {
      own.apply(console, values);
      try {
        say(level, values.map(shown).join(" "));
      } catch {
        // The browser's own console still has the value.
      }
    };
  }
  window.addEventListener("error", (event) =>
    say("error", event.error ? shown(event.error) : event.message || "a resource could not be loaded"),
  );
  window.addEventListener("unhandledrejection", (event) => say("error", `unhandled rejection: ${shown(event.reason)}`));
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) postToParent({ yardstick: "escape" }, "*");
  });
})();
