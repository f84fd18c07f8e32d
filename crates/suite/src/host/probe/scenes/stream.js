// A View whose arguments come in pieces.

/* global facts, initialize, scene, heard, sleep, traffic */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 8000);
  await sleep(300);
  facts.order = traffic
    .filter((one) => one.way === "to-view" && String(one.message?.method).includes("tool-"))
    .map((one) => ({ method: one.message.method, arguments: one.message.params?.arguments ?? null }));
});
