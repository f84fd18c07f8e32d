// One run of one tool: its View, its call, its bridge. Carries out what the bridge says.

import { ApiError, refusalOf } from "./api.js";
import { createAsks } from "./asks.js";
import { openBridge, settingsOf, surroundingsOf } from "./bridge-start.js";
import { step } from "./bridge.js";
import { hostModes, policy } from "./context.js";
import { openLink, show } from "./effects.js";
import { openFrame, titleOf } from "./frame.js";
import { createIntake } from "./intake.js";
import { failedEffect, problemOf, silence } from "./problem.js";
import { createRecorder } from "./recorder.js";
import { noView, playedProfile, toldAtStart } from "./store.js";
import { stream } from "./stream.js";

/** @import {BridgeEvent, BridgeState, Decision, Effect, Json, Line, Obj, Profile, Server, Tool, View} from "./types.d.ts" */
/** @import {Api} from "./api.js" */
/** @import {Asks} from "./asks.js" */
/** @import {Told} from "./bridge-start.js" */
/** @import {FirstRun} from "./first-run.js" */
/** @import {Frame} from "./frame.js" */
/** @import {Recorder} from "./recorder.js" */
/** @import {Stage} from "./stage.js" */
/** @import {Store} from "./store.js" */

/** How long a View may take to say `initialized` before the person is told. */
const SLOW_MS = 5000;

export class Session {
  /** @type {BridgeState | null} */ #bridge = null;
  /** @type {Frame | null} */ #frame = null;
  /** @type {Recorder | null} */ #recorder = null;
  /** @type {View | null} */ #view = null;
  /** @type {BridgeEvent[]} what happened before the View was there */ #early = [];
  /** @type {Set<ReturnType<typeof setTimeout>>} */ #timers = new Set();
  /** The person no longer wants the call; the View stays. */ #unwanted = new AbortController();
  /** The View is to go. */ #ended = new AbortController();
  /** What the View is told at its start holds for as long as it is there. @type {{profile: Profile | undefined, name: string | undefined, off: string[]}} */
  #played = { profile: undefined, name: undefined, off: [] };
  /** @type {Asks | null} */ #asks = null;
  #calling = false;
  #reading = false;
  #failed = false;
  #gone = () => {};
  #spoke = () => {};

