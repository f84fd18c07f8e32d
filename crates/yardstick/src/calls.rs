//! Which tools are called, from the command line.

use serde_json::{Map, Value};
use suite::{Allow, Calls};

use crate::args::{AllowCalls, Check};
use crate::exit::Usage;

/// What `--allow-calls`, `--tool` and `--args` say.
pub(crate) fn of(arguments: &Check) -> Result<Calls, Usage> {
    let allow = match arguments.allow_calls {
        AllowCalls::All => Allow::All,
        AllowCalls::ReadOnly => Allow::ReadOnly,
        AllowCalls::None => Allow::None,
    };
    let mut by_tool = Map::new();
    for (at, text) in arguments.args.iter().enumerate() {
        let given = object(text)?;
        match arguments.tool.get(at) {
            Some(tool) => {
                by_tool.insert(tool.clone(), given.into());
            }
            None if arguments.tool.is_empty() => by_tool.extend(each(given)?),
            None => return Err(Usage(format!("`--args {text}` belongs to no --tool"))),
        }
    }
    Ok(Calls { allow, named: arguments.tool.clone(), arguments: by_tool })
}

/// Arguments by the name of the tool.
fn each(given: Map<String, Value>) -> Result<Map<String, Value>, Usage> {
    match given.iter().find(|(_, value)| !value.is_object()) {
        Some((name, _)) => Err(Usage(format!(
            "without --tool, --args has an object of arguments for each tool by name; `{name}` has something else"
        ))),
        None => Ok(given),
    }
}

/// A JSON object, given as such or as the name of a file that has it.
fn object(text: &str) -> Result<Map<String, Value>, Usage> {
    let json = match text.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Usage(format!("the arguments in `{file}` cannot be read: {error}")))?,
        None => text.to_owned(),
    };
    match serde_json::from_str(&json) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Usage(format!("`--args {text}` is no JSON object"))),
        Err(error) => Err(Usage(format!("`--args {text}` is no JSON: {error}"))),
    }
}
