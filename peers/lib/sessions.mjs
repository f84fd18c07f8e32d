// Streamable HTTP with sessions, for the revisions that have them: one server and one transport per session.

import { randomUUID } from 'node:crypto';

export class Sessions {
  #open = new Map();
  #Transport;
  #build;

  constructor(Transport, build) {
    this.#Transport = Transport;
    this.#build = build;
  }

  /** The parsed body of a POST; undefined for other methods and for what is not JSON. */
  async body(request) {
    if (request.method !== 'POST') return undefined;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      return JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return undefined;
    }
  }

  async answer(request, response, body) {
    const id = request.headers['mcp-session-id'];
    const known = this.#open.get(id);
    if (id !== undefined && !known) return void response.writeHead(404).end();
    const transport = known ?? (await this.#start());
    await transport.handleRequest(request, response, body);
  }

  async #start() {
    const transport = new this.#Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#open.set(id, transport),
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    await this.#build().connect(transport);
    return transport;
  }
}
