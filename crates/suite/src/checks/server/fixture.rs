//! Tools that have the names of the official conformance suite's fixtures, and how checks call them.

use serde_json::{Value, json};
use transport::client::{Answer as Given, Session};

use crate::expect::Ask;
use crate::policy::{has_fixtures, is_common};
use crate::{Allow, Decision, Finding, ServerCx};

/// The tool of that name, if the server lists it.
pub(super) async fn fixture<'c>(cx: &'c ServerCx, name: &str) -> Result<&'c Value, Finding> {
    let tools = cx.tools().await?;
    let found = tools.iter().find(|tool| tool["name"] == name);
    let found = found.ok_or_else(|| Finding::not_applicable(format!("the server has no tool {name}")))?;
    if is_common(name) && !has_fixtures(tools) {
        return Err(Finding::not_applicable(format!("{name} is a tool of the server's own")));
    }
    match cx.rules().decide(found, tools) {
        Decision::Call(_) => Ok(found),
        // Fixtures that change something are called only by the checks that are made for them.
        Decision::Leave(_) if name.starts_with("test_") && cx.rules().allow != Allow::None => Ok(found),
        Decision::Leave(why) if cx.rules().leaves_callable(std::slice::from_ref(found)) => {
            Err(Finding::not_applicable(format!("{name} is not called: {why}")))
        }
        Decision::Leave(why) => Err(Finding::not_applicable(format!("{name} is left alone: {why}"))),
    }
}

/// The tools of those names that the server lists; not applicable if there is none.
pub(super) async fn fixtures<'c>(cx: &'c ServerCx, names: &[&str]) -> Result<Vec<&'c Value>, Finding> {
    let tools = cx.tools().await?;
    let meant = |name: &str| names.contains(&name) && (!is_common(name) || has_fixtures(tools));
    let found = tools.iter().filter(|tool| tool["name"].as_str().is_some_and(meant));
    let found: Vec<_> = found.filter(|tool| cx.rules().decide(tool, tools).is_call()).collect();
    if found.is_empty() {
        return Err(Finding::not_applicable(format!(
            "the server has none of the tools {}",
            names.join(", ")
        )));
    }
    Ok(found)
}

/// A call of `tool` on `session`.
pub(super) fn call<'c>(cx: &'c ServerCx, session: &Session, tool: &Value, arguments: &Value) -> Ask<'c> {
    let params = json!({ "name": tool["name"], "arguments": arguments });
    cx.request_on(session, "tools/call").params(params).with(|request| request.mirror(&tool["inputSchema"]))
}

/// What our end answers to `inputRequests`, by key.
pub(super) fn responses(session: &Session, requests: &Value) -> Value {
    let answer = |input: &Value| {
        let method = input["method"].as_str().unwrap_or_default();
        match session.profile().answer(method, &input["params"]) {
            Given::Result(result) => Some(result),
            Given::Error { .. } | Given::Silence => None,
        }
    };
    let requests = requests.as_object().into_iter().flatten();
    Value::Object(requests.filter_map(|(key, input)| Some((key.clone(), answer(input)?))).collect())
}
