// The host context for a View: surroundings, capabilities, and the container dimensions of each mode. Pure: no DOM.

import { FONTS, themed } from "./style.js";

/** @import {Container, Mode, Obj, Policy, Profile, Settings, Tool, View} from "./types.d.ts" */

/** The sizes of the simulated devices, in CSS pixels. */
export const DEVICES = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1280, height: 800 },
};
/** The maximum height of an inline app. */
export const MAX_INLINE_HEIGHT = 5000;
/** The height of a free box before the person drags it. */
const DEFAULT_FREE_HEIGHT = 400;
/** The size of the floating box. */
const PIP_SIZE = { width: 400, height: 300 };
/** The space that stays free beside a floating box. */
const PIP_MARGIN = 24;
/** Up to this window width the page has one column, and a floating box covers less than half of it. */
export const NARROW_WINDOW = 960;

const MODES = /** @type {Mode[]} */ (["inline", "fullscreen", "pip"]);

/** The capabilities of a host without a profile. @type {Obj} */
const CAPABILITIES = {
  openLinks: {},
  downloadFile: {},
  serverTools: { listChanged: true },
  serverResources: {},
  logging: {},
  message: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} },
  updateModelContext: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {}, structuredContent: {} },
};

/** The theme that applies: light or dark. @param {Settings} settings @param {boolean} systemDark */
export const theme = (settings, systemDark) =>
  settings.theme === "auto" ? (systemDark ? "dark" : "light") : settings.theme;

/** The display modes that the host supports. @param {Profile | undefined} profile @returns {Mode[]} */
export function hostModes(profile) {
  const named = profile?.context?.availableDisplayModes ?? profile?.context?.displayModes;
  return Array.isArray(named) ? MODES.filter((mode) => named.includes(mode)) : MODES;
}

/**
 * The container dimensions of each mode. `stage` is the room for an inline app; `window` is the whole window.
 * @param {Settings} settings @param {{stage: {width: number}, window: {width: number, height: number}}} room
 *   @param {Profile} [profile]
 * @returns {Record<Mode, Container>}
 */
export function containers(settings, room, profile) {
  const given = profile?.context?.containerDimensions ?? {};
  return {
    inline: inline(settings, room.stage.width, given.inline),
    fullscreen: { width: room.window.width, height: room.window.height },
    pip: within(filled(given.pip, PIP_SIZE.width, PIP_SIZE.height), room.window),
  };
}

/**
 * Limits a floating box so that some of the window stays visible.
 * @param {Container} box @param {{width: number, height: number}} window @returns {Container}
 */
function within(box, { width, height }) {
  const most = {
    width: width - PIP_MARGIN,
    height: width > NARROW_WINDOW ? height - PIP_MARGIN : Math.round(height * 0.45),
  };
  const axes = /** @type {const} */ ({ width: "width", maxWidth: "width", height: "height", maxHeight: "height" });
  return Object.fromEntries(
    Object.entries(box).map(([name, value]) => [
      name,
      Math.min(value, most[axes[/** @type {keyof Container} */ (name)]]),
    ]),
  );
}

/** @param {Settings} settings @param {number} width @param {Container | undefined} given @returns {Container} */
function inline(settings, width, given) {
  if (settings.size === "phone" || settings.size === "tablet" || settings.size === "desktop") {
    const device = DEVICES[settings.size];
    return { width: device.width, maxHeight: device.height };
  }
  if (settings.size === "free")
    return { width: settings.free.width || width, height: settings.free.height || DEFAULT_FREE_HEIGHT };
  return filled(given ?? { maxHeight: MAX_INLINE_HEIGHT }, width, undefined);
}

/**
 * Completes the dimensions for both axes, as far as the page knows them.
 * @param {Container | undefined} given @param {number} width @param {number | undefined} height @returns {Container}
 */
function filled(given = {}, width, height) {
  const says = (/** @type {keyof Container} */ fixed, /** @type {keyof Container} */ most) =>
    given[fixed] !== undefined || given[most] !== undefined;
  return {
    ...(says("width", "maxWidth") ? {} : { width }),
    ...(says("height", "maxHeight") || height === undefined ? {} : { height }),
    ...given,
  };
}

