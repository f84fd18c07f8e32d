//! Prompts, got with arguments that look plausible.

use serde_json::{Map, Value, json};

use super::{Answers, send_all};
use crate::{Finding, ServerCx};

/// How many prompts are got at most.
const MAX_PROMPTS: usize = 50;

/// A prompt that was got.
#[derive(Debug)]
pub struct FetchedPrompt {
    /// The prompt as it is listed.
    pub prompt: Value,
    /// What came back.
    pub answers: Answers,
}

impl ServerCx {
    /// Every prompt, got once.
    pub async fn prompt_gets(&self) -> Result<&[FetchedPrompt], Finding> {
        self.known
            .learn(|facts| &facts.prompt_gets, async {
                let session = self.session().await?;
                let mut asks = Vec::new();
                for prompt in self.prompts().await?.iter().take(MAX_PROMPTS) {
                    let params =
                        json!({ "name": prompt["name"], "arguments": self.fill_arguments(prompt).await });
                    asks.push((prompt, self.request_on(session, "prompts/get").params(params)));
                }
                let answered = send_all(asks).await;
                Ok(answered
                    .into_iter()
                    .map(|(prompt, answers)| FetchedPrompt { prompt: prompt.clone(), answers })
                    .collect())
            })
            .await
    }

    /// A value for every argument: one that the server suggests, else one that fits the name.
    async fn fill_arguments(&self, prompt: &Value) -> Map<String, Value> {
        let suggestions = self.completions().await.unwrap_or_default();
        let arguments = prompt["arguments"].as_array().into_iter().flatten();
        let names = arguments.filter_map(|argument| argument["name"].as_str());
        names
            .map(|name| {
                let own = |c: &&super::CompletedArgument| {
                    c.reference["name"] == prompt["name"] && c.argument == name
                };
                let suggested = suggestions.iter().find(own).and_then(|c| c.values().into_iter().next());
                (name.to_owned(), suggested.unwrap_or_else(|| plausible_value(name).to_owned()).into())
            })
            .collect()
    }
}

/// Prompt arguments have no schema; their names are all there is to go by.
fn plausible_value(name: &str) -> &'static str {
    let name = name.to_lowercase();
    if name.contains("uri") {
        "yardstick://example"
    } else if name.contains("url") {
        "https://example.com/"
    } else {
        "yardstick"
    }
}
