// The command line of the peer clients. `rmcp-client` reads the same one, so that a test can swap peers.
//
//   CLIENT [options] URL
//   CLIENT [options] -- COMMAND [ARGUMENT…]
//
// Each option that names a step may be given again; steps run in the order in which they are written.

/** Options that take `NAME` or `NAME=JSON` and call a tool, each in its own way. */
const TOOL_STEPS = ['call', 'fail', 'progress', 'cancel', 'sample', 'elicit', 'roots', 'log'];
/** Options that take one plain string. */
const PLAIN_STEPS = ['read', 'complete'];

export class UsageError extends Error {}

/** Turns `argv` into `{ protocol, sse, url, command, steps }`. */
export function parseClientArgs(argv) {
  const parsed = { protocol: undefined, sse: false, url: undefined, command: undefined, steps: [] };
  const rest = [...argv];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--') {
      parsed.command = rest.splice(0);
    } else if (word === '--sse') {
      parsed.sse = true;
    } else if (word === '--protocol') {
      parsed.protocol = value(word, rest);
    } else if (word.startsWith('--')) {
      parsed.steps.push(step(word.slice(2), value(word, rest)));
    } else {
      parsed.url = word;
    }
  }
  if (Boolean(parsed.url) === Boolean(parsed.command?.length)) {
    throw new UsageError('give either a URL or `-- COMMAND [ARGUMENT…]`');
  }
  return parsed;
}

function value(option, rest) {
  if (rest.length === 0) throw new UsageError(`${option} needs a value`);
  return rest.shift();
}

function step(kind, text) {
  if (TOOL_STEPS.includes(kind) || kind === 'prompt') return { kind, ...named(text) };
  if (PLAIN_STEPS.includes(kind)) return { kind, text };
  if (kind === 'subscribe') return subscribe(text);
  throw new UsageError(`--${kind} is not an option`);
}

/** `NAME={"json":1}`; without `=` the arguments are empty. */
function named(text) {
  const cut = text.indexOf('=');
  if (cut < 0) return { name: text, args: {} };
  try {
    return { name: text.slice(0, cut), args: JSON.parse(text.slice(cut + 1)) };
  } catch (error) {
    throw new UsageError(`the arguments of ${text.slice(0, cut)} are not JSON: ${error.message}`);
  }
}

/** `URI TOOL[=JSON]`: subscribe to the URI, then call the tool that changes it. */
function subscribe(text) {
  const cut = text.indexOf(' ');
  if (cut < 0) throw new UsageError('--subscribe needs `URI TOOL[=JSON]`');
  return { kind: 'subscribe', uri: text.slice(0, cut), ...named(text.slice(cut + 1)) };
}

/** `[--http PORT]`; undefined means stdio. */
export function parseServerArgs(argv) {
  if (argv.length === 0) return { port: undefined };
  if (argv.length === 2 && argv[0] === '--http' && /^\d+$/.test(argv[1])) return { port: Number(argv[1]) };
  throw new UsageError('usage: SERVER [--http PORT]');
}
