//! What the host is to the server.

use protocol::Span;

use crate::host::{faults, shorten};
use crate::{Applies, Check, Finding, Run, must};

pub(in crate::checks) const CHECKS: &[Check] = &[MIME_TYPES, SHOWN];

/// The extension's settings must list the media types that the host can show.
const MIME_TYPES: Check = Check {
    id: "host/server/mime-types",
    title: "the extension is declared with the media types that the host shows",
    cites: &[must("apps.mdx#client-host-capabilities", Span::ALWAYS)],
    aliases: &["capabilities/mimetypes-required"],
    why: "servers leave out their apps for hosts that do not say that they show them",
    fix: "declare extensions[\"io.modelcontextprotocol/ui\"].mimeTypes with text/html;profile=mcp-app",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let Some(initialize) = &cx.facts.server.initialize else {
            return Err(Finding::blocked("the host did not connect to the probe server"));
        };
        let ui = &initialize["capabilities"]["extensions"]["io.modelcontextprotocol/ui"];
        let listed = ui["mimeTypes"]
            .as_array()
            .is_some_and(|all| all.iter().any(|it| it == "text/html;profile=mcp-app"));
        if listed {
            Ok(())
        } else {
            Err(Finding::violated("mimeTypes with text/html;profile=mcp-app", shorten(ui)))
        }
    }),
    fault: &faults::MIME_TYPES_MISSING.fault,
};

/// A host must read the resource that a tool names with resources/read, and renders the tool's result with it.
pub(crate) const SHOWN: Check = Check {
    id: "host/server/view-shown",
    title: "the resource that a tool names is read and shown",
    cites: &[must("apps.mdx#behavior", Span::ALWAYS)],
    aliases: &["resources/read-referenced"],
    why: "without it there is no app",
    fix: "read _meta.ui.resourceUri of the tool with resources/read, and show what comes back",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.shown("basic")?;
        if !cx.facts.server.reads.iter().any(|read| read.uri == "ui://yardstick/basic") {
            return Err(Finding::violated("resources/read of ui://yardstick/basic", "it was not read"));
        }
        if scene.told.is_null() { Err(Finding::violated("a View", "it never reported")) } else { Ok(()) }
    }),
    fault: &faults::VIEW_UNSHOWN.fault,
};
