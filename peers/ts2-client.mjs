// A client on the official TypeScript SDK, version 2. See lib/args.mjs for the command line.
// Without --protocol it asks `server/discover` and falls back to `initialize`.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { CAPABILITIES, Seen } from './lib/answers.mjs';
import { parseClientArgs } from './lib/args.mjs';
import { exercise } from './lib/exercise.mjs';

const FIRST_MODERN = '2026-07-28';

class Peer {
  seen = new Seen();
  #plan;

  constructor(plan) {
    this.#plan = plan;
    this.client = new Client(
      { name: 'ts2-client', version: '1.0.0' },
      { capabilities: CAPABILITIES, ...negotiation(plan.protocol) },
    );
    const { client, seen } = this;
    client.setRequestHandler('sampling/createMessage', ({ params }) => seen.sample(params));
    client.setRequestHandler('elicitation/create', ({ params }) => seen.elicit(params));
    client.setRequestHandler('roots/list', () => seen.listRoots());
    client.setNotificationHandler('notifications/message', ({ params }) => void seen.logs.push(params));
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void seen.updates.push(params.uri),
    );
  }

  get modern() {
    return this.client.getProtocolEra() === 'modern';
  }

  async connect() {
    const { client } = this;
    await client.connect(this.#transport());
    const protocol = client.getNegotiatedProtocolVersion();
    const capabilities = Object.keys(client.getServerCapabilities() ?? {});
    return { protocol, server: client.getServerVersion(), capabilities };
  }

  async discover() {
    return (await this.client.discover()).supportedVersions;
  }

  call(params, options) {
    return this.client.callTool(params, options);
  }

  async subscribe(uri) {
    if (this.modern) {
      const subscription = await this.client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    }
    await this.client.subscribeResource({ uri });
    return () => this.client.unsubscribeResource({ uri });
  }

  close() {
    return this.client.close();
  }

  #transport() {
    const { url, command, sse } = this.#plan;
    if (command) return new StdioClientTransport({ command: command[0], args: command.slice(1) });
    return sse ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
  }
}

/** The client options that make the SDK speak exactly `protocol`, or whatever the server speaks. */
function negotiation(protocol) {
  if (protocol === undefined) return { versionNegotiation: { mode: 'auto' } };
  if (protocol >= FIRST_MODERN) return { versionNegotiation: { mode: { pin: protocol } } };
  return { supportedProtocolVersions: [protocol], versionNegotiation: { mode: 'legacy' } };
}

const plan = parseClientArgs(process.argv.slice(2));
process.exit(await exercise(new Peer(plan), plan));
