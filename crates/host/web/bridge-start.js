// Opens the bridge for a new View, with the host's capabilities and context as the person and the profile define them.

import { open } from "./bridge.js";
import { capabilities, hostInfo, policy, surroundings } from "./context.js";

/** @import {Container, Mode, Obj, Profile, Settings, Tool, View} from "./types.d.ts" */
/** @import {PageState} from "./store.js" */

/**
 * What a View learns when it starts, and what stays the same as long as it is open.
 * @typedef {{profile: Profile | undefined, off: string[], run: string, tool: Tool}} Told
 */

/** @param {PageState} state @param {Told} told @param {View} view @param {Mode[]} modes
 * @param {Record<Mode, Container>} containers */
export function openBridge(state, told, view, modes, containers) {
  const settings = settingsOf(state, told);
  return open({
    hostInfo: hostInfo(told.profile, state.host?.version ?? "0"),
    capabilities: capabilities(told.profile, settings, view, Boolean(state.host?.options.allowSampling)),
    context: { ...surroundingsOf(state, told), displayMode: state.mode, availableDisplayModes: modes },
    containers,
    hostModes: modes,
    policy: policy(told.profile, settings, view),
  });
}

/** The person's settings, except those that apply only from the next run on. @param {PageState} state
 * @param {Told} told @returns {Settings} */
export const settingsOf = (state, told) => ({ ...state.settings, off: told.off });

/** @param {PageState} state @param {Told} told @returns {Obj} */
export function surroundingsOf(state, { profile, run, tool }) {
  const systemDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return surroundings(state.settings, {
    systemDark,
    version: state.host?.version ?? "0",
    browser: navigator.userAgent,
    call: { id: run, tool },
    profile,
  });
}
