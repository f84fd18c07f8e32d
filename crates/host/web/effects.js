// Carries out the bridge's effects that the person sees or the browser performs.

/** @import {Effect, Line} from "./types.d.ts" */
/** @import {Stage} from "./stage.js" */
/** @import {Store} from "./store.js" */

/**
 * The effects that this module handles.
 * @typedef {Extract<Effect, {type: "ask-person" | "withdraw" | "download" | "resize" | "mode" | "model-context" |
 *   "chat-message" | "log" | "app" | "app-tools" | "app-tool-result" | "pong"}>} Shown
 */

/** @param {Shown} effect @param {{store: Store, stage: Stage, write: (line: Omit<Line, "at">) => void}} page */
export function show(effect, { store, stage, write }) {
  const state = store.get();
  switch (effect.type) {
    case "ask-person":
      return store.set({ questions: [...state.questions, { ticket: effect.ticket, question: effect.question }] });
    case "withdraw":
      return store.set({ questions: state.questions.filter((one) => one.ticket !== effect.ticket) });
    case "download":
      return effect.files.forEach((file) => stage.save(file));
    case "resize":
      return stage.resize(effect);
    case "mode":
      return store.set({ mode: effect.mode });
    case "model-context":
      return store.set({ modelContext: effect.context });
    case "chat-message":
      return store.set({
        messages: [...state.messages.slice(-199), { role: effect.role, content: effect.content, at: Date.now() }],
      });
    case "log":
      return write({
        from: "log",
        level: effect.level,
        logger: effect.logger,
        text: typeof effect.data === "string" ? effect.data : (JSON.stringify(effect.data) ?? ""),
      });
    case "app":
      return store.set({ appInfo: effect.info, declaredModes: effect.modes, hasAppTools: effect.tools });
    case "app-tools":
      return store.set({ appTools: { tools: effect.tools, error: effect.error } });
    case "app-tool-result":
      return store.set({ appToolResult: effect });
    case "pong":
      return store.set({
        appToolResult: {
          name: "ping",
          ...(effect.ok ? { result: {} } : { error: { message: "the app did not respond" } }),
        },
      });
  }
}

/** Opens a link in a tab that cannot reach this page. Returns whether it opened. @param {string} url */
export function openLink(url) {
  const tab = window.open("", "_blank");
  if (!tab) return false;
  tab.opener = null;
  tab.location.replace(url);
  return true;
}
