//! `yardstick explain`

use crate::args::Explain;
use crate::exit::{Exit, Usage};
use crate::suggest::explain_unknown_check;

pub(crate) fn run(arguments: &Explain) -> anyhow::Result<Exit> {
    let id = &arguments.id;
    let Some(check) = suite::by_id(id) else {
        return Err(Usage(explain_unknown_check(id)).into());
    };
    anstream::print!("{}", report::explain(check));
    Ok(Exit::Success)
}
