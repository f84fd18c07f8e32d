// Runs in the page of the test host before its own scripts. It keeps calls of tools that must not be called from the
// server, remembers what the page learned about the View, and lets a row of the matrix change what the host does.
// `SETTINGS` and `ROW` are put in as JSON and as an object of functions.

(() => {
  "use strict";
  if (window !== top) return;

  /** @type {{called: boolean, allowed: string[]}} */
  const settings = SETTINGS;
  /** What a row changes: `step` and `send` stand around the page's functions of that name. */
  const row = ROW;
  const driver = (globalThis.yardstickDriver = {
    /** The View as the host describes it. */
    view: null,
    /** Why the View could not be opened. */
    refused: null,
    /** The tools that the View wanted to call, and was not allowed to. */
    denied: [],
    initialized: false,
    /** Whether the View has the result of the call, or knows that there will be none. */
    ended: false,
    messages: 0,
    post: null,
    /** Posts a message to the View's window from a window that is not its parent. */
    intrude(message) {
      document.querySelector(".app-slot iframe").contentWindow[0].postMessage(message, "*");
    },
  });

  const fetchOwn = globalThis.fetch.bind(globalThis);
  const answer = (body) => new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  const refusal = (message) => answer({ error: { code: -32000, message } });
  globalThis.fetch = async (input, init = {}) => {
    const path = new URL(String(input), location.href).pathname;
    const body = () => JSON.parse(String(init.body ?? "null"));
    if (path === "/api/tools/call" && !settings.called) return refusal("the call was cancelled by the user");
    if (/^\/api\/views\/[^/]+\/request$/.test(path)) {
      const { method, params } = body();
      if (method === "tools/call" && !settings.allowed.includes(params?.name)) {
        driver.denied.push(String(params?.name));
        return refusal(`the user does not allow the call of ${params?.name}`);
      }
    }
    const response = await fetchOwn(input, init);
    if (path === "/api/views" && init.method === "POST") {
      const told = await response.clone().json().catch(() => null);
      if (response.ok) driver.view = { ...told, html: undefined };
      else driver.refused = told?.error?.message ?? `HTTP ${response.status}`;
    }
    return response;
  };

  const END = ["ui/notifications/tool-result", "ui/notifications/tool-cancelled"];
  globalThis.yardstickHost = {
    step: (own) => {
      const step = row.step?.(own) ?? own;
      return (state, event) => {
        if (event.type === "from-view") {
          driver.messages++;
          if (event.message?.method === "ui/notifications/initialized") driver.initialized = true;
        }
        return step(state, event);
      };
    },
    send: (own) => {
      const post = (message) => {
        driver.messages++;
        if (END.includes(message?.method)) driver.ended = true;
        own(message);
      };
      driver.post = post;
      return row.send?.(post) ?? post;
    },
  };
})();
