// One run of one tool: its View, its call and its bridge. Carries out the bridge's effects.

import { ApiError, refusalOf } from "./api.js";
import { createAsks } from "./asks.js";
import { openBridge, settingsOf, surroundingsOf } from "./bridge-start.js";
import { step } from "./bridge.js";
import { hostModes, policy } from "./context.js";
import { openLink, show } from "./effects.js";
import { openFrame, titleOf } from "./frame.js";
import { hooked } from "./hooks.js";
import { createIntake } from "./intake.js";
import { failedEffect, problemOf, requiresUrls, silence, urlsRequired } from "./problem.js";
import { createRecorder } from "./recorder.js";
import { noView, playedProfile, toldAtStart } from "./store.js";
import { stream } from "./stream.js";

/** @import {BridgeEvent, BridgeState, Decision, Effect, Json, Line, Obj, Profile, Server, Tool} from "./types.d.ts" */
/** @import {View} from "./types.d.ts" */
/** @import {Api} from "./api.js" */
/** @import {Asks} from "./asks.js" */
/** @import {Told} from "./bridge-start.js" */
/** @import {FirstRun} from "./first-run.js" */
/** @import {Frame} from "./frame.js" */
/** @import {Recorder} from "./recorder.js" */
/** @import {Stage} from "./stage.js" */
/** @import {Store} from "./store.js" */

/** How long a View may take until `initialized` before the person gets a notice. */
const HANDSHAKE_TIMEOUT_MS = 5000;

