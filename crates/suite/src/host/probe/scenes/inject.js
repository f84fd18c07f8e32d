// A View whose declared domains try to smuggle in other sources and directives.

/* global probe, sleep, initialize, attempt, scene, heard, reachAll */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 4000);
  await reachAll(probe.undeclared, "undeclared");
  await attempt("eval", () => (0, eval)("6 * 7"));
  await sleep(300);
});
