/**
 * The bridge from an MCP App to its host (SEP-1865, 2026-01-26): JSON-RPC over postMessage.
 * Events: "tool-input", "tool-input-partial" (arguments), "tool-result" (result), "tool-cancelled" (reason),
 * "context" (context), "teardown" (reason; awaited), "message" (direction, message).
 * @typedef {{ content?: object[], structuredContent?: any, isError?: boolean }} ToolResult
 */
class Host {
  info = {};
  capabilities = {};
  context = {};
  #about;
  #gone = false;
  #lastId = 0;
  #pending = new Map();
  #handlers = {};
  #size = "";

  /** @param {{ name: string, title: string, modes?: string[] }} about */
  constructor(about) {
    this.#about = { modes: ["inline"], ...about };
  }

  on(event, handler) {
    (this.#handlers[event] ??= []).push(handler);
    return this;
  }

  /** Shakes hands; rejects if nobody answers. Register handlers first. */
  async connect() {
    if (window.parent === window) throw Error("This page is an MCP App. Open it in a host.");
    addEventListener("message", (event) => this.#receive(event));
    const { name, title, modes } = this.#about;
    const answer = await this.request("ui/initialize", {
      appInfo: { name, title, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: modes },
      protocolVersion: "2026-01-26",
    });
    this.info = answer.hostInfo ?? {};
    this.capabilities = answer.hostCapabilities ?? {};
    this.protocolVersion = answer.protocolVersion;
    this.#merge(answer.hostContext ?? {});
    this.notify("ui/notifications/initialized", {});
    new ResizeObserver(() => this.reportSize()).observe(document.documentElement);
  }

  /** Whether the host's capabilities name a feature. */
  offers(feature) {
    return Boolean(this.capabilities[feature]);
  }

  /** Stable hosts cannot announce messages and model context: there a user's click may find out. */
  mayAsk(feature) {
    return this.offers(feature) || !(this.offers("message") || this.offers("updateModelContext"));
  }

  /** Rejects on an error answer (with its `code`) and when `seconds` have passed. */
  request(method, params, seconds = 15) {
    if (this.#gone) return Promise.reject(Error("The host has closed this view."));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const late = () => this.#pending.delete(id) && reject(Error(`The host did not answer ${method} in ${seconds} s.`));
      this.#pending.set(id, { resolve, reject, timer: setTimeout(late, seconds * 1000) });
      this.#send({ id, method, params });
    });
  }

  notify(method, params) {
    if (!this.#gone) this.#send({ method, params });
  }

  /** @returns {Promise<ToolResult>} also for a tool's own failure: see isError */
  async callTool(name, args = {}) {
    if (!this.offers("serverTools")) throw Error("This host does not let apps call tools.");
    return this.request("tools/call", { name, arguments: args }, 60);
  }

  /** Asks only for a mode the host offers; resolves to the mode that holds afterwards. */
  async requestMode(mode) {
    if (this.context.availableDisplayModes?.includes(mode)) {
      const answer = await this.request("ui/request-display-mode", { mode });
      if (answer.mode) this.#merge({ displayMode: answer.mode });
    }
    return this.context.displayMode;
  }

  log(level, data) {
    if (this.offers("logging")) this.notify("notifications/message", { level, logger: this.#about.name, data });
  }

  /** Tells the host the size of the content, if it has changed. */
  reportSize() {
    const box = document.documentElement.getBoundingClientRect();
    const { width: fixed, maxWidth, maxHeight } = this.context.containerDimensions ?? {};
    const wish = maxWidth && !fixed ? Math.max(box.width, 640) : box.width;
    const width = Math.ceil(Math.min(wish, maxWidth ?? Infinity));
    const height = Math.ceil(Math.min(box.height, maxHeight ?? Infinity));
    const told = this.#size;
    this.#size = `${width}x${height}`;
    if (this.#size !== told) this.notify("ui/notifications/size-changed", { width, height });
  }

  #send(body) {
    const message = { jsonrpc: "2.0", ...body };
    this.#emit("message", "out", message);
    window.parent.postMessage(message, "*"); // a View cannot know its host's origin
  }

  #receive({ source, data }) {
    if (source !== window.parent || data?.jsonrpc !== "2.0") return;
    this.#emit("message", "in", data);
    const { id, method, params } = data;
    if (typeof method !== "string") this.#settle(data);
    else if (typeof id === "string" || typeof id === "number") this.#answer(id, method, params ?? {});
    else if (id === undefined) this.#hear(method, params ?? {});
  }

  #settle({ id, result, error }) {
    const asked = this.#pending.get(id);
    if (!asked) return;
    this.#pending.delete(id);
    clearTimeout(asked.timer);
    if (!error) return asked.resolve(result ?? {});
    asked.reject(Object.assign(Error(error.message || "The host refused."), { code: error.code }));
  }

  async #answer(id, method, { reason }) {
    if (method === "ping") return this.#send({ id, result: {} });
    if (method !== "ui/resource-teardown") return this.#send({ id, error: { code: -32601, message: `unknown method ${method}` } });
    await Promise.race([this.#emit("teardown", reason), new Promise((enough) => setTimeout(enough, 1000))]);
    this.#send({ id, result: {} });
    this.#gone = true;
  }

  #hear(method, params) {
    const event = /^ui\/notifications\/(.+)/.exec(method)?.[1];
    if (event === "host-context-changed") this.#merge(params);
    else if (event?.startsWith("tool-input")) this.#emit(event, params.arguments ?? {});
    else if (event === "tool-result") this.#emit(event, params);
    else if (event === "tool-cancelled") this.#emit(event, params.reason);
  }

  #emit(event, ...args) {
    const run = async (handler) => handler(...args);
    return Promise.all((this.#handlers[event] ?? []).map((one) => run(one).catch(console.error)));
  }

  #merge(changed) {
    const { variables, css } = this.context.styles ?? {};
    this.context = { ...this.context, ...changed };
    const { styles } = changed;
    if (styles) this.context.styles = { variables: { ...variables, ...styles.variables }, css: { ...css, ...styles.css } };
    this.#paint(this.context);
    this.#emit("context", this.context);
  }

  #paint({ theme, styles, safeAreaInsets, containerDimensions, displayMode = "inline" }) {
    const root = document.documentElement;
    if (theme) root.style.colorScheme = theme;
    root.dataset.mode = displayMode;
    root.toggleAttribute("data-fill", Boolean(containerDimensions?.height));
    const set = (name, value) => name.startsWith("--") && root.style.setProperty(name, value ?? "");
    for (const [name, value] of Object.entries(styles?.variables ?? {})) set(name, value);
    for (const [side, inset] of Object.entries(safeAreaInsets ?? {})) set(`--safe-${side}`, `${Number(inset) || 0}px`);
    $("fonts").textContent = styles?.css?.fonts ?? "";
  }
}

const $ = (id) => document.getElementById(id);

/** Makes an element, an SVG one for "svg:name". Children become text, never markup. */
function make(tag, attributes = {}, ...children) {
  const [name, svg] = tag.split(":").reverse();
  const node = document.createElementNS(`http://www.w3.org/${svg ? "2000/svg" : "1999/xhtml"}`, name);
  for (const pair of Object.entries(attributes)) node.setAttribute(...pair);
  node.append(...children);
  return node;
}

/** Shows a line in the app's note; no text hides it. */
function say(text, tone = "info") {
  Object.assign($("note"), { textContent: text ?? "", hidden: !text }).dataset.tone = tone;
}

/** @param {ToolResult} result */
const textOf = (result) => (result?.content ?? []).map((block) => block?.text ?? "").join("\n").trim();
