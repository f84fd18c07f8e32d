// A View that speaks for the sandbox proxy. Each load of the document is reported, so a reload shows.

/* global probe, facts, sleep, say, ask, initialize, attempt, scene, heard, report */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 4000);
  await report("loaded");
  if (probe.read > 1 && probe.loads > 2) return;
  const html = `<script>parent.postMessage({ jsonrpc: "2.0", id: "owned", method: "ping" }, "*")<\/script>`;
  say("ui/notifications/sandbox-resource-ready", { html, sandbox: "allow-scripts allow-same-origin", csp: {} });
  say("ui/notifications/sandbox-proxy-ready", {});
  say("ui/notifications/sandbox-yardstick", { relayed: true });
  await sleep(1200);
  await attempt("alive", () => ask("ping"));
  facts.echoed = globalThis.traffic
    .filter((one) => one.way !== "to-host" && String(one.message?.method).startsWith("ui/notifications/sandbox-"))
    .map((one) => one.message);
});
