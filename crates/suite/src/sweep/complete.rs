//! Completions: every argument of every prompt, every variable of every template.

use protocol::Version;
use protocol::capability::COMPLETIONS;
use serde_json::{Value, json};

use super::read::variables;
use super::{Answers, last, send_all};
use crate::{Finding, ServerCx};

/// How many arguments are completed at most.
const MAX_COMPLETIONS: usize = 40;

/// An argument that was completed.
#[derive(Debug)]
pub struct CompletedArgument {
    /// The prompt or template.
    pub reference: Value,
    /// The name of the argument or variable.
    pub argument: String,
    /// What came back.
    pub answers: Answers,
}

impl CompletedArgument {
    /// The values that were suggested.
    pub fn values(&self) -> Vec<String> {
        let result = last(&self.answers).map(|(_, result)| result).unwrap_or_default();
        let values = result["completion"]["values"].as_array().cloned().unwrap_or_default();
        values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    }
}

impl ServerCx {
    /// Every argument, completed once from nothing.
    pub async fn completions(&self) -> Result<&[CompletedArgument], Finding> {
        // The capability has a name since 2025-03-26; the method is older.
        if self.version >= Version::V2025_03_26 {
            self.needs(COMPLETIONS).await?;
        }
        self.known
            .learn(|facts| &facts.completions, async {
                let session = self.session().await?;
                let mut wanted = Vec::new();
                for prompt in self.prompts().await.unwrap_or_default() {
                    let arguments = prompt["arguments"].as_array().into_iter().flatten();
                    for name in arguments.filter_map(|argument| argument["name"].as_str()) {
                        wanted
                            .push((json!({ "type": "ref/prompt", "name": prompt["name"] }), name.to_owned()));
                    }
                }
                for template in self.templates().await.unwrap_or_default() {
                    let Some(uri) = template["uriTemplate"].as_str() else { continue };
                    let reference = json!({ "type": "ref/resource", "uri": uri });
                    wanted.extend(variables(uri).into_iter().map(|name| (reference.clone(), name)));
                }
                let asks = wanted.into_iter().take(MAX_COMPLETIONS).map(|(reference, argument)| {
                    let params = json!({ "ref": reference, "argument": { "name": argument, "value": "" } });
                    let ask = self.request_on(session, "completion/complete").params(params);
                    ((reference, argument), ask)
                });
                let answered = send_all(asks.collect()).await;
                let completed =
                    |((reference, argument), answers)| CompletedArgument { reference, argument, answers };
                Ok(answered.into_iter().map(completed).collect())
            })
            .await
    }
}
