// The stage: the box that the app is shown in, its size and its mode. The iframe never moves in the document
// (that would reload it); inline, fullscreen and pip are the same box, placed differently.

import { DEVICES, NARROW, containers } from "./context.js";
import { eachFrame, fill, h } from "./dom.js";
import { SIDE } from "./link.js";
import { playedProfile } from "./store.js";

/** @import {Mode, SavedFile} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

/** The height of an app that has not said how high it is. */
const UNTOLD = 320;
/** The bar over a fullscreen or floating app. */
const BAR = 36;
/** Between a floating app and the edge that it floats at. */
const GAP = 12;

/** @typedef {ReturnType<typeof createStage>} Stage */

/** Takes over the stage that the page came with, where an app may be already. @param {Store} store @param {{mode: (mode: Mode) => void, room: () => void, drawer: () => void}} to */
export function createStage(store, to) {
  const [element, box, slot] = [".stage", ".app-box", ".app-slot"].map((part) => /** @type {HTMLElement} */ (document.querySelector(part)));
  const back = h("button", { type: "button", class: "small", onclick: () => to.mode("inline") }, "Back to inline ", h("kbd", {}, "Esc"));
  const name = h("span", { class: "bar-name" });
  const drawer = h("button", { type: "button", class: "small drawer", aria: { pressed: "false" }, onclick: () => to.drawer() }, "Timeline");
  const bar = h("div", { class: "app-bar" }, name, drawer, back);
  const handle = h("div", {
    class: "app-handle", role: "slider", tabindex: "0", title: "Drag, or use the arrow keys",
    aria: { label: "Size of the app", valuetext: "" },
  });
  box.prepend(bar);
  box.append(handle);
  const away = h("p", { class: "stage-away", hidden: true }, "The app floats over the page. Press Esc or Back to inline to bring it back.");
  element.prepend(away);
  /** @type {{width?: number, height?: number}} */
  let told = {};
  /** Whether the person has moved the floating box. */
  let moved = false;

  const room = () => ({
    stage: { width: Math.max(0, Math.floor(element.clientWidth - 2 * padding())) },
    window: { width: window.innerWidth, height: window.innerHeight - BAR - drawerHeight() },
  });
  /** An app that is wider than its place is drawn smaller; one that the person drags has the size that they give it. @param {number | undefined} width */
  const scaleOf = (width) => {
    const { mode, settings } = store.get();
    const place = room().stage.width;
    return mode === "inline" && settings.size in DEVICES && width !== undefined && width > place && place > 0 ? place / width : 1;
  };
  /** What the drawer takes of a fullscreen app. */
  const drawerHeight = () => (document.querySelector("main")?.dataset.drawer === "open" ? /** @type {HTMLElement} */ (document.querySelector(".side")).offsetHeight : 0);
  const padding = () => parseFloat(getComputedStyle(element).paddingLeft) || 0;
  const all = () => containers(store.get().settings, room(), playedProfile(store.get()));

  const layout = () => {
    const { mode, settings, view } = store.get();
    const shape = all()[mode];
    const scale = scaleOf(shape.width);
    box.dataset.mode = mode;
    box.dataset.size = settings.size;
    box.dataset.border = String(view?.border ?? true);
    box.setAttribute("role", mode === "fullscreen" ? "dialog" : "group");
    box.setAttribute("aria-label", mode === "fullscreen" ? "App in fullscreen" : "App");
    away.hidden = mode !== "pip" || view === null;
    handle.hidden = mode !== "inline" || settings.size !== "free";
    handle.setAttribute("aria-valuetext", `${slot.clientWidth} by ${slot.clientHeight} pixels`);
    slot.style.setProperty("--scale", String(scale));
    slot.style.width = axis(shape.width, told.width, shape.maxWidth, "100%", scale);
    slot.style.height = axis(shape.height, told.height, shape.maxHeight, `${Math.min(UNTOLD, shape.maxHeight ?? UNTOLD)}px`, scale);
    slot.style.maxWidth = mode === "inline" && settings.size !== "fit" ? "none" : "100%";
    store.set({ scale });
    if (mode !== "pip") (box.style.inset = "", moved = false);
    else if (moved) movePip(box, 0, 0);
    else box.style.inset = `auto ${corner(element)}px ${GAP}px auto`;
  };

  store.watch(["mode", "settings", "view", "appInfo", "shown"], (state) => {
    name.textContent = String(state.appInfo?.title ?? state.appInfo?.name ?? state.shown?.tool ?? "App");
    box.hidden = state.view === null && slot.childElementCount === 0;
    layout();
  });
  // An app may tell its size a thousand times a second; only the last one in a frame is seen.
  const soon = eachFrame(layout);
  const changed = eachFrame(() => {
    layout();
    to.room();
  });
  new ResizeObserver(changed).observe(element);
  window.addEventListener("resize", changed);
  drag(bar, (x, y) => {
    if (store.get().mode !== "pip") return;
    moved = true;
    movePip(box, x, y);
  });
  drag(handle, (x, y) => grow(store, slot, x, y));
  handle.addEventListener("keydown", (event) => arrow(event, (x, y) => grow(store, slot, x, y)));

  return {
    containers: all,
    /** The place for the iframe of a new View. */
    slot() {
      told = {};
      fill(slot);
      return slot;
    },
    /** @param {{width?: number, height?: number}} size */
    resize(size) {
      told = { ...told, ...size };
      soon();
    },
    save,
    /** The room has changed in a way that nobody else tells. */
    changed,
  };
}

