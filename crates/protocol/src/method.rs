//! Every method and notification of every revision, in one table.
//!
//! A row is a method as a span of revisions has it. A name has several rows where revisions disagree: tasks moved from
//! the core (2025-11-25) to an extension, progress became one-way, and what was a request of the server became an
//! input request inside a result (2026-07-28). Rows of one name never overlap.

mod table;

use crate::capability::Capability;
use crate::{Era, Span, Version};

pub use table::METHODS;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodDirection {
    /// The client sends it.
    ClientToServer,
    /// The server sends it.
    ServerToClient,
    /// Either side sends it.
    Both,
}

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The end that opens the connection.
    Client,
    /// The end that offers tools, resources and prompts.
    Server,
}

/// What a message is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// A request of its own, with an id, to be answered.
    Request,
    /// A notification: no id, no answer.
    Notification,
    /// A request without id inside the `inputRequests` of a result; the answer travels in a retry (2026-07-28).
    Input,
}

/// The capability without which a message may not be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing has to be declared.
    Open,
    /// The client must have declared it.
    Client(Capability),
    /// The server must have declared it.
    Server(Capability),
    /// Both ends must have declared it.
    Both(Capability),
    /// Whoever receives the message must have declared it.
    Receiver(Capability),
    /// Whoever sends the message must have declared it.
    Sender(Capability),
}

/// The member of `params` that the `Mcp-Name` header repeats (2026-07-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameSource {
    /// `params.name`
    Name,
    /// `params.uri`
    Uri,
    /// `params.taskId`
    TaskId,
}

/// A method or notification, as a span of revisions has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// The revisions that this row speaks of.
    pub span: Span,
    /// Who sends it.
    pub direction: MethodDirection,
    /// What it is on the wire.
    pub kind: MethodKind,
    /// The capability that it needs.
    pub gate: Gate,
    /// The official name of the message's definition; its params are this name and `Params`, where they have a definition.
    pub message: &'static str,
    /// The official name of the result's definition; none for a notification.
    pub result: Option<&'static str>,
    /// The extension that brings the method, if the core does not have it.
    pub extension: Option<&'static str>,
    cacheable: bool,
    input_required: bool,
    taskable: bool,
    name_source: Option<NameSource>,
}

impl NameSource {
    /// The member of `params`.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Uri => "uri",
            Self::TaskId => "taskId",
        }
    }
}

impl MethodDirection {
    /// Whether `side` may send in this direction.
    pub const fn allows(self, side: Side) -> bool {
        matches!(
            (self, side),
            (Self::Both, _) | (Self::ClientToServer, Side::Client) | (Self::ServerToClient, Side::Server)
        )
    }
}

impl Side {
    /// The other end.
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

impl Gate {
    /// The capability that `side` must have declared when `sender` sends the message.
    pub fn needs_of(self, side: Side, sender: Side) -> Option<Capability> {
        match self {
            Self::Open => None,
            Self::Both(capability) => Some(capability),
            Self::Client(capability) => (side == Side::Client).then_some(capability),
            Self::Server(capability) => (side == Side::Server).then_some(capability),
            Self::Receiver(capability) => (side != sender).then_some(capability),
            Self::Sender(capability) => (side == sender).then_some(capability),
        }
    }
}

impl Method {
    /// Whether a complete result carries `ttlMs` and `cacheScope`.
    pub fn cacheable(&self, version: Version) -> bool {
        self.cacheable && version.era() == Era::Modern
    }

    /// Whether the server may ask for more input instead of answering.
    pub fn may_require_input(&self, version: Version) -> bool {
        self.input_required && version.era() == Era::Modern
    }

    /// Whether the receiver may answer with a task instead of the result, when the capability for that was declared.
    pub fn may_become_task(&self, version: Version) -> bool {
        self.taskable && version >= Version::V2025_11_25
    }

    /// What the `Mcp-Name` header of the request repeats, if it needs one.
    pub fn name_source(&self, version: Version) -> Option<NameSource> {
        self.name_source.filter(|_| version.era() == Era::Modern)
    }
}

/// The method as `version` has it.
pub fn find(version: Version, name: &str) -> Option<&'static Method> {
    named(name).iter().find(|method| method.span.contains(version))
}

/// Every row of one name, oldest first; empty if no revision has the name.
pub fn named(name: &str) -> &'static [Method] {
    let start = METHODS.partition_point(|method| method.name < name);
    let tail = METHODS.get(start..).unwrap_or_default();
    let len = tail.iter().take_while(|method| method.name == name).count();
    tail.get(..len).unwrap_or_default()
}

