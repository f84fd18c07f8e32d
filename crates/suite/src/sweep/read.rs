//! Resources, read: those that are listed, and some that templates promise.

use serde_json::{Value, json};

use super::{Answers, send_all};
use crate::{Finding, ServerCx};

/// How many resources are read at most.
const MAX_READS: usize = 50;

/// A resource that was read.
#[derive(Debug)]
pub struct ReadResource {
    /// The URI that was asked for.
    pub uri: String,
    /// Whether it is listed; if not, it comes from a template and need not be there.
    pub listed: bool,
    /// What came back.
    pub answers: Answers,
}

impl ServerCx {
    /// Every resource, read once.
    pub async fn reads(&self) -> Result<&[ReadResource], Finding> {
        self.known
            .learn(|facts| &facts.reads, async {
                let session = self.session().await?;
                let listed = self.resources().await?.iter().filter_map(|r| r["uri"].as_str());
                let mut uris: Vec<_> = listed.take(MAX_READS).map(|uri| (uri.to_owned(), true)).collect();
                for template in self.templates().await.unwrap_or_default() {
                    uris.extend(self.expand_template(template).await.map(|uri| (uri, false)));
                }
                let asks = uris.into_iter().map(|(uri, listed)| {
                    let ask = self.request_on(session, "resources/read").params(json!({ "uri": uri }));
                    ((uri, listed), ask)
                });
                let answered = send_all(asks.collect()).await;
                let read = |((uri, listed), answers)| ReadResource { uri, listed, answers };
                Ok(answered.into_iter().map(read).collect())
            })
            .await
    }

    /// A URI of the template, with values that the server suggests or that look harmless.
    async fn expand_template(&self, template: &Value) -> Option<String> {
        let source = template["uriTemplate"].as_str()?;
        let mut uri = source.to_owned();
        for name in variables(source) {
            let suggested = self.completions().await.ok().and_then(|all| {
                let own = all.iter().find(|c| c.reference["uri"] == source && c.argument == name)?;
                own.values().into_iter().find(|value| !value.is_empty())
            });
            let value = suggested.unwrap_or_else(|| "1".to_owned());
            uri = replace_variable(&uri, &name, &value);
        }
        (!uri.contains('{')).then_some(uri)
    }
}

/// The names of the variables of a template, as far as its expressions are simple ones.
pub(super) fn variables(template: &str) -> Vec<String> {
    let expressions = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let names = expressions.flat_map(|(inner, _)| {
        inner.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(',').collect::<Vec<_>>()
    });
    names.map(|name| name.trim_end_matches('*').split(':').next().unwrap_or_default().to_owned()).collect()
}

fn replace_variable(template: &str, name: &str, value: &str) -> String {
    let value: String = value.bytes().map(escape_byte).collect();
    let mut out = template.to_owned();
    for form in [format!("{{{name}}}"), format!("{{+{name}}}"), format!("{{{name}*}}")] {
        out = out.replace(&form, &value);
    }
    out.replace(&format!("{{/{name}}}"), &format!("/{value}"))
        .replace(&format!("{{?{name}}}"), &format!("?{name}={value}"))
}

fn escape_byte(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_in() {
        assert_eq!(variables("a://{x}/{+y}{?z}"), ["x", "y", "z"]);
        assert_eq!(replace_variable("a://{x}/b{?z}", "x", "1 2"), "a://1%202/b{?z}");
        assert_eq!(replace_variable("a://b{?z}", "z", "1"), "a://b?z=1");
    }
}
