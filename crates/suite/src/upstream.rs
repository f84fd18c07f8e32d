//! Trouble of a server with what it depends on: an address that does not resolve, a refused connection, a wrong credential.
//! It says nothing about how the server speaks MCP.

/// What errors of networks and credentials say, in lower case, in the words of the usual libraries.
const SIGNS: &[&str] = &[
    "enotfound",
    "eai_again",
    "econnrefused",
    "econnreset",
    "etimedout",
    "ehostunreach",
    "enetunreach",
    "getaddrinfo",
    "fetch failed",
    "failed to fetch",
    "socket hang up",
    "connection refused",
    "connection reset",
    "connection error",
    "connect error",
    "all connection attempts failed",
    "name or service not known",
    "nodename nor servname",
    "temporary failure in name resolution",
    "no address associated with hostname",
    "failed to resolve",
    "dns error",
    "max retries exceeded",
    "network is unreachable",
    "network error",
    "request failed with status code",
    "connection timed out",
    "connect timeout",
    "read timeout",
    "unauthorized",
    "authentication failed",
    "invalid api key",
    "invalid token",
    "invalid_token",
    "api token",
    "not logged in",
    "bad credentials",
];

/// The message of an error that tells of such trouble, if it does.
pub(crate) fn trouble(code: Option<i64>, message: &str) -> Option<String> {
    // The codes that JSON-RPC has for bad requests are about the request, whatever the message says.
    if matches!(code, Some(-32700 | -32600 | -32601 | -32602)) {
        return None;
    }
    let said = message.to_lowercase();
    let sign = SIGNS.iter().any(|sign| said.contains(sign));
    sign.then(|| format!("the server has trouble with what it depends on: {}", first_line(message)))
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_upstream_is_told_from_a_bad_request() {
        assert!(trouble(Some(-32603), "getaddrinfo ENOTFOUND api.example.com").is_some());
        assert!(trouble(Some(-32603), "TypeError: fetch failed").is_some());
        assert!(trouble(None, "HTTPSConnectionPool: Max retries exceeded with url").is_some());
        assert!(trouble(Some(-32602), "fetch failed").is_none(), "it is the request that is refused");
        assert!(trouble(Some(-32603), "Internal error").is_none());
    }
}
