//! The messages between View, host and sandbox proxy.

/// Who sends a message to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BridgeDirection {
    /// The View sends it to the host.
    ViewToHost,
    /// The host sends it to the View.
    HostToView,
    /// Either of the two sends it.
    Both,
    /// The sandbox proxy sends it to the host; it never reaches the View.
    ProxyToHost,
    /// The host sends it to the sandbox proxy; it never reaches the View.
    HostToProxy,
}

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
    mcp("notifications/message", BridgeDirection::ViewToHost, Since::Stable).event().host("logging"),
    mcp("notifications/prompts/list_changed", BridgeDirection::HostToView, Since::Ext2).event(),
    mcp("notifications/resources/list_changed", BridgeDirection::HostToView, Since::Stable)
        .event()
        .host("serverResources"),
    mcp("notifications/tools/list_changed", BridgeDirection::HostToView, Since::Stable)
        .event()
        .host("serverTools"),
    mcp("notifications/tools/list_changed", BridgeDirection::ViewToHost, Since::Ext2).event().app("tools"),
    mcp("ping", BridgeDirection::Both, Since::Stable),
    mcp("prompts/list", BridgeDirection::ViewToHost, Since::Ext2),
    mcp("resources/list", BridgeDirection::ViewToHost, Since::Ext2).host("serverResources"),
    mcp("resources/read", BridgeDirection::ViewToHost, Since::Stable).host("serverResources"),
    mcp("resources/templates/list", BridgeDirection::ViewToHost, Since::Ext2).host("serverResources"),
    mcp("sampling/createMessage", BridgeDirection::ViewToHost, Since::Ext2).host("sampling"),
    mcp("tools/call", BridgeDirection::ViewToHost, Since::Stable).host("serverTools"),
    mcp("tools/call", BridgeDirection::HostToView, Since::Ext2).app("tools"),
    mcp("tools/list", BridgeDirection::ViewToHost, Since::Ext2).host("serverTools"),
    mcp("tools/list", BridgeDirection::HostToView, Since::Ext2).app("tools"),
    ui("ui/download-file", BridgeDirection::ViewToHost, "McpUiDownloadFileRequest")
        .ext2()
        .host("downloadFile"),
    ui("ui/initialize", BridgeDirection::ViewToHost, "McpUiInitializeRequest"),
    ui("ui/message", BridgeDirection::ViewToHost, "McpUiMessageRequest"),
    ui(
        "ui/notifications/host-context-changed",
        BridgeDirection::HostToView,
        "McpUiHostContextChangedNotification",
    )
    .event(),
    ui("ui/notifications/initialized", BridgeDirection::ViewToHost, "McpUiInitializedNotification").event(),
    ui("ui/notifications/request-teardown", BridgeDirection::ViewToHost, "McpUiRequestTeardownNotification")
        .ext2()
        .event(),
    ui(
        "ui/notifications/sandbox-proxy-ready",
        BridgeDirection::ProxyToHost,
        "McpUiSandboxProxyReadyNotification",
    )
    .event(),
    ui(
        "ui/notifications/sandbox-resource-ready",
        BridgeDirection::HostToProxy,
        "McpUiSandboxResourceReadyNotification",
    )
    .event(),
    ui("ui/notifications/size-changed", BridgeDirection::ViewToHost, "McpUiSizeChangedNotification").event(),
    ui("ui/notifications/tool-cancelled", BridgeDirection::HostToView, "McpUiToolCancelledNotification")
        .event(),
    ui("ui/notifications/tool-input", BridgeDirection::HostToView, "McpUiToolInputNotification").event(),
    ui(
        "ui/notifications/tool-input-partial",
        BridgeDirection::HostToView,
        "McpUiToolInputPartialNotification",
    )
    .event(),
    ui("ui/notifications/tool-result", BridgeDirection::HostToView, "McpUiToolResultNotification").event(),
    ui("ui/open-link", BridgeDirection::ViewToHost, "McpUiOpenLinkRequest").host("openLinks"),
    ui("ui/request-display-mode", BridgeDirection::ViewToHost, "McpUiRequestDisplayModeRequest"),
    ui("ui/resource-teardown", BridgeDirection::HostToView, "McpUiResourceTeardownRequest"),
    ui("ui/update-model-context", BridgeDirection::ViewToHost, "McpUiUpdateModelContextRequest"),
];

/// Every row of one name; empty if the bridge does not have it.
pub fn named(name: &str) -> &'static [UiMethod] {
    let start = METHODS.partition_point(|method| method.name < name);
    let tail = METHODS.get(start..).unwrap_or_default();
    let len = tail.iter().take_while(|method| method.name == name).count();
    tail.get(..len).unwrap_or_default()
}

/// The row of a message that a View sends to its host.
pub fn from_view(name: &str) -> Option<&'static UiMethod> {
    named(name)
        .iter()
        .find(|method| matches!(method.direction, BridgeDirection::ViewToHost | BridgeDirection::Both))
}

/// The row of a message that a host sends to its View.
pub fn to_view(name: &str) -> Option<&'static UiMethod> {
    named(name)
        .iter()
        .find(|method| matches!(method.direction, BridgeDirection::HostToView | BridgeDirection::Both))
}

/// Whether a sandbox proxy passes the message on, in either direction.
pub fn is_forwarded(name: &str) -> bool {
    !name.starts_with(SANDBOX_PREFIX)
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
    fn both_ways_are_told_apart() {
        assert_eq!(from_view("tools/call").unwrap().since, Since::Stable);
        assert_eq!(to_view("tools/call").unwrap().since, Since::Ext2);
        assert!(from_view("ping").is_some() && to_view("ping").is_some());
        assert!(to_view("ui/open-link").is_none() && from_view("ui/resource-teardown").is_none());
        assert!(from_view("ui/openLink").is_none(), "names have hyphens");
    }

    #[test]
    fn sandbox_messages_stay_outside() {
        for method in METHODS {
            let outside =
                matches!(method.direction, BridgeDirection::ProxyToHost | BridgeDirection::HostToProxy);
            assert_eq!(is_forwarded(method.name), !outside, "{}", method.name);
        }
        assert!(!is_forwarded("ui/notifications/sandbox-made-up"));
        assert!(from_view("ui/notifications/sandbox-proxy-ready").is_none());
    }
}
