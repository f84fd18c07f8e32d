// The three columns of the page: tools, app, inspection. Each side can be made wider, folded away, and the inspection can stand
// below the app instead of beside it. What the person chose is kept.

import { h } from "./dom.js";
import { keepLayout, lastLayout } from "./memory.js";

/** @typedef {{left: number, right: number, below: number, dock: "right" | "below", folded: string[]}} Layout */
/** @typedef {ReturnType<typeof createLayout>} PageLayout */

/** How far each part can be dragged, in pixels. @type {Record<"left" | "right" | "below", [number, number]>} */
const LIMITS = { left: [170, 480], right: [280, 900], below: [120, 700] };
/** @type {Layout} */
const USUAL = { left: 232, right: 400, below: 260, dock: "right", folded: [] };

/** @param {HTMLElement} main */
export function createLayout(main) {
  /** @type {Layout} */
  let layout = { ...USUAL, ...lastLayout() };
  const left = divider("left", "Width of the list of tools");
  const right = divider("right", "Width of the inspection");
  const tools = toggle("Tools", "left");
  const inspection = toggle("Inspection", "side");
  const dock = h("button", { type: "button", class: "small dock", onclick: () => change({ dock: layout.dock === "right" ? "below" : "right" }) });
  main.querySelector(".setup")?.after(left);
  main.querySelector(".middle")?.after(right);

  /** @param {Partial<Layout>} patch */
  function change(patch) {
    layout = { ...layout, ...patch };
    keepLayout(layout);
    draw();
  }

  function draw() {
    for (const part of /** @type {const} */ (["left", "right", "below"])) main.style.setProperty(`--${part}`, `${layout[part]}px`);
    main.dataset.dock = layout.dock;
    main.dataset.folded = layout.folded.join(" ");
    tools.setAttribute("aria-pressed", String(!layout.folded.includes("left")));
    inspection.setAttribute("aria-pressed", String(!layout.folded.includes("side")));
    dock.textContent = layout.dock === "right" ? "Dock below" : "Dock right";
    const part = layout.dock === "right" ? "right" : "below";
    left.setAttribute("aria-valuenow", String(layout.left));
    right.setAttribute("aria-valuenow", String(layout[part]));
    right.setAttribute("aria-orientation", part === "right" ? "vertical" : "horizontal");
  }

  /** @param {string} label @param {string} part */
  function toggle(label, part) {
    const flip = () => change({ folded: layout.folded.includes(part) ? layout.folded.filter((one) => one !== part) : [...layout.folded, part] });
    return h("button", { type: "button", class: "small fold", title: `Show or hide: ${label.toLowerCase()}`, onclick: flip }, label);
  }

  /** @param {"left" | "right"} side @param {string} label */
  function divider(side, label) {
    const element = h("div", {
      class: `divider ${side}`, role: "separator", tabindex: "0", title: "Drag, or use the arrow keys",
      aria: { label, orientation: "vertical", valuemin: LIMITS[side][0], valuemax: LIMITS[side][1] },
    });
    const grow = (/** @type {number} */ by) => {
      const part = side === "left" ? "left" : layout.dock === "right" ? "right" : "below";
      const [least, most] = LIMITS[part];
      change({ [part]: Math.min(Math.max(layout[part] + by, least), most) });
    };
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      document.body.classList.add("dragging");
      const move = (/** @type {PointerEvent} */ now) => grow(side === "left" ? now.movementX : layout.dock === "right" ? -now.movementX : -now.movementY);
      element.addEventListener("pointermove", move);
      const end = () => {
        element.removeEventListener("pointermove", move);
        document.body.classList.remove("dragging");
      };
      element.addEventListener("pointerup", end, { once: true });
      element.addEventListener("pointercancel", end, { once: true });
    });
    element.addEventListener("keydown", (event) => {
      const step = /** @type {Record<string, number>} */ ({ ArrowLeft: -20, ArrowRight: 20, ArrowDown: -20, ArrowUp: 20 })[event.key];
      if (step === undefined) return;
      event.preventDefault();
      grow(side === "left" ? step : event.key === "ArrowUp" || event.key === "ArrowDown" ? step : -step);
    });
    return element;
  }

  draw();
  return {
    /** The controls that stand in the header. */
    controls: [tools, inspection, dock],
    /** Shows the inspection, if it is folded away. */
    showInspection: () => change({ folded: layout.folded.filter((one) => one !== "side") }),
  };
}
