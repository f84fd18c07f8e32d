//! Sampling: a server asks the client's model.

use super::base::SERVER_REQUEST;
use super::json::JSON_OBJECT;
use super::tasks::TASK_AUGMENTED;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "CreateMessageRequest",
        ALWAYS,
        Object(&[
            SERVER_REQUEST,
            &[method("sampling/createMessage"), req("params", Ref("CreateMessageRequestParams"))],
        ]),
    ),
    def(
        "CreateMessageRequestParams",
        since(V2025_11_25),
        Object(&[
            &[
                opt("_meta", Ref("RequestMetaObject")).only(V2025_11_25),
                req("messages", Array(&Ref("SamplingMessage"))),
                req("maxTokens", Int),
                opt("modelPreferences", Ref("ModelPreferences")),
                opt("systemPrompt", Str),
                opt("includeContext", Enum(&["none", "thisServer", "allServers"])),
                opt("temperature", Num),
                opt("stopSequences", Array(&Str)),
                opt("metadata", JSON_OBJECT),
                opt("tools", Array(&Ref("Tool"))).since(V2025_11_25),
                opt("toolChoice", Ref("ToolChoice")).since(V2025_11_25),
            ],
            TASK_AUGMENTED,
        ]),
    )
    .inline_before(),
    def(
        "CreateMessageResult",
        ALWAYS,
        Object(&[&[opt("_meta", Ref("MetaObject")), req("model", Str), opt("stopReason", Str)], SPOKEN]),
    ),
    def("SamplingMessage", ALWAYS, Object(&[&[opt("_meta", Ref("MetaObject")).since(V2025_11_25)], SPOKEN])),
    def(
        "SamplingMessageContentBlock",
        since(V2025_11_25),
        Either(&[
            Ref("TextContent"),
            Ref("ImageContent"),
            Ref("AudioContent"),
            Ref("ToolUseContent"),
            Ref("ToolResultContent"),
        ]),
    )
    .inline_before(),
    def(
        "ModelPreferences",
        ALWAYS,
        Object(&[&[
            opt("hints", Array(&Ref("ModelHint"))),
            opt("costPriority", NumIn(0.0, 1.0)),
            opt("speedPriority", NumIn(0.0, 1.0)),
            opt("intelligencePriority", NumIn(0.0, 1.0)),
        ]]),
    ),
    def("ModelHint", ALWAYS, Object(&[&[opt("name", Str)]])),
    def("ToolChoice", since(V2025_11_25), Object(&[&[opt("mode", Enum(&["auto", "required", "none"]))]])),
];

/// Who said what.
const SPOKEN: &[Field] = &[
    req("role", Ref("Role")),
    req(
        "content",
        Either(&[
            Ref("SamplingMessageContentBlock"),
            By(&[(since(V2025_11_25), Array(&Ref("SamplingMessageContentBlock")))]),
        ]),
    ),
];
