// A View that asks for many things at once. Whoever clicks twice has allowed one of them.

/* global probe, facts, initialize, scene, heard, report, ask, sleep */

const ASKS = 30;

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 5000);
  const outcomes = Array.from({ length: ASKS }, () => "open");
  const outcome = (answer) => (answer.timeout ? "open" : answer.error || answer.result?.isError ? "refused" : "granted");
  outcomes.forEach((_, at) => {
    const url = `${probe.declared}/consent/declared/${at}`;
    ask("ui/open-link", { url }, { limit: probe.timeToAct }).then((answer) => (outcomes[at] = outcome(answer)));
  });
  await sleep(400);
  facts.before = [...outcomes];
  await report("asked");
  const isFirstOpen = () => outcomes[0] === "open";
  for (let waited = 0; waited < probe.timeToAct && isFirstOpen(); waited += 50) await sleep(50);
  // The second click, and what comes of it.
  await sleep(1000);
  facts.outcomes = [...outcomes];
  await report("over");
});
