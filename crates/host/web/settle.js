// A card that has just appeared or moved ignores the person for a moment, because a click or a key was meant for what
// was there before.

/** How long a card ignores the person. */
const SETTLE_MS = 700;

/** The timers of the cards that ignore the person. @type {WeakMap<HTMLElement, ReturnType<typeof setTimeout>>} */
const timers = new WeakMap();
/** @type {WeakSet<HTMLElement>} */
const watched = new WeakSet();

/** Disables a card briefly, so that it can be read before it is answered. A card in which the person types keeps the
 * keyboard and ignores only the pointer. @param {HTMLElement} card */
export function settle(card) {
  const isUsed = card.contains(document.activeElement);
  setInert(card, !isUsed);
  card.classList.add("settling");
  clearTimeout(timers.get(card));
  timers.set(card, setTimeout(() => end(card), SETTLE_MS));
  if (watched.has(card)) return;
  watched.add(card);
  // Somebody who clicks again and again has not read it yet. The card itself takes the clicks, not what it covers.
  card.addEventListener("pointerdown", () => timers.has(card) && settle(card));
}

/** @param {HTMLElement} card */
function end(card) {
  setInert(card, false);
  card.classList.remove("settling");
  timers.delete(card);
}

/** @param {HTMLElement} card @param {boolean} inert */
function setInert(card, inert) {
  for (const part of card.children) part.toggleAttribute("inert", inert);
}
