//! Tools that ask more than once, or several things at once.

use protocol::capability::{ELICITATION_FORM, ROOTS, SAMPLING};
use protocol::{Span, Version};
use serde_json::{Value, json};

use super::define_asking_tool;
use super::sampling::words;
use crate::call::{Ask, Call, Stop};
use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[ROUNDS, SURVEY];

const ROUNDS: Tool = Tool::new(
    "ask-in-rounds",
    || define_asking_tool("Ask in rounds", "Asks for a first name, then for a last name, then greets"),
    Run::Later(|call, _| Box::pin(rounds(call))),
)
.in_span(Span::since(Version::V2025_06_18));

async fn rounds(call: Call) -> Result<Value, Stop> {
    let first = call.ask(question("first", "What is your first name?")).await?;
    let Some(first) = first["content"]["answer"].as_str() else { return Ok(text("never mind")) };
    let last = call.ask(question("last", &format!("What is your last name, {first}?"))).await?;
    let Some(last) = last["content"]["answer"].as_str() else { return Ok(text("never mind")) };
    Ok(text(format!("hello, {first} {last}")))
}

const SURVEY: Tool = Tool::new(
    "survey",
    || define_asking_tool("Survey", "Asks user, model and client at once, each as far as the client can"),
    Run::Later(|call, _| Box::pin(survey(call))),
);

async fn survey(call: Call) -> Result<Value, Stop> {
    let message = json!({ "role": "user", "content": { "type": "text", "text": "Say hello." } });
    let all = [
        (ELICITATION_FORM, question("name", "What is your name?")),
        (SAMPLING, Ask::sampling("hello", json!({ "messages": [message], "maxTokens": 20 }))),
        (ROOTS, Ask::roots("roots")),
    ];
    let asks: Vec<_> =
        all.into_iter().filter(|(needs, _)| call.client.has(*needs)).map(|(_, ask)| ask).collect();
    if asks.is_empty() {
        return Ok(text("this client can be asked nothing"));
    }
    let methods: Vec<_> = asks.iter().map(|ask| ask.method).collect();
    let answers = call.ask_all(asks).await?;
    let lines = methods.iter().zip(&answers).map(|(method, answer)| format!("{method}: {}", summary(answer)));
    Ok(text(lines.collect::<Vec<_>>().join("\n")))
}

fn summary(answer: &Value) -> String {
    match (answer["action"].as_str(), answer["roots"].as_array()) {
        (Some(action), _) => format!("{action} {}", answer["content"]),
        (None, Some(roots)) => format!("{} roots", roots.len()),
        (None, None) => words(&answer["content"]),
    }
}

fn question(key: &'static str, message: &str) -> Ask {
    let schema = json!({
        "type": "object",
        "properties": { "answer": { "type": "string", "minLength": 1 } },
        "required": ["answer"],
    });
    Ask::elicitation(key, json!({ "mode": "form", "message": message, "requestedSchema": schema }))
}
