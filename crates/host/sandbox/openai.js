// `window.openai` of the OpenAI Apps SDK, implemented with the messages of MCP Apps. Runs before the View's own
// scripts.
//
// A document has one handshake. An app that implements `ui/*` makes it itself, and the bridge only listens. For other
// widgets the bridge makes the handshake. If an app starts its handshake after the bridge has, the bridge answers it
// with what the host sent.

(() => {
  "use strict";

  /** @typedef {Record<string, any>} Obj */

  /** How long an app may take after parsing to start a handshake of its own. */
  const GRACE_MS = 100;
  const PROTOCOL = "2026-01-26";
  const ID_PREFIX = "window.openai/";
  const INITIALIZE_ID = `${ID_PREFIX}0`;
  const CHANGED = "ui/notifications/host-context-changed";

  const parent = window.parent;
  if (parent === window) return;
  /** @type {{methods?: string[], eager?: boolean}} */
  const told = JSON.parse(document.currentScript?.dataset.told ?? "{}");
  const hostOrigin = location.ancestorOrigins?.[0] ?? "*";
  const sourceOf = /** @type {() => unknown} */ (
    Object.getOwnPropertyDescriptor(MessageEvent.prototype, "source")?.get
  );

  /** Who makes the handshake. @type {"nobody" | "bridge" | "app"} */
  let speaker = "nobody";
  let ready = false;
  /** The id of the app's `ui/initialize`. @type {unknown} */
  let appInitialize;
  /** The host's result of `ui/initialize`. @type {Obj | undefined} */
  let answer;
  /** The state of an app that started its handshake after the bridge: none, waiting for its `initialized`, or done.
   * @type {"" | "greeted" | "settled"} */
  let late = "";
  /** Notifications that such an app has missed, by method. @type {Map<string, Obj>} */
  const missed = new Map();
  /** Messages that wait for the handshake. @type {Obj[]} */
  const waiting = [];
  /** @type {Map<string, {resolve: (result: any) => void, reject: (why: Error) => void}>} */
  const asked = new Map();
  let next = 1;

  /** The host's capabilities. @type {Obj} */
  let capabilities = {};

  /** @param {Obj} message */
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...fitting(message) }, hostOrigin);
  /** Sends model content as text to a host that accepts only text. @param {Obj} message */
  const fitting = (message) => {
    const taken = Object.keys(capabilities.updateModelContext ?? {});
    const shown = message.method === "ui/update-model-context" ? message.params.structuredContent : undefined;
    if (shown === undefined || taken.length === 0 || taken.includes("structuredContent")) return message;
    return { ...message, params: { content: [{ type: "text", text: JSON.stringify(shown) }] } };
  };
  /** Sends a message, after the handshake. @param {Obj} message */
  const send = (message) => void (ready ? post(message) : waiting.push(message));
  /** @param {string} method @param {Obj} params @returns {Promise<any>} */
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = `${ID_PREFIX}${next++}`;
      asked.set(id, { resolve, reject });
      begin();
      send({ id, method, params });
    });
  /** @param {unknown} value @returns {value is Obj} */
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

  // The properties that a widget reads.

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
    const changed = Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(openai[name]) !== JSON.stringify(value),
    );
    if (changed.length === 0) return;
    const detail = { globals: Object.fromEntries(changed) };
    Object.assign(openai, detail.globals);
    window.dispatchEvent(new CustomEvent("openai:set_globals", { detail }));
  }

  /** @param {Obj} context */
  function setContext(context) {
    /** @type {Obj} */
    const changes = {};
    for (const name of ["theme", "locale", "displayMode"])
      if (context[name] !== undefined) changes[name] = context[name];
    if (context.displayMode !== undefined && openai.view.mode !== "modal")
      changes.view = { ...openai.view, mode: context.displayMode };
    const room = context.containerDimensions;
    if (isObject(room)) changes.maxHeight = room.maxHeight ?? room.height ?? null;
    if (isObject(context.safeAreaInsets)) changes.safeArea = { insets: context.safeAreaInsets };
    const device =
      context.platform === undefined
        ? openai.userAgent.device
        : { type: context.platform === "mobile" ? "mobile" : "desktop" };
    changes.userAgent = { device, capabilities: { ...openai.userAgent.capabilities, ...context.deviceCapabilities } };
    set(changes);
  }

  /** @type {Record<string, (params: Obj) => void>} */
  const NOTICES = {
    "ui/notifications/tool-input": (params) => set({ toolInput: params.arguments ?? {} }),
    "ui/notifications/tool-input-partial": (params) => set({ toolInput: params.arguments ?? {} }),
    "ui/notifications/tool-result": (result) =>
      set({
        toolOutput: result.structuredContent ?? null,
        toolResponseMetadata: { ...result._meta, mcp_tool_result: result },
      }),
    "ui/notifications/tool-cancelled": () => {},
    [CHANGED]: setContext,
  };

  // The functions that a widget calls.

  let automatic = true;
  /** @type {Map<string, Blob>} */
  const files = new Map();

  /** @param {unknown} state */
  async function setWidgetState(state) {
    set({ widgetState: state });
    // The model sees only `modelContent`, if the widget separates it.
    const shown = isObject(state) && "modelContent" in state ? state.modelContent : state;
    const params = typeof shown === "string" ? { content: [{ type: "text", text: shown }] }
      : isObject(shown) ? { structuredContent: shown } : { content: [] };
    // If the host does not support this, the widget still keeps its state.
    await ask("ui/update-model-context", params).catch(() => {});
  }

  /** @type {Record<string, (...given: any[]) => any>} */
  const METHODS = {
    callTool: (name, args) => ask("tools/call", { name, arguments: args ?? {} }),
    sendFollowUpMessage: async (message) =>
      void (await ask("ui/message", {
        role: "user",
        content: [{ type: "text", text: typeof message === "string" ? message : message?.prompt }],
      })),
    openExternal: async (link) =>
      void (await ask("ui/open-link", { url: typeof link === "string" ? link : link?.href })),
    requestDisplayMode: (wanted) => ask("ui/request-display-mode", { mode: wanted?.mode }),
    setWidgetState,
    notifyIntrinsicHeight(height) {
      automatic = false;
      begin();
      send({ method: "ui/notifications/size-changed", params: { height: Number(height) } });
    },
    // The host would open a second frame. Here the same document becomes the modal.
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
      if (!file) throw new Error(`no uploaded file has the id ${wanted?.fileId}`);
      return { downloadUrl: await dataUrl(file) };
    },
    async setOpenInAppUrl(link) {
      begin();
      send({
        method: "notifications/message",
        params: { level: "info", logger: "window.openai", data: { openInAppUrl: new URL(link?.href).href } },
      });
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

  // Functions that the host lacks are undefined, so that a widget can detect that.
  for (const name of told.methods ?? []) if (Object.hasOwn(METHODS, name)) openai[name] = METHODS[name];

  // The handshake.

  let wanted = told.eager === true;
  let parsed = false;
  let timed = false;

  /** Starts the handshake, because the widget has used the bridge. */
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
    asked.set(INITIALIZE_ID, { resolve: initialized, reject: (why) => console.error(`window.openai: ${why.message}`) });
    const appCapabilities = { availableDisplayModes: ["inline", "fullscreen", "pip"] };
    post({
      id: INITIALIZE_ID,
      method: "ui/initialize",
      params: { protocolVersion: PROTOCOL, appInfo: { name: "window.openai", version: "1.0.0" }, appCapabilities },
    });
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

  /** Reports the height of the content, unless the widget sets one. */
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

  // Intercepts the app's messages to its parent.

  /** Delivers a message to the app as if the host had sent it. @param {Obj} data */
  const deliver = (data) =>
    void setTimeout(
      () =>
        window.dispatchEvent(
          new MessageEvent("message", { data: { jsonrpc: "2.0", ...data }, origin: hostOrigin, source: parent }),
        ),
      0,
    );

  /** Inspects a message of the app, and returns whether it goes on to the host. @param {unknown} message */
  function overheard(message) {
    if (!isObject(message) || message.jsonrpc !== "2.0") return true;
    if (message.method === "ui/initialize") {
      // A handshake of the bridge that the host refused does not count.
      if (speaker !== "bridge" || (!answer && !asked.has(INITIALIZE_ID))) {
        speaker = "app";
        appInitialize = message.id;
        return true;
      }
      late = "greeted";
      whenAnswered(() =>
        deliver({
          id: message.id,
          result: { ...answer, hostContext: { ...answer?.hostContext, ...missed.get(CHANGED) } },
        }),
      );
      return false;
    }
    if (message.method !== "ui/notifications/initialized") return true;
    if (late !== "") {
      late = "settled";
      for (const [method, params] of missed) if (method !== CHANGED) deliver({ method, params });
      return false;
    }
    // Sent after this message, which completes the handshake.
    setTimeout(flush, 0);
    return true;
  }

  /** @param {() => void} call */
  function whenAnswered(call) {
    const first = asked.get(INITIALIZE_ID);
    if (!first) return call();
    asked.set(INITIALIZE_ID, { ...first, resolve: (result) => (first.resolve(result), call()) });
  }

  const heard = new Proxy(parent, {
    get(target, name) {
      if (name !== "postMessage") {
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (/** @type {unknown} */ message, /** @type {any[]} */ ...rest) =>
        overheard(message) ? target.postMessage(message, .../** @type {[any]} */ (rest)) : undefined;
    },
  });
  Object.defineProperty(window, "parent", { configurable: true, enumerable: true, get: () => heard });
  // An app compares the source of a message with its parent window.
  Object.defineProperty(MessageEvent.prototype, "source", {
    configurable: true,
    enumerable: true,
    get() {
      const source = sourceOf.call(this);
      return source === parent ? heard : source;
    },
  });

  // Messages of the host.

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
      // An app that is still in its handshake gets the message afterwards.
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
