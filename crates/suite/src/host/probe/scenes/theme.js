// A View that waits for the theme to change.

/* global probe, facts, initialize, scene, heard, report, sleep, traffic */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 5000);
  await sleep(300);
  const before = traffic.length;
  await report("ready");
  const isTheme = (one) => one.message?.params?.theme !== undefined;
  for (let waited = 0; waited < probe.timeToAct && !traffic.slice(before).some(isTheme); waited += 100) await sleep(100);
  await sleep(300);
  const changes = traffic.slice(before).filter((one) => one.message?.method === "ui/notifications/host-context-changed");
  facts.changes = changes.map((one) => one.message.params);
});
