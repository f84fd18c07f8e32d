//! From a plan to a running client.

use anyhow::{Context as _, Result};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientServiceExt as _, RoleClient};
use serde_json::json;
use tokio::process::Command;

use crate::answers::Answers;
use crate::plan::{Plan, Target};

pub(crate) type Client = RunningService<RoleClient, Answers>;

pub(crate) async fn connect(plan: &Plan) -> Result<Client> {
    let only = plan.protocol.as_deref().map(version).transpose()?;
    let mut config = ClientConfig::new(capabilities()?, Implementation::new("rmcp-client", "1.0.0"));
    config.protocol_version = only.clone().unwrap_or(ProtocolVersion::LATEST_WITH_INITIALIZE);
    let answers = Answers::new(config);
    match &plan.target {
        Target::Url(url) => {
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            Ok(answers.serve_with_lifecycle(transport, lifecycle(only)).await?)
        }
        Target::Command(words) => {
            let (program, arguments) = words.split_first().context("`--` needs a command after it")?;
            let mut command = Command::new(program);
            command.args(arguments);
            let transport = TokioChildProcess::new(command)?;
            Ok(answers.serve_with_lifecycle(transport, lifecycle(only)).await?)
        }
    }
}

/// Whether the connection speaks a revision without a handshake.
pub(crate) fn modern(client: &Client) -> bool {
    client.peer_info().is_some_and(|info| info.protocol_version >= ProtocolVersion::NO_INITIALIZE)
}

fn lifecycle(only: Option<ProtocolVersion>) -> ClientLifecycleMode {
    match only {
        None => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
        Some(version) if version >= ProtocolVersion::NO_INITIALIZE => {
            ClientLifecycleMode::Discover { preferred_versions: vec![version] }
        }
        Some(_) => ClientLifecycleMode::Initialize,
    }
}

fn version(text: &str) -> Result<ProtocolVersion> {
    serde_json::from_value(json!(text)).with_context(|| format!("{text} is not a protocol revision"))
}

fn capabilities() -> Result<ClientCapabilities> {
    let declared = json!({ "sampling": {}, "elicitation": { "form": {} }, "roots": { "listChanged": true } });
    Ok(serde_json::from_value(declared)?)
}
