//! Faults of what the host's page says and does. Each is a script around the page's own functions.

use super::{HostFault, in_page};

/// Every fault of the page.
pub(super) const FAULTS: &[&HostFault] = &[
    &SERVES_EARLY,
    &TALKS_EARLY,
    &CAPABILITIES_MISSING,
    &IDS_CHANGED,
    &PING_IGNORED,
    &INPUT_EMPTY,
    &INPUT_TWICE,
    &RESULT_TRIMMED,
    &CANCEL_UNTOLD,
    &CANCEL_KEPT,
    &CONTEXT_MISSING,
    &LOCALE_MISSING,
    &VARIABLES_INVENTED,
    &FONTS_INVENTED,
    &DIMENSIONS_CONTRADICT,
    &MODES_UNTRUE,
    &TOOL_INFO_WRONG,
    &THEME_UNTOLD,
    &CONTEXT_WHOLE,
    &UNKNOWN_ANSWERED,
    &ANYTHING_VALID,
    &ANSWER_TRIMMED,
    &ERROR_RECODED,
    &MODEL_TOOLS_CALLED,
    &UNSAID_REFUSED,
    &APP_TOOLS_OFFERED,
    &TOOL_HIDDEN,
    &OTHER_SERVER_CALLED,
    &READING_REFUSED,
    &SCRIPT_LINKS_OPENED,
    &LINK_CLAIMED,
    &DENIAL_HIDDEN,
    &MESSAGE_LOST,
    &MODEL_CONTEXT_REFUSED,
    &MODEL_CONTEXT_FIRST,
    &MODE_UNANSWERED,
    &MODE_UNDECLARED,
    &MODE_FAILED,
    &MODE_STUCK,
    &SIZE_IGNORED,
    &SIZE_UNBOUNDED,
    &TEARDOWN_UNTOLD,
    &TEARDOWN_HASTY,
    &DEAF_AFTER_NOISE,
    &TWIN_IGNORED,
    &DEAF_AFTER_FLOOD,
    &FROZEN_BY_FLOOD,
    &BROKEN_BY_RESULT,
    &ANSWERS_FOR_PERSON,
    &RUNS_BY_ITSELF,
    &VIEW_UNSHOWN,
    &PARTIAL_GOES_ON,
    &LOCALE_UNKNOWN,
    &MODE_UNTOLD,
];

/// The page forwards what a View asks before its handshake.
pub const SERVES_EARLY: HostFault = in_page(
    "host-serves-early",
    "a View is served before its handshake",
    "globalThis.yardstickHost = { step: (own) => (state, event) => {
       if (state.phase !== 'new' || event.message?.method !== 'tools/call') return own(state, event);
       const { state: next, effects } = own({ ...state, phase: 'initialized' }, event);
       return { state: { ...next, phase: 'new' }, effects };
     } }",
);

/// Something is sent before the View is initialized.
pub const TALKS_EARLY: HostFault = in_page(
    "host-talks-early",
    "a notification is sent before the View is initialized",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       own(message);
       if (message.result?.hostInfo) own({ jsonrpc: '2.0', method: 'ui/notifications/host-context-changed', params: { theme: 'dark' } });
     } }",
);

/// The answer to the handshake lacks the capabilities.
pub const CAPABILITIES_MISSING: HostFault = in_page(
    "host-capabilities-missing",
    "the answer to ui/initialize lacks hostCapabilities",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (!message.result?.hostInfo) return own(message);
       const { hostCapabilities, ...result } = message.result;
       own({ ...message, result });
     } }",
);

/// Ids that are strings come back as something else.
pub const IDS_CHANGED: HostFault = in_page(
    "host-ids-changed",
    "a string as an id comes back as a number",
    "globalThis.yardstickHost = { send: (own) => (message) => own(message.id === 'seventeen' ? { ...message, id: 17 } : message) }",
);

/// Pings are not answered.
pub const PING_IGNORED: HostFault = in_page(
    "host-ping-ignored",
    "pings are not answered",
    "globalThis.yardstickHost = { step: (own) => (state, event) =>
       event.message?.method === 'ping' ? { state, effects: [] } : own(state, event) }",
);

/// The arguments are left out.
pub const INPUT_EMPTY: HostFault = in_page(
    "host-input-empty",
    "tool-input comes without the arguments",
    "globalThis.yardstickHost = { send: (own) => (message) =>
       own(message.method === 'ui/notifications/tool-input' ? { ...message, params: { arguments: {} } } : message) }",
);

