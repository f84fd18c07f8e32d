//! `x-mcp-header` in a tool's `inputSchema`: which parameters it mirrors, and whether it may.

use std::fmt;

use serde_json::{Map, Value};

use super::is_token_byte;
use crate::json::kind;

const KEY: &str = "x-mcp-header";

/// Keywords of JSON Schema that hold one schema, or a list of schemas.
const SCHEMAS: &[&str] = &[
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contentSchema",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];

/// Keywords of JSON Schema that hold schemas by name.
const MAPS: &[&str] = &["patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

/// A parameter that a tool wants mirrored into a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamHeader {
    /// The header's name after `Mcp-Param-`.
    pub name: String,
    /// The property names that lead to the argument.
    pub path: Vec<String>,
}

/// One rule that a declaration breaks; a client must then leave out the whole tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclarationDefect {
    /// Where in the schema, as a JSON pointer.
    pub at: String,
    /// Which rule.
    pub kind: DefectKind,
}

/// The rules for declarations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefectKind {
    /// The value is not a string.
    #[error("x-mcp-header is {0}, expected a string")]
    NotAString(&'static str),
    /// The value is empty.
    #[error("x-mcp-header is empty")]
    Empty,
    /// The value is not an HTTP token.
    #[error("`{0}` is not an HTTP header name; use letters, digits and hyphens")]
    NotAToken(String),
    /// The value was used before.
    #[error("`{0}` is used twice; the case of a header name does not count")]
    Duplicate(String),
    /// The parameter is of another type, or of none.
    #[error("the parameter is {0}; only string, integer and boolean parameters go into a header")]
    NotPrimitive(String),
    /// The parameter does not sit under `properties` all the way down.
    #[error("the parameter is not reachable through `properties` alone")]
    Unreachable,
}

impl fmt::Display for DeclarationDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.at.is_empty() { "the schema's root" } else { &self.at }, self.kind)
    }
}

/// The parameters that a tool wants mirrored, or every defect of its declarations.
///
/// A nullable parameter (`["string", "null"]`) counts as primitive, since the page says what to do with a null. A
/// parameter without `type` counts if its `enum` or `const` leaves only primitive values.
pub fn declared(input_schema: &Value) -> Result<Vec<ParamHeader>, Vec<DeclarationDefect>> {
    let mut walk = Walk::default();
    walk.schema(input_schema, "", &Route::Root);
    if walk.defects.is_empty() { Ok(walk.params) } else { Err(walk.defects) }
}

/// How a schema was reached.
enum Route {
    Root,
    Properties(Vec<String>),
    Other,
}

impl Route {
    fn property(&self, name: &str) -> Self {
        match self {
            Self::Root => Self::Properties(vec![name.to_owned()]),
            Self::Properties(path) => {
                Self::Properties(path.iter().cloned().chain([name.to_owned()]).collect())
            }
            Self::Other => Self::Other,
        }
    }
}

#[derive(Default)]
struct Walk {
    params: Vec<ParamHeader>,
    seen: Vec<String>,
    defects: Vec<DeclarationDefect>,
}

impl Walk {
    fn schema(&mut self, schema: &Value, at: &str, route: &Route) {
        let Some(schema) = schema.as_object() else { return };
        if let Some(name) = schema.get(KEY) {
            self.annotation(schema, name, at, route);
        }
        for (keyword, child) in schema {
            let at = format!("{at}/{}", escape(keyword));
            match (keyword.as_str(), child) {
                ("properties", Value::Object(properties)) => {
                    for (name, child) in properties {
                        self.schema(child, &format!("{at}/{}", escape(name)), &route.property(name));
                    }
                }
                (keyword, Value::Object(children)) if MAPS.contains(&keyword) => {
                    for (name, child) in children {
                        self.schema(child, &format!("{at}/{}", escape(name)), &Route::Other);
                    }
                }
                (keyword, Value::Array(children)) if SCHEMAS.contains(&keyword) => {
                    for (index, child) in children.iter().enumerate() {
                        self.schema(child, &format!("{at}/{index}"), &Route::Other);
                    }
                }
                (keyword, child) if SCHEMAS.contains(&keyword) => self.schema(child, &at, &Route::Other),
                _ => (),
            }
        }
    }

