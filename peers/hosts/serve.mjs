// Serves the host page and its sandbox on two ports of loopback, and passes the page's requests on to the MCP server:
//   node serve.mjs bridge-2 PORT          the page is at PORT, the sandbox at PORT + 1
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";

const [, , name = "bridge-2", first = "6400"] = process.argv;
const port = Number(first);
const here = (file) => new URL(file, import.meta.url);
const page = `http://127.0.0.1:${port}`;
const sandbox = `http://127.0.0.1:${port + 1}`;
const entryPoints = [here(`${name}.mjs`).pathname];
const bundle = await build({ entryPoints, bundle: true, format: "esm", write: false, logLevel: "error" });
const [{ text: script }] = bundle.outputFiles;

const sources = (list) => (Array.isArray(list) ? list : []).filter((one) => /^[a-z]+:\/\/[\w.*:-]+\/?$/i.test(one)).join(" ");

/** The policy of the specification, from what a resource declares. The View's document inherits it. */
function policy(csp) {
  const resources = sources(csp.resourceDomains);
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `img-src 'self' data: ${resources}`,
    `media-src 'self' data: ${resources}`,
    `font-src 'self' ${resources}`,
    `connect-src ${sources(csp.connectDomains) || "'none'"}`,
    `frame-src ${sources(csp.frameDomains) || "'none'"}`,
    `base-uri ${sources(csp.baseUriDomains) || "'self'"}`,
    "object-src 'none'",
  ].join("; ");
}

function send(response, type, body, headers = {}) {
  response.writeHead(200, { "content-type": type, ...headers });
  response.end(body);
}

/** Browsers may not talk to a server of another origin, so this does. */
function forward(incoming, response, to) {
  const { host: _host, origin: _origin, referer: _referer, ...headers } = incoming.headers;
  const outgoing = request(to, { method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.writeHead(502).end());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

createServer((incoming, response) => {
  const url = new URL(incoming.url, page);
  if (url.pathname === "/mcp") return forward(incoming, response, url.searchParams.get("to"));
  if (url.pathname === "/host.js") return send(response, "text/javascript", script);
  if (url.pathname !== "/") return response.writeHead(404).end();
  const html = `<!doctype html><title>bridge host</title><body data-sandbox="${sandbox}/"><script type="module" src="/host.js"></script>`;
  return send(response, "text/html", html);
}).listen(port, "127.0.0.1");

createServer((incoming, response) => {
  const url = new URL(incoming.url, sandbox);
  if (url.pathname === "/sandbox.js") return send(response, "text/javascript", readFileSync(here("sandbox.js")));
  if (url.pathname !== "/") return response.writeHead(404).end();
  let csp = {};
  try {
    csp = JSON.parse(url.searchParams.get("csp") ?? "{}") ?? {};
  } catch {
    // A policy that cannot be read is the strictest one.
  }
  const html = `<!doctype html><title>sandbox</title><style>body { margin: 0; height: 100vh }</style><body>
<script src="/sandbox.js"></script>`;
  return send(response, "text/html", html, { "content-security-policy": policy(csp) });
}).listen(port + 1, "127.0.0.1", () => console.log(page));
