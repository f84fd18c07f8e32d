import assert from "node:assert/strict";
import { test } from "node:test";
import { notices } from "../notice.js";
import { blank } from "../store.js";

const TOOL = {
  name: "t",
  title: "Tee",
  yardstick: { uri: "ui://t", isUi: true, visibility: { model: true, app: true }, findings: [] },
};
const server = (more = {}) => ({ id: "s", name: "Server", state: "ready", tools: [TOOL], ...more });
const page = (more = {}) => {
  const servers = more.servers ?? [server()];
  return {
    ...blank({ mode: "inline" }),
    host: { version: "1", servers, profiles: [], options: {}, sandbox: { port: 1 } },
    servers,
    connection: "open",
    ...more,
  };
};
const titles = (more) => notices(page(more)).map((one) => one.title);

test("a page that knows nothing yet says what it waits for", () => {
  assert.deepEqual(titles({ host: null, servers: [] }), ["Asking the servers for their tools …"]);
  assert.deepEqual(titles({ servers: [server({ state: "connecting", tools: [] })] }), ["Connecting …"]);
});

test("no tool with an app comes with the repair", () => {
  const [notice] = notices(page({ servers: [server({ tools: [] })] }));
  assert.equal(notice.title, "No tool with an app");
  assert.match(notice.repair, /_meta\.ui\.resourceUri/);
});

test("pick, then run", () => {
  assert.deepEqual(titles({}), ["Pick a tool"]);
  assert.deepEqual(titles({ selected: { server: "s", tool: "t" } }), ["Tee is ready to run"]);
  assert.deepEqual(titles({ selected: { server: "s", tool: "t" }, status: "loading" }), ["Opening the app …"]);
});

test("an app that is shown needs no words", () => {
  assert.deepEqual(titles({ view: {}, status: "ready" }), []);
});

test("a problem names who and what to do", () => {
  const [notice] = notices(
    page({
      status: "failed",
      problem: { message: "the app could not be opened: no HTML", culprit: "Server", repair: "send some" },
    }),
  );
  assert.deepEqual(notice, {
    tone: "bad",
    title: "The app could not be opened: no HTML",
    culprit: "Server",
    repair: "send some",
  });
});

test("a lost host and a lost server are told, the server's beside an app only if it is its own", () => {
  assert.deepEqual(titles({ connection: "lost", view: {} }), ["The test host does not respond"]);
  const servers = [server(), server({ id: "o", name: "Other", state: "failed", note: "refused" })];
  assert.deepEqual(titles({ servers, view: {}, shown: { server: "s", tool: "t" } }), []);
  assert.deepEqual(titles({ servers, view: {}, shown: { server: "o", tool: "t" } }), ["Other could not be reached"]);
  assert.equal(titles({ servers })[0], "Other could not be reached");
});
