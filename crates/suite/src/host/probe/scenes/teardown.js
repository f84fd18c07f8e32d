// A View that saves its work when it is told to end, and takes its time.

/* global probe, answers, facts, initialize, scene, heard, report, callTool, sleep, now */

scene(async () => {
  answers["ui/resource-teardown"] = async () => {
    facts.toldAt = now();
    // A host may forward nothing any more; the declared origin learns it all the same.
    const tell = (step) => void fetch(`${probe.declared}/teardown/declared/${step}`, { keepalive: true }).catch(() => {});
    tell("told");
    await Promise.race([callTool("save", { step: "told" }), sleep(300)]);
    await sleep(350);
    tell("late");
    await Promise.race([callTool("save", { step: "late" }), sleep(300)]);
    return {};
  };
  await initialize();
  await heard("ui/notifications/tool-result", 5000);
  await report("ready");
});
