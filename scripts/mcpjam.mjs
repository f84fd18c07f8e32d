// Asks MCPJam's runner for its verdicts on the apps mutants, and compares them with the table.
//
//   npm install --prefix DIR @mcpjam/sdk@1.14.0   with "overrides": {"@modelcontextprotocol/client": "2.0.0-alpha.2"}
//   node scripts/mcpjam.mjs DIR                   compares; exit code 1 when a verdict differs
//   node scripts/mcpjam.mjs --serve NAME          is one mutant, on stdio
//
// That version says "skipped" both for what does not apply and for what could not run; the table keeps them apart.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(import.meta.url);
const table = JSON.parse(readFileSync(new URL("../crates/suite/tests/mutants/apps.json", import.meta.url), "utf8"));

/** The base with a mutant's edits. */
function mutated(mutant) {
  const state = structuredClone(table.base);
  for (const edit of mutant.edits) {
    const steps = (edit.set ?? edit.remove).slice(1).split("/").map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = steps.pop();
    let place = state;
    for (const step of steps) place = place[step] ??= {};
    if ("remove" in edit) delete place[last];
    else place[last] = edit.to;
  }
  return state;
}

function answer(state, { method, params }) {
  if (state.errors[method]) return { error: state.errors[method] };
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: state.capabilities,
          serverInfo: { name: "mutant", version: "1" },
        },
      };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: state.tools } };
    case "resources/list":
      return { result: { resources: state.resources } };
    case "resources/read":
      return params.uri in state.contents
        ? { result: { contents: state.contents[params.uri] } }
        : { error: { code: -32002, message: "no such resource" } };
    default:
      return { error: { code: -32601, message: "Method not found" } };
  }
}

function serve(name) {
  const state = mutated(table.mutants.find((mutant) => mutant.name === name));
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined) return;
    console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(state, message) }));
  });
}

async function compare(directory) {
  const require = createRequire(pathToFileURL(`${directory}/package.json`));
  const { MCPAppsConformanceTest } = require("@mcpjam/sdk");
  const letters = { passed: "P", failed: "F", skipped: "S" };
  let differing = 0;
  for (const mutant of table.mutants) {
    const test = new MCPAppsConformanceTest({ command: process.execPath, args: [here, "--serve", mutant.name] });
    const { checks } = await test.run();
    const said = checks.map((check) => letters[check.status]).join("");
    const same = said === mutant.mcpjam.replaceAll(/[NC]/g, "S");
    differing += same ? 0 : 1;
    console.log(`${same ? "same  " : "DIFFER"} ${mutant.name} ${said} ${mutant.mcpjam}`);
  }
  console.log(`${table.mutants.length} mutants, ${differing} differ`);
  return differing;
}

const [first, second] = process.argv.slice(2);
if (first === "--serve") serve(second);
else if (first) process.exit((await compare(first)) > 0 ? 1 : 0);
else console.error("usage: node scripts/mcpjam.mjs DIR | --serve NAME");
