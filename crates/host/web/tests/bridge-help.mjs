// A scripted View for the tests of the bridge.
import { open, step } from "../bridge.js";

export const POLICY = { off: [], deny: [], always: [], unsupported: [], unsent: [] };
export const CAPABILITIES = {
  openLinks: {}, downloadFile: {}, message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} },
  serverTools: { listChanged: true }, serverResources: {}, sampling: {}, logging: {},
};

export function options(more = {}) {
  return {
    hostInfo: { name: "yardstick", version: "0" },
    capabilities: CAPABILITIES,
    context: { theme: "light", displayMode: "inline", locale: "en" },
    containers: {
      inline: { width: 600, maxHeight: 800 },
      fullscreen: { width: 1000, height: 700 },
      pip: { width: 400, height: 300 },
    },
    hostModes: ["inline", "fullscreen", "pip"],
    policy: POLICY,
    ...more,
  };
}

/** A bridge that records its effects. */
export class Rig {
  constructor(more) {
    this.state = open(options(more));
    this.effects = [];
  }
  /** Feeds one event and returns the effects of this step. */
  feed(event) {
    const frozen = JSON.stringify(this.state);
    const { state, effects } = step(this.state, event);
    if (JSON.stringify(this.state) !== frozen) throw new Error("a step wrote to the state it was given");
    this.state = state;
    this.effects.push(...effects);
    return effects;
  }
  say(message) {
    return this.feed({ type: "from-view", message: { jsonrpc: "2.0", ...message } });
  }
  /** Sends a request and returns the immediate answer. */
  request(method, params, id = 77) {
    return answer(this.say({ id, method, ...(params === undefined ? {} : { params }) }), id);
  }
  initialize(appCapabilities = {}, id = 0) {
    return this.request(
      "ui/initialize",
      { appInfo: { name: "app", version: "1" }, appCapabilities, protocolVersion: "2026-01-26" },
      id,
    );
  }
  start(appCapabilities) {
    this.initialize(appCapabilities);
    this.say({ method: "ui/notifications/initialized" });
    return this;
  }
}

export const sent = (effects) => effects.filter((effect) => effect.type === "to-view").map((effect) => effect.message);
export const methods = (effects) =>
  sent(effects)
    .map((message) => message.method)
    .filter(Boolean);
export const answer = (effects, id) =>
  sent(effects).find((message) => message.id === id && message.method === undefined);
export const one = (effects, type) => effects.find((effect) => effect.type === type);
export const notes = (effects) => effects.filter((effect) => effect.type === "note").map((effect) => effect.text);
