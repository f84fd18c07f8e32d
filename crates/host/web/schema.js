// Turns a JSON Schema into form fields. Pure: it decides what the form draws. References outside of the schema are not
// followed.

/** @import {Json, Obj, Tool} from "./types.d.ts" */

/**
 * @typedef {object} Field
 * @property {"string" | "number" | "integer" | "boolean" | "enum" | "array" | "object" | "json"} kind
 * @property {string} [title]
 * @property {string} [description]
 * @property {boolean} nullable
 * @property {Json} [initial] what the schema proposes
 * @property {string} [format]
 * @property {{value: Json, label: string}[]} [options]
 * @property {Field} [items]
 * @property {{key: string, field: Field, required: boolean}[]} [fields]
 * @property {number} [leftOut] how many more members the schema has
 * @property {{min?: number, max?: number, step?: number, minLength?: number, maxLength?: number, pattern?: string,
 *   minItems?: number, maxItems?: number}} [limits]
 */

/** Deeper nesting is edited as JSON. */
const MAX_DEPTH = 4;
/** How many fields a form may have. A schema can refer to itself, and then has very many; what is left is edited as
 * JSON. */
const MAX_FIELDS = 500;
/** How many choices a form may offer in all its fields together. */
const MAX_OPTIONS = 20_000;

/** How many more fields and choices fit. @typedef {{left: number, options: number}} Room */

/** The fields of a schema. @param {Json} schema @param {Json} [root] @param {number} [depth] @param {Room} [room]
 * @returns {Field} */
export function plan(schema, root = schema, depth = 0, room = { left: MAX_FIELDS, options: MAX_OPTIONS }) {
  room.left -= 1;
  const { schema: plain, nullable } = simplify(resolve(schema, root), root);
  const about = {
    ...(hasText(plain.title) ? { title: plain.title } : {}),
    ...(typeof plain.description === "string" ? { description: plain.description } : {}),
    nullable,
    ...initialOf(plain),
  };
  const options = optionsOf(plain);
  if (options) {
    room.options -= options.length;
    return room.options < 0 ? { ...about, kind: "json" } : { ...about, kind: "enum", options };
  }
  const type = typeOf(plain);
  const fits = depth < MAX_DEPTH && (depth === 0 || room.left > 0);
  if (type === "object" && fits && isObject(plain.properties))
    return { ...about, kind: "object", ...members(plain, root, depth, room) };
  if (type === "array" && fits && isObject(plain.items))
    return { ...about, kind: "array", items: plan(plain.items, root, depth + 1, room), limits: limits(plain) };
  if (type === "string" || type === "number" || type === "integer" || type === "boolean") {
    const format = typeof plain.format === "string" ? { format: plain.format } : {};
    return { ...about, kind: type, ...format, limits: limits(plain) };
  }
  return { ...about, kind: "json" };
}

/** @param {Json} value @returns {value is Obj} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** Whether a title says anything. @param {Json} title @returns {title is string} */
const hasText = (title) => typeof title === "string" && title.trim() !== "";
/** The text of a choice; one without letters is quoted. @param {Json} value */
const label = (value) => (hasText(value) ? value : JSON.stringify(value));

/** @param {Obj} schema @param {Json} root @param {number} depth @param {Room} room */
function members(schema, root, depth, room) {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const all = Object.entries(schema.properties);
  const fitting = all.slice(0, Math.max(room.left, 1));
  const fields = fitting.map(([key, inner]) => ({
    key,
    field: plan(inner, root, depth + 1, room),
    required: required.has(key),
  }));
  return { fields, ...(all.length > fitting.length ? { leftOut: all.length - fitting.length } : {}) };
}

/** Follows references within the schema. @param {Json} schema @param {Json} root @returns {Obj} */
function resolve(schema, root) {
  let found = schema;
  for (let hops = 0; isObject(found) && typeof found.$ref === "string" && hops < 8; hops++) {
    const { $ref, ...beside } = found;
    if (!$ref.startsWith("#")) return beside;
    const path = $ref
      .slice(1)
      .split("/")
      .filter(Boolean)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const target = path.reduce(
      (/** @type {Json} */ at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined),
      root,
    );
    found = isObject(target) ? { ...target, ...beside } : beside;
  }
  return isObject(found) ? found : {};
}

/** Removes `null` from a choice, and unwraps a choice of one. @param {Obj} schema @param {Json} root
 * @returns {{schema: Obj, nullable: boolean}} */
function simplify(schema, root) {
  if (Array.isArray(schema.type) && schema.type.length > 1) {
    const types = schema.type.filter((type) => type !== "null");
    return {
      schema: { ...schema, type: types.length === 1 ? types[0] : types },
      nullable: types.length < schema.type.length,
    };
  }
  const choice = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(choice)) return { schema, nullable: false };
  const rest = choice.map((one) => resolve(one, root)).filter((one) => one.type !== "null");
  const { anyOf, oneOf, ...beside } = schema;
  void anyOf, oneOf;
  const nullable = rest.length < choice.length;
  return rest.length === 1
    ? { schema: { ...rest[0], ...beside }, nullable }
    : { schema: { ...beside, oneOf: rest }, nullable };
}

