//! The catalogue of host requirements that is proposed for public tests of MCP Apps, its ids as aliases of checks.
//!
//! Which checks answer a row is said in one place, their aliases. A row that none can answer says why.

/// A row of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogueRow {
    /// Its id.
    pub id: &'static str,
    /// The keyword that the catalogue gives it.
    pub clause: &'static str,
    /// Where the catalogue says that it can be seen.
    pub vantage: &'static str,
    /// Whether the catalogue needs a person, or a driver in their place.
    pub is_manual: bool,
}

const fn row(id: &'static str, clause: &'static str, vantage: &'static str) -> CatalogueRow {
    CatalogueRow { id, clause, vantage, is_manual: false }
}

const fn manual(id: &'static str, clause: &'static str, vantage: &'static str) -> CatalogueRow {
    CatalogueRow { id, clause, vantage, is_manual: true }
}

/// Its rows, and those that the published results have besides.
pub const ROWS: &[CatalogueRow] = &[
    manual("security/iframe-sandboxed", "MUST", "host"),
    row("security/sandbox-proxy-required", "MUST", "in-view"),
    row("security/sandbox-distinct-origin", "MUST", "in-view"),
    row("security/sandbox-permissions", "MUST", "in-view"),
    row("security/sandbox-proxy-ready", "MUST", "host"),
    row("security/sandbox-resource-ready", "MUST", "host"),
    row("security/sandbox-csp-enforced", "MUST", "host"),
    row("security/sandbox-message-forwarding", "MUST", "host"),
    row("security/sandbox-no-self-requests", "SHOULD NOT", "host"),
    row("security/csp-construct-from-domains", "MUST", "in-view"),
    row("security/csp-default-deny", "MUST", "in-view"),
    row("security/csp-allow-declared", "MUST", "in-view"),
    row("security/csp-no-loosening", "MUST NOT", "in-view"),
    row("security/permissions-allow-attr", "MAY", "host"),
    manual("security/csp-audit-log", "SHOULD", "host"),
    manual("security/external-domain-warning", "SHOULD", "host"),
    manual("security/global-allowlist", "MAY", "host"),
    row("lifecycle/initialize-capabilities", "MUST", "in-view"),
    row("lifecycle/tool-input", "MUST", "in-view"),
    row("lifecycle/tool-input-partial", "MAY", "in-view"),
    row("lifecycle/tool-input-partial-stop", "MUST", "in-view"),
    row("lifecycle/tool-result", "MUST", "in-view"),
    manual("lifecycle/tool-cancelled", "MUST", "in-view"),
    manual("lifecycle/teardown-notify", "MUST", "in-view"),
    manual("lifecycle/teardown-await", "SHOULD", "in-view"),
    row("tools/proxy-call", "MUST", "in-view"),
    manual("visibility/app-tool-hidden", "MUST NOT", "host"),
    row("visibility/app-tool-call-guard", "MUST", "in-view"),
    row("resources/read-referenced", "MUST", "server"),
    row("resources/prefetch", "MAY", "server"),
    row("context/initialize-hostcontext", "SHOULD", "in-view"),
    manual("context/context-changed", "MAY", "in-view"),
    row("context/theme-variables", "MAY", "in-view"),
    row("context/light-dark", "SHOULD", "in-view"),
    row("context/theme-fonts", "MAY", "in-view"),
    row("dimensions/listen-size-changed", "MUST", "in-view"),
    row("display/no-undeclared-mode", "MUST NOT", "in-view"),
    row("display/return-resulting-mode", "MUST", "in-view"),
    row("display/unavailable-returns-current", "SHOULD", "in-view"),
    row("display/decline-undeclared", "MAY", "in-view"),
    manual("links/open-external", "SHOULD", "host"),
    manual("messages/add-to-conversation", "SHOULD", "host"),
    manual("messages/consent", "MAY", "host"),
    manual("model-context/provide-future-turns", "SHOULD", "host"),
    manual("model-context/last-wins", "SHOULD", "host"),
    manual("model-context/overwrite-defer-dedupe-display", "MAY", "host"),
    row("capabilities/mimetypes-required", "REQUIRED", "server"),
    row("capabilities/server-passthrough", "SHOULD", "in-view"),
    row("capabilities/content-modalities", "MAY", "in-view"),
    manual("sampling/create-message", "SHOULD", "host"),
    manual("download-file/confirm", "SHOULD", "host"),
    manual("app-tools/call", "MAY", "in-view"),
];

/// The rows that no check answers, each with the reason.
pub const UNTESTABLE: &[(&str, &str)] = &[
    (
        "security/sandbox-proxy-ready",
        "passes between proxy and host alone, where no View, server or witness hears it; `check wire` judges it in a recording of the host",
    ),
    (
        "security/sandbox-resource-ready",
        "passes between host and proxy alone, where no View, server or witness hears it; `check wire` judges it in a recording of the host",
    ),
    (
        "security/sandbox-no-self-requests",
        "what a proxy makes up reaches the host alone; `check wire` judges it in a recording of the host",
    ),
    (
        "security/csp-audit-log",
        "where and how a host logs is its own business, and no log is shown to others",
    ),
    (
        "security/external-domain-warning",
        "a warning is a text on the host's page, in words that nobody defines",
    ),
    ("security/global-allowlist", "a permission: a host without such lists does nothing wrong"),
    ("resources/prefetch", "a permission: a host that reads a resource early or late does nothing wrong"),
    ("messages/consent", "a permission: a host that asks for consent, or does not, does nothing wrong"),
    (
        "model-context/overwrite-defer-dedupe-display",
        "a permission: what reaches the model is judged by model-context/last-wins",
    ),
    (
        "context/light-dark",
        "a recommendation that binds only where a value depends on the theme, which no host says",
    ),
    ("capabilities/content-modalities", "only in the draft after 2026-01-26, where it is a permission"),
    ("sampling/create-message", "only in the draft after 2026-01-26"),
    ("download-file/confirm", "only in the draft after 2026-01-26"),
    ("app-tools/call", "only in the draft after 2026-01-26, where it is a permission"),
];
