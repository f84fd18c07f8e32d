// A View whose tool does not end: the person cancels it.

/* global probe, facts, initialize, scene, heard, report */

scene(async () => {
  await initialize();
  facts.input = (await heard("ui/notifications/tool-input", 5000)) ?? null;
  await report("ready");
  facts.cancelled = (await heard("ui/notifications/tool-cancelled", probe.timeToAct)) ?? null;
});
