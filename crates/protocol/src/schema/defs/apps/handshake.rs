//! `ui/initialize`, and what both ends say there of themselves.

use super::{BASE, MODE, SILENT};
use crate::schema::defs::base::{NOTIFICATION, REQUEST, RESULT};
use crate::schema::defs::meta::REQUEST_PARAMS;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "McpUiInitializeRequest",
        BASE,
        Object(&[
            REQUEST,
            &[
                method("ui/initialize"),
                req(
                    "params",
                    Object(&[
                        REQUEST_PARAMS,
                        &[
                            req("appInfo", Ref("Implementation")),
                            req("appCapabilities", Ref("McpUiAppCapabilities")),
                            req("protocolVersion", Str),
                        ],
                    ]),
                ),
            ],
        ]),
    ),
    def(
        "McpUiInitializeResult",
        BASE,
        Object(&[
            RESULT,
            &[
                req("protocolVersion", Str),
                req("hostInfo", Ref("Implementation")),
                req("hostCapabilities", Ref("McpUiHostCapabilities")),
                // The text only recommends it, so another rule judges its absence.
                opt("hostContext", Ref("McpUiHostContext")),
            ],
        ]),
    ),
    def(
        "McpUiInitializedNotification",
        BASE,
        Object(&[NOTIFICATION, &[method("ui/notifications/initialized")], SILENT]),
    ),
    def(
        "McpUiAppCapabilities",
        BASE,
        Object(&[&[
            opt("experimental", AnyObject),
            opt("tools", LISTED),
            opt("availableDisplayModes", Array(&MODE)),
        ]]),
    ),
    def(
        "McpUiHostCapabilities",
        BASE,
        Object(&[&[
            opt("experimental", AnyObject),
            opt("openLinks", AnyObject),
            opt("downloadFile", AnyObject),
            opt("serverTools", LISTED),
            opt("serverResources", LISTED),
            opt("logging", AnyObject),
            opt("sandbox", Object(&[SANDBOX])),
            opt("updateModelContext", Ref("McpUiSupportedContentBlockModalities")),
            opt("message", Ref("McpUiSupportedContentBlockModalities")),
            opt("sampling", Object(&[&[opt("tools", AnyObject), opt("context", AnyObject)]])),
        ]]),
    ),
    def(
        "McpUiSupportedContentBlockModalities",
        BASE,
        Object(&[&[
            opt("text", AnyObject),
            opt("image", AnyObject),
            opt("audio", AnyObject),
            opt("resource", AnyObject),
            opt("resourceLink", AnyObject),
            opt("structuredContent", AnyObject),
        ]]),
    ),
    def(
        "McpUiResourceCsp",
        BASE,
        Object(&[&[
            opt("connectDomains", Array(&Str)),
            opt("resourceDomains", Array(&Str)),
            opt("frameDomains", Array(&Str)),
            opt("baseUriDomains", Array(&Str)),
        ]]),
    ),
    def(
        "McpUiResourcePermissions",
        BASE,
        Object(&[&[
            opt("camera", AnyObject),
            opt("microphone", AnyObject),
            opt("geolocation", AnyObject),
            opt("clipboardWrite", AnyObject),
        ]]),
    ),
];

/// The permissions and the CSP of a View.
pub(super) const SANDBOX: &[Field] =
    &[opt("permissions", Ref("McpUiResourcePermissions")), opt("csp", Ref("McpUiResourceCsp"))];

/// Something that is listed, and whether changes of the list are told.
const LISTED: ValueShape = Object(&[&[opt("listChanged", Bool)]]);
