// The page's state in one place. Each part of the page names the keys that it draws, and is called when one changes.

/** @import {HostState, Inquiry, Json, Line, Mode, Obj, Question, Server, Settings, Status, Tool, ToolResult, View,
 * Violation} from "./types.d.ts" */

/**
 * @typedef {object} PageState
 * @property {HostState | null} host
 * @property {Server[]} servers
 * @property {"connecting" | "open" | "lost"} connection to the host process
 * @property {{server: string, tool: string} | null} selected
 * @property {Obj} args
 * @property {string} argsError what is wrong with the JSON that the person typed
 * @property {Settings} settings
 * @property {Status} status
 * @property {import("./problem.js").Problem | null} problem
 * @property {boolean} running whether a call is open
 * @property {"" | "failed" | "cancelled"} outcome of the call, if it is not a success: the tool reports a failure, or
 *   the call was cancelled
 * @property {View | null} view
 * @property {{server: string, tool: string, profile: string, told: string} | null} shown the tool and the host profile
 *   of the View on the stage, and the settings that it started with
 * @property {Obj | null} appInfo
 * @property {Mode} mode the active mode
 * @property {Mode[]} modes the modes that the host supports
 * @property {Mode[]} declaredModes the modes that the app has declared
 * @property {boolean} hasAppTools
 * @property {Obj | null} modelContext
 * @property {{role: string, content: Json[], at: number}[]} messages
 * @property {Line[]} lines what the app and the servers wrote
 * @property {ToolResult | null} result of the last call
 * @property {{must: number, should: number}} found how many MUST and SHOULD findings the run on the stage has
 * @property {{tools: Tool[], error?: string}} appTools
 * @property {{name: string, result?: Json, error?: Json} | null} appToolResult
 * @property {Violation[]} violations
 * @property {{ticket: string, question: Question}[]} questions open questions of the app
 * @property {Inquiry[]} inquiries open questions of servers
 * @property {number} scale the scale of the app, below 1 if its full size does not fit
 * @property {boolean} stale whether the server was restarted since the tool ran
 */

/** What goes with the View: reset when a View opens. @typedef {Pick<PageState, "view" | "problem" | "outcome" |
 * "appInfo" | "hasAppTools" | "modelContext" | "messages" | "lines" | "result" | "found" | "appTools" |
 * "appToolResult" | "violations" | "questions" | "stale">} ViewState */

/** @typedef {ReturnType<typeof createStore>} Store */

/** Draws one part of the page. If that fails, the error is reported and the other parts are still drawn.
 * @param {(state: PageState) => void} draw @param {PageState} state */
function attempt(draw, state) {
  try {
    draw(state);
  } catch (error) {
    reportError(error);
  }
}

/** @param {PageState} initial */
export function createStore(initial) {
  let state = initial;
  /** @type {Set<{keys: (keyof PageState)[], draw: (state: PageState) => void}>} */
  const watchers = new Set();
  return {
    get: () => state,
    /** @param {Partial<PageState>} patch */
    set(patch) {
      const changed = /** @type {(keyof PageState)[]} */ (Object.keys(patch)).filter(
        (key) => !Object.is(state[key], patch[key]),
      );
      if (changed.length === 0) return;
      state = { ...state, ...patch };
      for (const { keys, draw } of [...watchers]) if (keys.some((key) => changed.includes(key))) attempt(draw, state);
    },
    /** Draws now, and again whenever one of the keys changes. @param {(keyof PageState)[]} keys
     * @param {(state: PageState) => void} draw */
    watch(keys, draw) {
      watchers.add({ keys, draw });
      attempt(draw, state);
    },
    /** @param {Partial<Settings>} patch */
    choose(patch) {
      this.set({ settings: { ...state.settings, ...patch } });
    },
  };
}

/** The state of a page without a View. @returns {ViewState} */
export const noView = () => ({
  view: null,
  problem: null,
  outcome: "",
  appInfo: null,
  hasAppTools: false,
  modelContext: null,
  messages: [],
  lines: [],
  result: null,
  found: { must: 0, should: 0 },
  appTools: { tools: [] },
  appToolResult: null,
  violations: [],
  questions: [],
  stale: false,
});

/** The initial state of a page. @param {Settings} settings @returns {PageState} */
export const blank = (settings) => ({
  ...noView(),
  host: null,
  servers: [],
  connection: "connecting",
  selected: null,
  args: {},
  argsError: "",
  settings,
  status: "idle",
  running: false,
  shown: null,
  mode: settings.mode,
  modes: ["inline", "fullscreen", "pip"],
  declaredModes: ["inline", "fullscreen", "pip"],
  inquiries: [],
  scale: 1,
});

/** The chosen tool with its server. @param {PageState} state */
export function selection(state) {
  const server = state.servers.find((one) => one.id === state.selected?.server);
  const tool = server?.tools.find((one) => one.name === state.selected?.tool);
  return server && tool ? { server, tool } : undefined;
}

/** The settings that a View learns only when it starts. @param {Settings} settings */
export const toldAtStart = (settings) => JSON.stringify([settings.profile, [...settings.off].sort()]);

/** The chosen profile. @param {PageState} state */
export const profileOf = (state) => named(state, state.settings.profile);

/** The profile of the current run; a newly chosen one applies from the next run on. @param {PageState} state */
export const playedProfile = (state) => named(state, state.shown?.profile ?? state.settings.profile);

/** @param {PageState} state @param {string} name */
const named = (state, name) => state.host?.profiles.find((one) => one.name === name) ?? state.host?.profiles[0];

/** Whether the chosen tool is not the one on the stage. @param {PageState} state */
export const isOther = ({ selected, shown }) =>
  Boolean(selected && shown && (selected.server !== shown.server || selected.tool !== shown.tool));
