//! The messages between View, host and sandbox proxy.

use super::direction::BridgeDirection::{self, HostToProxy, HostToView, ProxyToHost, ViewToHost};

/// Which text has a message first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Since {
    /// The stable text of 2026-01-26.
    Stable,
    /// ext-apps 2.x.
    Ext2,
}

/// A message of the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UiMethod {
    /// The name on the wire.
    pub name: &'static str,
    /// Who sends it to whom.
    pub direction: BridgeDirection,
    /// Whether it is to be answered.
    pub is_request: bool,
    /// Which text has it first; a message that runs both ways may do so only from there on.
    pub since: Since,
    /// The member of `hostCapabilities` that must be there before a View sends it.
    pub host_capability: Option<&'static str>,
    /// The member of `appCapabilities` that must be there before a host sends it.
    pub app_capability: Option<&'static str>,
    /// The definition's name in the schema of ext-apps, for messages that are not those of MCP.
    pub schema: Option<&'static str>,
}

/// What the names of messages begin with that stay between host and sandbox proxy.
pub const SANDBOX_PREFIX: &str = "ui/notifications/sandbox-";

/// Every message, sorted by name.
///
/// The stable text lists `ui/notifications/size-changed` among the messages of the host, and says that the View sends
/// it; and it calls `ui/resource-teardown` a notification, but gives it an id and a response. `ui/update-model-context`
/// and `ui/message` are stable, the capabilities that announce them are not, so none is asked for here.
pub const METHODS: &[UiMethod] = &[
    mcp("notifications/message", ViewToHost, Since::Stable).event().host("logging"),
    mcp("notifications/prompts/list_changed", HostToView, Since::Ext2).event(),
    mcp("notifications/resources/list_changed", HostToView, Since::Stable).event().host("serverResources"),
    mcp("notifications/tools/list_changed", HostToView, Since::Stable).event().host("serverTools"),
    mcp("notifications/tools/list_changed", ViewToHost, Since::Ext2).event().app("tools"),
    mcp("ping", ViewToHost, Since::Stable),
    mcp("ping", HostToView, Since::Stable),
    mcp("prompts/list", ViewToHost, Since::Ext2),
    mcp("resources/list", ViewToHost, Since::Ext2).host("serverResources"),
    mcp("resources/read", ViewToHost, Since::Stable).host("serverResources"),
    mcp("resources/templates/list", ViewToHost, Since::Ext2).host("serverResources"),
    mcp("sampling/createMessage", ViewToHost, Since::Ext2).host("sampling"),
    mcp("tools/call", ViewToHost, Since::Stable).host("serverTools"),
    mcp("tools/call", HostToView, Since::Ext2).app("tools"),
    mcp("tools/list", ViewToHost, Since::Ext2).host("serverTools"),
    mcp("tools/list", HostToView, Since::Ext2).app("tools"),
    ui("ui/download-file", ViewToHost, "McpUiDownloadFileRequest").ext2().host("downloadFile"),
    ui("ui/initialize", ViewToHost, "McpUiInitializeRequest"),
    ui("ui/message", ViewToHost, "McpUiMessageRequest"),
    ui("ui/notifications/host-context-changed", HostToView, "McpUiHostContextChangedNotification").event(),
    ui("ui/notifications/initialized", ViewToHost, "McpUiInitializedNotification").event(),
    ui("ui/notifications/request-teardown", ViewToHost, "McpUiRequestTeardownNotification").ext2().event(),
    ui("ui/notifications/sandbox-proxy-ready", ProxyToHost, "McpUiSandboxProxyReadyNotification").event(),
    ui("ui/notifications/sandbox-resource-ready", HostToProxy, "McpUiSandboxResourceReadyNotification")
        .event(),
    ui("ui/notifications/size-changed", ViewToHost, "McpUiSizeChangedNotification").event(),
    ui("ui/notifications/tool-cancelled", HostToView, "McpUiToolCancelledNotification").event(),
    ui("ui/notifications/tool-input", HostToView, "McpUiToolInputNotification").event(),
    ui("ui/notifications/tool-input-partial", HostToView, "McpUiToolInputPartialNotification").event(),
    ui("ui/notifications/tool-result", HostToView, "McpUiToolResultNotification").event(),
    ui("ui/open-link", ViewToHost, "McpUiOpenLinkRequest").host("openLinks"),
    ui("ui/request-display-mode", ViewToHost, "McpUiRequestDisplayModeRequest"),
    ui("ui/resource-teardown", HostToView, "McpUiResourceTeardownRequest"),
    ui("ui/update-model-context", ViewToHost, "McpUiUpdateModelContextRequest"),
];

/// Every row of one name; empty if the bridge does not have it.
pub fn named(name: &str) -> &'static [UiMethod] {
    let start = METHODS.partition_point(|method| method.name < name);
    let tail = METHODS.get(start..).unwrap_or_default();
    let len = tail.iter().take_while(|method| method.name == name).count();
    tail.get(..len).unwrap_or_default()
}

const fn mcp(name: &'static str, direction: BridgeDirection, since: Since) -> UiMethod {
    UiMethod {
        name,
        direction,
        is_request: true,
        since,
        host_capability: None,
        app_capability: None,
        schema: None,
    }
}

const fn ui(name: &'static str, direction: BridgeDirection, schema: &'static str) -> UiMethod {
    let mut method = mcp(name, direction, Since::Stable);
    method.schema = Some(schema);
    method
}

impl UiMethod {
    const fn event(mut self) -> Self {
        self.is_request = false;
        self
    }

    const fn ext2(mut self) -> Self {
        self.since = Since::Ext2;
        self
    }

    const fn host(mut self, capability: &'static str) -> Self {
        self.host_capability = Some(capability);
        self
    }

    const fn app(mut self, capability: &'static str) -> Self {
        self.app_capability = Some(capability);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_directions_unique() {
        for pair in METHODS.windows(2) {
            let [one, two] = pair else { unreachable!("windows of two") };
            assert!(one.name <= two.name, "{} before {}", one.name, two.name);
            assert!(one.name != two.name || one.direction != two.direction, "{} twice", one.name);
        }
    }

    #[test]
    fn notifications_are_named_so() {
        for method in METHODS {
            assert_eq!(method.name.contains("notifications/"), !method.is_request, "{}", method.name);
        }
    }

    #[test]
    fn sandbox_messages_stay_outside() {
        for method in METHODS {
            let outside = matches!(method.direction, ProxyToHost | HostToProxy);
            assert_eq!(method.name.starts_with(SANDBOX_PREFIX), outside, "{}", method.name);
        }
    }
}
