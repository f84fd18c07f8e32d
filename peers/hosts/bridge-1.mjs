// A host on version 1 of the official bridge.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { AppBridge, PostMessageTransport } from "ext-apps-1/app-bridge";

import { start } from "./page.mjs";

start({ Client, StreamableHTTPClientTransport, AppBridge, PostMessageTransport, version: "1.7.5" });
