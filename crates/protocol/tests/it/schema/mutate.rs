//! An instance with one thing changed, for every thing that can be changed.

use serde_json::{Value, json};

/// How deep changes go.
const DEPTH: usize = 6;

/// A change: what stands where instead.
pub(crate) struct Edit {
    path: String,
    part: Value,
}

/// Every change of one place of `value`.
pub(crate) fn edits(value: &Value) -> Vec<Edit> {
    let mut paths = Vec::new();
    places(value, String::new(), DEPTH, &mut paths);
    let parts = |path: &String| replacements(value.pointer(path).expect("a path of the value"));
    paths
        .iter()
        .flat_map(|path| parts(path).into_iter().map(|part| Edit { path: path.clone(), part }))
        .collect()
}

/// `value` with one change.
pub(crate) fn edited(value: &Value, edit: Edit) -> Value {
    let mut value = value.clone();
    *value.pointer_mut(&edit.path).expect("a path of the value") = edit.part;
    value
}

fn places(value: &Value, path: String, depth: usize, into: &mut Vec<String>) {
    if depth > 0 {
        for (key, part) in value.as_object().into_iter().flatten() {
            let key = key.replace('~', "~0").replace('/', "~1");
            places(part, format!("{path}/{key}"), depth - 1, into);
        }
        for (index, part) in value.as_array().into_iter().flatten().enumerate() {
            places(part, format!("{path}/{index}"), depth - 1, into);
        }
    }
    into.push(path);
}

/// Other kinds of values, values near the edges, and the value with a member or item more or less.
fn replacements(value: &Value) -> Vec<Value> {
    let mut made = vec![json!(null), json!(true), json!(1.5), json!("other"), json!([]), json!({})];
    match value {
        Value::Number(_) => made.extend([json!(-1), json!(0), json!(2), json!(1.0), json!(1e300)]),
        Value::String(text) => {
            made.extend([
                json!(7),
                json!(""),
                json!("a b%"),
                json!("{x"),
                json!(text.to_uppercase()),
                json!([text]),
            ]);
        }
        Value::Array(items) => {
            made.extend([json!([null]), json!([{}]), json!(["other"])]);
            let small = items.first().filter(|first| first.is_string());
            made.extend(small.map(|first| vec![first.clone(); 101].into()));
        }
        Value::Object(members) => {
            for key in members.keys() {
                let mut fewer = members.clone();
                fewer.shift_remove(key);
                made.push(fewer.into());
            }
            let mut more = members.clone();
            more.insert("unheard-of".to_owned(), json!({"deep": [null]}));
            made.push(more.into());
        }
        Value::Bool(_) | Value::Null => made.push(json!(3)),
    }
    made
}
