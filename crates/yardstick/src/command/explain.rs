//! `yardstick explain`

use crate::args::Explain;
use crate::exit::{Exit, Usage};

pub(crate) fn run(arguments: &Explain) -> anyhow::Result<Exit> {
    let id = &arguments.id;
    let Some(check) = suite::by_id(id) else {
        return Err(Usage(format!("no check `{id}`{}; `yardstick list` shows them", nearest(id))).into());
    };
    anstream::print!("{}", report::explain(check));
    Ok(Exit::Success)
}

/// A check whose id ends alike, for those who forgot the beginning.
fn nearest(id: &str) -> String {
    let last = id.rsplit('/').next().unwrap_or(id);
    let found =
        suite::registry().find(|check| check.id.rsplit('/').next().is_some_and(|name| name.contains(last)));
    found.map(|check| format!("; did you mean `{}`?", check.id)).unwrap_or_default()
}
