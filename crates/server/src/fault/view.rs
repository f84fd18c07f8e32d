//! Faults of apps: each changes the document of a demo app, so that it misbehaves in a browser.
//!
//! They do not show on the wire, so `serve --fault` does not list them. Every edit must find its text in the document of the
//! chart, the app that proves the checks of apps.

use serde_json::json;

use super::{DocumentEdit, Effect, Fault};

/// Every fault of apps.
pub const FAULTS: &[&Fault] = &[
    &NEVER_INITIALIZES,
    &WAITS_FOR_NETWORK,
    &PING_UNANSWERED,
    &ZERO_ID_IGNORED,
    &TEARDOWN_UNANSWERED,
    &UNKNOWN_MESSAGE_BREAKS,
    &ANY_SOURCE_BELIEVED,
    &STRAY_ANSWER_BREAKS,
    &ERROR_UNCAUGHT,
    &MODE_TAKEN_FOR_GRANTED,
    &CONTEXT_EXPECTED,
    &PERMISSION_UNDECLARED,
    &PERMISSION_ASSUMED,
    &ORIGIN_UNDECLARED,
    &EVAL_NEEDED,
    &ORIGIN_UNUSED,
    &SIZE_UNREPORTED,
    &SIZE_RESTLESS,
    &TOO_WIDE,
    &ALWAYS_LIGHT,
    &UNREADABLE,
    &LOOKS_DIFFERENT,
    &CONTEXT_CHANGE_IGNORED,
    &VARIABLES_IGNORED,
    &PARTIAL_INPUT_BREAKS,
    &CANCELLATION_BREAKS,
    &FAILURE_SWALLOWED,
    &BLANK,
    &UNCAUGHT_ERROR,
    &CONSOLE_ERROR,
    &BUTTON_BREAKS,
    &NO_LANGUAGE,
    &NO_TITLE,
    &NAMELESS_CONTROL,
    &MOUSE_ONLY,
    &NO_MAIN,
];

/// The code that starts the app. A fault can insert a script before it.
const START: &str = "host.connect().catch(";
/// The tag that ends the content.
const END: &str = "</main>";
/// The path to the origins that the app declares.
const CSP: &[&str] = &["contents", "*", "_meta", "ui", "csp"];

const fn fault(name: &'static str, about: &'static str, edits: &'static [DocumentEdit]) -> Fault {
    Fault { name, about, effect: Effect::Document(edits) }
}

const fn replace(text: &'static str, by: &'static str) -> DocumentEdit {
    DocumentEdit { text, by }
}

pub const NEVER_INITIALIZES: Fault =
    fault("app-never-initializes", "an app never sends ui/initialize", &[replace(START, "void (")]);

pub const WAITS_FOR_NETWORK: Fault = Fault {
    name: "app-waits-for-network",
    about: "an app begins its handshake when a file from elsewhere has come",
    effect: Effect::Several(&[
        Effect::Set(&["resources/read"], CSP, || json!({ "connectDomains": ["https://cdn.example"] })),
        Effect::Document(&[replace(
            START,
            "fetch(\"https://cdn.example/library.json\").then(() => host.connect()).catch(",
        )]),
    ]),
};

pub const PING_UNANSWERED: Fault = fault(
    "app-ping-unanswered",
    "an app does not answer ping",
    &[replace(
        "if (method === \"ping\") return this.#send({ id, result: {} });",
        "if (method === \"ping\") return;",
    )],
);

pub const ZERO_ID_IGNORED: Fault = fault(
    "app-zero-id-ignored",
    "an app takes a request with id 0 for a notification",
    &[replace("else if (typeof id === \"string\" || typeof id === \"number\") this", "else if (id) this")],
);

pub const TEARDOWN_UNANSWERED: Fault = fault(
    "app-teardown-unanswered",
    "an app does not answer ui/resource-teardown",
    &[replace(
        "if (method !== \"ui/resource-teardown\") return",
        "if (method === \"ui/resource-teardown\") return; else return",
    )],
);

pub const UNKNOWN_MESSAGE_BREAKS: Fault = fault(
    "app-unknown-message-breaks",
    "an app throws when it gets a notification that it does not know",
    &[replace(".exec(method)?.[1]", ".exec(method)[1]")],
);

