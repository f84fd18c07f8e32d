//! Do the headers of a 2026-07-28 request say what its body says? If not, the answer is error -32020 and status 400.

use std::fmt;

use serde_json::Value;

use super::value::{BadValue, decode};
use super::{METHOD, NAME, PARAM_PREFIX, PROTOCOL_VERSION, ParamHeader, param};
use crate::method::{self, Method, NameSource};
use crate::{Version, meta};

/// What the body of a request says, as far as headers repeat it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mirrored<'a> {
    /// The version in `_meta`; none if it is missing, which is an error of its own (-32602).
    pub version: Option<&'a str>,
    /// The method.
    pub method: &'a str,
    /// The name, URI or task id, if the method has one.
    pub name: Option<&'a str>,
    /// Whether the method is one that a header repeats the name of.
    pub is_named: bool,
}

/// The first thing in which headers and body disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// A header that the body calls for is not there.
    Missing {
        /// The header.
        header: String,
        /// What it should say.
        body: String,
    },
    /// The header says something that the body does not.
    Differs {
        /// The header.
        header: String,
        /// What the header says, decoded.
        said: String,
        /// What the body says; none if it has no such value.
        body: Option<String>,
    },
    /// The header cannot be read.
    Malformed {
        /// The header.
        header: String,
        /// Why not.
        why: BadValue,
    },
}

impl<'a> Mirrored<'a> {
    /// What the request `method` with `params` says.
    pub fn from_request(method: &'a str, params: Option<&'a Value>) -> Self {
        let row = method::find(Version::V2026_07_28, method);
        let source = row.and_then(|row| row.name_source(Version::V2026_07_28));
        Self { method, version: meta::peek_version(params), ..Self::named(source, params) }
    }

    /// What the request of a known method says, when its version has been read already.
    pub fn of_known(method: &'static Method, version: &'a str, params: &'a Value) -> Self {
        let named = Self::named(method.name_source(Version::V2026_07_28), Some(params));
        Self { method: method.name, version: Some(version), ..named }
    }

    fn named(source: Option<NameSource>, params: Option<&'a Value>) -> Self {
        let name = source.map(NameSource::member).and_then(|member| params?.get(member)?.as_str());
        Self { name, is_named: source.is_some(), ..Self::default() }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { header, body } => write!(f, "header {header} is missing; the body says `{body}`"),
            Self::Differs { header, said, body: Some(body) } => {
                write!(f, "header {header} says `{said}`, the body says `{body}`")
            }
            Self::Differs { header, said, body: None } => {
                write!(f, "header {header} says `{said}`, the body says nothing")
            }
            Self::Malformed { header, why } => write!(f, "header {header} is malformed: {why}"),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Compares `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name` with the body.
///
/// `lookup` finds a header whatever the case of its name; a header that came several times is to be joined with
/// commas, as RFC 9110 has it, and will then not match.
pub fn check_standard<'h>(
    body: Mirrored<'_>,
    lookup: impl Fn(&str) -> Option<&'h [u8]>,
) -> Result<(), Mismatch> {
    // The version header is required even if the body lacks the version, which -32602 reports.
    let version = lookup(PROTOCOL_VERSION)
        .ok_or_else(|| missing(PROTOCOL_VERSION, body.version.unwrap_or("nothing")))?;
    if let Some(expected) = body.version {
        same(PROTOCOL_VERSION, plain(PROTOCOL_VERSION, version)?, expected)?;
    }
    let said = lookup(METHOD).ok_or_else(|| missing(METHOD, body.method))?;
    same(METHOD, plain(METHOD, said)?, body.method)?;
    check_name(body, lookup(NAME))
}

/// Compares the `Mcp-Param-*` headers that a tool declares with the arguments of the call.
pub fn check_params<'h>(
    declared: &[ParamHeader],
    arguments: Option<&Value>,
    lookup: impl Fn(&str) -> Option<&'h [u8]>,
) -> Result<(), Mismatch> {
    for param in declared {
        let header = format!("{PARAM_PREFIX}{}", param.name);
        let body = param.value_in(arguments);
        match (lookup(&header), body) {
            (None, None) => (),
            (None, Some(body)) => return Err(missing(&header, &param::display(body))),
            (Some(said), body) => {
                let said = decode(said).map_err(|why| Mismatch::Malformed { header: header.clone(), why })?;
                if !body.is_some_and(|body| param::agrees(&said, body)) {
                    return Err(differs(&header, &said, body.map(param::display)));
                }
            }
        }
    }
    Ok(())
}

