// The bridge of a View that is about to start: what the host is, can do and tells, as the person and the profile have it.

import { open } from "./bridge.js";
import { capabilities, hostInfo, policy, surroundings } from "./context.js";

/** @import {Container, Mode, Obj, Profile, Settings, Tool, View} from "./types.d.ts" */
/** @import {PageState} from "./store.js" */

/** What a View is told at its start and what holds for as long as it is there. @typedef {{profile: Profile | undefined, off: string[], run: string, tool: Tool}} Told */

/** @param {PageState} state @param {Told} told @param {View} view @param {Mode[]} modes @param {Record<Mode, Container>} containers */
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

/** What the person has chosen, apart from what counts from the next run only. @param {PageState} state @param {Told} told @returns {Settings} */
export const settingsOf = (state, told) => ({ ...state.settings, off: told.off });

/** @param {PageState} state @param {Told} told @returns {Obj} */
export function surroundingsOf(state, { profile, run, tool }) {
  const systemDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return surroundings(state.settings, { systemDark, version: state.host?.version ?? "0", browser: navigator.userAgent, call: { id: run, tool }, profile });
}
