// Tests of what requests carry: readable files, and content that the host has announced.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPABILITIES, Rig, notes, one, sent } from "./bridge-help.mjs";

const announced = (more) => new Rig({ capabilities: { ...CAPABILITIES, ...more } }).start();
const block = (type) => ({ type, text: "x", data: "", mimeType: "image/png", uri: "file:///a", name: "a" });
const blob = (text) => ({ contents: [{ type: "resource", resource: { uri: "file:///a.bin", blob: text } }] });

test("a blob that is not base64 is refused before the person is asked", () => {
  for (const bad of ["%%%", "a", "ab=c", "YQ-_", 5, null]) {
    const answered = new Rig().start().request("ui/download-file", blob(bad));
    assert.equal(answered?.error.code, -32602, String(bad));
    assert.match(answered.error.message, /contents\[0\]\.resource\.blob must be base64/);
  }
  for (const good of ["", "YQ==", "YWI", "AAEC"]) {
    assert.ok(
      one(new Rig().start().say({ id: 1, method: "ui/download-file", params: blob(good) }), "ask-person"),
      good,
    );
  }
});

test("content of a modality that was not announced is refused, and named", () => {
  const rig = announced({ message: { text: {}, image: {} }, updateModelContext: { text: {} } });
  const effects = rig.say({
    id: 1,
    method: "ui/message",
    params: { role: "user", content: [block("text"), block("audio")] },
  });
  assert.equal(sent(effects)[0].error.code, -32602);
  assert.match(sent(effects)[0].error.message, /audio, but the host has announced message with text, image only/);
  assert.ok(
    one(rig.say({ id: 2, method: "ui/message", params: { role: "user", content: block("image") } }), "ask-person"),
  );
  assert.match(
    rig.request("ui/message", { role: "user", content: block("resource_link") }).error.message,
    /resourceLink/,
  );
  assert.match(
    rig.request("ui/update-model-context", { content: [block("image")] }).error.message,
    /image, but the host has announced updateModelContext/,
  );
  assert.match(rig.request("ui/update-model-context", { structuredContent: {} }).error.message, /structuredContent/);
  assert.deepEqual(rig.request("ui/update-model-context", { content: [block("text")] }).result, {});
});

test("a capability that lists no modality leaves them open, and text is always taken", () => {
  const open = announced({ updateModelContext: {} });
  assert.deepEqual(
    open.request("ui/update-model-context", { content: [block("audio")], structuredContent: {} }).result,
    {},
  );
  assert.deepEqual(
    announced({ updateModelContext: { image: {} } }).request("ui/update-model-context", { content: [block("text")] })
      .result,
    {},
  );
});

test("sampling with tools needs a host that has announced them", () => {
  const params = { messages: [], maxTokens: 5, tools: [] };
  const refused = announced({ sampling: {} }).request("sampling/createMessage", params);
  assert.equal(refused.error.code, -32602);
  assert.match(refused.error.message, /sampling\.tools/);
  assert.ok(
    one(announced({ sampling: { tools: {} } }).say({ id: 1, method: "sampling/createMessage", params }), "ask-person"),
  );
});

test("the tools of an app are read page after page", () => {
  const rig = new Rig();
  rig.initialize({ tools: {} });
  let [asked] = sent(rig.say({ method: "ui/notifications/initialized" })).slice(-1);
  assert.deepEqual([asked.method, asked.params], ["tools/list", {}]);
  [asked] = sent(rig.say({ id: asked.id, result: { tools: [{ name: "a" }], nextCursor: "" } }));
  assert.deepEqual([asked.method, asked.params], ["tools/list", { cursor: "" }]);
  const last = rig.say({ id: asked.id, result: { tools: [{ name: "b" }] } });
  assert.deepEqual(one(last, "app-tools").tools.map(({ name }) => name), ["a", "b"]);
});

test("the host stops after a number of pages of an endless list of tools", () => {
  const rig = new Rig();
  rig.initialize({ tools: {} });
  let effects = rig.say({ method: "ui/notifications/initialized" });
  let pages = 0;
  for (; !one(effects, "app-tools") && pages < 1000; pages += 1)
    effects = rig.say({ id: sent(effects).at(-1).id, result: { tools: [{ name: "a" }], nextCursor: "again" } });
  assert.ok(pages > 1 && pages < 100, String(pages));
  assert.equal(one(effects, "app-tools").tools.length, pages);
  assert.match(notes(effects)[0], /pages of the app's tools/);
});
