// A loopback HTTP server that prints its URL as the first line on stdout.

import { createServer } from 'node:http';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a URL or an authority names this machine; a page elsewhere may have rebound its name to us. */
function isLocal(text) {
  try {
    return LOOPBACK.has(new URL(text).hostname);
  } catch {
    return false;
  }
}

/** Serves `routes` (path → handler) on 127.0.0.1; port 0 takes a free one. */
export function listen(port, routes) {
  const server = createServer((request, response) => {
    const { host, origin } = request.headers;
    if (!isLocal(`http://${host}`) || (origin !== undefined && !isLocal(origin))) {
      return void response.writeHead(403).end();
    }
    const { pathname } = new URL(request.url, 'http://loopback');
    const route = routes[pathname];
    if (!route) return void response.writeHead(404).end();
    Promise.resolve(route(request, response)).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.on('connection', (socket) => socket.setNoDelay(true));
  server.listen(port, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`);
  });
}
