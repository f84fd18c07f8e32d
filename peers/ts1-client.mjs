// A client on the official TypeScript SDK, version 1. See lib/args.mjs for the command line.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { CAPABILITIES, Seen } from './lib/answers.mjs';
import { parseClientArgs } from './lib/args.mjs';
import { exercise } from './lib/exercise.mjs';

class Peer {
  modern = false;
  seen = new Seen();
  client = new Client({ name: 'ts1-client', version: '1.0.0' }, { capabilities: CAPABILITIES });
  #plan;
  #negotiated;

  constructor(plan) {
    this.#plan = plan;
    const { client, seen } = this;
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => seen.sample(params));
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => seen.elicit(params));
    client.setRequestHandler(ListRootsRequestSchema, () => seen.listRoots());
    client.setNotificationHandler(
      LoggingMessageNotificationSchema,
      ({ params }) => void seen.logs.push(params),
    );
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void seen.updates.push(params.uri),
    );
  }

  async connect() {
    const transport = this.#transport();
    this.#watch(transport);
    await this.client.connect(transport);
    const capabilities = Object.keys(this.client.getServerCapabilities() ?? {});
    return { protocol: this.#negotiated, server: this.client.getServerVersion(), capabilities };
  }

  call(params, options) {
    return this.client.callTool(params, undefined, options);
  }

  async subscribe(uri) {
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

  // This SDK always offers its newest revision, and does not tell what was agreed over stdio.
  #watch(transport) {
    const { protocol } = this.#plan;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (protocol && message.method === 'initialize') message.params.protocolVersion = protocol;
      return send(message, options);
    };
    const inform = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (version) => {
      this.#negotiated = version;
      inform?.(version);
    };
  }
}

const plan = parseClientArgs(process.argv.slice(2));
process.exit(await exercise(new Peer(plan), plan));