pub const ANY_SOURCE_BELIEVED: Fault = fault(
    "app-any-source-believed",
    "an app takes messages from any window",
    &[replace("source !== window.parent || data?.jsonrpc", "data?.jsonrpc")],
);

pub const STRAY_ANSWER_BREAKS: Fault = fault(
    "app-stray-answer-breaks",
    "an app throws when it gets an answer to nothing that it asked",
    &[replace("if (!asked) return;", "")],
);

pub const ERROR_UNCAUGHT: Fault = fault(
    "app-error-uncaught",
    "an app does not catch the error of a request",
    &[replace(
        START,
        "host.on(\"tool-result\", () => void host.request(\"ui/update-model-context\", { content: [] }));\nhost.connect().catch(",
    )],
);

pub const MODE_TAKEN_FOR_GRANTED: Fault = fault(
    "app-mode-taken-for-granted",
    "an app throws when it does not get the display mode that it asked for",
    &[replace(
        "if (answer.mode) this.#merge(",
        "if (answer.mode !== mode) setTimeout(() => { throw Error(\"not in the right mode\"); });\n      if (answer.mode) this.#merge(",
    )],
);

pub const CONTEXT_EXPECTED: Fault = fault(
    "app-context-expected",
    "an app relies on a member of the host context that may be missing",
    &[replace("= this.context.containerDimensions ?? {};", "= this.context.containerDimensions;")],
);

pub const PERMISSION_UNDECLARED: Fault = fault(
    "app-permission-undeclared",
    "an app uses a permission that its resource does not declare",
    &[replace(START, "navigator.geolocation.getCurrentPosition(() => {}, () => {});\nhost.connect().catch(")],
);

pub const PERMISSION_ASSUMED: Fault = Fault {
    name: "app-permission-assumed",
    about: "an app throws when a permission that its resource declares is not granted",
    effect: Effect::Several(&[
        Effect::Set(
            &["resources/read"],
            &["contents", "*", "_meta", "ui", "permissions"],
            || json!({ "camera": {} }),
        ),
        Effect::Document(&[replace(
            START,
            "if (!document.featurePolicy.allowsFeature(\"camera\")) setTimeout(() => { throw new DOMException(\"no camera\", \"NotAllowedError\"); });\nhost.connect().catch(",
        )]),
    ]),
};

pub const ORIGIN_UNDECLARED: Fault = fault(
    "app-origin-undeclared",
    "an app loads a picture from an origin that its resource does not declare",
    &[replace(
        END,
        "<img src=\"https://pictures.example/a.png\" alt=\"a picture\" width=\"9\" height=\"9\"></main>",
    )],
);

pub const EVAL_NEEDED: Fault = fault(
    "app-eval-needed",
    "an app makes code from text",
    &[replace(START, "setTimeout(() => new Function(\"return 1\")());\nhost.connect().catch(")],
);

pub const ORIGIN_UNUSED: Fault = Fault {
    name: "app-origin-unused",
    about: "a resource declares an origin that its app does not use",
    effect: Effect::Set(&["resources/read"], CSP, || json!({ "connectDomains": ["https://unused.example"] })),
};

pub const SIZE_UNREPORTED: Fault = fault(
    "app-size-unreported",
    "an app does not report its size",
    &[replace("new ResizeObserver(() => this.reportSize()).observe(document.documentElement);", "")],
);

pub const SIZE_RESTLESS: Fault = fault(
    "app-size-restless",
    "an app reports another size all the time",
    &[replace(
        START,
        "let more = 400;\nsetInterval(() => host.notify(\"ui/notifications/size-changed\", { width: 300, height: more++ }), 20);\nhost.connect().catch(",
    )],
);

pub const TOO_WIDE: Fault = fault(
    "app-too-wide",
    "an app is wider than a phone",
    &[replace(END, "<p style=\"width: 900px; flex: none\">This does not wrap.</p></main>")],
);

pub const ALWAYS_LIGHT: Fault = fault(
    "app-always-light",
    "an app is light in a dark host",
    &[replace(
        "</head>",
        "<style>html, body, main, main * { background: #fff !important; color: #000 !important; fill: #000 !important }</style></head>",
    )],
);

