// Runs in a View's document before its own scripts: tells the host what the View writes to its console, what it fails on, and
// when the person presses Escape there. It changes nothing else: every call of the console goes on as it was.

(() => {
  "use strict";

  const LONGEST = 2_000;
  /** How many lines are told in a second; of more, their number. */
  const MOST = 100;
  const tell = window.parent.postMessage.bind(window.parent);
  let count = 0;
  let dropped = 0;

  /** @param {string} level @param {string} text */
  const say = (level, text) => {
    if (count === 0) setTimeout(reset, 1000);
    if (++count > MOST) return void dropped++;
    tell({ yardstick: "console", level, text: text.slice(0, LONGEST) }, "*");
  };
  const reset = () => {
    const lost = dropped;
    count = dropped = 0;
    if (lost > 0) say("warn", `${lost} more lines are not shown`);
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
        // What cannot be told is in the browser's own console.
      }
    };
  }
  window.addEventListener("error", (event) => say("error", event.error ? shown(event.error) : event.message || "a resource could not be loaded"));
  window.addEventListener("unhandledrejection", (event) => say("error", `unhandled rejection: ${shown(event.reason)}`));
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) tell({ yardstick: "escape" }, "*");
  });
})();