/// Every method of `version`, by name.
pub fn methods_in(version: Version) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(move |method| method.span.contains(version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability;

    #[test]
    fn rows_are_sorted_and_never_overlap() {
        for pair in METHODS.windows(2) {
            let [one, two] = pair else { unreachable!("windows of two") };
            assert!(one.name <= two.name, "{} before {}", one.name, two.name);
            if one.name == two.name {
                assert!(one.span.until < two.span.since, "{} has overlapping rows", one.name);
            }
        }
    }

    #[test]
    fn only_notifications_have_no_result() {
        for method in METHODS {
            assert_eq!(method.result.is_none(), method.kind == MethodKind::Notification, "{}", method.name);
            assert_eq!(method.name.starts_with("notifications/"), method.kind == MethodKind::Notification);
        }
    }

    #[test]
    fn every_row_is_found_in_each_of_its_revisions() {
        for method in METHODS {
            for version in Version::ALL {
                let found = find(version, method.name).is_some_and(|row| row == method);
                assert_eq!(found, method.span.contains(version), "{} in {version}", method.name);
            }
        }
        assert_eq!(find(Version::LATEST, "tools/callx"), None);
        assert_eq!(find(Version::LATEST, ""), None);
        assert!(named("zzz").is_empty());
    }

    #[test]
    fn the_handshake_is_gone_and_discovery_came() {
        assert!(find(Version::V2025_11_25, "initialize").is_some());
        assert!(find(Version::V2026_07_28, "initialize").is_none());
        assert!(find(Version::V2026_07_28, "ping").is_none());
        assert!(find(Version::V2025_11_25, "server/discover").is_none());
        assert!(find(Version::V2026_07_28, "server/discover").is_some());
    }

    #[test]
    fn cacheable_methods_are_those_of_the_caching_page() {
        let names: Vec<_> = methods_in(Version::V2026_07_28)
            .filter(|m| m.cacheable(Version::V2026_07_28))
            .map(|m| m.name)
            .collect();
        let page = [
            "prompts/list",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "server/discover",
        ];
        assert_eq!(names, [page.as_slice(), &["tools/list"]].concat());
        assert!(methods_in(Version::V2025_11_25).all(|m| !m.cacheable(Version::V2025_11_25)));
    }

    #[test]
    fn input_may_be_required_by_three_methods_only() {
        let v = Version::V2026_07_28;
        let names: Vec<_> = methods_in(v).filter(|m| m.may_require_input(v)).map(|m| m.name).collect();
        assert_eq!(names, ["prompts/get", "resources/read", "tools/call"]);
        assert!(!find(Version::V2025_11_25, "tools/call").unwrap().may_require_input(Version::V2025_11_25));
    }

    #[test]
    fn names_come_from_name_uri_and_task_id() {
        let v = Version::V2026_07_28;
        let source = |name| find(v, name).unwrap().name_source(v);
        assert_eq!(source("tools/call"), Some(NameSource::Name));
        assert_eq!(source("prompts/get"), Some(NameSource::Name));
        assert_eq!(source("resources/read"), Some(NameSource::Uri));
        assert_eq!(source("tasks/get"), Some(NameSource::TaskId));
        assert_eq!(source("tasks/update"), Some(NameSource::TaskId));
        assert_eq!(source("tasks/cancel"), Some(NameSource::TaskId));
        assert_eq!(source("tools/list"), None);
        let legacy = Version::V2025_11_25;
        assert_eq!(find(legacy, "tools/call").unwrap().name_source(legacy), None);
    }

    #[test]
    fn tasks_are_gated_by_the_receiver_then_by_the_extension() {
        let experimental = find(Version::V2025_11_25, "tasks/get").unwrap();
        assert_eq!(experimental.gate, Gate::Receiver(capability::TASKS));
        assert_eq!(experimental.gate.needs_of(Side::Client, Side::Server), Some(capability::TASKS));
        assert_eq!(experimental.gate.needs_of(Side::Server, Side::Server), None);
        let extension = find(Version::V2026_07_28, "tasks/get").unwrap();
        assert_eq!(extension.extension, Some(capability::extension::TASKS));
        assert!(extension.gate.needs_of(Side::Client, Side::Client).is_some());
        assert!(extension.gate.needs_of(Side::Server, Side::Client).is_some());
        assert!(find(Version::V2026_07_28, "tasks/result").is_none());
        assert!(find(Version::V2026_07_28, "tasks/list").is_none());
    }

    #[test]
    fn completion_needed_no_capability_at_first() {
        assert_eq!(find(Version::V2024_11_05, "completion/complete").unwrap().gate, Gate::Open);
        let gate = find(Version::V2025_03_26, "completion/complete").unwrap().gate;
        assert_eq!(gate, Gate::Server(capability::COMPLETIONS));
    }

    #[test]
    fn requests_of_the_server_became_inputs() {
        for name in ["roots/list", "sampling/createMessage", "elicitation/create"] {
            assert_eq!(find(Version::V2025_11_25, name).unwrap().kind, MethodKind::Request);
            assert_eq!(find(Version::V2026_07_28, name).unwrap().kind, MethodKind::Input);
        }
    }

    #[test]
    fn directions_allow_their_senders() {
        assert!(MethodDirection::Both.allows(Side::Client) && MethodDirection::Both.allows(Side::Server));
        assert!(MethodDirection::ClientToServer.allows(Side::Client));
        assert!(!MethodDirection::ClientToServer.allows(Side::Server));
        assert!(!MethodDirection::ServerToClient.allows(Side::Server.other()));
    }
}
