// The smallest host around the official AppBridge that shows a tool: `?server=URL&tool=NAME&arguments=JSON`. What it leaves to
// the bridge is what is measured; the frames and the policy are its own. It has no consent: whoever asks gets what they ask for.

const APP_TYPE = "text/html;profile=mcp-app";
const query = new URLSearchParams(location.search);
const state = { conversation: [], context: null, theme: "light", tools: [], bridge: null, frame: null, controller: null };

function capabilities({ csp, permissions }) {
  return {
    openLinks: {},
    serverTools: {},
    serverResources: {},
    logging: {},
    message: { text: {} },
    updateModelContext: { text: {}, structuredContent: {} },
    sandbox: { csp, permissions },
  };
}

function context(tool) {
  return {
    theme: state.theme,
    displayMode: "inline",
    availableDisplayModes: ["inline"],
    containerDimensions: { width: 800, maxHeight: 900 },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "yardstick-bridge-host",
    platform: "web",
    toolInfo: { tool },
  };
}

/** The document of a tool, and what it declares. */
async function read(client, uri) {
  const { contents } = await client.readResource({ uri });
  const content = contents.find((one) => one.mimeType === APP_TYPE);
  if (!content) throw new Error(`${uri} is not an app`);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const html = content.text ?? new TextDecoder().decode(bytes(content.blob));
  return { html, ...content._meta?.ui };
}

function makeFrame({ csp, permissions }, buildAllow) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.allow = buildAllow(permissions);
  frame.style.cssText = "width: 800px; height: 300px; border: 0";
  frame.src = `${document.body.dataset.sandbox}?csp=${encodeURIComponent(JSON.stringify(csp ?? {}))}`;
  return frame;
}

const NAMES = { camera: "camera", microphone: "microphone", geolocation: "geolocation", clipboardWrite: "clipboard-write" };
const buildAllow = (permissions = {}) =>
  Object.keys(permissions).map((name) => NAMES[name]).filter(Boolean).map((name) => `${name} *`).join("; ");

function listen(bridge) {
  bridge.onopenlink = async ({ url }) => {
    if (!/^https?:/i.test(url)) return { isError: true };
    // A browser opens no window unless a person has just clicked; the View learns it.
    return window.open(url, "_blank") ? {} : { isError: true };
  };
  bridge.onmessage = async ({ role, content }) => {
    const text = [content].flat().map((block) => block.text ?? "").join("");
    state.conversation.push({ role, text });
    return {};
  };
  bridge.onupdatemodelcontext = async (given) => {
    state.context = given;
    return {};
  };
  bridge.onloggingmessage = () => {};
  bridge.onsizechange = ({ height }) => {
    if (Number.isFinite(height)) state.frame.style.height = `${Math.max(0, Math.min(900, height))}px`;
  };
}

async function show({ AppBridge, PostMessageTransport, version }, client, name, args) {
  const tool = state.tools.find((one) => one.name === name);
  const view = await read(client, tool._meta.ui.resourceUri);
  const bridge = new AppBridge(client, { name: "bridge-host", version }, capabilities(view), { hostContext: context(tool) });
  listen(bridge);
  const initialized = new Promise((resolve) => (bridge.oninitialized = resolve));
  bridge.onsandboxready = () =>
    bridge.sendSandboxResourceReady({ html: view.html, sandbox: "allow-scripts allow-forms", permissions: view.permissions });
  const frame = makeFrame(view, buildAllow);
  Object.assign(state, { bridge, frame });
  document.body.append(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  state.controller = new AbortController();
  try {
    await bridge.sendToolResult(await client.callTool({ name, arguments: args }, ...[].concat(callOptions(version))));
  } catch (error) {
    await bridge.sendToolCancelled({ reason: String(error?.message ?? error) });
  }
}

/** Version 1 of the client takes a schema before the options. */
const callOptions = (version) => {
  const options = { signal: state.controller.signal };
  return version.startsWith("1.") ? [undefined, options] : [options];
};

globalThis.yardstickDriver = {
  cancel: () => state.controller.abort(new Error("cancelled by the user")),
  async close() {
    await state.bridge.teardownResource({});
    state.frame.remove();
  },
  async switchTheme() {
    state.theme = state.theme === "light" ? "dark" : "light";
    const { tool } = state.shown;
    state.bridge.setHostContext(context(tool));
  },
  // Nobody is asked, so there is nothing to allow.
  conversation: () => state.conversation,
  modelContext: () => JSON.stringify(state.context),
  modelTools: () => state.tools.filter((one) => one._meta?.ui?.visibility?.includes("model") ?? true).map((one) => one.name),
};

export async function start(sdk) {
  const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [APP_TYPE] } };
  const client = new sdk.Client({ name: "bridge-host", version: sdk.version }, { capabilities: { extensions } });
  const url = new URL(`/mcp?to=${encodeURIComponent(query.get("server"))}`, location.href);
  await client.connect(new sdk.StreamableHTTPClientTransport(url));
  state.tools = (await client.listTools()).tools;
  state.shown = { tool: state.tools.find((one) => one.name === query.get("tool")) };
  await show(sdk, client, query.get("tool"), JSON.parse(query.get("arguments") ?? "{}"));
}
