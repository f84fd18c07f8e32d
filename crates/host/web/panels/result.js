// The Result tab: the tool's content in readable form, and the raw result.

import { link } from "../address.js";
import { copyButton, empty, fill, h, jsonView, textOf } from "../dom.js";

/** @import {Json} from "../types.d.ts" */
/** @import {Store} from "../store.js" */

const IMAGES = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;
const SOUNDS = /^audio\/[a-z0-9.+-]+$/;

/** @param {Store} store */
export function resultPanel(store) {
  const element = h("div", { class: "panel" });
  store.watch(["result", "running"], ({ result, running }) => {
    if (!result)
      return fill(element, empty(running ? "The tool is running." : "No tool has run yet. This tab shows its result."));
    const { value, error, tool } = result;
    if (error)
      return fill(
        element,
        h(
          "section",
          {},
          h("h3", {}, `${tool} failed`),
          h("p", { class: "finding must" }, error.message),
          error.code !== undefined && h("p", { class: "muted" }, `Error ${error.code}`),
          error.data !== undefined && jsonView(error.data),
        ),
      );
    const content = Array.isArray(value?.content) ? value.content : [];
    fill(element,
      value?.isError === true && h("p", { class: "finding must" }, "The tool reports that it failed (isError)."),
      h("section", {}, h("h3", {}, "Content"), content.length === 0 ? empty("none") : content.map(block)),
      h(
        "section",
        {},
        h("h3", {}, "Structured content"),
        value?.structuredContent === undefined ? empty("none") : jsonView(value.structuredContent),
      ),
      value?._meta !== undefined && h("section", {}, h("h3", {}, "_meta"), jsonView(value._meta)),
      h(
        "section",
        {},
        h(
          "h3",
          {},
          "Raw result ",
          copyButton("Copy", () => JSON.stringify(value, null, 2)),
        ),
        jsonView(value),
      ),
    );
  });
  return element;
}

/** @param {Json} one */
function block(one) {
  if (one?.type === "text") return h("blockquote", {}, textOf(one.text));
  const source =
    typeof one?.data === "string" && typeof one?.mimeType === "string"
      ? `data:${one.mimeType};base64,${one.data}`
      : undefined;
  if (one?.type === "image" && source && IMAGES.test(one.mimeType))
    return h("img", { class: "result-image", src: source, alt: "Image in the result" });
  if (one?.type === "audio" && source && SOUNDS.test(one.mimeType))
    return h("audio", { controls: true, src: source, aria: { label: "Audio in the result" } });
  if (one?.type === "resource_link")
    return h(
      "div",
      { class: "card" },
      h("strong", {}, one.title ?? one.name ?? "Resource"),
      link(textOf(one.uri ?? "")),
      one.description && h("p", { class: "muted" }, textOf(one.description)),
    );
  if (one?.type === "resource" && typeof one.resource?.text === "string")
    return h(
      "div",
      { class: "card" },
      link(textOf(one.resource.uri ?? "")),
      h("blockquote", {}, one.resource.text.slice(0, 20_000)),
    );
  return jsonView(one);
}