/** @param {number | undefined} fixed @param {number | undefined} told @param {number | undefined} most @param {string} otherwise @param {number} scale */
function axis(fixed, told, most, otherwise, scale) {
  const side = fixed ?? (told === undefined ? undefined : Math.min(told, most ?? told));
  return side === undefined ? otherwise : `${Math.round(side * scale)}px`;
}

/** @param {Store} store @param {HTMLElement} slot @param {number} x @param {number} y */
function grow(store, slot, x, y) {
  const { width, height } = slot.getBoundingClientRect();
  const hold = (/** @type {number} */ value) => Math.round(Math.min(Math.max(value, SIDE.least), SIDE.most));
  store.choose({ free: { width: hold(width + x), height: hold(height + y) } });
}

/** How far from the right a floating app stands: in its own column, where it covers nothing, or in the only one. @param {HTMLElement} stage */
const corner = (stage) => (window.innerWidth > NARROW ? window.innerWidth - stage.getBoundingClientRect().right : 0) + GAP;

/** @param {HTMLElement} box @param {number} x @param {number} y */
function movePip(box, x, y) {
  const rect = box.getBoundingClientRect();
  const left = Math.min(Math.max(rect.left + x, 0), window.innerWidth - rect.width);
  const top = Math.min(Math.max(rect.top + y, 0), window.innerHeight - rect.height);
  box.style.inset = `${top}px auto auto ${left}px`;
}

/** Tells how far the pointer went, also over an iframe. @param {HTMLElement} element @param {(x: number, y: number) => void} moved */
function drag(element, moved) {
  element.addEventListener("pointerdown", (event) => {
    if (event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    document.body.classList.add("dragging");
    let { clientX: x, clientY: y } = event;
    const move = (/** @type {PointerEvent} */ now) => {
      moved(now.clientX - x, now.clientY - y);
      [x, y] = [now.clientX, now.clientY];
    };
    element.addEventListener("pointermove", move);
    const end = () => {
      element.removeEventListener("pointermove", move);
      document.body.classList.remove("dragging");
    };
    element.addEventListener("pointerup", end, { once: true });
    element.addEventListener("pointercancel", end, { once: true });
  });
}

/** @param {KeyboardEvent} event @param {(x: number, y: number) => void} moved */
function arrow(event, moved) {
  const far = event.shiftKey ? 50 : 10;
  const ways = /** @type {Record<string, [number, number]>} */ ({ ArrowRight: [far, 0], ArrowLeft: [-far, 0], ArrowDown: [0, far], ArrowUp: [0, -far] });
  const way = ways[event.key];
  if (!way) return;
  event.preventDefault();
  moved(...way);
}

/** Saves a file that the person agreed to. @param {SavedFile} file */
function save(file) {
  const link = h("a", { rel: "noopener noreferrer", download: file.name });
  if (file.url) {
    link.href = file.url;
    link.target = "_blank";
    return link.click();
  }
  const bytes = file.blob === undefined ? file.text ?? "" : Uint8Array.from(atob(file.blob), (char) => char.charCodeAt(0));
  // A type that the browser would show as a page of this origin is not passed on.
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.href = url;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
