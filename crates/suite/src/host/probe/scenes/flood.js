// A View that says too much.

/* global facts, sleep, post, say, ask, initialize, attempt, scene, heard, report, now */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 4000);
  await report("ready");
  parent.postMessage({ jsonrpc: "2.0", id: "large", method: "ui/open-link", params: { url: "x".repeat(6e6) } }, "*");
  for (let at = 0; at < 3000; at++)
    parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height: 200 + (at % 50) } }, "*");
  for (let at = 0; at < 500; at++)
    parent.postMessage({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: at } }, "*");
  const start = now();
  await attempt("alive", () => ask("ping", undefined, { limit: 12_000 }), 12_500);
  facts.aliveAfter = now() - start;
});
