// A View that declares one origin and every permission: what it declared works, and nothing else does.

/* global probe, facts, sleep, initialize, attempt, scene, heard, loadElement, reachAll, surroundings */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 4000);
  await surroundings();
  await reachAll(probe.declared, "declared");
  await attempt("speaker", () => loadElement("iframe", { src: `${probe.declared}/open/declared/speaker` }));
  await sleep(300);
  await reachAll(probe.undeclared, "undeclared");
  await attempt("eval", () => (0, eval)("6 * 7"));
  await sleep(300);
});
