// Where the person types. An app can move the focus to itself or to this page, and a server can withdraw a form, while
// the person types. What they type must then neither reach the app nor become shortcuts.

/** A person does not press a key and click into the app within this time. */
const TYPED_JUST_NOW_MS = 400;

/**
 * Watches the focus. Returns whether it was taken away since the person last clicked or moved it.
 */
export function watchFocus() {
  let taken = false;
  /** @type {Element | null} */
  let typing = null;
  window.addEventListener("blur", () => (taken ||= document.activeElement instanceof HTMLIFrameElement));
  document.addEventListener("pointerdown", () => ((taken = false), (typing = null)), true);
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLIFrameElement)) taken = false;
    typing = target instanceof Element && isTyping(target) ? target : null;
  });
  return () => taken || typing?.isConnected === false;
}

/** An app that takes the focus this often within this time is put away. */
const MAX_THEFTS = 3;
const THEFTS_MS = 2000;

/**
 * Gives the focus back when an app takes it while the person types into this page. An app that takes it again and again
 * is hidden until the person clicks where it was, because an app that is not shown cannot have the focus.
 * @param {() => void} tell the app is hidden
 */
export function guardTyping(tell) {
  /** @type {HTMLElement | null} */
  let typing = null;
  let key = { name: "", at: -Infinity };
  /** @type {number[]} */
  let thefts = [];
  document.addEventListener("keydown", (event) => void (key = { name: event.key, at: performance.now() }), true);
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target instanceof HTMLIFrameElement) return;
    typing = isTyping(target) ? target : null;
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Element) target.querySelector(":scope > iframe.held")?.classList.remove("held");
  });
  window.addEventListener("blur", () => {
    const frame = document.activeElement;
    const field = typing;
    if (!(frame instanceof HTMLIFrameElement) || !field?.isConnected) return;
    // The person moves the focus with Tab, or with a click where the pointer is.
    const now = performance.now();
    const byPointer = frame.matches(":hover") && now - key.at > TYPED_JUST_NOW_MS;
    if (key.name === "Tab" || byPointer) return void (typing = null);
    thefts = [...thefts.filter((at) => now - at < THEFTS_MS), now];
    if (thefts.length >= MAX_THEFTS && !frame.classList.contains("held")) {
      frame.classList.add("held");
      tell();
    }
    // While the focus moves it cannot be moved back.
    setTimeout(() => {
      window.focus();
      field.blur();
      field.focus();
    });
  });
}

/** @param {EventTarget | null} target */
export function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) &&
        !(target instanceof HTMLInputElement && target.type === "checkbox")))
  );
}
