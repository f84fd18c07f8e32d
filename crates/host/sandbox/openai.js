// `window.openai` of the OpenAI Apps SDK, over the messages of MCP Apps. Runs before the scripts of the View.
//
// A document has one handshake. An app that speaks `ui/*` makes it by itself, and the bridge only listens; for a widget
// that does not, the bridge makes it. Should an app begin after the bridge has, it is answered from what the host said.

(() => {
  "use strict";

  /** @typedef {Record<string, any>} Obj */

  /** How long an app may take once it is parsed to begin a handshake of its own. */
  const GRACE_MS = 100;
  const PROTOCOL = "2026-01-26";
  const OURS = "window.openai/";
  const FIRST = `${OURS}0`;
  const CHANGED = "ui/notifications/host-context-changed";

  const parent = window.parent;
  if (parent === window) return;
  /** @type {{methods?: string[], eager?: boolean}} */
  const told = JSON.parse(document.currentScript?.dataset.told ?? "{}");
  const hostOrigin = location.ancestorOrigins?.[0] ?? "*";
  const sourceOf = /** @type {() => unknown} */ (Object.getOwnPropertyDescriptor(MessageEvent.prototype, "source")?.get);

  /** Who makes the handshake, and how far it is. @type {"nobody" | "bridge" | "app"} */
  let speaker = "nobody";
  let ready = false;
  /** The id of the app's `ui/initialize`. @type {unknown} */
  let appInitialize;
  /** What the host answered. @type {Obj | undefined} */
  let answer;
  /** Whether an app came late and is answered from that: not, until it says `initialized`, or for good. @type {"" | "greeted" | "settled"} */
  let late = "";
  /** What such an app has missed, by method. @type {Map<string, Obj>} */
  const missed = new Map();
  /** What waits for the handshake. @type {Obj[]} */
  const waiting = [];
  /** @type {Map<string, {resolve: (result: any) => void, reject: (why: Error) => void}>} */
  const asked = new Map();
  let next = 1;

  /** What the host says it can do. @type {Obj} */
  let capabilities = {};

  /** @param {Obj} message */
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...fitting(message) }, hostOrigin);
  /** A host that takes text alone for the model is told in text. @param {Obj} message */
  const fitting = (message) => {
    const taken = Object.keys(capabilities.updateModelContext ?? {});
    const shown = message.method === "ui/update-model-context" ? message.params.structuredContent : undefined;
    if (shown === undefined || taken.length === 0 || taken.includes("structuredContent")) return message;
    return { ...message, params: { content: [{ type: "text", text: JSON.stringify(shown) }] } };
  };
  /** Sends once the handshake is done. @param {Obj} message */
  const send = (message) => void (ready ? post(message) : waiting.push(message));
  /** @param {string} method @param {Obj} params @returns {Promise<any>} */
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = `${OURS}${next++}`;
      asked.set(id, { resolve, reject });
      begin();
      send({ id, method, params });
    });
  /** @param {unknown} value @returns {value is Obj} */
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

  // What a widget reads.

  /** @type {Obj} */
  const globals = {
    toolInput: null, toolOutput: null, toolResponseMetadata: null, widgetState: null,
    theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    locale: navigator.language, displayMode: "inline", maxHeight: null,
    safeArea: { insets: { top: 0, right: 0, bottom: 0, left: 0 } },
    userAgent: { device: { type: "desktop" }, capabilities: { hover: true, touch: false } },
    view: { mode: "inline", params: null },
  };
  /** @type {Obj} */
  const openai = { ...globals };

  /** @param {Obj} changes */
  function set(changes) {
    const changed = Object.entries(changes).filter(([name, value]) => JSON.stringify(openai[name]) !== JSON.stringify(value));
    if (changed.length === 0) return;
    const detail = { globals: Object.fromEntries(changed) };
    Object.assign(openai, detail.globals);
    window.dispatchEvent(new CustomEvent("openai:set_globals", { detail }));
  }

  /** @param {Obj} context */
  function setContext(context) {
    /** @type {Obj} */
    const changes = {};
    for (const name of ["theme", "locale", "displayMode"]) if (context[name] !== undefined) changes[name] = context[name];
    if (context.displayMode !== undefined && openai.view.mode !== "modal") changes.view = { ...openai.view, mode: context.displayMode };
    const room = context.containerDimensions;
    if (isObject(room)) changes.maxHeight = room.maxHeight ?? room.height ?? null;
    if (isObject(context.safeAreaInsets)) changes.safeArea = { insets: context.safeAreaInsets };
    const device = context.platform === undefined ? openai.userAgent.device : { type: context.platform === "mobile" ? "mobile" : "desktop" };
    changes.userAgent = { device, capabilities: { ...openai.userAgent.capabilities, ...context.deviceCapabilities } };
    set(changes);
  }

  /** @type {Record<string, (params: Obj) => void>} */
  const NOTICES = {
    "ui/notifications/tool-input": (params) => set({ toolInput: params.arguments ?? {} }),
    "ui/notifications/tool-input-partial": (params) => set({ toolInput: params.arguments ?? {} }),
    "ui/notifications/tool-result": (result) =>
      set({ toolOutput: result.structuredContent ?? null, toolResponseMetadata: { ...result._meta, mcp_tool_result: result } }),
    "ui/notifications/tool-cancelled": () => {},
    [CHANGED]: setContext,
  };

  // What a widget calls.

  let automatic = true;
  /** @type {Map<string, Blob>} */
  const files = new Map();

  /** @param {unknown} state */
  async function setWidgetState(state) {
    set({ widgetState: state });
    // What the widget keeps to itself is not for the model.
    const shown = isObject(state) && "modelContent" in state ? state.modelContent : state;
    const params = typeof shown === "string" ? { content: [{ type: "text", text: shown }] }
      : isObject(shown) ? { structuredContent: shown } : { content: [] };
    // A host that does not take it keeps the widget's state all the same.
    await ask("ui/update-model-context", params).catch(() => {});
  }

  /** @type {Record<string, (...given: any[]) => any>} */
  const METHODS = {
    callTool: (name, args) => ask("tools/call", { name, arguments: args ?? {} }),
    sendFollowUpMessage: async (message) =>
      void (await ask("ui/message", { role: "user", content: [{ type: "text", text: typeof message === "string" ? message : message?.prompt }] })),
    openExternal: async (link) => void (await ask("ui/open-link", { url: typeof link === "string" ? link : link?.href })),
    requestDisplayMode: (wanted) => ask("ui/request-display-mode", { mode: wanted?.mode }),
    setWidgetState,
    notifyIntrinsicHeight(height) {
      automatic = false;
      begin();
      send({ method: "ui/notifications/size-changed", params: { height: Number(height) } });
    },
    // Where the host would open a second frame, the same document is told that it is the modal one.
    requestModal: async (wanted) => set({ view: { mode: "modal", params: wanted?.params ?? null } }),
    async requestClose() {
      if (openai.view.mode === "modal") return set({ view: { mode: openai.displayMode, params: null } });
      begin();
      send({ method: "ui/notifications/request-teardown", params: {} });
    },
    async uploadFile(file) {
      const fileId = `file_${crypto.randomUUID()}`;
      files.set(fileId, file);
      return { fileId };
    },
    async getFileDownloadUrl(wanted) {
      const file = files.get(wanted?.fileId);
      if (!file) throw new Error(`no file ${wanted?.fileId} was uploaded`);
      return { downloadUrl: await dataUrl(file) };
    },
    async setOpenInAppUrl(link) {
      begin();
      send({ method: "notifications/message", params: { level: "info", logger: "window.openai", data: { openInAppUrl: new URL(link?.href).href } } });
    },
  };

  /** @param {Blob} file @returns {Promise<string>} */
  const dataUrl = (file) =>
    new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(file);
    });

  // What the host lacks is not there, so that a widget can ask for it.
  for (const name of told.methods ?? []) if (Object.hasOwn(METHODS, name)) openai[name] = METHODS[name];

  // The handshake.

  let wanted = told.eager === true;
  let parsed = false;
  let timed = false;

  /** The widget has shown that it needs the bridge. */
  function begin() {
    wanted = true;
    soon();
  }

  function soon() {
    if (!parsed || !wanted || timed || speaker !== "nobody") return;
    timed = true;
    setTimeout(initialize, GRACE_MS);
  }

  function initialize() {
    if (speaker !== "nobody") return;
    speaker = "bridge";
    asked.set(FIRST, { resolve: initialized, reject: (why) => console.error(`window.openai: ${why.message}`) });
    const appCapabilities = { availableDisplayModes: ["inline", "fullscreen", "pip"] };
    post({ id: FIRST, method: "ui/initialize", params: { protocolVersion: PROTOCOL, appInfo: { name: "window.openai", version: "1.0.0" }, appCapabilities } });
  }

  /** @param {Obj} result */
  function initialized(result) {
    answer = result;
    capabilities = result.hostCapabilities ?? {};
    setContext(result.hostContext ?? {});
    post({ method: "ui/notifications/initialized", params: {} });
    flush();
    measure();
  }

  function flush() {
    ready = true;
    for (const message of waiting.splice(0)) post(message);
  }

  /** A widget has the height of its content unless it says another. */
  function measure() {
    let last = -1;
    const report = () => {
      const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
      if (!automatic || late !== "" || height === last) return;
      last = height;
      post({ method: "ui/notifications/size-changed", params: { height } });
    };
    new ResizeObserver(report).observe(document.documentElement);
  }

  // What the app says to its parent passes by here.

  /** Gives the app a message as if the host had sent it. @param {Obj} data */
  const deliver = (data) =>
    void setTimeout(() => window.dispatchEvent(new MessageEvent("message", { data: { jsonrpc: "2.0", ...data }, origin: hostOrigin, source: parent })), 0);

  /** Whether the message is for the host. @param {unknown} message */
  function overheard(message) {
    if (!isObject(message) || message.jsonrpc !== "2.0") return true;
    if (message.method === "ui/initialize") {
      // A handshake of the bridge that the host refused counts for nothing.
      if (speaker !== "bridge" || (!answer && !asked.has(FIRST))) {
        speaker = "app";
        appInitialize = message.id;
        return true;
      }
      late = "greeted";
      whenAnswered(() => deliver({ id: message.id, result: { ...answer, hostContext: { ...answer?.hostContext, ...missed.get(CHANGED) } } }));
      return false;
    }
    if (message.method !== "ui/notifications/initialized") return true;
    if (late !== "") {
      late = "settled";
      for (const [method, params] of missed) if (method !== CHANGED) deliver({ method, params });
      return false;
    }
    // After this very message, which opens the way.
    setTimeout(flush, 0);
    return true;
  }

  /** @param {() => void} call */
  function whenAnswered(call) {
    const first = asked.get(FIRST);
    if (!first) return call();
    asked.set(FIRST, { ...first, resolve: (result) => (first.resolve(result), call()) });
  }

  const heard = new Proxy(parent, {
    get(target, name) {
      if (name !== "postMessage") {
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (/** @type {unknown} */ message, /** @type {any[]} */ ...rest) => (overheard(message) ? target.postMessage(message, .../** @type {[any]} */ (rest)) : undefined);
    },
  });
  Object.defineProperty(window, "parent", { configurable: true, enumerable: true, get: () => heard });
  // An app compares the source of a message with the parent that it knows.
  Object.defineProperty(MessageEvent.prototype, "source", {
    configurable: true,
    enumerable: true,
    get() {
      const source = sourceOf.call(this);
      return source === parent ? heard : source;
    },
  });

  // What the host says.

  window.addEventListener("message", (event) => {
    if (sourceOf.call(event) !== parent || !event.isTrusted) return;
    const message = event.data;
    if (!isObject(message) || message.jsonrpc !== "2.0") return;
    if (typeof message.method === "string") return onMethod(message, event);
    const waits = asked.get(message.id);
    if (waits) {
      event.stopImmediatePropagation();
      asked.delete(message.id);
      if (message.error) waits.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
      else waits.resolve(message.result);
    } else if (speaker === "app" && message.id === appInitialize && isObject(message.result)) {
      capabilities = message.result.hostCapabilities ?? {};
      setContext(message.result.hostContext ?? {});
    }
  });

  /** @param {Obj} message @param {MessageEvent} event */
  function onMethod(message, event) {
    const { id, method, params = {} } = message;
    if (id === undefined) {
      if (Object.hasOwn(NOTICES, method)) NOTICES[method](params);
      if (speaker !== "bridge" || late === "settled") return;
      // An app in the middle of its handshake is told after it.
      if (late === "greeted") event.stopImmediatePropagation();
      if (method === CHANGED) missed.set(method, { ...missed.get(method), ...params });
      else if (method !== "ui/notifications/tool-input-partial") missed.set(method, params);
      return;
    }
    if (speaker !== "bridge" || late === "settled") return;
    event.stopImmediatePropagation();
    const known = method === "ping" || method === "ui/resource-teardown";
    post(known ? { id, result: {} } : { id, error: { code: -32601, message: `Method not found: ${method}` } });
  }

  Object.defineProperty(window, "openai", {
    configurable: true,
    enumerable: true,
    get() {
      begin();
      return openai;
    },
    set(value) {
      Object.defineProperty(window, "openai", { value, configurable: true, enumerable: true, writable: true });
    },
  });
  document.addEventListener("DOMContentLoaded", () => {
    parsed = true;
    soon();
  });
})();
