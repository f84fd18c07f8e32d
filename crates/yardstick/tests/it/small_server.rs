//! A server of a few lines, for what the reference server does not do.

/// A shell script that is a stdio server with these tools and nothing else.
pub(crate) fn script(tools: &str) -> String {
    let info = r#""capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}"#;
    format!(
        r#"while read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
            case "$line" in
                *'"method":"initialize"'*) r='{{"protocolVersion":"2025-11-25",{info}}}';;
                *'"method":"tools/list"'*) r='{{"tools":[{tools}]}}';;
                *'"method":"tools/call"'*) r='{{"content":[]}}';;
                *) r='{{}}';;
            esac
            [ -n "$id" ] && echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$r}}"
        done"#
    )
}
