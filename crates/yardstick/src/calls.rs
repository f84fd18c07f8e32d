//! Which tools are called, from the command line.

use serde_json::{Map, Value};
use suite::{Allow, Calls};

use crate::args::AllowCalls;
use crate::exit::Usage;

/// What `--allow-calls`, `--tool` and `--args` say.
pub(crate) fn read_calls(allow: AllowCalls, tools: &[String], arguments: &[String]) -> Result<Calls, Usage> {
    let allow = match allow {
        AllowCalls::All => Allow::All,
        AllowCalls::ReadOnly => Allow::ReadOnly,
        AllowCalls::None => Allow::None,
    };
    let mut by_tool = Map::new();
    for (at, text) in arguments.iter().enumerate() {
        let given = read_object(text)?;
        match tools.get(at) {
            Some(tool) => {
                by_tool.insert(tool.clone(), given.into());
            }
            None if tools.is_empty() => by_tool.extend(check_by_tool(given)?),
            None => return Err(Usage(format!("`--args {text}` belongs to no --tool"))),
        }
    }
    Ok(Calls { allow, named: tools.to_vec(), arguments: by_tool })
}

/// Arguments by the name of the tool.
fn check_by_tool(given: Map<String, Value>) -> Result<Map<String, Value>, Usage> {
    match given.iter().find(|(_, value)| !value.is_object()) {
        Some((name, _)) => Err(Usage(format!(
            "without --tool, --args has an object of arguments for each tool by name; `{name}` has something else"
        ))),
        None => Ok(given),
    }
}

/// A JSON object, given as such or as the name of a file that has it.
fn read_object(text: &str) -> Result<Map<String, Value>, Usage> {
    let json = match text.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Usage(format!("the arguments in `{file}` cannot be read: {error}")))?,
        None => text.to_owned(),
    };
    match serde_json::from_str(&json) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Usage(format!("`--args {text}` is not a JSON object"))),
        Err(error) => Err(Usage(format!("`--args {text}` is not JSON: {error}"))),
    }
}