fn check_name(body: Mirrored<'_>, said: Option<&[u8]>) -> Result<(), Mismatch> {
    if !body.is_named {
        // The body has nothing that the header could repeat, so nothing can disagree.
        return Ok(());
    }
    match (said, body.name) {
        (None, None) => Ok(()),
        (None, Some(expected)) => Err(missing(NAME, expected)),
        (Some(said), expected) => {
            let said = decode(said).map_err(|why| Mismatch::Malformed { header: NAME.to_owned(), why })?;
            match expected {
                Some(expected) => same(NAME, &said, expected),
                None => Err(differs(NAME, &said, None)),
            }
        }
    }
}

/// A value that is never encoded.
fn plain<'v>(header: &str, value: &'v [u8]) -> Result<&'v str, Mismatch> {
    let good = value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    match std::str::from_utf8(value) {
        Ok(text) if good => Ok(text),
        _ => Err(Mismatch::Malformed { header: header.to_owned(), why: BadValue::Character }),
    }
}

fn same(header: &str, said: &str, body: &str) -> Result<(), Mismatch> {
    if said == body { Ok(()) } else { Err(differs(header, said, Some(body.to_owned()))) }
}

fn missing(header: &str, body: &str) -> Mismatch {
    Mismatch::Missing { header: header.to_owned(), body: body.to_owned() }
}

