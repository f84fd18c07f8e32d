// A View that asks for what the person decides: messages, links and the context of the model.

/* global probe, facts, initialize, scene, heard, report, ask, attempt, sleep */

const limit = probe.timeToAct;
const text = (words) => [{ type: "text", text: words }];

scene(async () => {
  const { hostCapabilities: can = {} } = await initialize();
  facts.capabilities = can;
  await heard("ui/notifications/tool-result", 5000);
  await attempt("contextFirst", () => ask("ui/update-model-context", { content: text("yardstick first"), structuredContent: { words: "yardstick first" } }));
  await attempt("contextLast", () =>
    ask("ui/update-model-context", { content: text("yardstick last"), structuredContent: { words: "yardstick last" } }));
  const message = attempt("message", () =>
    ask("ui/message", { role: "user", content: text("yardstick message") }, { limit }), limit + 500);
  await sleep(100);
  await report("message");
  await message;
  const link = attempt("linkAllowed", () =>
    ask("ui/open-link", { url: `${probe.declared}/person/declared/allowed` }, { limit }), limit + 500);
  await sleep(100);
  await report("link");
  await link;
  const denied = attempt("linkDenied", () =>
    ask("ui/open-link", { url: `${probe.declared}/person/declared/denied` }, { limit }), limit + 500);
  await sleep(100);
  await report("denied");
  await denied;
  await report("over");
  await sleep(400);
});
