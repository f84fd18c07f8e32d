//! Paths in a message: the names of members, `*` for every item of a list.

use serde_json::{Map, Value};

/// Calls `change` with every object that holds the last member of `path`, and the name of that member.
///
/// With `makes`, missing objects on the way are created. Values that are not objects are skipped.
fn each_parent(
    value: &mut Value,
    path: &[&str],
    makes: bool,
    change: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    let Some((first, rest)) = path.split_first() else { return };
    if makes && value.is_null() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(members) if rest.is_empty() => change(members, first),
        Value::Array(items) if *first == "*" => {
            items.iter_mut().for_each(|item| each_parent(item, rest, makes, change));
        }
        Value::Object(members) if makes => {
            each_parent(members.entry(*first).or_insert(Value::Null), rest, makes, change);
        }
        Value::Object(members) => {
            if let Some(next) = members.get_mut(*first) {
                each_parent(next, rest, makes, change);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
    }
}

/// Sets the member at `path`, and creates the objects on the way.
pub(super) fn set(value: &mut Value, path: &[&str], to: &Value) {
    each_parent(value, path, true, &mut |members, name| drop(members.insert(name.to_owned(), to.clone())));
}

/// Replaces the member at `path` where there is one.
pub(super) fn replace(value: &mut Value, path: &[&str], with: &Value) {
    each_parent(value, path, false, &mut |members, name| {
        if let Some(found) = members.get_mut(name) {
            *found = with.clone();
        }
    });
}

/// Removes the member at `path`.
pub(super) fn remove(value: &mut Value, path: &[&str]) {
    each_parent(value, path, false, &mut |members, name| drop(members.shift_remove(name)));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_leads_to_members_of_every_item() {
        let mut value = json!({ "tools": [{ "a": { "b": 1 } }, { "c": 2 }, 3] });
        replace(&mut value, &["tools", "*", "a", "b"], &json!(7));
        assert_eq!(value, json!({ "tools": [{ "a": { "b": 7 } }, { "c": 2 }, 3] }));
        set(&mut value, &["tools", "*", "a", "d"], &json!(8));
        assert_eq!(value, json!({ "tools": [{ "a": { "b": 7, "d": 8 } }, { "c": 2, "a": { "d": 8 } }, 3] }));
        remove(&mut value, &["tools", "*", "a"]);
        assert_eq!(value, json!({ "tools": [{}, { "c": 2 }, 3] }));
    }
}
