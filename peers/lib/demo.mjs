// What both TypeScript servers offer. The SDKs register alike but report progress and logs differently; `io` hides that:
// io.progress(context, done, total), io.log(context, text), io.signal(context) and io.updated(uri).

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export const GREETING = 'peer://greeting';
export const NAMES = ['Ada', 'Alan', 'Grace'];

export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** Registers the tools that need nothing from the client. */
export function registerTools(server, io) {
  server.registerTool(
    'echo',
    {
      description: 'Says what it was told',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async (args) => text(args.text),
  );
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    'slow',
    {
      description: 'Takes its time and reports progress',
      inputSchema: z.object({
        steps: z.number().int().min(1).max(1000).default(3),
        delay: z.number().min(0).max(1000).default(10),
      }),
    },
    async ({ steps, delay }, context) => {
      for (let done = 1; done <= steps; done += 1) {
        await sleep(delay, undefined, { signal: io.signal(context) });
        await io.progress(context, done, steps);
      }
      return text(`${steps} steps`);
    },
  );
  server.registerTool(
    'log',
    { description: 'Sends a log message', inputSchema: z.object({ message: z.string().default('hello') }) },
    async ({ message }, context) => {
      await io.log(context, message);
      return text('logged');
    },
  );
  server.registerTool('touch', { description: `Changes ${GREETING}` }, async (context) => {
    await io.updated(GREETING, context);
    return text('touched');
  });
}

/** Registers a resource, a resource template that completes, and a prompt that completes. */
export function registerTexts(server, { ResourceTemplate, completable, object }) {
  const completions = (value) => NAMES.filter((name) => name.startsWith(value));
  const contents = (uri, value) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: value }] });
  server.registerResource('greeting', GREETING, { mimeType: 'text/plain' }, async (uri) =>
    contents(uri, 'hello'),
  );
  server.registerResource(
    'greeting-for',
    new ResourceTemplate(`${GREETING}/{name}`, { list: undefined, complete: { name: completions } }),
    { mimeType: 'text/plain' },
    async (uri, { name }) => contents(uri, `hello ${name}`),
  );
  server.registerPrompt(
    'greet',
    {
      description: 'Asks for a greeting',
      argsSchema: object({ name: completable(z.string(), completions) }),
    },
    async ({ name }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${name}` } }],
    }),
  );
}
