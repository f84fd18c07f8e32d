// A View that declares nothing and asks for the usual things, one after the other.

/* global probe, facts, sleep, post, say, ask, callTool, report, heard, initialize, attempt, scene */

scene(async () => {
  // Before the handshake a host has nothing to say and nothing to give.
  const early = callTool("early", {}, { id: "early", limit: 900 });
  await sleep(250);
  facts.beforeInitialize = globalThis.traffic.filter((one) => one.way === "to-view").map((one) => one.message);
  const host = await initialize({ id: 0, pause: 250 });
  facts.early = await early;
  await heard("ui/notifications/tool-result", 6000);
  await report("ready");
  facts.capabilities = host.hostCapabilities ?? null;
  const { locale, timeZone } = host.hostContext ?? {};
  await attempt("locale", () => (locale === undefined ? null : Intl.getCanonicalLocales(locale)));
  await attempt("timeZone", () => (timeZone === undefined ? null : new Intl.DateTimeFormat("en", { timeZone }).format(0)));

  await attempt("ping", () => ask("ping"));
  await attempt("unknownMethod", () => ask("yardstick/unknown", {}));
  await attempt("unknownUiMethod", () => ask("ui/yardstick-unknown", {}));
  await attempt("echo", () => callTool("echo", { text: "ä\u2028\u0000\"'<", number: 1.5, list: [1, null, { a: [] }] }));
  await attempt("stringId", () => callTool("echo", { id: "string" }, { id: "seventeen" }));
  await attempt("unsaid", () => callTool("unsaid", {}));
  await attempt("fails", () => callTool("fails", {}));
  await attempt("errors", () => callTool("errors", {}));
  await attempt("modelOnly", () => callTool("model-only", { from: "app" }));
  await attempt("elsewhere", () => callTool("elsewhere", { from: "app" }));
  await attempt("unknownTool", () => callTool("no-such-tool", {}));
  await attempt("resource", () => ask("resources/read", { uri: "ui://yardstick/text" }));

  for (const [name, url] of Object.entries({
    linkScript: "javascript:alert(1)", linkFile: "file:///etc/hostname", linkData: "data:text/html,<p>", linkNone: "no url",
  })) await attempt(name, () => ask("ui/open-link", { url }, { limit: 1500 }));
  await attempt("linkMissing", () => ask("ui/open-link", {}, { limit: 1500 }));
  await attempt("modeMissing", () => ask("ui/request-display-mode", {}, { limit: 1500 }));
  await attempt("callMissing", () => ask("tools/call", {}, { limit: 1500 }));

  facts.modeBefore = host.hostContext?.displayMode ?? "inline";
  await attempt("modePip", () => ask("ui/request-display-mode", { mode: "pip" }));
  await attempt("modeFullscreen", () => ask("ui/request-display-mode", { mode: "fullscreen" }));
  await attempt("modeInline", () => ask("ui/request-display-mode", { mode: "inline" }));

  for (const message of [
    "text", 7, null, [], { jsonrpc: "2.0" }, { jsonrpc: "1.0", id: "old", method: "ping" }, { id: {}, method: "ping" },
    { jsonrpc: "2.0", id: "nobody-asked", result: {} }, { jsonrpc: "2.0", id: 0, result: { replayed: true } },
    { jsonrpc: "2.0", method: 7, params: {} }, { jsonrpc: "2.0", id: "array", method: "tools/call", params: [] },
    { jsonrpc: "2.0", id: "both", method: "ping", result: {}, error: { code: 1, message: "" } },
  ]) post(message);
  await attempt("alive", () => ask("ping"));
  await attempt("twins", async () => [
    await callTool("echo", { twin: 1 }, { id: "twin" }), await callTool("echo", { twin: 2 }, { id: "twin" }),
  ], 9000);

  say("notifications/message", { level: "info", logger: "probe", data: "a line" });
  const height = () => innerHeight;
  facts.container = host.hostContext?.containerDimensions ?? null;
  facts.heightBefore = height();
  say("ui/notifications/size-changed", { width: 400, height: 333 });
  await sleep(700);
  facts.heightAsked = height();
  say("ui/notifications/size-changed", { width: 1e9, height: 1e9 });
  await sleep(700);
  facts.heightBomb = height();
  facts.widthBomb = innerWidth;
  say("ui/notifications/size-changed", { width: 400, height: 300 });
});
