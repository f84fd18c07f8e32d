// A server on the official TypeScript SDK, version 2: every revision it knows, over stdio or (`--http PORT`) HTTP.

import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  McpServer,
  ResourceTemplate,
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

import { parseServerArgs } from './lib/args.mjs';
import { registerTexts, registerTools, text } from './lib/demo.mjs';
import { listen } from './lib/http.mjs';
import { Sessions } from './lib/sessions.mjs';

const CAPABILITIES = { logging: {}, resources: { subscribe: true, listChanged: true }, completions: {} };
const ANSWER = z.object({ colour: z.string() });

/** Tells every open `subscriptions/listen` stream; set when there is an HTTP handler. */
let notifier;

function build() {
  const server = new McpServer({ name: 'ts2-server', version: '1.0.0' }, { capabilities: CAPABILITIES });
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  registerTools(server, {
    signal: (context) => context.mcpReq.signal,
    async progress(context, progress, total) {
      const progressToken = context.mcpReq._meta?.progressToken;
      if (progressToken === undefined) return;
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total },
      });
    },
    log: (context, message) => context.mcpReq.log('info', message, 'ts2-server'),
    async updated(uri, context) {
      if (notifier && context.mcpReq.envelope) return notifier.resourceUpdated(uri);
      await server.server.sendResourceUpdated({ uri });
    },
  });
  registerTexts(server, { ResourceTemplate, completable, object: z.object });
  registerQuestions(server);
  return server;
}

// An `input_required` result serves both eras: the SDK turns it into requests for an older client.
function registerQuestions(server) {
  server.registerTool('ask-user', { description: 'Asks the user for a colour' }, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, 'colour', ANSWER);
    if (answer) return text(`the user likes ${answer.colour}`);
    const question = inputRequired.elicit({ message: 'Which colour?', requestedSchema: ANSWER });
    return inputRequired({ inputRequests: { colour: question } });
  });
  server.registerTool(
    'ask-model',
    {
      description: 'Asks the model of the client',
      inputSchema: z.object({ prompt: z.string().default('hello') }),
    },
    async ({ prompt }, context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, 'reply');
      if (answer.kind === 'sampling') return text(answer.result.content.text);
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      return inputRequired({
        inputRequests: { reply: inputRequired.createMessage({ messages, maxTokens: 100 }) },
      });
    },
  );
  server.registerTool('ask-roots', { description: 'Asks for the roots of the client' }, async (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'roots');
    if (answer.kind === 'roots') return text(answer.roots.map((root) => root.uri).join('\n'));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
}

function serveHttp(port) {
  const modern = createMcpHandler(build, { legacy: 'reject' });
  notifier = modern.notify;
  const answerModern = toNodeHandler(modern);
  const sessions = new Sessions(NodeStreamableHTTPServerTransport, build);
  listen(port, {
    async '/mcp'(request, response) {
      const body = await sessions.body(request);
      const legacy = await isLegacyRequest(await toWebRequest(request, body), body);
      return legacy ? sessions.answer(request, response, body) : answerModern(request, response, body);
    },
  });
}

const { port } = parseServerArgs(process.argv.slice(2));
if (port === undefined) {
  serveStdio(build);
} else {
  serveHttp(port);
}
