//! What a run would do, found out without doing it.

use std::sync::Arc;

use protocol::Version;
use transport::client::{self, Failure, Target};
use transport::secrets::Secrets;

use crate::{Decision, Finding, Options, Plan, RunCx, ServerCx};

/// What a run would do, revision by revision.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The target, without secrets.
    pub target: String,
    /// One for each revision.
    pub revisions: Vec<RevisionPreview>,
}

/// What a run would do in one revision.
#[derive(Clone, Debug)]
pub struct RevisionPreview {
    /// The revision.
    pub version: Version,
    /// The ids of the checks.
    pub checks: Vec<&'static str>,
    /// The tools and what would become of them; or why they are not known.
    pub tools: Result<Vec<ToolPreview>, String>,
}

/// What would become of one tool.
#[derive(Clone, Debug)]
pub struct ToolPreview {
    /// Its name.
    pub name: String,
    /// Whether it would be called, and why.
    pub decision: Decision,
    /// What it would be called with, as JSON; or why no arguments could be made for its schema.
    pub arguments: Result<String, String>,
}

/// Finds out what `run` would do with `target`. Lists are read, nothing is called.
pub async fn preview(target: &Target, options: &Options) -> Result<Preview, Failure> {
    let run = Arc::new(RunCx::new(target.clone(), &options.limits, options.calls.clone()));
    let secrets = target.secrets();
    let found = client::probe(target, run.limits.clone()).await?;
    let named = if options.protocols.is_empty() { found.versions() } else { options.protocols.clone() };
    let mut revisions = Vec::new();
    for version in named {
        let spoken = found.find(version).or(found.spoken.last());
        let transport = spoken.map_or_else(|| target.usual_transport(), |spoken| spoken.transport);
        let plan = Plan::new(&[version], transport, &options.selection);
        let cx = ServerCx::new(Arc::clone(&run), version, transport);
        let why = |finding| match finding {
            Finding::Violated(evidence) => evidence.actual,
            Finding::Blocked(obstacle) => obstacle.why,
            Finding::NotApplicable(why) | Finding::Broke(why) => why,
        };
        let tools = tools(&cx, &secrets).await.map_err(|finding| secrets.hide(&why(finding)).into_owned());
        cx.close().await;
        let checks = plan.cases.iter().map(|case| case.check.id).collect();
        revisions.push(RevisionPreview { version, checks, tools });
    }
    Ok(Preview { target: target.describe(), revisions })
}

async fn tools(cx: &ServerCx, secrets: &Secrets) -> Result<Vec<ToolPreview>, Finding> {
    let tools = cx.tools().await?;
    let mut previews = Vec::new();
    for tool in tools {
        let none = || "no arguments could be made for its schema".to_owned();
        let made = cx.make_arguments(tool).await;
        previews.push(ToolPreview {
            name: secrets.hide(tool["name"].as_str().unwrap_or_default()).into_owned(),
            decision: cx.rules().decide(tool, tools),
            arguments: made
                .map_err(|why| format!("its schema is {why}"))
                .and_then(|made| made.ok_or_else(none))
                .map(|made| secrets.hide(&made.to_string()).into_owned()),
        });
    }
    Ok(previews)
}
