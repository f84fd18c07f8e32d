// What the page knows, in one place. Parts of the page say which keys they draw and are called when one changes.

/** @import {HostState, Inquiry, Json, Line, Mode, Obj, Question, Server, Settings, Status, Tool, ToolResult, View, Violation} from "./types.d.ts" */

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
 * @property {{message: string, culprit?: string, repair?: string} | null} problem
 * @property {boolean} running a call is under way
 * @property {"" | "failed" | "cancelled"} outcome of the call, where it is not as wished: its result says that the tool failed, or nobody waited for it
 * @property {View | null} view
 * @property {{server: string, tool: string, profile: string, told: string} | null} shown what the View on the stage belongs to, the host that is played to it, and what it was told at its start
 * @property {Obj | null} appInfo
 * @property {Mode} mode the mode that is on
 * @property {Mode[]} modes the modes that the host has
 * @property {Mode[]} declaredModes those of them that the app has declared
 * @property {boolean} hasAppTools
 * @property {Obj | null} modelContext
 * @property {{role: string, content: Json[], at: number}[]} messages
 * @property {Line[]} lines what the app and the servers wrote
 * @property {ToolResult | null} result of the last call
 * @property {{must: number, should: number}} found how many rules the run on the stage has broken, and how much advice it has not followed
 * @property {{tools: Tool[], error?: string}} appTools
 * @property {{name: string, result?: Json, error?: Json} | null} appToolResult
 * @property {Violation[]} violations
 * @property {{ticket: string, question: Question}[]} questions what the app asks
 * @property {Inquiry[]} inquiries what servers ask
 * @property {number} scale how large the app is drawn, where its true size does not fit
 * @property {boolean} stale whether the server has started again since the tool was run
 */

/** @typedef {ReturnType<typeof createStore>} Store */

/** @param {PageState} initial */
export function createStore(initial) {
  let state = initial;
  /** @type {Set<{keys: (keyof PageState)[], draw: (state: PageState) => void}>} */
  const watchers = new Set();
  return {
    get: () => state,
    /** @param {Partial<PageState>} patch */
    set(patch) {
      const changed = /** @type {(keyof PageState)[]} */ (Object.keys(patch)).filter((key) => !Object.is(state[key], patch[key]));
      if (changed.length === 0) return;
      state = { ...state, ...patch };
      for (const { keys, draw } of [...watchers]) if (keys.some((key) => changed.includes(key))) draw(state);
    },
    /** Draws now, and again whenever one of the keys changes. @param {(keyof PageState)[]} keys @param {(state: PageState) => void} draw */
    watch(keys, draw) {
      watchers.add({ keys, draw });
      draw(state);
    },
    /** @param {Partial<Settings>} patch */
    choose(patch) {
      this.set({ settings: { ...state.settings, ...patch } });
    },
  };
}

/** The state of a page that has just been opened. @param {Settings} settings @returns {PageState} */
export const blank = (settings) => ({
  host: null, servers: [], connection: "connecting", selected: null, args: {}, argsError: "", settings, status: "idle", problem: null,
  running: false, outcome: "", view: null, shown: null, appInfo: null, mode: settings.mode, modes: ["inline", "fullscreen", "pip"], declaredModes: ["inline", "fullscreen", "pip"], hasAppTools: false, modelContext: null,
  messages: [], lines: [], result: null, found: { must: 0, should: 0 }, appTools: { tools: [] }, appToolResult: null, violations: [], questions: [], inquiries: [], scale: 1, stale: false,
});

/** The parts that belong to one View, as they are before it is opened. @returns {Partial<PageState>} */
export const noView = () => ({
  view: null, problem: null, outcome: "", appInfo: null, hasAppTools: false, modelContext: null, messages: [], lines: [], result: null, found: { must: 0, should: 0 }, appTools: { tools: [] },
  appToolResult: null, violations: [], questions: [], stale: false,
});

/** The tool that is chosen, with its server. @param {PageState} state */
export function selection(state) {
  const server = state.servers.find((one) => one.id === state.selected?.server);
  const tool = server?.tools.find((one) => one.name === state.selected?.tool);
  return server && tool ? { server, tool } : undefined;
}

/** What a View learns when it starts and never again. @param {Settings} settings */
export const toldAtStart = (settings) => JSON.stringify([settings.profile, [...settings.off].sort()]);

/** The profile that is chosen. @param {PageState} state */
export const profileOf = (state) => named(state, state.settings.profile);

/** The profile of the run that is shown: one that was chosen since counts from the next. @param {PageState} state */
export const playedProfile = (state) => named(state, state.shown?.profile ?? state.settings.profile);

/** @param {PageState} state @param {string} name */
const named = (state, name) => state.host?.profiles.find((one) => one.name === name) ?? state.host?.profiles[0];

/** Whether another tool is chosen than the one on the stage. @param {PageState} state */
export const isOther = ({ selected, shown }) => Boolean(selected && shown && (selected.server !== shown.server || selected.tool !== shown.tool));
