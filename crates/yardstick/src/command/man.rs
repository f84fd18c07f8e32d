//! `yardstick man`

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Arguments, Man};
use crate::exit::{Exit, Usage};
use crate::format::print_text;

pub(crate) fn run(arguments: &Man) -> anyhow::Result<Exit> {
    let Some(folder) = &arguments.output else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Arguments::command()).render(&mut page).context("the page cannot be made")?;
        print_text(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Success);
    };
    let unwritable = |why| Usage(format!("`{}` cannot be written: {why}", folder.display()));
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(unwritable)?;
    Ok(Exit::Success)
}
