// Knows the page of sunpeak's inspector, for `yardstick check host --page … --script …`. It needs some server to start with:
//   npx sunpeak inspect --server 'yardstick serve' --port 6500
// and measure it with the template
//   http://127.0.0.1:6500/#{server}

(() => {
  "use strict";

  const LIMIT_MS = 18_000;
  const find = (selector) => document.querySelector(selector);

  /** What `look` finds, once it finds something. */
  async function wait(name, look) {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const found = look();
      if (found) return found;
      if (performance.now() > end) throw new Error(`the page has no ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Enters a value as a person would, and leaves the field. React hears only of changes that it has not made itself. */
  function enter(field, value) {
    field.focus();
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, value);
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    field.blur();
  }

  const button = (text) => [...document.querySelectorAll("button")].find((it) => it.textContent.trim() === text);

  globalThis.yardstickDriver = {
    async show(tool, args) {
      const server = decodeURIComponent(location.hash.slice(1));
      enter(await wait("field for the server", () => find("[data-testid=server-url] input")), server);
      const select = () => find("[data-testid=tool-selector] select");
      await wait(`tool ${tool}`, () => [...(select()?.options ?? [])].some((it) => it.value === tool));
      enter(select(), tool);
      await wait(`tool ${tool} that is chosen`, () => select().value === tool);
      const input = () => find("textarea[data-testid=tool-input-textarea], [data-testid=tool-input-textarea] textarea");
      enter(await wait("field for arguments", input), JSON.stringify(args));
      (await wait("button Run", () => button("Run"))).click();
    },
    switchTheme() {
      const isDark = document.documentElement.style.colorScheme === "dark";
      const other = button(isDark ? "Light" : "Dark");
      if (!other) throw new Error("the page has no choice of theme");
      other.click();
    },
    modelContext: () => find("textarea[data-testid=app-context-textarea], [data-testid=app-context-textarea] textarea")?.value,
  };
})();