/** @param {Json} title @param {Json} value */
const titleOr = (title, value) => (hasText(title) ? title : label(value));

/** The choices of a schema, if it is an enumeration. @param {Obj} schema @returns {Field["options"]} */
const optionsOf = (schema) =>
  Array.isArray(schema.enum)
    ? schema.enum.map((value, i) => ({ value, label: titleOr(schema.enumNames?.[i], value) }))
    : namedOptions(schema);

/** Options that are constants with titles. @param {Obj} schema */
function namedOptions(schema) {
  if (Object.hasOwn(schema, "const")) return [{ value: schema.const, label: label(schema.const) }];
  const choice = schema.oneOf;
  if (
    !Array.isArray(choice) ||
    choice.length === 0 ||
    !choice.every((one) => isObject(one) && Object.hasOwn(one, "const"))
  )
    return undefined;
  return choice.map((one) => ({ value: one.const, label: titleOr(one.title, one.const) }));
}

/** @param {Obj} schema */
function typeOf(schema) {
  if (typeof schema.type === "string") return schema.type;
  if (schema.type === undefined && isObject(schema.properties)) return "object";
  return undefined;
}

/** @param {Obj} schema @returns {{initial?: Json}} */
function initialOf(schema) {
  if (schema.default !== undefined) return { initial: schema.default };
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return { initial: schema.examples[0] };
  if (Object.hasOwn(schema, "const")) return { initial: schema.const };
  return {};
}

/** @param {Obj} schema */
function limits(schema) {
  const { minimum: min, maximum: max, multipleOf: step, minLength, maxLength, pattern, minItems, maxItems } = schema;
  const numbers = Object.entries({ min, max, step, minLength, maxLength, minItems, maxItems }).filter(
    ([, value]) => typeof value === "number",
  );
  return Object.fromEntries(typeof pattern === "string" ? [...numbers, ["pattern", pattern]] : numbers);
}

/** The initial value of the form: the schema's defaults, and nothing else. @param {Field} field @returns {Json} */
export function initial(field) {
  if (field.initial !== undefined) return structuredClone(field.initial);
  if (field.kind !== "object") return undefined;
  const isSaid = (/** @type {Json} */ value, /** @type {boolean} */ required) =>
    value !== undefined && (required || !isObject(value) || Object.keys(value).length > 0);
  // A member may have any name, also `__proto__`, which cannot be assigned.
  return Object.fromEntries(
    (field.fields ?? [])
      .map(({ key, field: inner, required }) => ({ key, value: initial(inner), required }))
      .filter(({ value, required }) => isSaid(value, required))
      .map(({ key, value }) => [key, value]),
  );
}

