// The types that the page's modules share. Nothing here exists at run time.

export type Json = any;
export type Obj = Record<string, any>;
export type Mode = "inline" | "fullscreen" | "pip";
export type Level = "must" | "should" | "note";
export type Status = "idle" | "loading" | "initialized" | "ready" | "failed";
export type Lane = "view" | "proxy" | "host" | "server" | "person";

/** A JSON-RPC message of any kind. */
export interface Message {
  jsonrpc: "2.0";
  id?: string | number;
  method?: string;
  params?: Json;
  result?: Json;
  error?: RpcError;
}
export interface RpcError { code: number; message: string; data?: Json }

/** A rule's verdict on a message or a View. */
export interface Finding { level: Level; text: string; rule?: string; link?: string }

/** The container dimensions of a View. */
export interface Container { width?: number; maxWidth?: number; height?: number; maxHeight?: number }

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: Obj;
  yardstick: {
    uri: string | null;
    visibility: { model: boolean; app: boolean };
    isUi: boolean;
    openaiOnly?: boolean;
    findings: Finding[];
    example?: Obj | null;
  };
  [more: string]: Json;
}
export interface Server {
  id: string;
  name: string;
  title?: string | null;
  version?: string;
  description?: string;
  protocol?: string;
  era?: string;
  transport?: string;
  state: "connecting" | "ready" | "lost" | "failed";
  note?: string | null;
  tools: Tool[];
  capabilities?: Obj;
}
export interface Profile {
  name: string;
  title?: string;
  description?: string;
  date?: string;
  sources?: { url: string; what: string; date: string; fields: string[] }[];
  hostInfo?: Obj;
  capabilities?: Obj;
  context?: Obj;
  variables?: "all" | string[] | Record<string, string>;
  styles?: { lightDark?: boolean; fonts?: boolean; absent?: string[] };
  methods?: { unsupported?: string[]; unannounced?: string[] };
  notifications?: { unsent?: string[]; ignored?: string[] };
  sandbox?: { view?: string; denied?: string[]; announced?: boolean };
  openai?: false | { methods?: string[]; unread?: string[] };
  gaps?: string[];
}
export interface HostState {
  version: string;
  /** The number of the newest event that this state includes. */
  newest: number;
  /** The run that the host has prepared for this page. */
  run?: string | null;
  /** Whether a tool may run before the person presses a button; false if a foreign page linked here. */
  mayRun?: boolean;
  /** Whether this page itself linked here. */
  linked?: boolean;
  servers: Server[];
  inquiries?: Inquiry[];
  profiles: Profile[];
  options: Obj;
  sandbox: { port: number };
}
export interface View {
  id: string;
  proxyUrl: string;
  proxyOrigin: string;
  viewUrl: string;
  html: string;
  mimeType: string;
  csp: {
    declared: Obj | null;
    applied: string;
    directives: [string, string[]][];
    /** The hosts that the document may connect to, as in its header. */
    allowlist?: string | null;
    dropped: { source: string; why: string }[];
    approved?: Obj | null;
  };
  permissions: { declared: Obj | null; granted: Obj | null; allow: string };
  border: boolean | null;
  sandbox: string;
  findings: Finding[];
  /** Origins that links may lead to without asking the person. */
  redirects?: string[];
}
/** One row of the timeline. */
export interface Entry {
  n: number;
  at: number;
  view?: string | null;
  run?: string | null;
  server?: string | null;
  from: Lane;
  to: Lane;
  message: Json;
  method?: string | null;
  id?: string | number | null;
  answers?: number | null;
  cause?: number | null;
  findings?: Finding[];
}
export interface Violation {
  view: string;
  run?: string | null;
  directive: string;
  blocked: string;
  source?: string | null;
  line?: number | null;
  sample?: string | null;
  n?: number;
}
export interface LogEntry { seq: number; at: number; from: Lane; to: Lane; message: Json; notes?: string[] }

/** A line that the app or a server's process wrote. */
export interface Line {
  from: "console" | "log" | "stderr" | "stdout" | "host";
  level: string;
  logger?: string;
  text: string;
  at: number;
}
/** The result of a tool. */
export interface ToolResult { tool: string; value?: Json; error?: RpcError }
/** A server's request to the person. */
export interface Inquiry {
  id: number;
  server: string;
  run?: string | null;
  method: string;
  params: Json;
  /** The error of a call requires this URL. `tool` is the tool that the person called. */
  required?: { tool: string | null; opened: boolean };
}
/** The app's request to the person. */
export interface Question {
  kind: "open-link" | "download" | "message" | "sampling";
  url?: string;
  files?: SavedFile[];
  role?: string;
  content?: Json[];
  params?: Json;
}
export interface SavedFile { name: string; mimeType?: string; text?: string; blob?: string; url?: string }
export interface Decision { allow: boolean; result?: Json }