export class Session {
  /** @type {BridgeState | null} */ #bridge = null;
  /** @type {Frame | null} */ #frame = null;
  /** @type {Recorder | null} */ #recorder = null;
  /** @type {View | null} */ #view = null;
  /** @type {BridgeEvent[]} what happened before the View was there */ #early = [];
  /** @type {Set<ReturnType<typeof setTimeout>>} */ #timers = new Set();
  /** The person has cancelled the call; the View stays. */ #unwanted = new AbortController();
  /** The View is being closed. */ #ended = new AbortController();
  /** What the View learned at its start; it does not change.
   * @type {{profile: Profile | undefined, name: string | undefined, off: string[]}} */
  #played = { profile: undefined, name: undefined, off: [] };
  /** @type {Asks | null} */ #asks = null;
  #calling = false;
  #reading = false;
  #failed = false;
  #gone = () => {};
  #spoke = () => {};
  #step = hooked("step", step);
  #send = hooked("send", (/** @type {Json} */ message) => {
    this.#recorder?.add("host", "view", message);
    this.#frame?.send(message);
  });

  /** @param {{api: Api, store: Store, stage: Stage, escape: () => void, write: (line: Omit<Line, "at">) => void}} page
   * @param {{server: Server, tool: Tool, args: Obj, name: string}} run */
  constructor(page, { server, tool, args, name }) {
    this.page = page;
    this.server = server;
    this.tool = tool;
    this.args = args;
    /** The run's name in the timeline, which is also the id of the call. */
    this.run = name;
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => (this.#gone = resolve));
    /** @type {Promise<void>} */
    this.initialized = new Promise((resolve) => (this.#spoke = resolve));
  }

  /** Opens the View and calls the tool at the same time. @param {FirstRun} [early] what is under way already */
  async start(early) {
    const { store } = this.page;
    const { settings } = store.get();
    store.set({
      ...noView(),
      status: "loading",
      running: true,
      mode: settings.mode,
      shown: { server: this.server.id, tool: this.tool.name, profile: settings.profile, told: toldAtStart(settings) },
    });
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

  /** Calls a tool that has no app. */
  async #callAlone() {
    const { store } = this.page;
    await this.#call(undefined, true);
    if (!this.#failed && store.get().outcome !== "cancelled") store.set({ status: "ready" });
    this.#gone();
  }

  /** The browser starts a process for the frame, so the frame comes first. */
  async #open() {
    const { api, stage } = this.page;
    const view = await api.openView({
      serverId: this.server.id,
      tool: this.tool.name,
      run: this.run,
      profile: this.#played.name,
    });
    return {
      view,
      frame: this.#ended.signal.aborted ? undefined : openFrame(view, stage.slot(), titleOf(this.server, this.tool)),
    };
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
    this.#asks = createAsks(api, view.id, this.run, (params) => this.feed({ type: "progress", params }));
    const modes = hostModes(this.#played.profile);
    store.set({ view, modes, declaredModes: modes });
    this.#bridge = openBridge(store.get(), this.#told(), view, modes, this.page.stage.containers());
    this.#later(HANDSHAKE_TIMEOUT_MS, () => this.#slow());
    for (const event of this.#early.splice(0)) this.feed(event);
    frame.listen({
      ready: (message, resource) => (
        this.#recorder?.add("proxy", "host", message),
        void this.#recorder?.add("host", "proxy", resource)
      ),
      dropped: (report) =>
        void this.#recorder?.add("view", "proxy", report.message, [`dropped by the sandbox proxy: ${report.why}`]),
      ...createIntake({
        hear: (message) => this.#hear(message),
        record: (message, note) => void this.#recorder?.add("view", "host", message, [note]),
        answer: (message) => this.#attempt({ type: "to-view", message }),
        send: frame.send,
      }),
      navigated: () => this.#navigated(),
      console: ({ level, text }) => this.page.write({ from: "console", level, text }),
      escape: () => this.page.escape(),
    });
  }

  /** What stays the same as long as the View is open. @returns {Told} */
  #told = () => ({ profile: this.#played.profile, off: this.#played.off, run: this.run, tool: this.tool });

  /** Passes changed settings on to the bridge and the View. */
  settingsChanged() {
    this.feed({
      type: "policy",
      policy: policy(this.#played.profile, settingsOf(this.page.store.get(), this.#told()), this.#view),
    });
    // Sent together with the container, so that one choice of the person is one message to the View.
    this.feed({
      type: "containers",
      containers: this.page.stage.containers(),
      patch: surroundingsOf(this.page.store.get(), this.#told()),
    });
  }

  roomChanged() {
    this.feed({ type: "containers", containers: this.page.stage.containers() });
  }

  /** @param {BridgeEvent} event @param {number} [seq] the message that led to it */
  feed(event, seq) {
    if (!this.#bridge) return void (event.type.startsWith("tool-") && this.#early.push(event));
    const { state, effects } = this.#step(this.#bridge, event);
    this.#bridge = state;
    for (const effect of effects) this.#attempt(effect, seq);
  }

  /** @param {Json} message */
  #hear(message) {
    if (!this.#bridge) return;
    const { state, effects } = this.#step(this.#bridge, { type: "from-view", message });
    this.#bridge = state;
    const entry = this.#recorder?.add(
      "view",
      "host",
      message,
      effects.filter((effect) => effect.type === "note").map((effect) => effect.text),
    );
    for (const effect of effects) if (effect.type !== "note") this.#attempt(effect, entry?.seq);
  }

  /** Reports a failed effect and continues with the next, which is often the answer to the View. @param {Effect} effect
   * @param {number} [seq] */
  #attempt(effect, seq) {
    try {
      this.#perform(effect, seq);
    } catch (error) {
      const problem = failedEffect(effect.type, error);
      this.#recorder?.add("host", "host", { yardstick: "failed", effect: effect.type }, [problem.message]);
      this.page.store.set({ problem });
    }
  }

  /** @param {Effect} effect @param {number} [seq] */
  #perform(effect, seq) {
    switch (effect.type) {
      case "to-view":
        return this.#send(effect.message);
      case "ask-server":
        return void this.#askServer(effect, seq ?? 0);
      case "withdraw":
        this.#asks?.cancel(effect.ticket);
        return show(effect, this.page);
      case "status":
        if (effect.status === "initialized") this.#spoke();
        // A failed call stays failed, even if the View becomes ready afterwards.
        return this.#failed ? undefined : this.page.store.set({ status: effect.status, problem: null });
      case "open-link":
        return this.feed({ type: "link-opened", id: effect.id, ok: openLink(effect.url) });
      case "torn-down":
        return this.#close();
      case "request-teardown":
        return void this.teardown("the app requested it");
      case "timer":
        return this.#later(effect.ms, () => this.feed({ type: "timeout", ticket: effect.ticket }));
      case "note":
        return void this.#recorder?.add("host", "host", { yardstick: "note" }, [effect.text]);
      default:
        return show(effect, this.page);
    }
  }

  /** @param {{ticket: string, method: string, params: Json}} ask @param {number} seq */
  async #askServer(ask, seq) {
    // The host looks up the message that caused this request, so the log has to arrive first. A browser has few
    // connections to one origin; requests that wait for a log would block that log.
    if (!this.page.api.isLeaving()) await this.#recorder?.flush();
    const answer = await this.#asks?.ask(ask, seq);
    this.feed({ type: "server-reply", ticket: ask.ticket, ...answer });
  }

  /** @param {Promise<Json>} [called] what is under way already @param {boolean} [begins] whether the run begins with
   * the call */
  async #call(called, begins = false) {
    const { api, store } = this.page;
    if (this.#unwanted.signal.aborted) return;
    this.feed({ type: "tool-input", arguments: this.args });
    this.#calling = true;
    try {
      const profile = this.#played.name;
      const result = await (called ??
        api.call({
          serverId: this.server.id,
          name: this.tool.name,
          arguments: this.args,
          callId: this.run,
          run: this.run,
          profile,
          begins,
        }));
      if (!this.#calling) return;
      const refusal = refusalOf(result);
      store.set({ result: { tool: this.tool.name, ...(refusal ? { error: refusal } : { value: result }) } });
      if (refusal && requiresUrls(refusal)) {
        this.feed({ type: "tool-cancelled", reason: refusal.message });
        this.#failed = true;
        const problem = urlsRequired(this.tool.title ?? this.tool.name, this.server.name);
        return store.set({ status: "failed", problem });
      }
      if (refusal)
        throw new ApiError(`${refusal.message} (${refusal.code})`, {
          culprit: this.server.name,
          repair: "see the request and the error in the timeline",
        });
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

  /** The simulated model streams the arguments once the View is ready, and then calls the tool. */
  async #write() {
    await Promise.race([this.initialized, new Promise((resolve) => this.#later(3000, () => resolve(undefined)))]);
    await stream(
      this.args,
      (partial) => this.feed({ type: "tool-input-partial", arguments: partial }),
      this.#unwanted.signal,
    );
    await this.#call();
  }

  /** Cancels the call. */
  cancel() {
    this.#giveUp();
    this.feed({ type: "tool-cancelled", reason: "cancelled by the user" });
    this.page.store.set({ running: false, outcome: "cancelled" });
  }

  #giveUp() {
    this.#unwanted.abort();
    // Cancels both the call and the reading of the document.
    if (this.#calling || this.#reading) this.page.api.cancel(this.run).catch(() => {});
    this.#calling = false;
  }

  /** @param {string} ticket @param {Decision} decision */
  decide(ticket, decision) {
    const { store } = this.page;
    store.set({ questions: store.get().questions.filter((one) => one.ticket !== ticket) });
    this.feed({ type: "person", ticket, decision });
  }

  /** Closes the View; resolves when it is gone. @param {string} reason */
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
    this.#recorder?.add("proxy", "host", { yardstick: "navigated" }, ["the View left its document and was closed"]);
    this.#close();
    this.#fail(
      new Error("the app navigated away from its own document"),
      "closed",
      this.tool.name,
      "open links with ui/open-link; an app must stay in its document",
    );
  }

  #slow() {
    const { store } = this.page;
    if (store.get().status === "loading") store.set({ problem: silence(HANDSHAKE_TIMEOUT_MS) });
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