/// The arguments are sent twice.
pub const INPUT_TWICE: HostFault = in_page(
    "host-input-twice",
    "tool-input is sent again after the result",
    "let input;
     globalThis.yardstickHost = { send: (own) => (message) => {
       own(message);
       if (message.method === 'ui/notifications/tool-input') input = message;
       if (message.method === 'ui/notifications/tool-result') own(input);
     } }",
);

/// The result loses members.
pub const RESULT_TRIMMED: HostFault = in_page(
    "host-result-trimmed",
    "tool-result loses the result's _meta",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.method !== 'ui/notifications/tool-result') return own(message);
       const { _meta, ...params } = message.params;
       own({ ...message, params });
     } }",
);

/// The View is not told that the call was cancelled.
pub const CANCEL_UNTOLD: HostFault = in_page(
    "host-cancel-untold",
    "a View is not told that its call was cancelled",
    "globalThis.yardstickHost = { send: (own) => (message) =>
       message.method === 'ui/notifications/tool-cancelled' ? undefined : own(message) }",
);

/// The server is not told that the call was cancelled.
pub const CANCEL_KEPT: HostFault = in_page(
    "host-cancel-kept",
    "the server is not told that a call was cancelled",
    "const own = globalThis.fetch;
     globalThis.fetch = (path, more) => String(path).startsWith('/api/tools/cancel') ? Promise.resolve(new Response('{}')) : own(path, more)",
);

/// The host tells nothing of the surroundings.
pub const CONTEXT_MISSING: HostFault = in_page(
    "host-context-missing",
    "the answer to ui/initialize lacks hostContext",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (!message.result?.hostContext) return own(message);
       const { hostContext, ...result } = message.result;
       own({ ...message, result });
     } }",
);

/// A part of the surroundings is missing.
pub const LOCALE_MISSING: HostFault = in_page(
    "host-locale-missing",
    "hostContext lacks the locale and the tool",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (!message.result?.hostContext) return own(message);
       const { locale, toolInfo, ...hostContext } = message.result.hostContext;
       own({ ...message, result: { ...message.result, hostContext } });
     } }",
);

/// The style variables have names of the host's own.
pub const VARIABLES_INVENTED: HostFault =
    in_page("host-variables-invented", "the style variables have names of the host's own", "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext?.styles) message.result.hostContext.styles.variables = { '--my-colour': 'red' };
       own(message);
     } }");

/// The fonts are a list of names, not a style sheet.
pub const FONTS_INVENTED: HostFault = in_page(
    "host-fonts-invented",
    "the fonts are a list of names",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext?.styles) message.result.hostContext.styles.css = { fonts: ['Sans'] };
       own(message);
     } }",
);

/// The container is both fixed and flexible.
pub const DIMENSIONS_CONTRADICT: HostFault =
    in_page("host-dimensions-contradict", "a side of the container is fixed and flexible at once", "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext) Object.assign(message.result.hostContext, { containerDimensions: { height: 100, maxHeight: -1 } });
       own(message);
     } }");

/// The current mode is not among those that are offered.
pub const MODES_UNTRUE: HostFault =
    in_page("host-modes-untrue", "the current mode is not among those that the host offers", "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext) Object.assign(message.result.hostContext, { displayMode: 'inline', availableDisplayModes: ['fullscreen'] });
       own(message);
     } }");

/// The tool is another one.
pub const TOOL_INFO_WRONG: HostFault =
    in_page("host-tool-info-wrong", "hostContext names another tool than the one that was called", "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext) message.result.hostContext.toolInfo = { tool: { name: 'echo', inputSchema: {} } };
       own(message);
     } }");

/// Changes of the context are kept.
pub const THEME_UNTOLD: HostFault = in_page(
    "host-theme-untold",
    "a View is not told that the theme changed",
    "globalThis.yardstickHost = { send: (own) => (message) =>
       message.method === 'ui/notifications/host-context-changed' ? undefined : own(message) }",
);

/// A change comes with all that did not change.
pub const CONTEXT_WHOLE: HostFault = in_page(
    "host-context-whole",
    "every change of the context carries all of it",
    "let whole;
     globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext) whole = message.result.hostContext;
       own(message.method === 'ui/notifications/host-context-changed' ? { ...message, params: { ...whole, ...message.params } } : message);
     } }",
);

/// What does not exist is answered.
pub const UNKNOWN_ANSWERED: HostFault = in_page(
    "host-unknown-answered",
    "methods that do not exist are answered with an empty result",
    "globalThis.yardstickHost = { send: (own) => (message) =>
       own(message.error?.code === -32601 ? { jsonrpc: '2.0', id: message.id, result: {} } : message) }",
);

