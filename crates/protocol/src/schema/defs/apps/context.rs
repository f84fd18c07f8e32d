//! What a host tells about the surroundings of a View.

use super::{BASE, MODE};
use crate::schema::defs::base::NOTIFICATION;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "McpUiHostContext",
        BASE,
        Object(&[&[
            opt("toolInfo", Object(&[&[opt("id", Ref("RequestId")), req("tool", Ref("Tool"))]])),
            opt("theme", Enum(&["light", "dark"])),
            opt("styles", STYLES),
            opt("displayMode", MODE),
            // Strings, so that a host may offer modes of a later version.
            opt("availableDisplayModes", Array(&Str)),
            opt("containerDimensions", DIMENSIONS),
            opt("locale", Str),
            opt("timeZone", Str),
            opt("userAgent", Str),
            opt("platform", Enum(&["web", "desktop", "mobile"])),
            opt("deviceCapabilities", Object(&[&[opt("touch", Bool), opt("hover", Bool)]])),
            opt(
                "safeAreaInsets",
                Object(&[&[req("top", Num), req("right", Num), req("bottom", Num), req("left", Num)]]),
            ),
        ]]),
    ),
    def(
        "McpUiHostContextChangedNotification",
        BASE,
        Object(&[
            NOTIFICATION,
            &[
                method("ui/notifications/host-context-changed"),
                // A part of the context is a context: no member of it is required.
                req("params", Ref("McpUiHostContext")),
            ],
        ]),
    ),
];

/// Any subset of the variables will do.
const STYLES: ValueShape =
    Object(&[&[opt("variables", Map(&Str)), opt("css", Object(&[&[opt("fonts", Str)]]))]]);

/// Both directions are independent. A size together with a limit is judged elsewhere.
const DIMENSIONS: ValueShape =
    Object(&[&[opt("width", Num), opt("maxWidth", Num), opt("height", Num), opt("maxHeight", Num)]]);
