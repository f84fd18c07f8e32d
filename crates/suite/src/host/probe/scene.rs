//! The scenes: what each View is, and what is done with the host while it is shown.

use serde_json::{Value, json};

use super::Sites;

/// One View and what happens with it.
#[derive(Debug)]
pub struct Scene {
    /// Its name, which is also that of its tool.
    pub name: &'static str,
    /// What the person sees in it, for hosts that a person drives.
    pub about: &'static str,
    /// What the View does.
    pub script: &'static str,
    /// The `_meta.ui` of its resource.
    pub meta: fn(&Sites) -> Value,
    /// The arguments of its tool.
    pub arguments: fn() -> Value,
    /// How its document is given.
    pub form: DocumentForm,
    /// What its tool answers.
    pub result: ToolAnswer,
    /// Whether its arguments come in pieces, as a model writes them.
    pub streamed: bool,
    /// What is done with the host meanwhile.
    pub acts: &'static [Act],
}

/// How a document is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentForm {
    /// As text.
    Text,
    /// As base64.
    Blob,
    /// As text, with another media type.
    Typed(&'static str),
}

/// What the tool of a scene answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolAnswer {
    /// A result with all that a result may have.
    Full,
    /// Nothing, until the call is cancelled.
    Never,
    /// A result that is not valid.
    Malformed,
    /// A result, after the host was asked for what only the person can give.
    Asking,
}

/// What is done with a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Waits until the View reports this stage.
    Stage(&'static str),
    /// Waits.
    Pause(u64),
    /// Cancels the call.
    Cancel,
    /// Closes the View.
    Close,
    /// Switches to the dark theme, or to the light one if it is dark.
    Theme,
    /// Allows what the View asks for.
    Allow,
    /// Clicks twice where the first thing that the View asks for is allowed.
    AllowTwice,
    /// Denies what the View asks for.
    Deny,
    /// Reads the conversation.
    Conversation,
    /// Reads what the model would be told by the View.
    ModelContext,
    /// Reads the names of the tools that the model is offered.
    ModelTools,
    /// Reads which pages were opened.
    OpenedLinks,
    /// Reads which names were looked up.
    Names,
    /// Looks at the frames from outside.
    Frames,
    /// Reads the methods of what the host's page heard.
    MethodsHeard,
    /// Whether the host's page reacts.
    Responsive,
}

impl Act {
    /// Its name in what was collected.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stage(stage) => stage,
            Self::Pause(_) => "pause",
            Self::Cancel => "cancel",
            Self::Close => "close",
            Self::Theme => "theme",
            Self::Allow => "allow",
            Self::AllowTwice => "allow-twice",
            Self::Deny => "deny",
            Self::Conversation => "conversation",
            Self::ModelContext => "model-context",
            Self::ModelTools => "model-tools",
            Self::OpenedLinks => "opened-links",
            Self::Names => "names",
            Self::Frames => "frames",
            Self::MethodsHeard => "methods-heard",
            Self::Responsive => "responsive",
        }
    }
}

/// The scene of that name.
pub fn scene_named(name: &str) -> Option<&'static Scene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// The usual scene, which the others change.
const DEFAULT_SCENE: Scene = Scene {
    name: "",
    about: "",
    script: include_str!("scenes/still.js"),
    meta: |_| Value::Null,
    arguments: || json!({ "number": 7, "text": "ä", "list": [1, { "a": null }] }),
    form: DocumentForm::Text,
    result: ToolAnswer::Full,
    streamed: false,
    acts: &[],
};