/// What is malformed is taken.
pub const ANYTHING_VALID: HostFault = in_page(
    "host-anything-valid",
    "requests without what they need are answered with an empty result",
    "globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { message } = event;
       const lacks = message?.id !== undefined && message?.method && Object.keys(message.params ?? { a: 1 }).length === 0 && message.method.includes('ui/');
       if (!lacks || message.method.includes('unknown')) return own(state, event);
       return { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: message.id, result: {} } }] };
     } }",
);

/// Answers of the server lose members.
pub const ANSWER_TRIMMED: HostFault = in_page(
    "host-answer-trimmed",
    "results of tools that a View calls lose structuredContent",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (!message.result?.structuredContent) return own(message);
       const { structuredContent, ...result } = message.result;
       own({ ...message, result });
     } }",
);

/// Errors of the server become others.
pub const ERROR_RECODED: HostFault = in_page(
    "host-error-recoded",
    "errors of the server come with a code of the host's",
    "globalThis.yardstickHost = { send: (own) => (message) =>
       own(message.error?.code === -32050 ? { ...message, error: { code: -32603, message: 'internal error' } } : message) }",
);

/// A View calls tools that are for the model.
pub const MODEL_TOOLS_CALLED: HostFault = in_page(
    "host-model-tools-called",
    "a View may call tools that are for the model only",
    "const own = globalThis.fetch;
     globalThis.fetch = (path, more) => {
       const asked = /^\\/api\\/views\\/[^/]+\\/request$/.test(path) ? JSON.parse(more.body) : undefined;
       if (asked?.params?.name !== 'model-only') return own(path, more);
       const body = JSON.stringify({ serverId: '0', name: 'model-only', arguments: asked.params.arguments, callId: asked.callId, run: 'fault' });
       return own('/api/tools/call', { ...more, body });
     }",
);

/// A tool without a visibility is refused.
pub const UNSAID_REFUSED: HostFault = in_page(
    "host-unsaid-refused",
    "a tool that says nothing of its visibility is not for Views",
    "globalThis.yardstickHost = { step: (own) => (state, event) => event.message?.params?.name !== 'unsaid' ? own(state, event)
       : { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, error: { code: -32602, message: 'refused' } } }] } }",
);

/// Tools that are for apps are offered to the model.
pub const APP_TOOLS_OFFERED: HostFault = in_page(
    "host-app-tools-offered",
    "tools that are for apps only are offered to the model",
    "addEventListener('DOMContentLoaded', () => setInterval(() => {
       const list = document.querySelector('#tool-select');
       if (!list || list.querySelector('[data-tool=report]')) return;
       const option = document.createElement('option');
       option.dataset.tool = 'report';
       list.append(option);
     }, 20))",
);

/// A tool for the model is not offered.
pub const TOOL_HIDDEN: HostFault = in_page(
    "host-tool-hidden",
    "a tool that is for the model and for apps is not offered to the model",
    "addEventListener('DOMContentLoaded', () => setInterval(() => document.querySelector('#tool-select [data-tool=echo]')?.remove(), 20))",
);

/// A View calls the tools of another server.
pub const OTHER_SERVER_CALLED: HostFault = in_page(
    "host-other-server-called",
    "a View may call the tools of other servers",
    "const own = globalThis.fetch;
     globalThis.fetch = (path, more) => {
       const asked = /^\\/api\\/views\\/[^/]+\\/request$/.test(path) ? JSON.parse(more.body) : undefined;
       if (asked?.params?.name !== 'elsewhere') return own(path, more);
       const body = JSON.stringify({ method: 'tools/call', params: asked.params, callId: asked.callId });
       return own('/api/servers/1/request', { ...more, body });
     }",
);

/// Resources are advertised and not read.
pub const READING_REFUSED: HostFault = in_page(
    "host-reading-refused",
    "serverResources is declared, and resources/read does not exist",
    "globalThis.yardstickHost = { step: (own) => (state, event) => event.message?.method !== 'resources/read' ? own(state, event)
       : { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, error: { code: -32601, message: 'no such method' } } }] } }",
);

/// Links to scripts are said to be opened.
pub const SCRIPT_LINKS_OPENED: HostFault = in_page(
    "host-script-links-opened",
    "links to scripts and files are answered as if they were opened",
    "globalThis.yardstickHost = { step: (own) => (state, event) => /^(javascript|file|data):/.test(event.message?.params?.url)
       ? { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, result: {} } }] } : own(state, event) }",
);