fn differs(header: &str, said: &str, body: Option<String>) -> Mismatch {
    Mismatch::Differs { header: header.to_owned(), said: said.to_owned(), body }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::header::declared;

    fn params() -> Value {
        json!({"name": "weather", "_meta": {meta::PROTOCOL_VERSION: "2026-07-28"}})
    }

    fn check(method: &str, params: &Value, headers: &[(&str, &str)]) -> Result<(), String> {
        let lookup = |name: &str| {
            headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_bytes())
        };
        check_standard(Mirrored::from_request(method, Some(params)), lookup)
            .map_err(|mismatch| mismatch.to_string())
    }

    const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
    const CALL: (&str, &str) = ("mcp-method", "tools/call");

    #[test]
    fn headers_that_agree_pass() {
        assert_eq!(check("tools/call", &params(), &[VERSION, CALL, ("mcp-name", "weather")]), Ok(()));
        assert_eq!(
            check("tools/call", &params(), &[VERSION, CALL, ("Mcp-Name", "=?base64?d2VhdGhlcg==?=")]),
            Ok(())
        );
        assert_eq!(check("tools/list", &params(), &[VERSION, ("Mcp-Method", "tools/list")]), Ok(()));
        let read = json!({"uri": "a:b", "_meta": {meta::PROTOCOL_VERSION: "2026-07-28"}});
        assert_eq!(
            check("resources/read", &read, &[VERSION, ("Mcp-Method", "resources/read"), ("Mcp-Name", "a:b")]),
            Ok(())
        );
        let task = json!({"taskId": "t", "_meta": {meta::PROTOCOL_VERSION: "2026-07-28"}});
        assert_eq!(
            check("tasks/get", &task, &[VERSION, ("Mcp-Method", "tasks/get"), ("Mcp-Name", "t")]),
            Ok(())
        );
    }

    #[test]
    fn each_required_header_is_missed() {
        let error = |headers: &[(&str, &str)]| check("tools/call", &params(), headers).unwrap_err();
        assert_eq!(error(&[]), "header MCP-Protocol-Version is missing; the body says `2026-07-28`");
        assert_eq!(error(&[VERSION]), "header Mcp-Method is missing; the body says `tools/call`");
        assert_eq!(error(&[VERSION, CALL]), "header Mcp-Name is missing; the body says `weather`");
    }

    #[test]
    fn each_header_is_compared() {
        let error = |headers: &[(&str, &str)]| check("tools/call", &params(), headers).unwrap_err();
        let version = ("mcp-protocol-version", "2025-11-25");
        assert!(error(&[version, CALL]).starts_with("header MCP-Protocol-Version says `2025-11-25`"));
        let method = ("mcp-method", "Tools/Call");
        assert!(
            error(&[VERSION, method]).starts_with("header Mcp-Method says `Tools/Call`"),
            "values have a case"
        );
        assert!(error(&[VERSION, CALL, ("mcp-name", "other")]).ends_with("the body says `weather`"));
    }

    #[test]
    fn malformed_values_are_refused() {
        let error = |headers: &[(&str, &str)]| check("tools/call", &params(), headers).unwrap_err();
        assert!(error(&[VERSION, CALL, ("mcp-name", "=?base64?%?=")]).contains("is not base64"));
        assert!(error(&[VERSION, CALL, ("mcp-name", "wétter")]).contains("malformed"));
        assert!(error(&[VERSION, ("mcp-method", "=?base64?dG9vbHMvY2FsbA==?=")]).contains("Mcp-Method says"));
    }

    #[test]
    fn a_name_that_the_body_lacks_disagrees() {
        let bare = json!({"_meta": {meta::PROTOCOL_VERSION: "2026-07-28"}});
        assert!(
            check("tools/call", &bare, &[VERSION, CALL, ("mcp-name", "x")])
                .unwrap_err()
                .ends_with("says nothing")
        );
        assert_eq!(
            check("tools/call", &bare, &[VERSION, CALL]),
            Ok(()),
            "-32602 is for the params to report"
        );
        assert_eq!(
            check("tools/list", &bare, &[VERSION, ("mcp-method", "tools/list"), ("mcp-name", "x")]),
            Ok(())
        );
    }

    #[test]
    fn a_body_without_version_still_needs_the_header() {
        assert!(check("tools/list", &json!({}), &[("mcp-method", "tools/list")]).is_err());
        assert_eq!(check("tools/list", &json!({}), &[VERSION, ("mcp-method", "tools/list")]), Ok(()));
    }

    fn check_call(arguments: &Value, headers: &[(&str, &str)]) -> Result<(), String> {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "deep": {"type": "object", "properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
        }});
        let lookup =
            |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_bytes());
        check_params(&declared(&schema).unwrap(), Some(arguments), lookup)
            .map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn parameters_are_compared_by_value() {
        let arguments = json!({"region": "é", "n": 42, "deep": {"on": false}});
        let headers =
            [("Mcp-Param-Region", "=?base64?w6k=?="), ("Mcp-Param-N", "42.0"), ("Mcp-Param-On", "false")];
        assert_eq!(check_call(&arguments, &headers), Ok(()));
        let error = check_call(&json!({"n": 42}), &[("Mcp-Param-N", "43")]).unwrap_err();
        assert_eq!(error, "header Mcp-Param-N says `43`, the body says `42`");
        assert!(check_call(&json!({"deep": {"on": true}}), &[("Mcp-Param-On", "True")]).is_err());
        assert!(
            check_call(&json!({"region": "42"}), &[("Mcp-Param-Region", "42.0")]).is_err(),
            "strings are strings"
        );
    }

    #[test]
    fn parameters_and_headers_come_together_or_not_at_all() {
        assert_eq!(check_call(&json!({}), &[]), Ok(()));
        assert_eq!(check_call(&json!({"region": null}), &[]), Ok(()));
        assert!(
            check_call(&json!({"region": "a"}), &[]).unwrap_err().contains("Mcp-Param-Region is missing")
        );
        assert!(check_call(&json!({}), &[("Mcp-Param-Region", "a")]).unwrap_err().ends_with("says nothing"));
        assert!(check_call(&json!({"region": null}), &[("Mcp-Param-Region", "null")]).is_err());
        assert!(check_call(&json!({"region": "a"}), &[("Mcp-Param-Region", "=?base64?%?=")]).is_err());
    }
}
