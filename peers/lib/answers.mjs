// What the peer clients answer when a server asks them for something.

export const CAPABILITIES = {
  sampling: {},
  elicitation: { form: {} },
  roots: { listChanged: true },
};

/** Everything that arrived from the server, in the order of arrival. */
export class Seen {
  samples = [];
  elicitations = [];
  roots = [];
  logs = [];
  updates = [];

  sample(params) {
    const last = params.messages.at(-1)?.content;
    const text = (Array.isArray(last) ? last[0] : last)?.text ?? '';
    this.samples.push(text);
    return {
      role: 'assistant',
      model: 'peer',
      stopReason: 'endTurn',
      content: { type: 'text', text: `sampled: ${text}` },
    };
  }

  elicit(params) {
    this.elicitations.push(params.message);
    return { action: 'accept', content: filled(params.requestedSchema) };
  }

  listRoots() {
    this.roots.push('roots/list');
    return { roots: [{ uri: 'file:///peer', name: 'peer' }] };
  }
}

/** A value for every field of an elicitation form. */
function filled(schema) {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, field]) => [name, field.default ?? sample(field)]),
  );
}

function sample(field) {
  if (field.enum) return field.enum[0];
  if (field.oneOf) return field.oneOf[0].const;
  switch (field.type) {
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return field.minimum ?? 1;
    case 'array':
      return [field.items?.enum?.[0] ?? field.items?.anyOf?.[0]?.const];
    default:
      return TEXTS[field.format] ?? 'peer';
  }
}

const TEXTS = {
  email: 'peer@example.com',
  uri: 'https://example.com/',
  date: '2025-01-01',
  'date-time': '2025-01-01T00:00:00Z',
};
