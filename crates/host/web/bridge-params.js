// The parameters of each request of a View. Pure functions; each returns what is wrong, or nothing.

/** @import {Json, Obj, SavedFile} from "./types.d.ts" */

const BLOCKS = ["text", "image", "audio", "resource", "resource_link", "tool_use", "tool_result"];
const MODES = ["inline", "fullscreen", "pip"];

/** @param {Json} value @returns {value is Obj} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @type {Record<string, (params: Obj) => string | undefined>} */
const RULES = {
  "ui/initialize": (params) =>
    typeof params.protocolVersion !== "string" ? "protocolVersion must be a string"
    : !isObject(params.appInfo) || typeof params.appInfo.name !== "string" || typeof params.appInfo.version !== "string"
      ? "appInfo must have a name and a version"
    : !isObject(params.appCapabilities) ? "appCapabilities must be an object"
    : modes(params.appCapabilities.availableDisplayModes),
  "ui/open-link": (params) => (typeof params.url === "string" ? undefined : "url must be a string"),
  "ui/message": (params) =>
    params.role !== "user" ? "role must be \"user\"" : blocks(asList(params.content), "content"),
  "ui/request-display-mode": (params) =>
    MODES.includes(params.mode) ? undefined : "mode must be inline, fullscreen or pip",
  "ui/update-model-context": (params) =>
    params.structuredContent !== undefined && !isObject(params.structuredContent)
      ? "structuredContent must be an object"
      : params.content === undefined
        ? undefined
        : blocks(params.content, "content"),
  "ui/download-file": (params) =>
    !Array.isArray(params.contents) || params.contents.length === 0 ? "contents must be a list with at least one file"
    : params.contents.map(file).find((wrong) => wrong !== undefined),
  "tools/call": (params) =>
    typeof params.name !== "string" ? "name must be a string"
    : params.arguments !== undefined && !isObject(params.arguments) ? "arguments must be an object"
    : undefined,
  "resources/read": (params) => (typeof params.uri === "string" ? undefined : "uri must be a string"),
  "sampling/createMessage": (params) =>
    !Array.isArray(params.messages) ? "messages must be a list"
    : typeof params.maxTokens !== "number" ? "maxTokens must be a number"
    : undefined,
};

/** Returns what is wrong with the parameters of a request. @param {string} method @param {Json} params
 * @returns {string | undefined} */
export function wrongParams(method, params) {
  if (params !== undefined && !isObject(params)) return "params must be an object";
  return Object.hasOwn(RULES, method) ? RULES[method](params ?? {}) : undefined;
}

/** The content blocks from either form of `ui/message`. @param {Json} content */
export const asList = (content) => (isObject(content) ? [content] : content);

/** @param {Json} list @returns {string | undefined} */
function modes(list) {
  if (list === undefined) return undefined;
  return Array.isArray(list) && list.every((mode) => typeof mode === "string")
    ? undefined
    : "appCapabilities.availableDisplayModes must be a list of strings";
}

/** @param {Json} list @param {string} name @returns {string | undefined} */
function blocks(list, name) {
  if (!Array.isArray(list)) return `${name} must be a list of content blocks`;
  const bad = list.findIndex((block) => !isObject(block) || !BLOCKS.includes(block.type));
  if (bad >= 0) return `${name}[${bad}] is not a content block`;
  const mute = list.findIndex((block) => block.type === "text" && typeof block.text !== "string");
  return mute >= 0 ? `${name}[${mute}].text must be a string` : undefined;
}

/** @param {Json} item @param {number} index @returns {string | undefined} */
function file(item, index) {
  const at = `contents[${index}]`;
  if (!isObject(item)) return `${at} must be an object`;
  if (item.type === "resource_link") return typeof item.uri === "string" ? undefined : `${at}.uri must be a string`;
  if (item.type !== "resource") return `${at}.type must be resource or resource_link`;
  const inner = item.resource;
  if (!isObject(inner) || typeof inner.uri !== "string") return `${at}.resource.uri must be a string`;
  if (inner.blob === undefined)
    return typeof inner.text === "string" ? undefined : `${at}.resource must have text or blob`;
  return isBase64(inner.blob) ? undefined : `${at}.resource.blob must be base64`;
}

/** @param {Json} text */
function isBase64(text) {
  try {
    return typeof text === "string" && typeof atob(text) === "string";
  } catch {
    return false;
  }
}

/** The modality of each type of block, as capabilities name it. @type {Record<string, string>} */
const MODALITIES = {
  text: "text",
  image: "image",
  audio: "audio",
  resource: "resource",
  resource_link: "resourceLink",
};
/**
 * The requests with content, and the capability that lists the supported modalities.
 * @type {Record<string, {capability: string, content: (params: Obj) => Json}>}
 */
const CARRIERS = {
  "ui/message": { capability: "message", content: (params) => asList(params.content) },
  "ui/update-model-context": { capability: "updateModelContext", content: (params) => params.content },
};

/**
 * Returns what valid parameters contain that this host has not announced. A capability without a list says nothing
 * about modalities. Every host with the capability accepts plain text.
 * @param {string} method @param {Obj} params @param {Obj} capabilities @returns {string | undefined}
 */
export function unannounced(method, params, capabilities) {
  if (method === "sampling/createMessage") {
    const tools = ["tools", "toolChoice"].find((name) => params[name] !== undefined);
    return tools && !isObject(capabilities.sampling?.tools)
      ? `${tools}, but the host has not announced sampling.tools`
      : undefined;
  }
  if (!Object.hasOwn(CARRIERS, method)) return undefined;
  const { capability, content } = CARRIERS[method];
  const taken = isObject(capabilities[capability]) ? Object.keys(capabilities[capability]) : [];
  if (taken.length === 0) return undefined;
  const carried = /** @type {Json[]} */ (content(params) ?? []).map((block) => MODALITIES[block.type] ?? block.type);
  if (params.structuredContent !== undefined) carried.push("structuredContent");
  const stranger = carried.find((name) => name !== "text" && !taken.includes(name));
  return stranger && `${stranger}, but the host has announced ${capability} with ${taken.join(", ")} only`;
}

/** The files of a `ui/download-file` request, with safe names. @param {Json[]} contents @returns {SavedFile[]} */
export function files(contents) {
  return contents.map((item) =>
    item.type === "resource_link"
      ? { name: safeName(typeof item.name === "string" ? item.name : item.uri), url: item.uri, mimeType: item.mimeType }
      : {
          name: safeName(item.resource.uri),
          mimeType: item.resource.mimeType,
          text: item.resource.text,
          blob: item.resource.blob,
        },
  );
}

/** Of a longer name only the beginning is looked at. */
const MAX_NAME_CHARS = 500;

/** The last part of a path, without characters that are special in a file system. @param {string} from */
export function safeName(from) {
  const path = from.split(/[?#]/)[0];
  let last = (path.split(/[/\\]/).filter((part) => part !== "").pop() ?? "").slice(0, MAX_NAME_CHARS);
  try {
    last = decodeURIComponent(last);
  } catch {
    // A percent sign that is not an escape stays as it is.
  }
  const clean = last
    .replace(/[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  return clean.slice(0, 120) || "download";
}

/** Parses a URL and checks that its scheme may be opened. @param {string} text
 * @returns {{url: string} | {why: string}} */
export function openable(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return { why: "Invalid URL" };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { why: `Policy violation: only http and https links are opened, not ${url.protocol}` };
  }
  return { url: url.href };
}
