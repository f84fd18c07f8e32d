// Evaluated in a View's document: presses every button once, one after the other, also those that appear meanwhile.

(async () => {
  "use strict";
  const MOST = 16;
  const BUTTONS = "button, [role=button], input[type=button]";
  const pressed = new Set();
  const isPressable = (node) =>
    !pressed.has(node) && !node.disabled && node.checkVisibility() && node.getBoundingClientRect().width > 0;
  for (let count = 0; count < MOST; count++) {
    const next = [...document.querySelectorAll(BUTTONS)].find(isPressable);
    if (!next) break;
    pressed.add(next);
    next.click();
    await new Promise((resolve) => setTimeout(resolve, 80));
  }
  return pressed.size;
})()
