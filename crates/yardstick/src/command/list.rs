//! `yardstick list`

use suite::Selection;

use crate::args::ListArguments;
use crate::exit::{Exit, Usage};
use crate::suggest::explain_unknown_check;
use crate::terminal;

pub(crate) fn run(arguments: &ListArguments) -> anyhow::Result<Exit> {
    if arguments.coverage {
        terminal::print_styled(&report::coverage(&suite::coverage::rows()?, arguments.protocol))?;
        return Ok(Exit::Success);
    }
    let selection = Selection { only: arguments.only.clone(), skip: Vec::new() };
    if let Some(name) = selection.unknown() {
        return Err(Usage(explain_unknown_check(name)).into());
    }
    let wanted = |check: &suite::Check| {
        selection.takes(check) && arguments.protocol.is_none_or(|version| check.level(version).is_some())
    };
    terminal::print_styled(&report::list(wanted))?;
    Ok(Exit::Success)
}
