// Runs in a View before its own scripts: the time of day stands still, so that pictures can be compared. Timers and
// performance.now() go on.

(() => {
  "use strict";
  if (!/^(view|domain)-/.test(location.hostname)) return;
  const NOW = Date.UTC(2026, 0, 26, 12, 0, 0);
  const Real = Date;
  Real.now = () => NOW;
  globalThis.Date = new Proxy(Real, {
    construct: (date, parts, made) => Reflect.construct(date, parts.length === 0 ? [NOW] : parts, made),
    // Without `new`, Date gives a text.
    apply: () => new Real(NOW).toString(),
  });
  Real.prototype.constructor = globalThis.Date;
})();
