// Dragging with the pointer.

/** Reports how far the pointer moved, also over an iframe. @param {HTMLElement} element
 * @param {(x: number, y: number) => void} moved */
export function drag(element, moved) {
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
