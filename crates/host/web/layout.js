// The page's three columns: tools, app, inspection. The person can resize and hide the side columns, and dock the
// inspection below the app. The browser remembers the layout.

import { h } from "./dom.js";
import { drag } from "./drag.js";
import { keepLayout, lastLayout } from "./memory.js";

/** @typedef {{left: number, right: number, below: number, dock: "right" | "below", folded: string[]}} Layout */
/** @typedef {ReturnType<typeof createLayout>} PageLayout */

/** The limits of each part's size, in pixels. @type {Record<"left" | "right" | "below", [number, number]>} */
const SIZE_LIMITS = { left: [170, 480], right: [280, 900], below: [120, 700] };
/** @type {Layout} */
const DEFAULT_LAYOUT = { left: 232, right: 400, below: 260, dock: "right", folded: [] };

/** @param {HTMLElement} main */
export function createLayout(main) {
  /** @type {Layout} */
  let layout = { ...DEFAULT_LAYOUT, ...lastLayout() };
  const left = divider("left", "Width of the list of tools");
  const right = divider("right", "Width of the inspection");
  const tools = toggle("Tools", "left");
  const inspection = toggle("Inspection", "side");
  const dock = h("button", {
    type: "button",
    class: "small dock",
    onclick: () => change({ dock: layout.dock === "right" ? "below" : "right" }),
  });
  main.querySelector(".setup")?.after(left);
  main.querySelector(".middle")?.after(right);

  /** @param {Partial<Layout>} patch */
  function change(patch) {
    layout = { ...layout, ...patch };
    keepLayout(layout);
    draw();
  }

  function draw() {
    for (const part of /** @type {const} */ (["left", "right", "below"]))
      main.style.setProperty(`--${part}`, `${layout[part]}px`);
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
    const flip = () =>
      change({
        folded: layout.folded.includes(part) ? layout.folded.filter((one) => one !== part) : [...layout.folded, part],
      });
    return h(
      "button",
      { type: "button", class: "small fold", title: `Show or hide: ${label.toLowerCase()}`, onclick: flip },
      label,
    );
  }

  /** @param {"left" | "right"} side @param {string} label */
  function divider(side, label) {
    const element = h("div", {
      class: `divider ${side}`, role: "separator", tabindex: "0", title: "Drag, or use the arrow keys",
      aria: { label, orientation: "vertical", valuemin: SIZE_LIMITS[side][0], valuemax: SIZE_LIMITS[side][1] },
    });
    const grow = (/** @type {number} */ by) => {
      const part = side === "left" ? "left" : layout.dock === "right" ? "right" : "below";
      const [least, most] = SIZE_LIMITS[part];
      change({ [part]: Math.min(Math.max(layout[part] + by, least), most) });
    };
    drag(element, (x, y) => grow(side === "left" ? x : layout.dock === "right" ? -x : -y));
    element.addEventListener("keydown", (event) => {
      const step = /** @type {Record<string, number>} */ ({
        ArrowLeft: -20,
        ArrowRight: 20,
        ArrowDown: -20,
        ArrowUp: 20,
      })[event.key];
      if (step === undefined) return;
      event.preventDefault();
      grow(side === "left" ? step : event.key === "ArrowUp" || event.key === "ArrowDown" ? step : -step);
    });
    return element;
  }

  draw();
  return {
    /** The buttons for the header. */
    controls: [tools, inspection, dock],
    /** Shows the inspection if it is hidden. */
    showInspection: () => change({ folded: layout.folded.filter((one) => one !== "side") }),
  };
}
