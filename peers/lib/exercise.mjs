// What a peer client does with a server, whichever SDK it is built on.
//
// `peer` is the adapter of one SDK: connect(), modern, client, call(params, options), discover(), subscribe(uri),
// seen (what arrived from the server: samples, elicitations, roots, logs, updates) and close().

import { Steps, expect, until } from './steps.mjs';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const CANCEL_AFTER_MS = 300;

/** Connects, looks around, runs the steps of the command line and returns the exit code. */
export async function exercise(peer, plan) {
  const steps = new Steps();
  if (await steps.run('connect', () => peer.connect())) {
    await survey(peer, steps);
    for (const step of plan.steps) {
      await steps.run(`${step.kind}:${step.name ?? step.text}`, () => KINDS[step.kind](peer, step));
    }
    await steps.run('close', () => peer.close());
  }
  return steps.exitCode;
}

/** The steps that every server gets, according to the capabilities that it declared. */
async function survey(peer, steps) {
  const { client } = peer;
  const offers = client.getServerCapabilities() ?? {};
  if (peer.modern) {
    await steps.run('discover', () => peer.discover());
  } else {
    await steps.run('ping', () => client.ping());
  }
  if (offers.tools) {
    await steps.run('tools', async () => (await client.listTools()).tools.map((tool) => tool.name));
  }
  if (offers.resources) {
    await steps.run('resources', async () => (await client.listResources()).resources.map((it) => it.uri));
    await steps.run('templates', async () =>
      (await client.listResourceTemplates()).resourceTemplates.map((it) => it.uriTemplate),
    );
  }
  if (offers.prompts) {
    await steps.run('prompts', async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name));
  }
}

const KINDS = {
  call: async (peer, step) => shown(succeeded(await peer.call(request(step)))),

  async fail(peer, step) {
    try {
      const result = await peer.call(request(step));
      expect(result.isError, `${step.name} succeeded`);
      return { isError: true, ...shown(result) };
    } catch (error) {
      if (error.code === 'ERR_ASSERTION') throw error;
      return { code: error.code ?? null, message: error.message };
    }
  },

  async progress(peer, step) {
    const values = [];
    const result = await peer.call(request(step), { onprogress: ({ progress }) => values.push(progress) });
    expect(values.length > 0, 'no progress was reported');
    expect(
      values.every((value, index) => index === 0 || value > values[index - 1]),
      `progress did not increase: ${values}`,
    );
    return { values, ...shown(succeeded(result)) };
  },

  async cancel(peer, step) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort('the test is done with it'), CANCEL_AFTER_MS);
    const began = Date.now();
    const outcome = await peer.call(request(step), { signal: stop.signal }).then(
      () => undefined,
      (error) => error,
    );
    clearTimeout(timer);
    expect(outcome, `${step.name} answered before it could be cancelled`);
    const { tools } = await peer.client.listTools();
    expect(tools.length > 0, 'the server lists no tools after a cancellation');
    return { after: Date.now() - began, message: outcome.message ?? String(outcome) };
  },

  sample: (peer, step) => asked(peer, step, 'samples'),
  elicit: (peer, step) => asked(peer, step, 'elicitations'),
  roots: (peer, step) => asked(peer, step, 'roots'),

  async log(peer, step) {
    const before = peer.seen.logs.length;
    if (!peer.modern) await peer.client.setLoggingLevel('debug');
    const meta = peer.modern ? { _meta: { [LOG_LEVEL]: 'debug' } } : {};
    succeeded(await peer.call({ ...request(step), ...meta }));
    await until(() => peer.seen.logs.length > before, 'a log message');
    return peer.seen.logs.slice(before);
  },

  read: async (peer, step) => (await peer.client.readResource({ uri: step.text })).contents,

  prompt: async (peer, step) =>
    (await peer.client.getPrompt({ name: step.name, arguments: step.args })).messages,

  async complete(peer, step) {
    const [kind, name, argument, value] = step.text.split(' ');
    const ref = kind === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name };
    const { completion } = await peer.client.complete({ ref, argument: { name: argument, value } });
    return completion.values;
  },

  async subscribe(peer, step) {
    const before = peer.seen.updates.length;
    const stop = await peer.subscribe(step.uri);
    succeeded(await peer.call(request(step)));
    await until(() => peer.seen.updates.length > before, `an update of ${step.uri}`);
    await stop();
    return peer.seen.updates.slice(before);
  },
};

/** Calls a tool that has to come back to us for input, and reports what it asked. */
async function asked(peer, step, what) {
  const before = peer.seen[what].length;
  const result = succeeded(await peer.call(request(step)));
  expect(peer.seen[what].length > before, `${step.name} succeeded without asking for ${what}`);
  return { asked: peer.seen[what].slice(before), ...shown(result) };
}

const request = (step) => ({ name: step.name, arguments: step.args });

function succeeded(result) {
  expect(!result.isError, `the tool failed: ${JSON.stringify(result.content)}`);
  return result;
}

/** The part of a tool result that tests look at. */
function shown(result) {
  const text = result.content
    ?.filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
  const structured = result.structuredContent === undefined ? {} : { structured: result.structuredContent };
  return { text, ...structured };
}