/// A link is said to be opened, and is not.
pub const LINK_CLAIMED: HostFault = in_page(
    "host-link-claimed",
    "a link is said to be opened, and is not",
    "globalThis.open = () => ({ location: { replace() {} } })",
);

/// A denial is answered as a success.
pub const DENIAL_HIDDEN: HostFault = in_page(
    "host-denial-hidden",
    "what the person denied is answered as if it had been done",
    "globalThis.yardstickHost = { send: (own) => (message) =>
       own(message.error?.code === -32000 ? { jsonrpc: '2.0', id: message.id, result: {} } : message) }",
);

/// A message does not reach the conversation.
pub const MESSAGE_LOST: HostFault = in_page(
    "host-message-lost",
    "a message of the View does not reach the conversation",
    "globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { state: next, effects } = own(state, event);
       return { state: next, effects: effects.filter((one) => one.type !== 'chat-message') };
     } }",
);

/// The model is told nothing.
pub const MODEL_CONTEXT_REFUSED: HostFault = in_page(
    "host-model-context-refused",
    "ui/update-model-context does not exist",
    "globalThis.yardstickHost = { step: (own) => (state, event) => event.message?.method !== 'ui/update-model-context' ? own(state, event)
       : { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, error: { code: -32601, message: 'no such method' } } }] } }",
);

/// The model is told the first update.
pub const MODEL_CONTEXT_FIRST: HostFault = in_page(
    "host-model-context-first",
    "of several updates of the model's context the first one counts",
    "let known = false;
     globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { state: next, effects } = own(state, event);
       if (event.message?.method !== 'ui/update-model-context') return { state: next, effects };
       const kept = effects.filter((one) => !known || one.type !== 'model-context');
       known = true;
       return { state: next, effects: kept };
     } }",
);

/// The answer names no mode.
pub const MODE_UNANSWERED: HostFault = in_page(
    "host-mode-unanswered",
    "the answer to ui/request-display-mode names no mode",
    "globalThis.yardstickHost = { send: (own) => (message) => own(message.result?.mode ? { ...message, result: {} } : message) }",
);

/// An undeclared mode is granted.
pub const MODE_UNDECLARED: HostFault = in_page(
    "host-mode-undeclared",
    "a mode is granted that the View did not declare",
    "globalThis.yardstickHost = { step: (own) => (state, event) => event.message?.params?.mode !== 'pip' ? own(state, event)
       : { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, result: { mode: 'pip' } } }] } }",
);

/// A mode that is not there is an error.
pub const MODE_FAILED: HostFault = in_page(
    "host-mode-failed",
    "asked for a mode that it does not offer, the host answers with an error",
    "globalThis.yardstickHost = { step: (own) => (state, event) => event.message?.params?.mode !== 'pip' ? own(state, event)
       : { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, error: { code: -32000, message: 'no' } } }] } }",
);

/// Fullscreen is for good.
pub const MODE_STUCK: HostFault = in_page(
    "host-mode-stuck",
    "a View that is fullscreen stays so",
    "globalThis.yardstickHost = { step: (own) => (state, event) => event.message?.params?.mode !== 'inline' ? own(state, event)
       : { state, effects: [{ type: 'to-view', message: { jsonrpc: '2.0', id: event.message.id, result: { mode: 'fullscreen' } } }] } }",
);

/// The frame does not follow the View's size.
pub const SIZE_IGNORED: HostFault = in_page(
    "host-size-ignored",
    "the frame does not follow the size of the View",
    "globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { state: next, effects } = own(state, event);
       return { state: next, effects: effects.filter((one) => one.type !== 'resize') };
     } }",
);

/// The frame follows any size.
pub const SIZE_UNBOUNDED: HostFault = in_page(
    "host-size-unbounded",
    "the frame follows the View to any size",
    "addEventListener('message', (event) => {
       if (event.data?.params?.height > 1e6)
         document.querySelector('.app-slot iframe').style.setProperty('min-height', '200000px', 'important');
     }, true)",
);

/// A View is removed without a word.
pub const TEARDOWN_UNTOLD: HostFault = in_page(
    "host-teardown-untold",
    "a View is removed without ui/resource-teardown",
    "globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { state: next, effects } = own(state, event);
       return { state: next, effects: event.type === 'teardown' ? [{ type: 'torn-down' }] : effects };
     } }",
);

/// A View is removed before it has answered.
pub const TEARDOWN_HASTY: HostFault = in_page(
    "host-teardown-hasty",
    "a View is removed shortly after it was told",
    "globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { state: next, effects } = own(state, event);
       const hurry = (one) => one.type === 'timer' && event.type === 'teardown' ? { ...one, ms: 150 } : one;
       return { state: next, effects: effects.map(hurry) };
     } }",
);

