// A server on the official TypeScript SDK, version 1: every revision it knows, over stdio or (`--http PORT`) HTTP.
// The HTTP server also speaks the deprecated HTTP+SSE transport, at /sse.

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

import { parseServerArgs } from './lib/args.mjs';
import { registerTexts, registerTools, text } from './lib/demo.mjs';
import { listen } from './lib/http.mjs';
import { Sessions } from './lib/sessions.mjs';

const CAPABILITIES = { logging: {}, resources: { subscribe: true, listChanged: true }, completions: {} };
const COLOUR_FORM = { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] };

function build() {
  const server = new McpServer({ name: 'ts1-server', version: '1.0.0' }, { capabilities: CAPABILITIES });
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  registerTools(server, {
    signal: (context) => context.signal,
    async progress(context, progress, total) {
      const progressToken = context._meta?.progressToken;
      if (progressToken === undefined) return;
      await context.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total },
      });
    },
    log: (context, data) =>
      context.sendNotification({
        method: 'notifications/message',
        params: { level: 'info', logger: 'ts1-server', data },
      }),
    updated: (uri) => server.server.sendResourceUpdated({ uri }),
  });
  registerTexts(server, { ResourceTemplate, completable, object: (shape) => shape });
  registerQuestions(server);
  return server;
}

// Each question travels on the stream of the call that it belongs to.
function registerQuestions(mcp) {
  const { server } = mcp;
  const within = (context) => ({ relatedRequestId: context.requestId });
  mcp.registerTool('ask-user', { description: 'Asks the user for a colour' }, async (context) => {
    const form = { message: 'Which colour?', requestedSchema: COLOUR_FORM };
    const answer = await server.elicitInput(form, within(context));
    return text(
      answer.action === 'accept'
        ? `the user likes ${answer.content.colour}`
        : `the user said ${answer.action}`,
    );
  });
  mcp.registerTool(
    'ask-model',
    {
      description: 'Asks the model of the client',
      inputSchema: z.object({ prompt: z.string().default('hello') }),
    },
    async ({ prompt }, context) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const answer = await server.createMessage({ messages, maxTokens: 100 }, within(context));
      return text(answer.content.text);
    },
  );
  mcp.registerTool('ask-roots', { description: 'Asks for the roots of the client' }, async (context) => {
    const { roots } = await server.listRoots(undefined, within(context));
    return text(roots.map((root) => root.uri).join('\n'));
  });
}

const { port } = parseServerArgs(process.argv.slice(2));
if (port === undefined) {
  await build().connect(new StdioServerTransport());
} else {
  const streams = new Map();
  const sessions = new Sessions(StreamableHTTPServerTransport, build);
  listen(port, {
    '/mcp': async (request, response) => sessions.answer(request, response, await sessions.body(request)),
    async '/sse'(request, response) {
      const transport = new SSEServerTransport('/messages', response);
      streams.set(transport.sessionId, transport);
      response.on('close', () => streams.delete(transport.sessionId));
      await build().connect(transport);
    },
    async '/messages'(request, response) {
      const { searchParams } = new URL(request.url, 'http://loopback');
      const transport = streams.get(searchParams.get('sessionId'));
      if (!transport) return void response.writeHead(404).end();
      await transport.handlePostMessage(request, response);
    },
  });
}