/** No example is made up for a list that needs more items than this. */
const MAX_EXAMPLE_ITEMS = 10;
/** Nor for a text that needs more characters than this. */
const MAX_EXAMPLE_CHARS = 1000;
/** An example text for each format. @type {Record<string, string>} */
const FORMAT_EXAMPLES = {
  date: "2026-01-26",
  time: "12:00:00Z",
  "date-time": "2026-01-26T12:00:00Z",
  email: "somebody@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** Example arguments: the schema's defaults, and a simple value for each other required member. @param {Field} field
 * @returns {Json} */
export function example(field) {
  if (field.initial !== undefined) return structuredClone(field.initial);
  const { min, max, minLength = 0 } = field.limits ?? {};
  switch (field.kind) {
    case "string":
      return (
        memberOf(FORMAT_EXAMPLES, field.format ?? "") ??
        "example".padEnd(Math.min(minLength, MAX_EXAMPLE_CHARS), "x").slice(0, field.limits?.maxLength ?? Infinity)
      );
    case "number":
    case "integer":
      return min ?? Math.min(1, max ?? 1);
    case "boolean":
      return false;
    case "enum":
      return field.options?.[0]?.value;
    case "array":
      return Array.from({ length: Math.min(field.limits?.minItems ?? 0, MAX_EXAMPLE_ITEMS) }, () =>
        field.items ? example(field.items) : null,
      );
    case "json":
      return undefined;
    case "object": {
      const wanted = (field.fields ?? []).filter(
        ({ field: inner, required }) => required || initial(inner) !== undefined,
      );
      return Object.fromEntries(
        wanted
          .map(({ key, field: inner, required }) => [key, required ? example(inner) : initial(inner)])
          .filter(([, value]) => value !== undefined && !(isObject(value) && Object.keys(value).length === 0)),
      );
    }
  }
}

/** Whether a tool can be called without arguments. @param {Tool} tool */
export const requiresNothing = ({ inputSchema }) =>
  !Array.isArray(inputSchema?.required) || inputSchema.required.length === 0;

/** The arguments that a tool starts with, and whether they fit its schema. @param {Tool} tool
 * @returns {{args: Obj, fits: boolean}} */
export function startArguments(tool) {
  const field = plan(tool.inputSchema ?? {});
  const args = tool.yardstick.example ?? example(field) ?? {};
  return { args, fits: problems(field, args).length === 0 };
}

/** The value of the typed text; undefined for an empty input. @param {Field} field @param {string} text
 * @returns {Json} */
export function parseInput(field, text) {
  if (field.kind === "string") return text === "" ? undefined : text;
  if (text.trim() === "") return undefined;
  if (field.kind === "number" || field.kind === "integer") return isExact(text.trim()) ? Number(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a number has the value that its text says. A script has no whole numbers beyond 2^53.
 * @param {string} text */
const isExact = (text) =>
  Number.isFinite(Number(text)) && (!/^[+-]?\d+$/.test(text) || BigInt(Number(text)) === BigInt(text.replace("+", "")));

/** The text for a value in an input. @param {Field} field @param {Json} value */
export function show(field, value) {
  if (value === undefined) return "";
  return field.kind === "json" || typeof value !== "string" ? JSON.stringify(value) : value;
}

/** A violation of a schema, and its path. @typedef {{at: string, text: string}} FieldProblem */

/** How many problems a person is told at a time. */
const MAX_TOLD_PROBLEMS = 10;

/** @param {FieldProblem[]} list */
export function problemText(list) {
  const told = list.slice(0, MAX_TOLD_PROBLEMS).map(({ at, text }) => `${at} ${text}`);
  return [...told, ...(list.length > told.length ? [`${list.length - told.length} more`] : [])].join("; ");
}

/** The choices of a field as JSON texts. @type {WeakMap<Field, Set<string>>} */
const choiceTexts = new WeakMap();

/** @param {Field} field @param {Json} value */
function isChoice(field, value) {
  const texts = choiceTexts.get(field) ?? new Set((field.options ?? []).map((option) => JSON.stringify(option.value)));
  choiceTexts.set(field, texts);
  return texts.has(JSON.stringify(value));
}

/**
 * The violations of the schema, without those of patterns. The person may send the arguments anyway; a test host is for
 * that.
 * @param {Field} field @param {Json} value @param {string} [at] @returns {FieldProblem[]}
 */
export function problems(field, value, at = "") {
  const here = at || "arguments";
  if (value === null && field.nullable) return [];
  switch (field.kind) {
    case "object": {
      if (!isObject(value)) return [{ at: here, text: "must be an object" }];
      return (field.fields ?? []).flatMap(({ key, field: inner, required }) => {
        const path = at ? `${at}.${key}` : key;
        const member = memberOf(value, key);
        if (member === undefined) return required ? [{ at: path, text: "is required" }] : [];
        return problems(inner, member, path);
      });
    }
    case "array":
      if (!Array.isArray(value)) return [{ at: here, text: "must be a list" }];
      return [
        ...within(field, value.length, here),
        ...value.flatMap((item, i) => problems(/** @type {Field} */ (field.items), item, `${at}[${i}]`)),
      ];
    case "enum":
      return isChoice(field, value) ? [] : [{ at: here, text: "is not one of the choices" }];
    case "json":
      return [];
    case "integer":
      return Number.isInteger(value) ? within(field, value, here) : [{ at: here, text: wholeNumberProblem(value) }];
    case "number":
      return typeof value === "number" ? within(field, value, here) : [{ at: here, text: "must be a number" }];
    case "string":
      if (typeof value !== "string") return [{ at: here, text: "must be text" }];
      // A character may consist of two units.
      return [...within(field, [...value].length, here), ...formatProblems(field, value, here)];
    case "boolean":
      return typeof value === "boolean" ? [] : [{ at: here, text: "must be true or false" }];
  }
}

/** @param {Json} value */
const wholeNumberProblem = (value) =>
  typeof value === "string" && /^[+-]?\d+$/.test(value.trim())
    ? "is too large for this page to send exactly"
    : "must be a whole number";

/** A member of an object; what every object inherits is none. @param {Obj} object @param {string} key
 * @returns {Json} */
export const memberOf = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);

/** What a text of each format looks like, as far as a form can tell.
 * @type {Record<string, (text: string) => boolean>} */
const FORMATS = {
  "email": (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  "uri": (text) => /^[a-z][a-z0-9+.-]*:\S*$/i.test(text),
  "date": (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)),
};

/** @param {Field} field @param {string} text @param {string} at */
function formatProblems({ format = "" }, text, at) {
  if (!Object.hasOwn(FORMATS, format) || FORMATS[format](text)) return [];
  return [{ at, text: `must be a valid ${format}, such as ${FORMAT_EXAMPLES[format]}` }];
}

/** @param {Field} field @param {number} amount a number, or how much there is of a text or a list @param {string} at */
function within(field, amount, at) {
  const { min, max, minLength, maxLength, minItems, maxItems } = field.limits ?? {};
  const [low, high, what] =
    field.kind === "string"
      ? [minLength, maxLength, " characters"]
      : field.kind === "array"
        ? [minItems, maxItems, " items"]
        : [min, max, ""];
  const verb = what === " items" ? "have" : "be";
  if (low !== undefined && amount < low) return [{ at, text: `must ${verb} at least ${low}${what}` }];
  if (high !== undefined && amount > high) return [{ at, text: `must ${verb} at most ${high}${what}` }];
  return [];
}
