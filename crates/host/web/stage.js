// The stage: the box of the app, with its size and mode. The iframe never moves in the document, because that would
// reload it; inline, fullscreen and pip are the same box in different places.

import { DEVICES, NARROW_WINDOW, containers } from "./context.js";
import { eachFrame, fill, h } from "./dom.js";
import { drag } from "./drag.js";
import { FREE_SIDE_LIMITS } from "./link.js";
import { playedProfile } from "./store.js";

/** @import {Mode, SavedFile} from "./types.d.ts" */
/** @import {Store} from "./store.js" */

/** The height of an app that has not reported its size. */
const DEFAULT_HEIGHT = 320;
/** The height of the bar above a fullscreen or floating app. */
const BAR_HEIGHT = 36;
/** The distance between a floating app and the window's edge. */
const PIP_GAP = 12;

/** @typedef {ReturnType<typeof createStage>} Stage */

/**
 * Takes over the stage of the served page, which may already have an app.
 * @param {Store} store @param {{mode: (mode: Mode) => void, room: () => void, drawer: () => void}} to
 */
export function createStage(store, to) {
  const [element, box, slot] = [".stage", ".app-box", ".app-slot"].map(
    (part) => /** @type {HTMLElement} */ (document.querySelector(part)),
  );
  const back = h(
    "button",
    { type: "button", class: "small", onclick: () => to.mode("inline") },
    "Back to inline ",
    h("kbd", {}, "Esc"),
  );
  const name = h("span", { class: "bar-name" });
  const drawer = h(
    "button",
    { type: "button", class: "small drawer", aria: { pressed: "false" }, onclick: () => to.drawer() },
    "Timeline",
  );
  const bar = h("div", { class: "app-bar" }, name, drawer, back);
  const handle = h("div", {
    class: "app-handle", role: "slider", tabindex: "0", title: "Drag, or use the arrow keys",
    aria: { label: "Size of the app", valuetext: "" },
  });
  box.prepend(bar);
  box.append(handle);
  const away = h(
    "p",
    { class: "stage-away", hidden: true },
    "The app floats above the page. Press Esc or Back to inline to put it back here.",
  );
  element.prepend(away);
  /** @type {{width?: number, height?: number}} */
  let told = {};
  /** Whether the person has moved the floating box. */
  let moved = false;

  const room = () => ({
    stage: { width: Math.max(0, Math.floor(element.clientWidth - 2 * padding())) },
    window: { width: window.innerWidth, height: window.innerHeight - BAR_HEIGHT - drawerHeight() },
  });
  /** An app that is wider than the stage is scaled down, unless the person drags it.
   * @param {number | undefined} width */
  const scaleOf = (width) => {
    const { mode, settings } = store.get();
    const place = room().stage.width;
    return mode === "inline" && settings.size in DEVICES && width !== undefined && width > place && place > 0
      ? place / width
      : 1;
  };
  /** The height that the drawer takes from a fullscreen app. */
  const drawerHeight = () =>
    document.querySelector("main")?.dataset.drawer === "open"
      ? /** @type {HTMLElement} */ (document.querySelector(".side")).offsetHeight
      : 0;
  const padding = () => parseFloat(getComputedStyle(element).paddingLeft) || 0;
  const all = () => containers(store.get().settings, room(), playedProfile(store.get()));

  const layout = () => {
    const { settings, view } = store.get();
    // A frame that is still loading covers nothing.
    const mode = view ? store.get().mode : "inline";
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
    slot.style.height = axis(
      shape.height,
      told.height,
      shape.maxHeight,
      `${Math.min(DEFAULT_HEIGHT, shape.maxHeight ?? DEFAULT_HEIGHT)}px`,
      scale,
    );
    slot.style.maxWidth = mode === "inline" && settings.size !== "fit" ? "none" : "100%";
    store.set({ scale });
    if (mode !== "pip") (box.style.inset = "", moved = false);
    else if (moved) movePip(box, 0, 0);
    else box.style.inset = `auto ${corner(element)}px ${PIP_GAP}px auto`;
  };

  store.watch(["mode", "settings", "view", "appInfo", "shown"], (state) => {
    fill(name, state.appInfo?.title ?? state.appInfo?.name ?? state.shown?.tool ?? "App");
    box.hidden = state.view === null && slot.childElementCount === 0;
    layout();
  });
  // An app may report its size a thousand times a second; only the last one in a frame counts.
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
    /** The slot for the iframe of a new View. */
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
    /** Called when the room has changed for a reason that only the caller knows. */
    changed,
  };
}

/** @param {number | undefined} fixed @param {number | undefined} told @param {number | undefined} most
 * @param {string} otherwise @param {number} scale */
function axis(fixed, told, most, otherwise, scale) {
  const side = fixed ?? (told === undefined ? undefined : Math.min(told, most ?? told));
  return side === undefined ? otherwise : `${Math.round(side * scale)}px`;
}

/** @param {Store} store @param {HTMLElement} slot @param {number} x @param {number} y */
function grow(store, slot, x, y) {
  const { width, height } = slot.getBoundingClientRect();
  const hold = (/** @type {number} */ value) =>
    Math.round(Math.min(Math.max(value, FREE_SIDE_LIMITS.least), FREE_SIDE_LIMITS.most));
  store.choose({ free: { width: hold(width + x), height: hold(height + y) } });
}

/** The distance of a floating app from the right edge: in the middle column, where it covers nothing, or in the only
 * column. @param {HTMLElement} stage */
const corner = (stage) =>
  (window.innerWidth > NARROW_WINDOW ? window.innerWidth - stage.getBoundingClientRect().right : 0) + PIP_GAP;

/** @param {HTMLElement} box @param {number} x @param {number} y */
function movePip(box, x, y) {
  const rect = box.getBoundingClientRect();
  const left = Math.min(Math.max(rect.left + x, 0), window.innerWidth - rect.width);
  const top = Math.min(Math.max(rect.top + y, 0), window.innerHeight - rect.height);
  box.style.inset = `${top}px auto auto ${left}px`;
}

/** @param {KeyboardEvent} event @param {(x: number, y: number) => void} moved */
function arrow(event, moved) {
  const far = event.shiftKey ? 50 : 10;
  const ways = /** @type {Record<string, [number, number]>} */ ({
    ArrowRight: [far, 0],
    ArrowLeft: [-far, 0],
    ArrowDown: [0, far],
    ArrowUp: [0, -far],
  });
  const way = ways[event.key];
  if (!way) return;
  event.preventDefault();
  moved(...way);
}

/** Saves a file that the person allowed. @param {SavedFile} file */
function save(file) {
  const link = h("a", { rel: "noopener noreferrer", download: file.name });
  if (file.url) {
    link.href = file.url;
    link.target = "_blank";
    return link.click();
  }
  const bytes =
    file.blob === undefined ? (file.text ?? "") : Uint8Array.from(atob(file.blob), (char) => char.charCodeAt(0));
  // The file's own type is not used, because the browser might show the file as a page of this origin.
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  link.href = url;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
