// The form for a tool's arguments, made from its schema, and the same arguments as JSON. Both edit the same value.

import { fill, h } from "./dom.js";
import { initial, memberOf, parseInput, plan, problemText, problems, show } from "./schema.js";
import { selection } from "./store.js";

/** @import {Json, Obj} from "./types.d.ts" */
/** @import {Field} from "./schema.js" */
/** @import {Store} from "./store.js" */

/** @type {Record<string, string>} */
const INPUTS = {
  date: "date",
  time: "time",
  email: "email",
  uri: "url",
  url: "url",
  password: "password",
  color: "color",
};

/** @param {Store} store */
export function createForm(store) {
  const fields = h("div", { class: "fields" });
  const text = h("textarea", {
    class: "json-editor",
    rows: "10",
    spellcheck: "false",
    aria: { label: "Arguments as JSON" },
  });
  const hint = h("p", { class: "hint", role: "status" });
  const tabs = ["Form", "JSON"].map((label) =>
    h("button", { type: "button", onclick: () => turn(label === "JSON") }, label),
  );
  const element = h(
    "section",
    { class: "arguments", aria: { label: "Arguments" } },
    h(
      "div",
      { class: "section-head" },
      h("h2", {}, "Arguments"),
      h("div", { class: "segmented", role: "group", aria: { label: "Edit as" } }, tabs),
    ),
    fields,
    text,
    hint,
  );
  let json = false;
  /** @type {Field | undefined} */
  let field;
  let tool = "";

  const turn = (/** @type {boolean} */ toJson) => {
    json = toJson;
    tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String((i === 1) === json)));
    draw();
  };
  const say = () => {
    const { args, argsError } = store.get();
    hint.textContent = argsError || (field ? problemText(problems(field, args)) : "");
  };
  const write = (/** @type {Obj} */ args) => {
    store.set({ args, argsError: "" });
    say();
  };
  const draw = () => {
    const { args, argsError } = store.get();
    fields.hidden = json;
    text.hidden = !json;
    // What the person types and is not valid yet stays, also when the server changes the schema meanwhile.
    if (json && argsError === "") text.value = JSON.stringify(args, null, 2);
    else if (json) return say();
    else if (field) fill(fields, ...drawRoot(field, args, write));
    say();
  };
  text.addEventListener("input", () => {
    try {
      const value = JSON.parse(text.value.trim() === "" ? "{}" : text.value);
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new Error("arguments must be an object");
      write(value);
    } catch (error) {
      store.set({ argsError: `this is not valid: ${error instanceof Error ? error.message : error}` });
      say();
    }
  });
  store.watch(["selected", "servers"], (state) => {
    const chosen = selection(state);
    element.hidden = chosen === undefined;
    const key = chosen ? JSON.stringify([chosen.server.id, chosen.tool.name, chosen.tool.inputSchema]) : "";
    if (!chosen || key === tool) return;
    tool = key;
    field = plan(chosen.tool.inputSchema ?? {});
    turn(field.kind !== "object" ? chosen.tool.inputSchema?.properties !== undefined : json);
  });
  return { element, refresh: draw };
}

/** @param {Field} field @param {Obj} args @param {(args: Obj) => void} write @returns {HTMLElement[]} */
function drawRoot(field, args, write) {
  if (field.kind !== "object" || field.fields?.length === 0)
    return [h("p", { class: "empty" }, "This tool takes no arguments.")];
  return drawMembers(field, args, write);
}

let made = 0;

/** Draws an input for each member of an object. @param {Field} field @param {Obj} value
 * @param {(value: Obj) => void} write @returns {HTMLElement[]} */
export function drawMembers(field, value, write) {
  let now = { ...value };
  const drawn = (field.fields ?? []).map(({ key, field: inner, required }) =>
    draw(inner, memberOf(now, key), key, required, (next) => {
      const { [key]: old, ...rest } = now;
      void old;
      // Keeps the members in the schema's order, so that the JSON does not jump.
      const isThere = Object.hasOwn(now, key);
      now = next === undefined ? rest : isThere ? { ...now, [key]: next } : { ...rest, [key]: next };
      write(now);
    }));
  const more = field.leftOut && h("p", { class: "about" }, `${field.leftOut} more fields are not shown.`);
  return more ? [...drawn, more] : drawn;
}

/** @param {Field} field @param {Json} value @param {string} key @param {boolean} required
 * @param {(value: Json) => void} write @returns {HTMLElement} */
