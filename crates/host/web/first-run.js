// Starts the page's first run before anything is drawn; the state in the page says which run that is. This module
// imports little. The other modules load while the app is starting, and the app's frame is in the page from the start.

import { isReadOnly, runsByItself } from "./annotations.js";
import { createApi } from "./api.js";
import { openFrame, titleOf } from "./frame.js";
import { parse } from "./link.js";
import { lastArguments, startSettings } from "./memory.js";
import { requiresNothing, startArguments } from "./schema.js";

/** @import {HostState, Json, Link, Obj, Profile, Server, Tool, View} from "./types.d.ts" */
/** @import {Frame} from "./frame.js" */

/** A tool with its arguments, and whether they fit its schema.
 * @typedef {{server: Server, tool: Tool, args: Obj, fits: boolean}} Choice */
/**
 * A run that was started early.
 * @typedef {{name: string, choice: Choice, opened: Promise<{view: View, frame: Frame}>,
 *   call: Promise<Json> | undefined}} FirstRun
 */

const VISIBILITY = "openai/visibility";

export const api = createApi(
  /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="yardstick-token"]'))?.content ?? "",
);
export const host = /** @type {HostState} */ (JSON.parse(document.getElementById("state")?.textContent ?? "{}"));

const navigation = /** @type {PerformanceNavigationTiming | undefined} */ (
  performance.getEntriesByType("navigation")[0]
)?.type;
const mayRun = isOwn(host, navigation);
export const link = admitted(parse(location.search), mayRun);
export const settings = startSettings(link);

/** The profile that the host was started with. */
export const usualProfile = String(host.options?.profile ?? "");

const first = choose(host.servers ?? [], link);
/** @type {FirstRun | undefined} */
let early = first?.tool.yardstick.isUi && shallRun(first, link) ? begin(first) : undefined;
void import("./main.js");

/**
 * The tool that the link names, or the first that runs by itself, or the first of all.
 * @param {Server[]} servers @param {Link} named @param {Profile} [profile] @returns {Choice | undefined}
 */
export function choose(servers, named, profile = profileAtStart()) {
  const tools = servers.flatMap((server) =>
    server.tools.filter((tool) => isForModel(tool, profile)).map((tool) => ({ server, tool })),
  );
  const apps = tools.filter(({ tool }) => tool.yardstick.isUi);
  // The page's plain HTML form names server and tool in one value.
  const isNamed = (/** @type {Server} */ server, /** @type {Tool} */ tool) =>
    (tool.name === named.tool && (!named.server || server.id === named.server)) ||
    `${server.id}/${tool.name}` === named.tool;
  const chosen = named.tool
    ? tools.find(({ server, tool }) => isNamed(server, tool))
    : (apps.find(({ tool }) => runsByItself(tool)) ?? apps[0] ?? tools[0]);
  if (!chosen) return undefined;
  const usual = startArguments(chosen.tool);
  const fits =
    named.tool === undefined ? runsByItself(chosen.tool) : named.args !== undefined || requiresNothing(chosen.tool);
  return { ...chosen, args: named.args ?? lastArguments(chosen.server.id, chosen.tool.name) ?? usual.args, fits };
}

/** Whether the model may call a tool in a host of that profile. @param {Tool} tool @param {Profile} [profile] */
export function isForModel(tool, profile) {
  const openai = profile?.openai;
  const theirs = openai && !openai.unread?.includes(VISIBILITY) && tool._meta?.ui?.visibility === undefined;
  return theirs ? tool._meta?.[VISIBILITY] !== "private" : tool.yardstick.visibility.model;
}

/**
 * Whether the tool runs without a click. A tool in a link runs only if the link says so, nothing runs for a foreign
 * link, and on reload only read-only tools run.
 * @param {Choice} choice @param {Link} named @param {boolean} [may] @param {string} [type] how the page was navigated
 *   to
 */
export function shallRun(choice, named, may = mayRun, type = navigation) {
  if (type !== "navigate" && type !== undefined && !isReadOnly(choice.tool)) return false;
  return may && choice.fits && (named.tool === undefined ? named.run !== false : named.run === true);
}

function profileAtStart() {
  return host.profiles?.find((profile) => profile.name === (settings.profile || usualProfile));
}

/**
 * Whether the person opened or reloaded the page. A link that an app opened comes from the page itself, but counts as
 * foreign.
 * @param {HostState} state @param {string | undefined} type how the page was navigated to
 */
export function isOwn(state, type) {
  return state.mayRun !== false && !(state.linked === true && type === "navigate");
}

/** The parts of a link that apply: a foreign link cannot grant an app anything. @param {Link} named
 * @param {boolean} own @returns {Link} */
export function admitted(named, own) {
  return own ? named : { ...named, always: undefined };
}

/** @param {Choice} choice @returns {FirstRun} */
function begin(choice) {
  // The host may have read this run's document ahead.
  const name = host.run ?? runName();
  const common = { serverId: choice.server.id, run: name, profile: settings.profile || usualProfile || undefined };
  const opened = api
    .openView({ ...common, tool: choice.tool.name })
    .then((view) => ({ view, frame: show(view, choice) }));
  const call = settings.stream
    ? undefined
    : api.call({ ...common, name: choice.tool.name, arguments: choice.args, callId: name });
  // The session that takes the run handles its failures.
  opened.catch(() => {});
  call?.catch(() => {});
  return { name, choice, opened, call };
}

/** @param {View} view @param {Choice} choice */
function show(view, { server, tool }) {
  const slot = /** @type {HTMLElement} */ (document.querySelector(".app-slot"));
  slot.closest(".app-box")?.removeAttribute("hidden");
  return openFrame(view, slot, titleOf(server, tool));
}

/** A new name for a run, which is also the id of its call. */
export function runName() {
  return `run-${crypto.randomUUID().slice(0, 8)}`;
}

/** Hands over the early run, once. */
export function takeFirstRun() {
  const taken = early;
  early = undefined;
  return taken;
}
