//! Pages of lists, with opaque cursors.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::rpc::RpcError;

/// The page of `items` that the cursor of the request names, under `key`.
pub(crate) fn page(call: &Call, key: &str, items: Vec<Value>, size: usize) -> Result<Value, RpcError> {
    let start = start(key, items.len(), call.params.get("cursor"))?;
    Ok(cut(key, items, start, size))
}

fn start(key: &str, total: usize, cursor: Option<&Value>) -> Result<usize, RpcError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let start = cursor.as_str().and_then(|text| decode(key, text)).filter(|start| *start < total);
    start.ok_or_else(|| RpcError::invalid_params(format!("cursor {cursor} is not from this list")))
}

fn cut(key: &str, items: Vec<Value>, start: usize, size: usize) -> Value {
    let total = items.len();
    let mut page = Map::new();
    page.insert(key.to_owned(), items.into_iter().skip(start).take(size).collect());
    if start + size < total {
        page.insert("nextCursor".to_owned(), encode(key, start + size).into());
    }
    Value::Object(page)
}

fn encode(key: &str, start: usize) -> String {
    BASE64.encode(format!("{key}@{start}"))
}

fn decode(key: &str, cursor: &str) -> Option<usize> {
    let text = String::from_utf8(BASE64.decode(cursor).ok()?).ok()?;
    text.strip_prefix(key)?.strip_prefix('@')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn numbers(cursor: Option<&Value>) -> Result<Value, RpcError> {
        Ok(cut("items", (0..5).map(Value::from).collect(), start("items", 5, cursor)?, 2))
    }

    #[test]
    fn cursors_lead_through_the_whole_list() {
        let first = numbers(None).unwrap();
        assert_eq!(first["items"], json!([0, 1]));
        let second = numbers(first.get("nextCursor")).unwrap();
        let third = numbers(second.get("nextCursor")).unwrap();
        assert_eq!((&second["items"], &third["items"]), (&json!([2, 3]), &json!([4])));
        assert!(third.get("nextCursor").is_none());
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        for cursor in [json!("nope"), json!(7), json!(encode("tools", 2)), json!(encode("items", 99))] {
            assert_eq!(numbers(Some(&cursor)).unwrap_err().code, -32602, "{cursor}");
        }
    }
}