/// The host stops listening to a View that talked nonsense.
pub const DEAF_AFTER_NOISE: HostFault = in_page(
    "host-deaf-after-noise",
    "what is not a message ends the bridge",
    "let deaf = false;
     addEventListener('message', (event) => {
       if (typeof event.data === 'number' || event.data?.jsonrpc === '1.0') deaf = true;
       if (deaf && event.data?.params?.name !== 'report') event.stopImmediatePropagation();
     }, true)",
);

/// An id that is used again is not answered.
pub const TWIN_IGNORED: HostFault = in_page(
    "host-twin-ignored",
    "a request whose id was used before is not answered",
    "const seen = new Set();
     globalThis.yardstickHost = { step: (own) => (state, event) => {
       const { id, method } = event.message ?? {};
       if (method && id !== undefined && id === 'twin' && seen.has(id)) return { state, effects: [] };
       seen.add(id);
       return own(state, event);
     } }",
);

/// A flood ends the bridge.
pub const DEAF_AFTER_FLOOD: HostFault = in_page(
    "host-deaf-after-flood",
    "after a flood a View is not answered any more",
    "let count = 0;
     addEventListener('message', (event) => {
       if (++count > 2000 && event.data?.params?.name !== 'report') event.stopImmediatePropagation();
     }, true)",
);

/// A flood freezes the page.
pub const FROZEN_BY_FLOOD: HostFault = in_page(
    "host-frozen-by-flood",
    "a flood freezes the host's page",
    "let count = 0;
     addEventListener('message', () => {
       if (++count !== 1000) return;
       const end = performance.now() + 5000;
       while (performance.now() < end);
     }, true)",
);

/// An invalid result ends the bridge.
pub const BROKEN_BY_RESULT: HostFault = in_page(
    "host-broken-by-result",
    "a result that is none ends the bridge",
    "let broken = false;
     globalThis.yardstickHost = { step: (own) => (state, event) => {
       if (event.type === 'tool-result' && !Array.isArray(event.result?.content)) broken = true;
       return broken ? { state, effects: [] } : own(state, event);
     } }",
);

/// The host answers what only the person can answer.
pub const ANSWERS_FOR_PERSON: HostFault = in_page(
    "host-answers-for-person",
    "what a server asks the person is answered by the host",
    "addEventListener('DOMContentLoaded', () => setInterval(() => {
       for (const one of document.querySelectorAll('.question:not(.settling) button[type=submit]')) one.click();
     }, 50))",
);

/// The host runs a tool that nobody asked for.
pub const RUNS_BY_ITSELF: HostFault = in_page(
    "host-runs-by-itself",
    "a tool runs that nobody asked for",
    "addEventListener('DOMContentLoaded', () => {
       const token = document.querySelector('meta[name=yardstick-token]').content;
       const headers = { 'x-yardstick-token': token, 'content-type': 'application/json' };
       const body = JSON.stringify({ serverId: '0', name: 'untouched', arguments: { path: 'string' }, callId: 'fault' });
       void fetch('/api/tools/call', { method: 'POST', headers, body });
     })",
);

/// Tools are called, and their Views are not shown.
pub const VIEW_UNSHOWN: HostFault = in_page(
    "host-view-unshown",
    "a tool is called, and its View is not shown",
    "const own = globalThis.fetch;
     globalThis.fetch = (path, more) => path === '/api/views' ? Promise.reject(new Error('no')) : own(path, more)",
);

/// Pieces of the arguments follow the whole.
pub const PARTIAL_GOES_ON: HostFault = in_page(
    "host-partial-goes-on",
    "pieces of the arguments follow the complete ones",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       own(message);
       if (message.method === 'ui/notifications/tool-input')
         own({ jsonrpc: '2.0', method: 'ui/notifications/tool-input-partial', params: { arguments: {} } });
     } }",
);

/// The locale is not a valid one.
pub const LOCALE_UNKNOWN: HostFault = in_page(
    "host-locale-unknown",
    "the locale is a name of POSIX",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.result?.hostContext) message.result.hostContext.locale = 'en_US.UTF-8';
       own(message);
     } }",
);

/// A change of the mode is kept.
pub const MODE_UNTOLD: HostFault = in_page(
    "host-mode-untold",
    "a View is not told that its display mode changed",
    "globalThis.yardstickHost = { send: (own) => (message) => {
       if (message.method === 'ui/notifications/host-context-changed') delete message.params.displayMode;
       own(message);
     } }",
);
