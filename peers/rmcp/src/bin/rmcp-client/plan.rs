//! The command line.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value};

/// What to connect to and what to do there.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The only revision to speak; without it, the newest that the server has.
    pub(crate) protocol: Option<String>,
    pub(crate) target: Target,
    pub(crate) steps: Vec<Step>,
}

/// Where the server is.
#[derive(Debug)]
pub(crate) enum Target {
    Url(String),
    Command(Vec<String>),
}

/// One thing to do.
#[derive(Debug)]
pub(crate) enum Step {
    Tool { manner: Manner, call: Call },
    Read { uri: String },
    Prompt(Call),
    Complete(String),
    Subscribe { uri: String, call: Call },
}

/// In which way a tool is called, and what is expected of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Manner {
    Call,
    Fail,
    Progress,
    Cancel,
    Sample,
    Elicit,
    Roots,
    Log,
}

/// A name and its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

impl Plan {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let (mut protocol, mut target, mut steps) = (None, None, Vec::new());
        while let Some(word) = words.next() {
            if word == "--" {
                target = Some(Target::Command(words.by_ref().collect()));
            } else if let Some(option) = word.strip_prefix("--") {
                ensure!(option != "sse", "rmcp has no HTTP+SSE; use one of the TypeScript clients");
                let value = words.next().with_context(|| format!("--{option} needs a value"))?;
                match option {
                    "protocol" => protocol = Some(value),
                    _ => steps.push(Step::parse(option, &value)?),
                }
            } else {
                target = Some(Target::Url(word));
            }
        }
        let target = target.context("give either a URL or `-- COMMAND [ARGUMENT…]`")?;
        Ok(Self { protocol, target, steps })
    }
}

impl Step {
    fn parse(kind: &str, text: &str) -> Result<Self> {
        let tool = |manner| Ok(Self::Tool { manner, call: Call::parse(text)? });
        match kind {
            "call" => tool(Manner::Call),
            "fail" => tool(Manner::Fail),
            "progress" => tool(Manner::Progress),
            "cancel" => tool(Manner::Cancel),
            "sample" => tool(Manner::Sample),
            "elicit" => tool(Manner::Elicit),
            "roots" => tool(Manner::Roots),
            "log" => tool(Manner::Log),
            "read" => Ok(Self::Read { uri: text.to_owned() }),
            "prompt" => Ok(Self::Prompt(Call::parse(text)?)),
            "complete" => Ok(Self::Complete(text.to_owned())),
            "subscribe" => {
                let (uri, call) = text.split_once(' ').context("--subscribe needs `URI TOOL[=JSON]`")?;
                Ok(Self::Subscribe { uri: uri.to_owned(), call: Call::parse(call)? })
            }
            other => bail!("--{other} is not an option"),
        }
    }

    /// The name under which the step is reported; the same as in the TypeScript clients.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Tool { manner, call } => format!("{}:{}", manner.name(), call.name),
            Self::Read { uri } => format!("read:{uri}"),
            Self::Prompt(call) => format!("prompt:{}", call.name),
            Self::Complete(text) => format!("complete:{text}"),
            Self::Subscribe { call, .. } => format!("subscribe:{}", call.name),
        }
    }
}

impl Manner {
    fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Fail => "fail",
            Self::Progress => "progress",
            Self::Cancel => "cancel",
            Self::Sample => "sample",
            Self::Elicit => "elicit",
            Self::Roots => "roots",
            Self::Log => "log",
        }
    }
}

impl Call {
    fn parse(text: &str) -> Result<Self> {
        let Some((name, json)) = text.split_once('=') else {
            return Ok(Self { name: text.to_owned(), arguments: Map::new() });
        };
        let arguments = serde_json::from_str(json)
            .with_context(|| format!("the arguments of {name} are not a JSON object"))?;
        Ok(Self { name: name.to_owned(), arguments })
    }
}
