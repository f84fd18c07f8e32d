// A host on version 2 of the official bridge.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "ext-apps-2/app-bridge";

import { start } from "./page.mjs";

start({ Client, StreamableHTTPClientTransport, AppBridge, PostMessageTransport, version: "2.0.4" });
