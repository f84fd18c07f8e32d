// The timeline: every message between View, proxy, host and server. Only visible rows are in the document.

import { copyButton, eachFrame, fill, h, jsonView } from "./dom.js";
import { finding } from "./finding.js";
import { createFilterMenu } from "./timeline-filter.js";
import { KINDS, LANES, droppedRow, lane, passes, preview } from "./timeline-model.js";
import { related, rowOf, runRow, violationEntry, worst } from "./timeline-model.js";
import { createRows } from "./timeline-rows.js";
import { requestEditor } from "./request-editor.js";
import { createRuns } from "./timeline-runs.js";

/** @import {Entry, Json, Violation} from "./types.d.ts" */
/** @import {Filter, Row} from "./timeline-model.js" */

const ROW_HEIGHT = 26;
/** @type {Record<Row["kind"], string>} */
const KIND_LABELS = {
  request: "request",
  notification: "notice",
  response: "result",
  error: "error",
  event: "event",
  run: "",
};

/** @typedef {ReturnType<typeof createTimeline>} Timeline */

/** @param {{send: (server: string, request: {method: string, params: Json}) => Promise<Json>}} to */
export function createTimeline(to) {
  const runs = createRuns();
  const kept = createRows();
  const { rows, byKey } = kept;
  /** @type {Row[]} */ let visible = [];
  /** @type {Map<number, HTMLElement>} */ const drawn = new Map();
  /** @type {Filter} */ const filter = {
    lanes: [...LANES],
    kinds: [...KINDS],
    text: "",
    findings: false,
    run: runs.isCurrent,
  };
  /** Rows that are not messages have negative keys. */
  let extraKey = -1;
  let lastAt = 0;
  let selected = 0;
  let detailHeight = 0;
  let follow = true;
  /** @type {Set<number>} */ let linked = new Set();

  const canvas = h("div", { class: "tl-canvas", role: "rowgroup" });
  const nothing = h("span", { role: "gridcell" });
  const none = h("div", { class: "empty tl-none", role: "row" }, nothing);
  const list = h(
    "div",
    { class: "tl-list", role: "grid", tabindex: "0", aria: { label: "Messages", colcount: 4 } },
    none,
    canvas,
  );
  const count = h("span", { class: "muted tl-count", role: "status" });
  const search = h("input", {
    type: "search",
    class: "tl-search",
    placeholder: "Search  /",
    aria: { label: "Search messages" },
    oninput: () => ((filter.text = search.value.trim().toLowerCase()), refilter()),
  });
  const opened = h("div", { class: "tl-opened", role: "gridcell" });
  const detail = h("div", { class: "tl-detail", role: "row" }, opened);
  const earlier = h("button", { type: "button", class: "tl-earlier", hidden: true, onclick: () => {
    filter.run = filter.run === null ? runs.isCurrent : null;
    refilter();
  } });
  const menu = createFilterMenu(filter, KIND_LABELS, refilter);
  const bar = h(
    "div",
    { class: "tl-filters" },
    h(
      "div",
      { class: "row" },
      search,
      count,
      menu.button,
      h("button", { type: "button", class: "small", onclick: clear }, "Clear"),
    ),
    menu.element,
  );
  const element = h("div", { class: "timeline" }, bar, head(), earlier, list);
  const render = eachFrame(draw);

  function head() {
    return h(
      "div",
      { class: "tl-head", aria: { hidden: "true" } },
      h("span", {}, "s"),
      h(
        "span",
        { class: "tl-lanes" },
        LANES.map((name) => h("span", { data: { short: name.charAt(0).toUpperCase() } }, h("span", {}, name))),
      ),
      h("span", {}, "message"),
    );
  }

  /** @param {Entry} entry @param {boolean} isNews whether it happened since the page was opened @param {number} [size]
   * its characters */
  function add(entry, isNews, size = 0) {
    lastAt = entry.at;
    push({ ...rowOf(entry, (n) => byKey.get(n), runs.runOf(entry, isNews)), size });
  }

  /** @param {Row} row */
  function push(row) {
    if (!kept.add(row)) return;
    if (kept.shrink()) {
      visible = visible.filter(({ key }) => byKey.has(key));
      if (selected !== 0 && !byKey.has(selected)) select(0);
    }
    if (passes(row, filter)) visible.push(row);
    render();
  }

  function refilter() {
    visible = rows.filter((row) => passes(row, filter));
    menu.refresh();
    if (!visible.some((row) => row.key === selected)) select(0);
    render();
  }

  function clear() {
    kept.clear();
    visible = [];
    runs.clear();
    select(0);
    render();
  }

  /** Draws the button for entries outside the shown run. */
  function drawEarlier() {
    const all = filter.run === null;
    const others = runs.others();
    earlier.hidden = !rows.some((row) => row.kind !== "run" && !runs.isCurrent(row.run));
    const what = others === 0 ? "earlier messages" : others === 1 ? "1 other run" : `${others} other runs`;
    earlier.textContent = all ? "Show only the current run" : `Show ${what}`;
    earlier.setAttribute("aria-expanded", String(all));
  }

  /** The vertical position of a row; rows below an open row move down by the height of its details.
   * @param {number} at */
  const top = (at) => at * ROW_HEIGHT + (selected !== 0 && at > indexOfSelected() ? detailHeight : 0);
  const indexOfSelected = () => visible.findIndex((row) => row.key === selected);

  function draw() {
    const open = indexOfSelected();
    const extra = open >= 0 ? detailHeight : 0;
    canvas.style.height = `${visible.length * ROW_HEIGHT + extra}px`;
    if (follow && selected === 0) list.scrollTop = list.scrollHeight;
    const first = Math.max(0, Math.floor((list.scrollTop - extra) / ROW_HEIGHT) - 4);
    const last = Math.min(visible.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW_HEIGHT) + 4);
    const wanted = new Set();
    for (let i = first; i < last; i++) {
      const row = visible[i];
      wanted.add(row.key);
      let line = drawn.get(row.key);
      if (!line) {
        line = drawAny(row);
        drawn.set(row.key, line);
        canvas.append(line);
      }
      line.style.top = `${i * ROW_HEIGHT + (open >= 0 && i > open ? extra : 0)}px`;
      line.setAttribute("aria-rowindex", String(i + 1));
      line.classList.toggle("linked", linked.has(row.key));
      line.setAttribute("aria-selected", String(row.key === selected));
    }
    for (const [key, line] of drawn) if (!wanted.has(key)) (line.remove(), drawn.delete(key));
    if (open >= 0) detail.style.top = `${(open + 1) * ROW_HEIGHT}px`;
    none.hidden = visible.length > 0;
    const inScope = rows.filter((row) => row.kind !== "run" && (filter.run?.(row.run) ?? true)).length;
    nothing.textContent =
      inScope === 0
        ? "Every message between app, proxy, host and server appears here."
        : "No message matches the filters.";
    list.setAttribute("aria-rowcount", String(visible.length));
    const passed = visible.filter((row) => row.kind !== "run").length;
    const dropped = kept.forgotten > 0 ? `, ${kept.forgotten} older ones dropped` : "";
    count.textContent = `${passed === inScope ? `${passed} messages` : `${passed} of ${inScope}`}${dropped}`;
    drawEarlier();
  }

  /** A row that cannot be drawn shows that and keeps its place; the others are drawn anyway. @param {Row} row */
  function drawAny(row) {
    try {
      return drawRow(row);
    } catch (error) {
      return h(
        "div",
        { class: "tl-row event", role: "row", id: `tl-${row.key}` },
        h("span", { role: "gridcell" }, `#${row.key} cannot be drawn: ${error}`),
      );
    }
  }

  /** @param {Row} row */
  function drawRow(row) {
    const { entry } = row;
    if (row.kind === "run")
      return h(
        "div",
        { class: "tl-row run", role: "row", id: `tl-${row.key}` },
        h("span", { class: "tl-run", role: "gridcell" }, row.label),
      );
    const asked = entry.answers ? byKey.get(entry.answers) : undefined;
    const took = asked ? ` ${duration(entry.at - asked.entry.at)}` : "";
    const level = worst(row.findings);
    const line = h(
      "div",
      {
        class: `tl-row ${row.kind}`,
        role: "row",
        id: `tl-${row.key}`,
        data: { key: String(row.key) },
        onclick: () => toggle(row.key),
        onmouseenter: () => link(row),
        onmouseleave: () => link(byKey.get(selected)),
      },
      h(
        "span",
        { class: "tl-at", role: "gridcell", title: `${time(entry.at)} s after the start of the host` },
        time(runs.since(row.run, entry.at)),
      ),
      h("span", { class: "tl-lanes", role: "gridcell", aria: { label: `${entry.from} to ${entry.to}` } }, arrow(entry)),
      h("span", { class: "tl-what", role: "gridcell" },
        h("span", { class: "sign" }, KIND_LABELS[row.kind]),
        h(
          "span",
          { class: "tl-label", title: row.label },
          shorten(row.label),
          took && h("span", { class: "muted" }, took),
        ),
        h("span", { class: "tl-preview" }, preview(entry)),
      ),
      h(
        "span",
        { role: "gridcell" },
        level && h("span", { class: `badge ${level}`, title: row.findings.map((one) => one.text).join("\n") }, level),
      ),
    );
    return line;
  }

  /** @param {Row | undefined} row */
  function link(row) {
    linked = row ? related(row, rows) : new Set();
    for (const [key, line] of drawn) line.classList.toggle("linked", linked.has(key));
  }

  /** @param {number} key */
  const toggle = (key) => select(key === selected ? 0 : key);

  /** @param {number} key */
  function select(key) {
    selected = key;
    detail.remove();
    detailHeight = 0;
    const row = byKey.get(key);
    list.setAttribute("aria-activedescendant", row ? `tl-${key}` : "");
    if (row) {
      fill(opened, ...details(row));
      canvas.append(detail);
      detail.style.top = "0";
      detailHeight = detail.offsetHeight;
    }
    link(row);
    draw();
    const below = row ? top(indexOfSelected()) + ROW_HEIGHT + detailHeight - (list.scrollTop + list.clientHeight) : 0;
    if (below > 0) list.scrollTop += Math.min(below, list.clientHeight - ROW_HEIGHT);
  }

  /** @param {Row} row */
  function details(row) {
    const near = (/** @type {string} */ label, /** @type {number | null | undefined} */ n) =>
      n && byKey.has(n)
        ? h("button", { type: "button", class: "small", onclick: () => go(n) }, `${label}: ${byKey.get(n)?.label}`)
        : undefined;
    const answer = rows.find((one) => one.entry.answers === row.key);
    return [
      ...row.findings.map(finding),
      h(
        "div",
        { class: "row" },
        h("span", { class: "muted" }, `#${row.key} ${row.entry.from} → ${row.entry.to}`),
        near("request", row.entry.answers),
        near("answer", answer?.key),
        near("cause", row.entry.cause === row.entry.answers ? null : row.entry.cause),
        copyButton("Copy", () => JSON.stringify(row.entry.message, null, 2)),
        isSendable(row) &&
          h("button", { type: "button", class: "small", onclick: () => edit(row) }, "Edit and send again"),
      ),
      jsonView(row.entry.message),
    ];
  }

  /** Lets the person change a request to a server and send it again. @param {Row} row */
  function edit({ entry }) {
    fill(opened, ...requestEditor(entry, to.send, () => select(selected)));
    detailHeight = detail.offsetHeight;
    draw();
  }

  /** @param {number} key */
  function go(key) {
    if (!visible.some((row) => row.key === key)) return;
    select(key);
    const at = indexOfSelected();
    if (at >= 0) list.scrollTop = Math.max(0, top(at) - list.clientHeight / 3);
  }

  list.addEventListener("scroll", () => {
    follow = list.scrollTop + list.clientHeight >= list.scrollHeight - ROW_HEIGHT;
    render();
  });
  list.addEventListener("keydown", (event) => {
    if (event.target !== list) return;
    const at = indexOfSelected();
    const to = /** @type {Record<string, number>} */ ({
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? visible.length - 1 : at - 1,
      Home: 0,
      End: visible.length - 1,
    })[event.key];
    if (event.key === "Escape" && selected !== 0) (event.stopPropagation(), select(0));
    if (to === undefined || visible.length === 0) return;
    event.preventDefault();
    go(visible[Math.min(Math.max(to, 0), visible.length - 1)].key);
  });
  new ResizeObserver(render).observe(list);
  render();

  return {
    element, add,
    search: () => search.focus(),
    /** Shows only the messages with findings. */
    showFindings() {
      filter.findings = true;
      refilter();
    },
    /** A run has started, in this page or another. @param {{run: string, tool?: string | null, at: number}} event */
    begin: (event) => push(runRow(extraKey--, runs.begin(event))),
    /** The host no longer has the first entries. @param {number} count */
    dropped: (count) => push(droppedRow(extraKey--, count, lastAt, runs.runOf({}, true))),
    /** The browser blocked a load. @param {Violation} violation @param {boolean} isNews */
    violated: (violation, isNews) => add(violationEntry({ ...violation, n: extraKey-- }, lastAt), isNews),
    /** This page starts a run; the timeline shows that run from now on. @param {string} run */
    show(run) {
      runs.start(run);
      follow = true;
      refilter();
    },
  };
}

/** Whether a row is a request of the host to a server. @param {Row} row */
const isSendable = ({ kind, entry }) =>
  kind === "request" && entry.from === "host" && entry.to === "server" && Boolean(entry.server);

/** @param {Entry} entry */
function arrow(entry) {
  const from = LANES.indexOf(/** @type {any} */ (lane(entry.from)));
  const to = LANES.indexOf(/** @type {any} */ (lane(entry.to)));
  const line = h("span", { class: `tl-arrow ${to < from ? "left" : to > from ? "right" : "self"}` });
  line.style.left = `${(Math.min(from, to) + 0.5) * 25}%`;
  line.style.width = `${Math.abs(to - from) * 25}%`;
  return line;
}

/** Notifications have their own symbol, so most of their common prefix is left out. @param {string} method */
const shorten = (method) => method.replace(/^ui\/notifications\//, "ui/…/");
/** @param {number} ms */
const time = (ms) => (ms / 1000).toFixed(ms < 1_000_000 ? 3 : 1);
/** @param {number} ms */
const duration = (ms) => (ms < 1 ? "<1 ms" : ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`);