    fn annotation(&mut self, schema: &Map<String, Value>, name: &Value, at: &str, route: &Route) {
        let mut report = |kind| self.defects.push(DeclarationDefect { at: at.to_owned(), kind });
        match check_name(name, &self.seen) {
            Err(kind) => report(kind),
            Ok(name) => self.seen.push(name.to_ascii_lowercase()),
        }
        if let Err(kind) = check_primitive(schema) {
            report(kind);
        }
        match (route, name.as_str()) {
            (Route::Properties(path), Some(name)) => {
                self.params.push(ParamHeader { name: name.to_owned(), path: path.clone() });
            }
            (Route::Properties(_), None) => (),
            (Route::Root | Route::Other, _) => report(DefectKind::Unreachable),
        }
    }
}

fn check_name<'a>(name: &'a Value, seen: &[String]) -> Result<&'a str, DefectKind> {
    let name = name.as_str().ok_or(DefectKind::NotAString(kind(name)))?;
    if name.is_empty() {
        return Err(DefectKind::Empty);
    }
    if !name.bytes().all(is_token_byte) {
        return Err(DefectKind::NotAToken(name.escape_debug().to_string()));
    }
    if seen.contains(&name.to_ascii_lowercase()) {
        Err(DefectKind::Duplicate(name.to_owned()))
    } else {
        Ok(name)
    }
}

fn check_primitive(schema: &Map<String, Value>) -> Result<(), DefectKind> {
    let primitive = |name: &str| matches!(name, "string" | "integer" | "boolean");
    let bad = |what: String| Err(DefectKind::NotPrimitive(what));
    match schema.get("type") {
        Some(Value::String(name)) if primitive(name) => Ok(()),
        Some(Value::String(name)) => bad(format!("of type {name}")),
        Some(Value::Array(names)) => {
            let names: Vec<&str> =
                names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect();
            if !names.is_empty() && names.iter().all(|name| primitive(name)) {
                return Ok(());
            }
            bad(format!("of type {}", if names.is_empty() { "null".to_owned() } else { names.join(" or ") }))
        }
        Some(_) => bad("of a malformed type".to_owned()),
        None if lists_primitives(schema) => Ok(()),
        None => bad("of no stated type".to_owned()),
    }
}

fn lists_primitives(schema: &Map<String, Value>) -> bool {
    let primitive =
        |value: &Value| value.is_string() || value.is_boolean() || value.is_i64() || value.is_u64();
    match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => primitive(value),
        (None, Some(values)) => !values.is_empty() && values.iter().all(primitive),
        (None, None) => false,
    }
}

