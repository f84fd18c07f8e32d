//! `yardstick explain`

use crate::args::ExplainArguments;
use crate::exit::{Exit, Usage};
use crate::suggest::explain_unknown_check;
use crate::terminal;

pub(crate) fn run(arguments: &ExplainArguments) -> anyhow::Result<Exit> {
    let id = &arguments.id;
    let Some(check) = suite::by_id(id) else {
        return Err(Usage(explain_unknown_check(id)).into());
    };
    terminal::print_styled(&report::explain(check).to_string())?;
    Ok(Exit::Success)
}
