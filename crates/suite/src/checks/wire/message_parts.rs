//! Parts of messages that checks of their own judge, beside the check of the schema.

/// Where a part stands in a result or a message, and the checks that judge it. `*` stands for an item of a list, or for a
/// member of any name.
type Part = (&'static str, &'static [&'static str]);

const PARTS: &[Part] = &[
    ("/id", &["wire/jsonrpc/request-id-valid"]),
    ("/resultType", &["wire/message/result-type"]),
    ("/ttlMs", CACHING),
    ("/cacheScope", CACHING),
    ("/protocolVersion", HANDSHAKE),
    ("/serverInfo", HANDSHAKE),
    ("/serverInfo/name", HANDSHAKE),
    ("/serverInfo/version", HANDSHAKE),
    ("/capabilities", &["server/lifecycle/handshake-complete", "server/discovery/answered"]),
    ("/supportedVersions", &["server/discovery/answered"]),
    ("/tools", &["server/tools/listed"]),
    ("/tools/*/inputSchema", INPUT_SCHEMA),
    ("/tools/*/inputSchema/type", INPUT_SCHEMA),
    ("/content", &["server/tools/content-present"]),
    ("/content/*/data", &["server/tools/media-valid"]),
    ("/prompts", &["server/prompts/listed", "server/base/parallel-own-answers"]),
    ("/messages", &["server/prompts/messages-present"]),
    ("/messages/*/content/data", &["server/prompts/media-valid"]),
    ("/resources", &["server/resources/listed"]),
    ("/resources/*/uri", &["server/resources/uri-valid", "server/apps/listed-uri-scheme"]),
    ("/resources/*/name", &["server/apps/resources-listed"]),
    ("/resourceTemplates/*/uriTemplate", &["server/resources/template-valid"]),
    ("/contents", &["server/resources/contents-complete"]),
    ("/contents/*/uri", &["server/resources/contents-complete"]),
    ("/contents/*/blob", &["server/resources/blob-encoded", "server/apps/content-body"]),
    ("/completion/values", &["server/completion/at-most-100"]),
    ("/params/url", &["wire/elicitation/url-valid"]),
    ("/inputRequests/*/params/url", &["wire/elicitation/url-valid"]),
    ("/inputRequests/*/method", &["wire/mrtr/known-kinds"]),
    ("/task/taskId", TASK_CREATED),
    ("/task/status", &["server/tasks/begins-working"]),
    ("/task/ttl", &["server/tasks/ttl-shown"]),
    ("/taskId", TASK_CREATED),
    ("/ttl", &["server/tasks/ttl-shown"]),
];

const CACHING: &[&str] =
    &["server/caching/hints-present", "server/caching/read-hints-present", "server/caching/ttl-not-negative"];
const HANDSHAKE: &[&str] = &["server/lifecycle/handshake-complete"];
const INPUT_SCHEMA: &[&str] = &["server/tools/input-schema-object"];
const TASK_CREATED: &[&str] = &["server/tasks/created", "server/tasks/extension-created"];

/// The checks that judge the part at `place`, a JSON Pointer; none where only the schema speaks of it.
pub(super) fn checks_of_part(place: &str) -> &'static [&'static str] {
    let is_meant = |(pattern, _): &&Part| {
        let (mut steps, mut words) = (place.split('/'), pattern.split('/'));
        loop {
            match (steps.next(), words.next()) {
                (None, None) => return true,
                (Some(step), Some(word)) if word == "*" || word == step => {}
                (Some(_) | None, Some(_) | None) => return false,
            }
        }
    };
    PARTS.iter().find(is_meant).map_or(&[], |(_, checks)| *checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_in_every_item() {
        assert_eq!(checks_of_part("/tools/12/inputSchema"), INPUT_SCHEMA);
        assert_eq!(checks_of_part("/tools/12/inputSchema/properties"), [""; 0]);
        assert_eq!(checks_of_part("/tools/12"), [""; 0]);
        assert_eq!(checks_of_part(""), [""; 0]);
    }

    #[test]
    fn every_check_that_is_named_exists() {
        for check in PARTS.iter().flat_map(|(_, checks)| *checks) {
            assert!(crate::by_id(check).is_some(), "{check}");
        }
    }
}