/** What the person and the profile allow. */
export interface Policy {
  /** Capabilities that are switched off. */
  off: string[];
  /** Kinds of requests that are denied. */
  deny: string[];
  /** Kinds of requests that are granted without asking. */
  always: string[];
  /** Methods that the host profile does not have. */
  unsupported: string[];
  /** Methods that work in the host profile although no capability announces them. */
  unannounced?: string[];
  /** Messages that the host profile never sends. */
  unsent: string[];
  /** Notifications of a View that have no effect in the host profile. */
  ignored?: string[];
  /** Members of the context that the host profile never sends. */
  absent?: string[];
  /** Origins that links may lead to without asking the person. */
  trusted?: string[];
}
export interface BridgeOptions {
  hostInfo: Obj;
  capabilities: Obj;
  context: Obj;
  containers: Partial<Record<Mode, Container>>;
  hostModes: Mode[];
  policy: Policy;
}
export interface Ask {
  id: string | number;
  method: string;
  kind: string;
  question?: Question;
}
export interface Outgoing {
  kind: "teardown" | "ping" | "list" | "call";
  name?: string;
  /** The pages of a list received so far. */
  pages?: Json[][];
}
export interface BridgeState {
  phase: "new" | "answered" | "initialized" | "closing" | "closed";
  hostInfo: Obj;
  capabilities: Obj;
  context: Obj;
  containers: Partial<Record<Mode, Container>>;
  policy: Policy;
  hostModes: Mode[];
  appModes: Mode[] | null;
  appTools: boolean;
  appInfo: Obj | null;
  /** Messages that wait for `initialized`. */
  held: {
    patch: Obj | null;
    partial: Obj | null;
    input: Obj | null;
    result: Obj | null;
    cancelled: Obj | null;
    list: boolean;
  };
  sent: { input: boolean; end: boolean };
  asks: Record<string, Ask>;
  outgoing: Record<string, Outgoing>;
  next: number;
  modelContext: Obj | null;
  /** Modes that the person has left; the View cannot request them again. */
  refusedModes: Mode[];
}
export type BridgeEvent =
  | { type: "from-view"; message: Json }
  | { type: "tool-input"; arguments: Obj }
  | { type: "tool-input-partial"; arguments: Obj }
  | { type: "tool-result"; result: Obj }
  | { type: "tool-cancelled"; reason?: string }
  | { type: "context"; patch: Obj }
  | { type: "containers"; containers: Partial<Record<Mode, Container>>; patch?: Obj }
  | { type: "policy"; policy: Policy }
  | { type: "mode"; mode: Mode }
  | { type: "progress"; params: Obj }
  | { type: "link-opened"; id: string | number; ok: boolean }
  | { type: "teardown"; reason?: string }
  | { type: "server-reply"; ticket: string; result?: Json; error?: RpcError }
  | { type: "server-changed"; what: "tools" | "resources" | "prompts" }
  | { type: "person"; ticket: string; decision: Decision }
  | { type: "call-app-tool"; name: string; arguments: Obj }
  | { type: "list-app-tools" }
  | { type: "ping" }
  | { type: "timeout"; ticket: string };
export type Effect =
  | { type: "to-view"; message: Message }
  | { type: "ask-server"; ticket: string; method: string; params: Json }
  | { type: "ask-person"; ticket: string; question: Question }
  | { type: "withdraw"; ticket: string }
  | { type: "open-link"; id: string | number; url: string }
  | { type: "download"; files: SavedFile[] }
  | { type: "resize"; width?: number; height?: number }
  | { type: "mode"; mode: Mode }
  | { type: "model-context"; context: Obj }
  | { type: "chat-message"; role: string; content: Json[] }
  | { type: "log"; level: string; logger?: string; data: Json }
  | { type: "status"; status: Status }
  | { type: "app"; info: Obj | null; modes: Mode[]; tools: boolean }
  | { type: "app-tools"; tools: Json[]; error?: string }
  | { type: "app-tool-result"; name: string; result?: Json; error?: RpcError }
  | { type: "pong"; ok: boolean }
  | { type: "torn-down"; answered: boolean }
  | { type: "request-teardown" }
  | { type: "timer"; ticket: string; ms: number }
  | { type: "note"; text: string };
export interface Step { state: BridgeState; effects: Effect[] }

/** The state in a deep link. */
export interface Link {
  server?: string;
  tool?: string;
  args?: Obj;
  profile?: string;
  theme?: "light" | "dark" | "auto";
  mode?: Mode;
  size?: string;
  free?: { width: number; height: number };
  off?: string[];
  deny?: string[];
  always?: string[];
  locale?: string;
  timeZone?: string;
  stream?: boolean;
  run?: boolean;
}
/** The person's settings for apps. */
export interface Settings {
  theme: "light" | "dark" | "auto";
  mode: Mode;
  size: "fit" | "phone" | "tablet" | "desktop" | "free";
  free: { width: number; height: number };
  locale: string;
  timeZone: string;
  profile: string;
  stream: boolean;
  off: string[];
  deny: string[];
  always: string[];
}