/// A key as a step of a JSON pointer.
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn defects(schema: &Value) -> Vec<String> {
        declared(schema).unwrap_err().iter().map(DeclarationDefect::to_string).collect()
    }

    fn one(parameter: &Value) -> Result<Vec<ParamHeader>, Vec<DeclarationDefect>> {
        declared(&json!({"type": "object", "properties": {"p": parameter}}))
    }

    fn kind_of(parameter: &Value) -> DefectKind {
        one(parameter).unwrap_err().remove(0).kind
    }

    #[test]
    fn declarations_are_collected_with_their_paths() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "query": {"type": "string"},
            "a": {"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "X-1"}}},
        }});
        let param = |name: &str, path: &[&str]| ParamHeader {
            name: name.to_owned(),
            path: path.iter().map(|key| (*key).to_owned()).collect(),
        };
        assert_eq!(declared(&schema), Ok(vec![param("Region", &["region"]), param("X-1", &["a", "b"])]));
        assert_eq!(declared(&json!({"type": "object"})), Ok(vec![]));
    }

    #[test]
    fn names_follow_the_rules_of_http() {
        let kind = |name: Value| kind_of(&json!({"type": "string", "x-mcp-header": name}));
        assert_eq!(kind(json!("")), DefectKind::Empty);
        assert_eq!(kind(json!("My Region")), DefectKind::NotAToken("My Region".into()));
        assert_eq!(kind(json!("a:b")), DefectKind::NotAToken("a:b".into()));
        assert_eq!(kind(json!("a\r\nb")), DefectKind::NotAToken("a\\r\\nb".into()), "shown escaped");
        assert!(matches!(kind(json!("Région")), DefectKind::NotAToken(_)));
        assert_eq!(kind(json!(3)), DefectKind::NotAString("a number"));
    }

    #[test]
    fn names_are_unique_whatever_their_case() {
        let schema = json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "Region"},
            "b": {"type": "string", "x-mcp-header": "REGION"},
        }});
        assert_eq!(
            defects(&schema),
            ["/properties/b: `REGION` is used twice; the case of a header name does not count"]
        );
    }

    #[test]
    fn only_primitive_types_are_mirrored() {
        for name in ["string", "integer", "boolean"] {
            assert!(one(&json!({"type": name, "x-mcp-header": "P"})).is_ok(), "{name}");
        }
        for name in ["number", "object", "array", "null"] {
            let kind = kind_of(&json!({"type": name, "x-mcp-header": "P"}));
            assert_eq!(kind, DefectKind::NotPrimitive(format!("of type {name}")));
        }
        assert!(one(&json!({"type": ["string", "null"], "x-mcp-header": "P"})).is_ok());
        assert!(one(&json!({"type": ["string", "number"], "x-mcp-header": "P"})).is_err());
        assert!(one(&json!({"type": ["null"], "x-mcp-header": "P"})).is_err());
        assert!(one(&json!({"x-mcp-header": "P"})).is_err());
        assert!(one(&json!({"enum": ["a", "b"], "x-mcp-header": "P"})).is_ok());
        assert!(one(&json!({"enum": ["a", 1.5], "x-mcp-header": "P"})).is_err());
        assert!(one(&json!({"const": true, "x-mcp-header": "P"})).is_ok());
    }

    #[test]
    fn parameters_are_reached_through_properties_alone() {
        let leaf = json!({"type": "string", "x-mcp-header": "P"});
        let inner = json!({"properties": {"p": leaf}});
        for (keyword, value) in [
            ("items", inner.clone()),
            ("prefixItems", json!([inner])),
            ("allOf", json!([inner])),
            ("anyOf", json!([inner])),
            ("oneOf", json!([inner])),
            ("not", inner.clone()),
            ("if", inner.clone()),
            ("then", inner.clone()),
            ("else", inner.clone()),
            ("$defs", json!({"d": inner})),
            ("definitions", json!({"d": inner})),
            ("patternProperties", json!({".": inner})),
            ("additionalProperties", inner.clone()),
            ("dependentSchemas", json!({"d": inner})),
        ] {
            let found = declared(&json!({"type": "object", keyword: value})).unwrap_err();
            assert_eq!(found.len(), 1, "{keyword}");
            assert_eq!(found[0].kind, DefectKind::Unreachable, "{keyword}");
        }
        let root = json!({"type": "string", "x-mcp-header": "P"});
        assert_eq!(
            defects(&root),
            ["the schema's root: the parameter is not reachable through `properties` alone"]
        );
    }

    #[test]
    fn data_inside_a_schema_is_no_declaration() {
        let schema = json!({"type": "object", "properties": {
            "x-mcp-header": {"type": "number"},
            "a": {"type": "object", "default": {"x-mcp-header": ""}, "examples": [{"x-mcp-header": 1}]},
        }});
        assert_eq!(declared(&schema), Ok(vec![]));
    }

    #[test]
    fn every_defect_is_reported_where_it_is() {
        let schema = json!({"properties": {"a/b": {"type": "number", "x-mcp-header": ""}}});
        let found = declared(&schema).unwrap_err();
        assert_eq!(
            found.iter().map(|d| d.at.as_str()).collect::<Vec<_>>(),
            ["/properties/a~1b", "/properties/a~1b"]
        );
        assert_eq!(found[0].kind, DefectKind::Empty);
        assert!(matches!(found[1].kind, DefectKind::NotPrimitive(_)));
    }
}
