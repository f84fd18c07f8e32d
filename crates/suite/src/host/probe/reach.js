// Ways out of a View, and what it can see of its surroundings. Used by several scenes.

/* global probe, facts, attempt */

function loadImage(src) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(`${image.naturalWidth}x${image.naturalHeight}`);
    image.onerror = () => reject(new Error("not loaded"));
    image.src = src;
  });
}

function loadElement(name, attributes) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.onload = () => resolve("loaded");
    element.onerror = () => reject(new Error("not loaded"));
    (name === "iframe" || name === "object" ? document.body : document.head).append(element);
  });
}

/** Tries every way to `origin`; the witness there knows which of them came. */
async function reachAll(origin, name) {
  const url = (way) => `${origin}/${probe.scene}/${name}/${way}`;
  await Promise.all([
    attempt(`${name}Fetch`, async () => (await fetch(url("fetch"))).status, 1500),
    attempt(`${name}Image`, () => loadImage(url("image.gif")), 1500),
    attempt(`${name}Script`, () => loadElement("script", { src: url("script.js") }), 1500),
    attempt(`${name}Style`, () => loadElement("link", { rel: "stylesheet", href: url("style.css") }), 1500),
    attempt(`${name}Frame`, () => loadElement("iframe", { src: url("frame") }), 1500),
    attempt(`${name}Object`, () => loadElement("object", { data: url("object"), type: "text/html" }), 1500),
    attempt(`${name}Socket`, () => new Promise((resolve, reject) => {
      const socket = new WebSocket(url("socket").replace("http", "ws"));
      socket.onopen = () => resolve("open");
      socket.onerror = () => reject(new Error("not opened"));
    }), 1500),
    attempt(`${name}Beacon`, () => navigator.sendBeacon(url("beacon"), "a"), 1500),
  ]);
}

/** Where the View is. */
async function surroundings() {
  facts.origin = globalThis.origin;
  facts.isTop = parent === globalThis;
  facts.isNested = parent !== top;
  await attempt("parentAddress", () => parent.location.href);
  await attempt("topAddress", () => top.location.href);
  await attempt("parentDocument", () => parent.document.title);
  await attempt("frameElement", () => String(globalThis.frameElement?.outerHTML ?? null));
  await attempt("siblings", () => {
    const found = [];
    for (let at = 0; at < top.length && at < 20; at++) {
      try {
        found.push(String(top[at].document.title));
      } catch { /* as it should be */ }
    }
    return found;
  });
  const policy = document.featurePolicy ?? document.permissionsPolicy;
  facts.allows = policy
    ? Object.fromEntries(
        ["camera", "microphone", "geolocation", "clipboard-write", "display-capture", "usb"].map((name) => [
          name, policy.allowsFeature(name),
        ]),
      )
    : null;
}