pub const LOOKS_DIFFERENT: Fault = fault(
    "app-looks-different",
    "an app has wider margins than before",
    &[replace("</head>", "<style>main { padding: 19px !important }</style></head>")],
);

pub const UNREADABLE: Fault = fault(
    "app-unreadable",
    "an app has text that is nearly as bright as its background",
    &[replace(END, "<p style=\"background: #fff; color: #ddd\">Hardly to be seen</p></main>")],
);

pub const CONTEXT_CHANGE_IGNORED: Fault = fault(
    "app-context-change-ignored",
    "an app ignores ui/notifications/host-context-changed",
    &[replace(
        "if (event === \"host-context-changed\") this.#merge(params);",
        "if (event === \"host-context-changed\") return;",
    )],
);

pub const VARIABLES_IGNORED: Fault = fault(
    "app-variables-ignored",
    "an app ignores the style variables of its host",
    &[replace(
        "for (const [name, value] of Object.entries(styles?.variables ?? {})) set(name, value);",
        "void styles?.variables;",
    )],
);

pub const PARTIAL_INPUT_BREAKS: Fault = fault(
    "app-partial-input-breaks",
    "an app throws when its input is not complete",
    &[replace("Array.isArray(input.series) ? input.series : []", "input.series")],
);

pub const CANCELLATION_BREAKS: Fault = fault(
    "app-cancellation-breaks",
    "an app throws when its call is cancelled",
    &[replace("state(\"cancelled\", \"Cancelled\");", "state(\"cancelled\", missing.reason);")],
);

pub const FAILURE_SWALLOWED: Fault = fault(
    "app-failure-swallowed",
    "an app does not show that its tool failed",
    &[replace("if (result.isError) return say(textOf(result), \"danger\");", "if (result.isError) return;")],
);

pub const BLANK: Fault = fault("app-blank", "an app shows nothing", &[replace("<body>", "<body hidden>")]);

pub const UNCAUGHT_ERROR: Fault = fault(
    "app-uncaught-error",
    "an app throws an error that nobody catches",
    &[replace(START, "setTimeout(() => { throw Error(\"out of ink\"); });\nhost.connect().catch(")],
);

pub const CONSOLE_ERROR: Fault = fault(
    "app-console-error",
    "an app writes an error on its console",
    &[replace(START, "console.error(\"something is off\");\nhost.connect().catch(")],
);

pub const BUTTON_BREAKS: Fault = fault(
    "app-button-breaks",
    "a button of an app leads to an uncaught error",
    &[replace(END, "<button type=\"button\" onclick=\"missing.part()\">Try me</button></main>")],
);

pub const NO_LANGUAGE: Fault = fault(
    "app-no-language",
    "an app does not declare its language",
    &[replace("<html lang=\"en\">", "<html>")],
);

pub const NO_TITLE: Fault =
    fault("app-no-title", "the document of an app has no title", &[replace("<title>Chart</title>", "")]);

pub const NAMELESS_CONTROL: Fault = fault(
    "app-nameless-control",
    "an app has a button without a name",
    &[replace(END, "<button type=\"button\"><svg width=\"9\" height=\"9\"></svg></button></main>")],
);

pub const MOUSE_ONLY: Fault = fault(
    "app-mouse-only",
    "the keyboard does not reach a control of an app",
    &[replace(END, "<div role=\"button\">Press here</div></main>")],
);

pub const NO_MAIN: Fault = fault(
    "app-no-main",
    "the document of an app has no main landmark",
    &[replace("<main", "<div"), replace(END, "</div>")],
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::chart_document;

    /// An edit that finds nothing would prove nothing.
    #[test]
    fn every_edit_finds_its_text_in_the_chart() {
        let document = chart_document();
        for fault in FAULTS {
            let effects = match &fault.effect {
                Effect::Several(effects) => effects,
                effect => std::slice::from_ref(effect),
            };
            for effect in effects {
                let Effect::Document(edits) = effect else { continue };
                for edit in *edits {
                    assert!(document.contains(edit.text), "{} looks for {}", fault.name, edit.text);
                }
            }
        }
    }
}
