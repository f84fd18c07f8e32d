//! Pieces of content: text, images, audio, resources, tool use.

use super::base::{ICONS, NAMES};
use super::meta::META;
use super::resources::RESOURCE;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "Annotations",
        since(V2025_03_26),
        Object(&[&[
            opt("audience", Array(&Ref("Role"))),
            opt("priority", NumIn(0.0, 1.0)),
            opt("lastModified", Str).since(V2025_06_18),
        ]]),
    )
    .inline_before(),
    def("Annotated", only(V2024_11_05), Object(&[ANNOTATED])),
    def(
        "ContentBlock",
        since(V2025_06_18),
        Either(&[
            Ref("TextContent"),
            Ref("ImageContent"),
            Ref("AudioContent"),
            Ref("ResourceLink"),
            Ref("EmbeddedResource"),
        ]),
    )
    .inline_before(),
    def("TextContent", ALWAYS, Object(&[&[req("type", Const("text")), req("text", Str)], ANNOTATED, META])),
    def("ImageContent", ALWAYS, Object(&[&[req("type", Const("image"))], MEDIA, ANNOTATED, META])),
    def(
        "AudioContent",
        since(V2025_03_26),
        Object(&[&[req("type", Const("audio"))], MEDIA, ANNOTATED, META]),
    ),
    def(
        "ResourceLink",
        since(V2025_06_18),
        Object(&[&[req("type", Const("resource_link"))], NAMES, ICONS, RESOURCE, ANNOTATED, META]),
    ),
    def(
        "EmbeddedResource",
        ALWAYS,
        Object(&[
            &[
                req("type", Const("resource")),
                req("resource", Either(&[Ref("TextResourceContents"), Ref("BlobResourceContents")])),
            ],
            ANNOTATED,
            META,
        ]),
    ),
    def(
        "ToolUseContent",
        since(V2025_11_25),
        Object(&[
            &[req("type", Const("tool_use")), req("id", Str), req("name", Str), req("input", AnyObject)],
            META,
        ]),
    ),
    def(
        "ToolResultContent",
        since(V2025_11_25),
        Object(&[&[req("type", Const("tool_result")), req("toolUseId", Str)], TOOL_OUTPUT, META]),
    ),
];

pub(super) const ANNOTATED: &[Field] = &[opt("annotations", Ref("Annotations"))];

/// What a tool gave back.
pub(super) const TOOL_OUTPUT: &[Field] = &[
    req("content", Array(&Ref("ContentBlock"))),
    opt("structuredContent", AnyObject).since(V2025_06_18).until(V2025_11_25),
    opt("structuredContent", Any).since(V2026_07_28),
    opt("isError", Bool),
];

const MEDIA: &[Field] = &[req("data", Base64), req("mimeType", Str)];
