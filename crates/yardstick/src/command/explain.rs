//! `yardstick explain`

use crate::args::Explain;
use crate::exit::{Exit, Usage};
use crate::suggest::did_you_mean_check;

pub(crate) fn run(arguments: &Explain) -> anyhow::Result<Exit> {
    let id = &arguments.id;
    let Some(check) = suite::by_id(id) else {
        return Err(
            Usage(format!("no check `{id}`{}; `yardstick list` shows all", did_you_mean_check(id))).into()
        );
    };
    anstream::print!("{}", report::explain(check));
    Ok(Exit::Success)
}
