//! The test specification of YAMS for MCP Apps: 45 ids, the server's among them as aliases of checks.

/// What the rows ask for that the specification does not, or asks of somebody else.
pub const NOTES: &[(&str, &str)] = &[
    (
        "mcp-apps-cap-01",
        "asks the server to declare the extension; SEP-1865 asks that of clients alone, so only a declaration that is there is judged",
    ),
    (
        "mcp-apps-cap-02",
        "asks the server to keep the declaration from clients without apps; SEP-1865 speaks of UI tools alone, and with SHOULD",
    ),
    (
        "mcp-apps-cap-03",
        "asks that UI appears for the media type of apps; a server may have none, which is not applicable",
    ),
    ("mcp-apps-cap-05", "asks for no trace of UI in the result; SEP-1865 asks for text, with SHOULD"),
    (
        "mcp-apps-res-01",
        "asks that UI resources are listed; SEP-1865 lets servers leave them out, so those that are listed are judged",
    ),
    (
        "mcp-apps-res-02",
        "asks that UI resources are not listed for clients without apps; SEP-1865 speaks of UI tools alone, and with SHOULD",
    ),
    ("mcp-apps-res-05", "asks for all four lists; each is optional in SEP-1865, and what is there is judged"),
    ("mcp-apps-res-06", "asks for permissions; they are optional, and what is there is judged"),
    (
        "mcp-apps-res-07",
        "asks for a domain; it is optional and its format is the host's, so only its type is judged",
    ),
    ("mcp-apps-res-08", "asks for a border preference; it is optional, and what is there is judged"),
    (
        "mcp-apps-res-09",
        "asks for -32002; that is the code up to 2025-11-25, and -32602 from 2026-07-28, which server/resources/not-found-code judges",
    ),
    ("mcp-apps-tool-03", "is the host's to enforce; of the server, the words of visibility are judged"),
    (
        "mcp-apps-tool-04",
        "asks that the tool is hidden; it is the host that hides it from the model, while the server lists and serves it",
    ),
    ("mcp-apps-tool-05", "is the host's to enforce; of the server, the words of visibility are judged"),
    ("mcp-apps-tool-06", "is the host's to apply; a server that says nothing is taken to mean both"),
    ("mcp-apps-tool-07", "asks the server to handle unknown values; it is the server that must not send any"),
    ("mcp-apps-reg-02", "is answered by running the check in every revision that the server speaks"),
];