  /** @param {{api: Api, store: Store, stage: Stage, escape: () => void, write: (line: Omit<Line, "at">) => void}} page @param {{server: Server, tool: Tool, args: Obj, name: string}} run */
  constructor(page, { server, tool, args, name }) {
    this.page = page;
    this.server = server;
    this.tool = tool;
    this.args = args;
    /** The name of this run in the timeline, which is also the id of the call. */
    this.run = name;
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => (this.#gone = resolve));
    /** @type {Promise<void>} */
    this.initialized = new Promise((resolve) => (this.#spoke = resolve));
  }

  /** Opens the View and calls the tool, both at once. @param {FirstRun} [early] what is under way already */
  async start(early) {
    const { store } = this.page;
    const { settings } = store.get();
    store.set({ ...noView(), status: "loading", running: true, mode: settings.mode, shown: { server: this.server.id, tool: this.tool.name, profile: settings.profile, told: toldAtStart(settings) } });
    this.#played = { profile: playedProfile(store.get()), name: settings.profile || undefined, off: settings.off };
    if (!this.tool.yardstick.isUi) return this.#callAlone();
    const opening = early?.opened ?? this.#open();
    if (!settings.stream) void this.#call(early?.call);
    this.#reading = true;
    try {
      this.#show(await opening);
    } catch (error) {
      return this.#fail(error, "the app could not be opened", this.server.name);
    } finally {
      this.#reading = false;
    }
    if (settings.stream) await this.#write();
  }

  /** A tool without an app is called, and that is all. */
  async #callAlone() {
    const { store } = this.page;
    await this.#call(undefined, true);
    if (!this.#failed && store.get().outcome !== "cancelled") store.set({ status: "ready" });
    this.#gone();
  }

  /** The browser starts a process for a frame, so that comes before all else. */
  async #open() {
    const { api, stage } = this.page;
    const view = await api.openView({ serverId: this.server.id, tool: this.tool.name, run: this.run, profile: this.#played.name });
    return { view, frame: this.#ended.signal.aborted ? undefined : openFrame(view, stage.slot(), titleOf(this.server, this.tool)) };
  }

  /** @param {{view: View, frame?: Frame}} opened */
  #show({ view, frame }) {
    const { store, api } = this.page;
    if (this.#ended.signal.aborted || !frame) {
      frame?.close();
      return void api.closeView(view.id).catch(() => {});
    }
    this.#frame = frame;
    this.#view = view;
    this.#recorder = createRecorder(api, view.id);
    this.#asks = createAsks(api, view.id, this.run);
    const modes = hostModes(this.#played.profile);
    store.set({ view, modes, declaredModes: modes });
    this.#bridge = openBridge(store.get(), this.#told(), view, modes, this.page.stage.containers());
    this.#later(SLOW_MS, () => this.#slow());
    for (const event of this.#early.splice(0)) this.feed(event);
    frame.listen({
      ready: (message, resource) => (this.#recorder?.add("proxy", "host", message), void this.#recorder?.add("host", "proxy", resource)),
      dropped: (report) => void this.#recorder?.add("view", "proxy", report.message, [{ level: "must", text: `dropped by the sandbox proxy: ${report.why}`, rule: "apps#sandbox-proxy" }]),
      ...createIntake({ hear: (message) => this.#hear(message), record: (message, findings) => void this.#recorder?.add("view", "host", message, findings), answer: (message) => this.#attempt({ type: "to-view", message }), send: frame.send }),
      navigated: () => this.#navigated(),
      console: ({ level, text }) => this.page.write({ from: "console", level, text }),
      escape: () => this.page.escape(),
    });
  }

  /** What holds for as long as the View is there. @returns {Told} */
  #told = () => ({ profile: this.#played.profile, off: this.#played.off, run: this.run, tool: this.tool });

  /** Tells bridge and View what the person has changed. */
  settingsChanged() {
    this.feed({ type: "policy", policy: policy(this.#played.profile, settingsOf(this.page.store.get(), this.#told()), this.#view) });
    // Together with the room, so that one choice of the person is one message to the View.
    this.feed({ type: "containers", containers: this.page.stage.containers(), patch: surroundingsOf(this.page.store.get(), this.#told()) });
  }

  roomChanged() {
    this.feed({ type: "containers", containers: this.page.stage.containers() });
  }

  /** @param {BridgeEvent} event @param {number} [seq] the message that led to it */
  feed(event, seq) {
    if (!this.#bridge) return void (event.type.startsWith("tool-") && this.#early.push(event));
    const { state, effects } = step(this.#bridge, event);
    this.#bridge = state;
    for (const effect of effects) this.#attempt(effect, seq);
  }

  /** @param {Json} message */
  #hear(message) {
    if (!this.#bridge) return;
    const { state, effects } = step(this.#bridge, { type: "from-view", message });
    this.#bridge = state;
    const entry = this.#recorder?.add("view", "host", message, effects.filter((effect) => effect.type === "finding").map((effect) => effect.finding));
    for (const effect of effects) if (effect.type !== "finding") this.#attempt(effect, entry?.seq);
  }

  /** What goes wrong with one effect is told, and those behind it happen all the same: often the answer is among them. @param {Effect} effect @param {number} [seq] */
  #attempt(effect, seq) {
    try {
      this.#perform(effect, seq);
    } catch (error) {
      const problem = failedEffect(effect.type, error);
      this.#recorder?.add("host", "host", { yardstick: "failed", effect: effect.type }, [{ level: "note", text: problem.message }]);
      this.page.store.set({ problem });
    }
  }

  /** @param {Effect} effect @param {number} [seq] */
  #perform(effect, seq) {
    switch (effect.type) {
      case "to-view":
        this.#recorder?.add("host", "view", effect.message);
        return this.#frame?.send(effect.message);
      case "ask-server":
        return void this.#askServer(effect, seq ?? 0);
      case "withdraw":
        this.#asks?.takeBack(effect.ticket);
        return show(effect, this.page);
      case "status":
        if (effect.status === "initialized") this.#spoke();
        // A failed call stays failed, also when the View comes up afterwards.
        return this.#failed ? undefined : this.page.store.set({ status: effect.status, problem: null });
      case "open-link":
        return this.feed({ type: "link-opened", id: effect.id, ok: openLink(effect.url) });
      case "torn-down":
        return this.#close();
      case "request-teardown":
        return void this.teardown("the app asked for it");
      case "timer":
        return this.#later(effect.ms, () => this.feed({ type: "timeout", ticket: effect.ticket }));
      case "finding":
        return void this.#recorder?.add("host", "host", { yardstick: "finding", ...effect.finding }, [effect.finding]);
      default:
        return show(effect, this.page);
    }
  }

  /** @param {{ticket: string, method: string, params: Json}} ask @param {number} seq */
  async #askServer(ask, seq) {
    // The host looks for the message that led to this. It has to be there first: a browser has few connections to one
    // host, and requests that wait for a log would keep that very log from being sent.
    if (!this.page.api.isLeaving()) await this.#recorder?.flush();
    const answer = await this.#asks?.ask(ask, seq);
    this.feed({ type: "server-reply", ticket: ask.ticket, ...answer });
  }

  /** @param {Promise<Json>} [called] what is under way already @param {boolean} [begins] whether the run begins with the call */
  async #call(called, begins = false) {
    const { api, store } = this.page;
    if (this.#unwanted.signal.aborted) return;
    this.feed({ type: "tool-input", arguments: this.args });
    this.#calling = true;
    try {
      const profile = this.#played.name;
      const result = await (called ?? api.call({ serverId: this.server.id, name: this.tool.name, arguments: this.args, callId: this.run, run: this.run, profile, begins }));
      if (!this.#calling) return;
      const refusal = refusalOf(result);
      store.set({ result: { tool: this.tool.name, ...(refusal ? { error: refusal } : { value: result }) } });
      if (refusal) throw new ApiError(`${refusal.message} (${refusal.code})`, { culprit: this.server.name, repair: "the request and the error are in the timeline" });
      store.set({ outcome: result?.isError === true ? "failed" : "" });
      this.feed({ type: "tool-result", result });
    } catch (error) {
      if (!this.#calling) return;
      this.feed({ type: "tool-cancelled", reason: error instanceof Error ? error.message : String(error) });
      this.#fail(error, "the call failed");
    } finally {
      if (this.#calling) store.set({ running: false });
      this.#calling = false;
    }
  }

  /** The simulated model writes the arguments once the View listens, and then makes the call. */
  async #write() {
    await Promise.race([this.initialized, new Promise((resolve) => this.#later(3000, () => resolve(undefined)))]);
    await stream(this.args, (partial) => this.feed({ type: "tool-input-partial", arguments: partial }), this.#unwanted.signal);
    await this.#call();
  }

  /** The person does not want to wait for the call. */
  cancel() {
    this.#giveUp();
    this.feed({ type: "tool-cancelled", reason: "cancelled by the user" });
    this.page.store.set({ running: false, outcome: "cancelled" });
  }

  #giveUp() {
    this.#unwanted.abort();
    // Both the call and the reading of the document end.
    if (this.#calling || this.#reading) this.page.api.cancel(this.run).catch(() => {});
    this.#calling = false;
  }

  /** @param {string} ticket @param {Decision} decision */
  decide(ticket, decision) {
    const { store } = this.page;
    store.set({ questions: store.get().questions.filter((one) => one.ticket !== ticket) });
    this.feed({ type: "person", ticket, decision });
  }

  /** Ends the View; resolves when it is gone. @param {string} reason */
  teardown(reason) {
    this.#ended.abort();
    this.#giveUp();
    if (this.#bridge) this.feed({ type: "teardown", reason });
    else this.#close();
    return this.over;
  }

  #close() {
    const { api, store } = this.page;
    const view = this.#view;
    if (view) void this.#recorder?.flush().then(() => api.closeView(view.id)).catch(() => {});
    for (const timer of this.#timers) clearTimeout(timer);
    this.#frame?.close();
    this.#frame = this.#bridge = this.#view = null;
    store.set({ status: "idle", running: false, view: null, questions: [], mode: store.get().settings.mode });
    this.#gone();
  }

  #navigated() {
    this.#recorder?.add("proxy", "host", { yardstick: "navigated" }, [{ level: "must", text: "the View left its document and was closed" }]);
    this.#close();
    this.#fail(new Error("the app navigated away from its own document"), "closed", this.tool.name, "open links with ui/open-link; a View stays in its document");
  }

  #slow() {
    const { store } = this.page;
    if (store.get().status === "loading") store.set({ problem: silence(SLOW_MS) });
  }

  /** @param {unknown} error @param {string} what @param {string} [culprit] @param {string} [repair] */
  #fail(error, what, culprit, repair) {
    this.#failed = true;
    this.page.store.set({ status: "failed", running: false, problem: problemOf(error, what, culprit, repair) });
  }

  /** @param {number} ms @param {() => void} call */
  #later(ms, call) {
    const timer = setTimeout(() => (this.#timers.delete(timer), call()), ms);
    this.#timers.add(timer);
  }
}