function draw(field, value, key, required, write) {
  const id = `field-${++made}`;
  const name = [field.title ?? key, required && h("span", { class: "required", title: "required" }, " *")];
  const about = field.description && h("p", { class: "about", id: `${id}-about` }, field.description);
  const described = {
    id,
    aria: { ...(about ? { describedby: `${id}-about` } : {}), ...(required ? { required: "true" } : {}) },
  };
  if (field.kind === "boolean") {
    const box = h("input", {
      type: "checkbox",
      ...described,
      checked: value === true,
      onchange: () => write(box.checked),
    });
    return h("div", { class: "field" }, h("label", { class: "check", for: id }, box, name), about);
  }
  if (field.kind === "object" && field.fields) {
    const object = typeof value === "object" && value !== null ? value : {};
    return h(
      "fieldset",
      {},
      h("legend", {}, name),
      about,
      drawMembers(field, object, (next) => write(Object.keys(next).length === 0 && !required ? undefined : next)),
    );
  }
  if (field.kind === "array" && field.items?.kind === "enum") return ticks(field.items, value, name, about, write);
  if (field.kind === "array" && field.items) return list(field, field.items, value, name, about, write);
  return h("div", { class: "field" }, h("label", { for: id }, name), control(field, value, described, write), about);
}

/** @param {Field} field @param {Json} value @param {Record<string, any>} described
 * @param {(value: Json) => void} write */
function control(field, value, described, write) {
  if (field.kind === "enum") return choice(field, value, described, write);
  const placeholder = field.nullable ? "null" : "";
  if (
    field.kind === "json" ||
    (field.kind === "string" && typeof value === "string" && (value.length > 60 || value.includes("\n")))
  ) {
    const box = h("textarea", {
      ...described,
      rows: "3",
      spellcheck: "false",
      placeholder: field.kind === "json" ? "JSON" : placeholder,
      value: show(field, value),
      oninput: () => write(parseInput(field, box.value)),
    });
    return box;
  }
  const isNumber = field.kind === "number" || field.kind === "integer";
  const type = isNumber ? "number" : (memberOf(INPUTS, field.format ?? "") ?? "text");
  const { min, max, step, maxLength } = field.limits ?? {};
  const box = h("input", {
    ...described,
    type,
    min,
    max,
    step: isNumber ? (step ?? (field.kind === "integer" ? 1 : "any")) : undefined,
    maxlength: maxLength,
    placeholder: field.format && type === "text" ? field.format : placeholder,
    value: show(field, value),
    oninput: () => write(parseInput(field, box.value)),
  });
  return box;
}

/** @param {Field} field @param {Json} value @param {Record<string, any>} described
 * @param {(value: Json) => void} write */
function choice(field, value, described, write) {
  const options = field.options ?? [];
  const at = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  const box = h(
    "select",
    { ...described, onchange: () => write(box.value === "" ? undefined : options[Number(box.value)].value) },
    h("option", { value: "" }, "–"),
    options.map((option, i) => h("option", { value: String(i) }, option.label)),
  );
  box.value = at < 0 ? "" : String(at);
  return box;
}

/**
 * Checkboxes for any number of choices.
 * @param {Field} items @param {Json} value @param {import("./dom.js").Child[]} name
 * @param {import("./dom.js").Child} about @param {(value: Json) => void} write
 */
function ticks(items, value, name, about, write) {
  const options = items.options ?? [];
  const given = new Set(Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : []);
  const boxes = options.map((option) =>
    h("input", { type: "checkbox", checked: given.has(JSON.stringify(option.value)), onchange: () => tell() }),
  );
  const tell = () => {
    const chosen = options.filter((_, i) => boxes[i].checked).map((option) => option.value);
    write(chosen.length === 0 ? undefined : chosen);
  };
  return h(
    "fieldset",
    {},
    h("legend", {}, name),
    about,
    h(
      "div",
      { class: "checks" },
      options.map((option, i) => h("label", { class: "check" }, boxes[i], option.label)),
    ),
  );
}

/** @param {Field} field @param {Field} items @param {Json} value @param {import("./dom.js").Child[]} name
 * @param {import("./dom.js").Child} about @param {(value: Json) => void} write */
function list(field, items, value, name, about, write) {
  let now = Array.isArray(value) ? [...value] : [];
  const rows = h("div", { class: "rows" });
  const tell = () => write(now.length === 0 ? undefined : now);
  const again = () => {
    fill(
      rows,
      ...now.map((item, i) =>
        h(
          "div",
          { class: "list-row" },
          draw(items, item, `${i + 1}`, false, (next) => {
            now = now.map((old, at) => (at === i ? (next ?? null) : old));
            tell();
          }),
          h(
            "button",
            {
              type: "button",
              class: "small",
              aria: { label: `Remove ${i + 1}` },
              onclick: () => {
                now = now.filter((_, at) => at !== i);
                tell();
                again();
              },
            },
            "✕",
          ),
        ),
      ),
    );
  };
  const fresh = () =>
    initial(items) ??
    {
      string: "",
      number: 0,
      integer: 0,
      boolean: false,
      array: [],
      object: {},
      enum: items.options?.[0]?.value,
      json: null,
    }[items.kind];
  again();
  return h(
    "fieldset",
    {},
    h("legend", {}, name),
    about,
    rows,
    h(
      "button",
      {
        type: "button",
        class: "small",
        onclick: () => {
          now = [...now, fresh()];
          tell();
          again();
        },
      },
      "Add",
    ),
  );
}