/// Every scene, in the order in which they are shown.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "basic",
        about: "asks for the usual things; nothing to do",
        script: include_str!("scenes/basic.js"),
        acts: &[Act::Stage("ready"), Act::Frames, Act::MethodsHeard, Act::ModelTools],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "closed",
        about: "declares nothing and tries to reach out; nothing to do",
        script: include_str!("scenes/closed.js"),
        ..DEFAULT_SCENE
    },
    Scene {
        name: "open",
        about: "declares an origin and every permission; nothing to do",
        script: include_str!("scenes/open.js"),
        meta: |sites| {
            let socket = sites.declared.replace("http", "ws");
            let csp = json!({
                "connectDomains": [sites.declared, socket], "resourceDomains": [sites.declared],
                "frameDomains": [sites.declared], "baseUriDomains": [sites.declared],
            });
            let permissions =
                json!({ "camera": {}, "microphone": {}, "geolocation": {}, "clipboardWrite": {} });
            json!({ "csp": csp, "permissions": permissions })
        },
        acts: &[Act::Pause(300), Act::Frames],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "inject",
        about: "declares domains that are none; nothing to do",
        script: include_str!("scenes/inject.js"),
        meta: |sites| {
            let site = &sites.undeclared;
            let csp = json!({
                "connectDomains": [format!("https://a.example; connect-src {site}"), format!("https://a.example {site}"), format!("https://a.example\n{site}")],
                "resourceDomains": ["'unsafe-eval'", format!("https://b.example, script-src {site}"), format!("https://c.example; script-src {site} 'unsafe-eval'")],
                "frameDomains": [format!("https://d.example;frame-src {site}")],
            });
            json!({ "csp": csp })
        },
        ..DEFAULT_SCENE
    },
    Scene {
        name: "spoof",
        about: "speaks for the sandbox proxy; nothing to do",
        script: include_str!("scenes/spoof.js"),
        ..DEFAULT_SCENE
    },
    Scene {
        name: "leaks",
        about: "tries ways out that no policy governs; nothing to do",
        script: include_str!("scenes/leaks.js"),
        acts: &[Act::Stage("tried"), Act::Pause(1500), Act::Names],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "person",
        about: "asks three times: allow the message, allow the first link, deny the second",
        script: include_str!("scenes/person.js"),
        acts: &[
            Act::Stage("message"),
            Act::Allow,
            Act::Stage("link"),
            Act::Allow,
            Act::Stage("denied"),
            Act::Deny,
            Act::Stage("over"),
            Act::Conversation,
            Act::ModelContext,
            Act::OpenedLinks,
        ],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "consent",
        about: "asks for many links at once: allow the first with a double click, and leave the others",
        script: include_str!("scenes/consent.js"),
        acts: &[Act::Stage("asked"), Act::AllowTwice, Act::Stage("over")],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "theme",
        about: "waits for another theme: switch between light and dark",
        script: include_str!("scenes/theme.js"),
        acts: &[Act::Stage("ready"), Act::Theme],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "slow",
        about: "its tool does not end: cancel it",
        script: include_str!("scenes/slow.js"),
        result: ToolAnswer::Never,
        acts: &[Act::Stage("ready"), Act::Cancel],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "teardown",
        about: "saves its work when it ends: close it",
        script: include_str!("scenes/teardown.js"),
        meta: |sites| json!({ "csp": { "connectDomains": [sites.declared] } }),
        acts: &[Act::Stage("ready"), Act::Close, Act::Pause(900)],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "blob",
        about: "comes as base64; nothing to do",
        form: DocumentForm::Blob,
        ..DEFAULT_SCENE
    },
    Scene {
        name: "plain",
        about: "comes as text/plain, and should not be shown",
        form: DocumentForm::Typed("text/plain"),
        ..DEFAULT_SCENE
    },
    Scene {
        name: "broken",
        about: "its tool answers with something that is not a result; nothing to do",
        result: ToolAnswer::Malformed,
        ..DEFAULT_SCENE
    },
    Scene {
        name: "ask",
        about: "its server asks you something: do not answer",
        result: ToolAnswer::Asking,
        acts: &[Act::Pause(1500)],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "flood",
        about: "sends too much; nothing to do",
        script: include_str!("scenes/flood.js"),
        acts: &[Act::Stage("ready"), Act::Responsive],
        ..DEFAULT_SCENE
    },
    Scene {
        name: "stream",
        about: "its arguments come in pieces; nothing to do",
        script: include_str!("scenes/stream.js"),
        arguments: || json!({ "text": "a text that takes a while to write", "list": [1, 2, 3] }),
        streamed: true,
        ..DEFAULT_SCENE
    },
    Scene { name: "again", about: "is shown after all others; nothing to do", ..DEFAULT_SCENE },
];
