//! The scenarios and checks of the official suite, and the checks of ours that ask for the same.
//!
//! Several of its names may stand for one check of ours: it asks for each kind of content or input apart.

/// What a scenario, or one check of it, corresponds to.
pub(super) type Row = (&'static str, &'static [&'static str]);

const CONTENT: &[&str] = &["server/tools/content-present"];
const MEDIA: &[&str] = &["server/tools/content-present", "server/tools/media-valid"];
const READ: &[&str] = &["server/resources/contents-complete", "server/resources/listed-readable"];
const PROMPT: &[&str] = &["server/prompts/messages-present", "server/prompts/listed-gettable"];
const REBINDING: &[&str] = &[
    "server/http/foreign-origin-refused",
    "server/http/foreign-origin-status",
    "server/http/foreign-host-refused",
];
const NOT_FOUND: &[&str] = &["server/resources/not-found-code", "server/resources/not-found-refused"];
const HINTS: &[&str] = &["server/caching/hints-present"];
const META: &[&str] = &["server/discovery/meta-required", "server/discovery/meta-version-required"];
const VERSION: &[&str] =
    &["server/discovery/unsupported-version-refused", "server/discovery/unsupported-version-lists"];
const HEADERS: &[&str] = &["server/headers/mismatch-refused", "server/headers/mismatch-code"];
const PARAMS: &[&str] = &[
    "server/headers/param-checked",
    "server/headers/param-required",
    "server/headers/param-not-expected",
    "server/headers/param-decoded",
    "server/headers/param-numeric",
    "server/headers/param-clean",
];
const UNKNOWN: &[&str] = &["server/http/unknown-method-404", "server/base/unknown-method-code"];
const REMOVED: &[&str] = &["server/discovery/removed-methods-unknown", "server/http/unknown-method-404"];
const CAPABILITY: &[&str] =
    &["server/discovery/missing-capability-code", "server/discovery/missing-capability-named"];
const SUBSCRIBE: &[&str] = &["server/resources/subscribe-answered"];
const SAMPLING: &[&str] = &["wire/sampling"];
const ELICITATION: &[&str] = &["server/elicitation", "wire/elicitation/declared"];
const DEFAULTS: &[&str] = &["wire/elicitation/defaults-valid"];
const TERMINATED: &[&str] = &["server/sessions/terminated-404"];
const ASKED: &[&str] = &["server/mrtr/retry-completes", "wire/mrtr/something-asked", "wire/mrtr/known-kinds"];
const COMPLETED: &[&str] = &["server/mrtr/retry-completes"];
const TASK_GET: &[&str] = &["server/tasks/extension-get"];
const TASK_ENDED: &[&str] = &["server/tasks/extension-outcome-shown"];
const TASK_INPUT: &[&str] =
    &["server/tasks/extension-input-taken", "server/tasks/extension-update-acknowledged"];
const TASK_UNDECLARED: &[&str] = &["server/tasks/extension-undeclared-refused"];
const TASK_REQUIRED: &[&str] = &["server/tasks/extension-required-code"];
const TASK_CANCEL: &[&str] = &["server/tasks/extension-cancel-acknowledged"];
const TASK_REMOVED: &[&str] = &["server/tasks/extension-old-methods-unknown"];

/// Scenarios.
pub(super) const SCENARIOS: &[Row] = &[
    ("server-initialize", &["server/lifecycle/handshake-complete", "server/lifecycle/version-agreed"]),
    ("server-session-lifecycle", &["server/sessions"]),
    ("ping", &["server/lifecycle/ping-answered"]),
    ("logging-set-level", &["server/logging/level-checked", "server/logging/levels-accepted"]),
    ("completion-complete", &["server/completion"]),
    (
        "tools-list",
        &[
            "server/tools/listed",
            "server/tools/input-schema-object",
            "server/tools/schema-valid",
            "server/tools/name-characters",
            "server/tools/name-unique",
        ],
    ),
    ("tools-call-simple-text", CONTENT),
    ("tools-call-image", MEDIA),
    ("tools-call-audio", MEDIA),
    ("tools-call-embedded-resource", MEDIA),
    ("tools-call-mixed-content", MEDIA),
    ("tools-call-error", &["server/tools/content-present", "server/tools/failure-in-result"]),
    ("tools-call-with-progress", &["server/progress", "wire/progress", "wire/message/progress-increases"]),
    ("tools-call-sampling", SAMPLING),
    ("tools-call-elicitation", ELICITATION),
    ("elicitation-sep1034-defaults", DEFAULTS),
    ("json-schema-2020-12", &["server/tools/schema-valid"]),
    ("resources-list", &["server/resources/listed", "server/resources/uri-valid"]),
    ("resources-read-text", READ),
    (
        "resources-read-binary",
        &[
            "server/resources/contents-complete",
            "server/resources/listed-readable",
            "server/resources/blob-encoded",
        ],
    ),
    ("resources-templates-read", &["server/resources/template-valid"]),
    ("resources-subscribe", SUBSCRIBE),
    ("resources-unsubscribe", SUBSCRIBE),
    ("sep-2164-resource-not-found", NOT_FOUND),
    ("prompts-list", &["server/prompts/listed"]),
    ("prompts-get-simple", PROMPT),
    ("prompts-get-with-args", PROMPT),
    (
        "prompts-get-embedded-resource",
        &["server/prompts/messages-present", "server/prompts/embedded-complete"],
    ),
    ("prompts-get-with-image", &["server/prompts/messages-present", "server/prompts/media-valid"]),
    ("dns-rebinding-protection", REBINDING),
    (
        "server-sse-polling",
        &[
            "server/streams/primed",
            "server/streams/retry-before-close",
            "server/streams/disconnect-is-no-cancel",
        ],
    ),
    (
        "server-sse-multiple-streams",
        &["server/streams/not-broadcast", "server/streams/related-only", "server/base/parallel-all-answered"],
    ),
    ("caching", &["server/caching"]),
    (
        "http-header-validation",
        &[
            "server/headers/mismatch-refused",
            "server/headers/mismatch-code",
            "server/headers/name-checked",
            "server/headers/name-decoded",
            "server/headers/names-in-any-case",
        ],
    ),
    ("http-custom-header-server-validation", PARAMS),
    (
        "server-stateless",
        &[
            "server/discovery",
            "server/subscriptions",
            "wire/subscriptions",
            "server/logging/only-when-asked",
            "wire/mrtr/no-server-requests",
            "server/http/unknown-method-404",
        ],
    ),
    ("input-required-result-basic-elicitation", ASKED),
    ("input-required-result-basic-sampling", ASKED),
    ("input-required-result-basic-list-roots", ASKED),
    ("input-required-result-request-state", ASKED),
    ("input-required-result-multiple-input-requests", ASKED),
    ("input-required-result-multi-round", ASKED),
    ("input-required-result-non-tool-request", ASKED),
    ("input-required-result-missing-input-response", &["server/mrtr/missing-asked-again"]),
    ("input-required-result-result-type", &["wire/message/result-type"]),
    ("input-required-result-unsupported-methods", &["wire/mrtr/allowed-requests"]),
    ("input-required-result-tampered-state", &["server/mrtr/tampered-state-refused"]),
    ("input-required-result-capability-check", &["wire/elicitation/declared", "wire/sampling/declared"]),
    ("input-required-result-ignore-extra-params", &["server/mrtr/extra-ignored"]),
    ("input-required-result-validate-input", &["server/mrtr/responses-checked"]),
    (
        "tasks-lifecycle",
        &[
            "server/tasks/extension-created",
            "server/tasks/extension-get",
            "server/tasks/extension-outcome-shown",
            "server/tasks/extension-tool-error-completes",
            "server/tasks/extension-cancel-acknowledged",
            "server/tasks/extension-unknown-refused",
            "wire/tasks/end-is-end",
        ],
    ),
    (
        "tasks-capability-negotiation",
        &["server/tasks/negotiated-only", "server/tasks/extension-undeclared-refused"],
    ),
    ("tasks-wire-fields", &["server/tasks/extension-created", "wire/tasks/no-related-task"]),
    ("tasks-mrtr-input", TASK_INPUT),
    ("tasks-request-headers", &["server/headers/name-checked"]),
    (
        "tasks-dispatch-and-envelope",
        &[
            "wire/message/result-type",
            "server/tasks/extension-get",
            "server/tasks/extension-old-methods-unknown",
        ],
    ),
    ("tasks-required-task-error", TASK_REQUIRED),
];

/// Checks within scenarios.
pub(super) const CHECKS: &[Row] = &[
    ("wire-schema-valid", &["wire/message/schema"]),
    ("server-initialize", &["server/lifecycle/handshake-complete"]),
    ("tools-name-format", &["server/tools/name-characters"]),
    ("localhost-host-rebinding-rejected", REBINDING),
    ("server-session-id-visible-ascii", &["server/sessions/id-visible-ascii"]),
    ("server-session-terminated-returns-404", TERMINATED),
    ("server-session-delete-accepted", TERMINATED),
    ("server-session-initialized-accepted", &["server/http/notification-accepted"]),
    ("server-sse-priming-event", &["server/streams/primed"]),
    ("server-sse-retry-field", &["server/streams/retry-before-close"]),
    ("server-sse-disconnect-resume", &["server/streams/disconnect-is-no-cancel"]),
    ("server-sse-content-type", &["server/http/media-type"]),
    ("server-accepts-multiple-post-streams", &["server/base/parallel-all-answered"]),
    ("server-sse-streams-functional", &["server/base/parallel-own-answers"]),
    ("elicitation-sep1034-string-default", DEFAULTS),
    ("elicitation-sep1034-number-default", DEFAULTS),
    ("elicitation-sep1034-integer-default", DEFAULTS),
    ("elicitation-sep1034-enum-default", DEFAULTS),
    ("elicitation-sep1034-boolean-default", DEFAULTS),
    ("sep-2164-error-code", &["server/resources/not-found-code"]),
    ("sep-2164-no-empty-contents", &["server/resources/not-found-refused"]),
    ("sep-2243-header-name-case-insensitive", &["server/headers/names-in-any-case"]),
    ("sep-2243-server-reject-invalid-headers", &["server/headers/mismatch-refused"]),
    ("sep-2243-server-reject-error-code", &["server/headers/mismatch-code"]),
    ("sep-2243-server-decode-base64", &["server/headers/param-decoded"]),
    ("sep-2243-server-not-expect-null", &["server/headers/param-not-expected"]),
    ("sep-2243-server-reject-invalid-param-chars", &["server/headers/param-clean"]),
    ("sep-2243-server-reject-missing-required", &["server/headers/param-required"]),
    ("sep-2243-server-reject-param-mismatch", &["server/headers/param-checked"]),
    ("sep-2243-server-validate-param-match", &["server/headers/param-checked"]),
    ("sep-2322-elicitation-incomplete", ASKED),
    ("sep-2322-elicitation-complete", COMPLETED),
    ("sep-2322-sampling-incomplete", ASKED),
    ("sep-2322-sampling-complete", COMPLETED),
    ("sep-2322-list-roots-incomplete", ASKED),
    ("sep-2322-list-roots-complete", COMPLETED),
    ("sep-2322-request-state-incomplete", ASKED),
    ("sep-2322-request-state-complete", COMPLETED),
    ("sep-2322-multiple-inputs-incomplete", ASKED),
    ("sep-2322-multiple-inputs-complete", COMPLETED),
    ("sep-2322-non-tool-incomplete", ASKED),
    ("sep-2322-non-tool-complete", COMPLETED),
    ("sep-2322-multi-round-r1", ASKED),
    ("sep-2322-multi-round-r2", ASKED),
    ("sep-2322-multi-round-r3", COMPLETED),
    ("sep-2322-missing-response-rerequests", &["server/mrtr/missing-asked-again"]),
    ("sep-2322-result-type-included", &["wire/message/result-type"]),
    ("sep-2322-not-on-unsupported-requests", &["wire/mrtr/allowed-requests"]),
    ("sep-2322-reject-tampered-state", &["server/mrtr/tampered-state-refused"]),
    ("sep-2322-respect-client-capabilities", &["wire/elicitation/declared", "wire/sampling/declared"]),
    ("sep-2322-ignore-unexpected-params", &["server/mrtr/extra-ignored"]),
    ("sep-2322-validate-input-responses", &["server/mrtr/responses-checked"]),
    ("sep-2549-ttl-non-negative", &["server/caching/ttl-not-negative"]),
    ("sep-2549-cache-scope-valid", &["server/caching/hints-present", "server/caching/read-hints-present"]),
    ("sep-2549-caching-hints", &["server/caching/hints-present", "server/caching/read-hints-present"]),
    ("sep-2549-tools-list-caching-hints", HINTS),
    ("sep-2549-prompts-list-caching-hints", HINTS),
    ("sep-2549-resources-list-caching-hints", HINTS),
    ("sep-2549-resources-templates-list-caching-hints", HINTS),
    ("sep-2549-resources-read-caching-hints", &["server/caching/read-hints-present"]),
    ("sep-2575-server-implements-discover", &["server/discovery/answered"]),
    (
        "sep-2575-discover-capabilities-match-handlers",
        &["server/lifecycle/capabilities-declared", "server/lifecycle/capabilities-served"],
    ),
    ("sep-2575-server-identifies-in-result-meta", &["wire/message/server-info"]),
    ("sep-2575-server-unsupported-version-error", VERSION),
    ("sep-2575-http-server-unsupported-version-400", VERSION),
    ("sep-2575-http-server-header-mismatch-400", HEADERS),
    ("sep-2575-http-server-meta-invalid-400", META),
    ("sep-2575-request-meta-invalid-missing-meta", META),
    ("sep-2575-request-meta-invalid-missing-protocol-version", META),
    ("sep-2575-http-server-method-not-found-404", UNKNOWN),
    ("sep-2575-http-server-method-not-found-404-initialize", REMOVED),
    ("sep-2575-http-server-method-not-found-404-ping", REMOVED),
    ("sep-2575-http-server-no-independent-requests-on-stream", &["wire/mrtr/no-server-requests"]),
    ("sep-2575-missing-capability-http-400", CAPABILITY),
    ("sep-2575-server-rejects-undeclared-capability", CAPABILITY),
    ("sep-2575-server-no-log-without-loglevel", &["server/logging/only-when-asked"]),
    (
        "sep-2575-server-honors-notification-filter",
        &["server/subscriptions/filter-honoured", "wire/subscriptions/only-requested"],
    ),
    ("sep-2575-server-sends-subscription-ack", &["server/subscriptions/acknowledged-first"]),
    (
        "sep-2575-server-tags-subscription-id",
        &["server/subscriptions/tagged", "wire/subscriptions/all-tagged"],
    ),
    ("sep-2663-cancel-ack-empty-result", TASK_CANCEL),
    ("tasks-cancel-terminal-idempotent-ack", TASK_CANCEL),
    ("sep-2663-result-type-task-on-create", &["server/tasks/extension-created"]),
    ("tasks-wire-field-renames", &["server/tasks/extension-created"]),
    ("sep-2663-durable-create-strong-consistency", TASK_GET),
    ("sep-2663-tasks-get-status-working", TASK_GET),
    ("sep-2663-tasks-get-status-completed", TASK_ENDED),
    ("sep-2663-tasks-get-status-failed", TASK_ENDED),
    ("sep-2663-tasks-get-status-input-required", TASK_INPUT),
    ("tasks-mrtr-tasks-update-resumes", TASK_INPUT),
    ("sep-2663-tool-error-uses-completed-status", &["server/tasks/extension-tool-error-completes"]),
    ("sep-2663-update-ack-empty-result", &["server/tasks/extension-update-acknowledged"]),
    ("sep-2663-tasks-get-invalid-task-id-32602", &["server/tasks/extension-unknown-refused"]),
    ("sep-2663-tasks-methods-non-declaring", TASK_UNDECLARED),
    ("sep-2663-server-rejects-undeclared-client", TASK_UNDECLARED),
    ("sep-2663-subscribe-missing-capability-non-declaring", &["server/tasks/extension-listen-undeclared"]),
    ("sep-2663-server-returns-missing-capability-when-required", TASK_REQUIRED),
    ("sep-2663-server-returns-missing-capability-data-shape", TASK_REQUIRED),
    ("sep-2663-tasks-result-removed-method-not-found", TASK_REMOVED),
    ("tasks-removed-tasks-list", TASK_REMOVED),
    ("sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get", &["server/headers/name-checked"]),
    ("tasks-no-related-task-meta-on-inlined-result", &["wire/tasks/no-related-task"]),
    ("tasks-per-request-meta-opt-in", &["server/tasks/negotiated-only"]),
    ("tasks-result-type-complete-on-non-task-responses", &["wire/message/result-type"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_checks_that_exist() {
        for (row, names) in SCENARIOS.iter().chain(CHECKS) {
            for name in *names {
                assert!(crate::registry().any(|check| crate::plan::matches(check, name)), "{row}: {name}");
            }
        }
    }
}
