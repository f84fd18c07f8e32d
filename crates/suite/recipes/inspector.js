// Knows the page of the MCP Inspector, for `yardstick check host --page … --script …`. Start it with
//   HOST=127.0.0.1 MCP_AUTO_OPEN_ENABLED=false MCP_INSPECTOR_API_TOKEN=probe npx @modelcontextprotocol/inspector --web
// and measure it with the template
//   http://127.0.0.1:6274/?serverUrl={server}&transport=http&autoConnect=probe&openApp={tool}&autoOpen=probe&arguments={arguments}

(() => {
  "use strict";

  // The page takes arguments in base64 with the letters of URLs, and reads each byte as a character.
  const url = new URL(location.href);
  const given = url.searchParams.get("arguments");
  if (given !== null) {
    const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const ascii = given.replace(/[^\0-\x7f]/g, escape);
    url.searchParams.delete("arguments");
    url.searchParams.set("appArgs", btoa(ascii).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""));
    history.replaceState(null, "", url);
  }

  /** The first button whose label or text matches. */
  const button = (pattern) =>
    [...document.querySelectorAll("button, [role=button]")].find((it) =>
      pattern.test((it.getAttribute("aria-label") ?? it.textContent).trim()),
    );
  const press = (pattern) => {
    const found = button(pattern);
    if (!found) throw new Error(`the page has no button like ${pattern}`);
    found.click();
  };

  globalThis.yardstickDriver = {
    close: () => press(/^close$/i),
    async switchTheme() {
      const scheme = () => document.documentElement.dataset.mantineColorScheme;
      const before = scheme();
      // The first press may only leave the scheme of the system for the same one.
      for (let times = 0; times < 3 && scheme() === before; times++) {
        press(/^toggle color scheme$/i);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    },
    conversation() {
      const shown = document.querySelector("[data-testid=apps-messages]")?.textContent ?? "";
      const messages = shown.matchAll(/\[\d+\] role: (user|assistant)(.*?)(?=\[\d+\] role: |$)/gs);
      return [...messages].map(([, role, text]) => ({ role, text }));
    },
  };
})();
