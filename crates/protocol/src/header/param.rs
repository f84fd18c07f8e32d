//! Tool arguments as header values: out of a call, and compared with one.

use serde_json::{Number, Value};

use super::{PARAM_PREFIX, ParamHeader, encode};

/// The largest integer that JavaScript holds exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// An argument that cannot become a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// Only strings, integers and booleans can.
    #[error("argument `{path}` is {found}; only a string, an integer or a boolean goes into a header")]
    Kind {
        /// Where the argument is.
        path: String,
        /// What it is.
        found: &'static str,
    },
    /// The integer loses digits in JavaScript.
    #[error("argument `{path}` is an integer beyond ±(2^53 - 1)")]
    Unsafe {
        /// Where the argument is.
        path: String,
    },
}

impl ParamHeader {
    /// The value at the declared path; none if there is none or it is null.
    pub fn value_in<'a>(&self, arguments: Option<&'a Value>) -> Option<&'a Value> {
        let value = self.path.iter().try_fold(arguments?, |value, key| value.as_object()?.get(key))?;
        (!value.is_null()).then_some(value)
    }
}

/// The headers that a client sends with a call: names and encoded values.
pub fn mirror(
    declared: &[ParamHeader],
    arguments: Option<&Value>,
) -> Result<Vec<(String, String)>, ParamError> {
    let mut headers = Vec::new();
    for param in declared {
        let Some(value) = param.value_in(arguments) else { continue };
        let text = text(value).map_err(|error| error.at(&param.path))?;
        headers.push((format!("{PARAM_PREFIX}{}", param.name), encode(&text).into_owned()));
    }
    Ok(headers)
}

/// Whether a decoded header stands for the value; integers are compared as numbers.
pub(super) fn agrees(said: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => said == text,
        Value::Bool(on) => said == if *on { "true" } else { "false" },
        Value::Number(number) => {
            serde_json::from_str::<Number>(said).is_ok_and(|said| same_number(&said, number))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The value for a message.
pub(super) fn display(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn same_number(one: &Number, two: &Number) -> bool {
    match (one.as_i64(), two.as_i64()) {
        (Some(one), Some(two)) => one == two,
        _ => one.as_f64() == two.as_f64(),
    }
}

enum Problem {
    Kind(&'static str),
    Unsafe,
}

impl Problem {
    fn at(self, path: &[String]) -> ParamError {
        let path = path.join(".");
        match self {
            Self::Kind(found) => ParamError::Kind { path, found },
            Self::Unsafe => ParamError::Unsafe { path },
        }
    }
}

fn text(value: &Value) -> Result<String, Problem> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(on) => Ok(on.to_string()),
        Value::Number(number) => integer(number),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(Problem::Kind(crate::json::kind(value))),
    }
}

/// `42.0` is an integer too, for JSON Schema and for JavaScript.
fn integer(number: &Number) -> Result<String, Problem> {
    let value = number.as_f64().filter(|value| value.fract() == 0.0).ok_or(Problem::Kind("a fraction"))?;
    if value.abs() > MAX_SAFE {
        return Err(Problem::Unsafe);
    }
    // A whole number within the safe range prints as its digits; minus zero is zero.
    Ok(if value == 0.0 { "0".to_owned() } else { format!("{value:.0}") })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn param(name: &str, path: &[&str]) -> ParamHeader {
        ParamHeader { name: name.to_owned(), path: path.iter().map(|key| (*key).to_owned()).collect() }
    }

    #[test]
    fn values_become_headers() {
        let declared = [param("Region", &["region"]), param("N", &["a", "n"]), param("On", &["on"])];
        let headers = mirror(&declared, Some(&json!({"region": "é", "a": {"n": -7}, "on": true}))).unwrap();
        let expected =
            [("Mcp-Param-Region", "=?base64?w6k=?="), ("Mcp-Param-N", "-7"), ("Mcp-Param-On", "true")];
        assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn absent_and_null_values_have_no_header() {
        let declared = [param("A", &["a"]), param("B", &["b", "c"]), param("D", &["d"])];
        assert_eq!(mirror(&declared, Some(&json!({"a": null, "b": 3}))), Ok(vec![]));
        assert_eq!(mirror(&declared, None), Ok(vec![]));
    }

    #[test]
    fn integers_are_written_in_digits() {
        let write =
            |value: Value| mirror(&[param("N", &["n"])], Some(&json!({"n": value}))).map(|h| h[0].1.clone());
        assert_eq!(write(json!(42.0)), Ok("42".into()));
        assert_eq!(write(json!(1e3)), Ok("1000".into()));
        assert_eq!(write(json!(-0.0)), Ok("0".into()));
        assert_eq!(write(json!(9_007_199_254_740_991_i64)), Ok("9007199254740991".into()));
        assert_eq!(write(json!(9_007_199_254_740_992_i64)), Err(ParamError::Unsafe { path: "n".into() }));
        assert_eq!(write(json!(-9_007_199_254_740_992_i64)), Err(ParamError::Unsafe { path: "n".into() }));
    }

    #[test]
    fn other_values_are_refused() {
        let write =
            |value: Value| mirror(&[param("N", &["n"])], Some(&json!({"n": value}))).unwrap_err().to_string();
        assert!(write(json!(1.5)).contains("`n` is a fraction"));
        assert!(write(json!([])).contains("is an array"));
        assert!(write(json!({})).contains("is an object"));
    }

    #[test]
    fn numbers_agree_as_numbers() {
        assert!(agrees("42", &json!(42)) && agrees("42.0", &json!(42)) && agrees("42", &json!(42.0)));
        assert!(!agrees("43", &json!(42)) && !agrees("inf", &json!(42)) && !agrees("", &json!(42)));
        assert!(!agrees("true", &json!("True")) && !agrees("{}", &json!({})));
    }
}
