// A View that does no more than shake hands.

/* global facts, initialize, scene, heard */

scene(async () => {
  await initialize();
  facts.input = (await heard("ui/notifications/tool-input", 4000)) ?? null;
  facts.result = (await heard("ui/notifications/tool-result", 2500)) ?? null;
});