/**
 * The context of a View without mode and container dimensions, which the bridge keeps.
 * @param {Settings} settings
 * @param {{systemDark: boolean, version: string, browser?: string, call?: {id: string, tool: Tool},
 *   profile?: Profile}} more
 * @returns {Obj}
 */
export function surroundings(settings, { systemDark, version, browser, call, profile }) {
  const own = profile?.context ?? {};
  const small = settings.size === "phone" || settings.size === "tablet";
  return {
    ...(call ? { toolInfo: { id: call.id, tool: plainTool(call.tool) } } : {}),
    theme: theme(settings, systemDark),
    ...styles(profile, theme(settings, systemDark)),
    locale: settings.locale,
    timeZone: settings.timeZone,
    userAgent: (own.userAgent === "browser" ? browser : own.userAgent) ?? `yardstick/${version}`,
    platform: small ? "mobile" : own.platform ?? "web",
    deviceCapabilities: small ? { touch: true, hover: false } : own.deviceCapabilities ?? { touch: false, hover: true },
    safeAreaInsets: own.safeAreaInsets ?? { top: 0, right: 0, bottom: 0, left: 0 },
  };
}

/** @param {Profile | undefined} profile @param {string} theme */
function styles(profile, theme) {
  const named = themed(profile, theme);
  const fonts = profile?.styles?.fonts === false ? {} : { css: { fonts: FONTS } };
  return Object.keys(named).length === 0 ? {} : { styles: { variables: named, ...fonts } };
}

/** The host's name and version. @param {Profile | undefined} profile @param {string} version @returns {Obj} */
export const hostInfo = (profile, version) =>
  profile?.hostInfo ?? { name: "yardstick", title: "Yardstick test host", version };

/**
 * The text that a tool wants to show while it runs or when it has run, if the host shows it.
 * @param {Tool} tool @param {Profile | undefined} profile @param {boolean} running
 */
export function invocation(tool, profile, running) {
  const key = `openai/toolInvocation/${running ? "invoking" : "invoked"}`;
  if (!profile?.openai || profile.openai.unread?.includes(key)) return "";
  const text = tool._meta?.[key];
  return typeof text === "string" ? text : "";
}

/** The tool as its server listed it. @param {Tool} tool */
export function plainTool(tool) {
  const { yardstick, ...plain } = tool;
  void yardstick;
  return plain;
}

/**
 * The capabilities that the host declares. They match what it does: nothing that is switched off, and only the enforced
 * part of the sandbox.
 * @param {Profile | undefined} profile @param {Settings} settings @param {View} view @param {boolean} sampling
 * @returns {Obj}
 */
export function capabilities(profile, settings, view, sampling) {
  /** @type {Obj} */
  const all = { ...(profile?.capabilities ?? CAPABILITIES), ...(sampling ? { sampling: {} } : {}) };
  if (!sampling) delete all.sampling;
  for (const name of settings.off) delete all[name];
  // The page learns only of changed tools, so it does not promise notifications about resources.
  if (all.serverResources) all.serverResources = {};
  if (profile?.sandbox?.announced === false) return all;
  all.sandbox = { permissions: view.permissions.granted ?? {}, ...(view.csp.declared ? { csp: approved(view) } : {}) };
  return all;
}

/** The declared sources without the dropped ones. @param {View} view */
function approved(view) {
  if (view.csp.approved) return view.csp.approved;
  const dropped = new Set(view.csp.dropped.map((drop) => drop.source));
  const lists = Object.entries(view.csp.declared ?? {}).filter(([, list]) => Array.isArray(list));
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.filter((/** @type {string} */ source) => !dropped.has(source))]),
  );
}

/**
 * What the person, the profile and the View allow.
 * @param {Profile | undefined} profile @param {Settings} settings @param {View | null} [view] @returns {Policy}
 */
export function policy(profile, settings, view) {
  return {
    off: settings.off,
    deny: settings.deny,
    always: settings.always,
    unsupported: profile?.methods?.unsupported ?? [],
    unannounced: profile?.methods?.unannounced ?? [],
    unsent: profile?.notifications?.unsent ?? [],
    ignored: profile?.notifications?.ignored ?? [],
    absent: profile?.context?.absent ?? [],
    trusted: view?.redirects ?? [],
  };
}
