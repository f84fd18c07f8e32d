//! `yardstick man`

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Arguments, Man};
use crate::exit::Exit;
use crate::files::{unwritable, write_whole};
use crate::terminal;

pub(crate) fn run(arguments: &Man) -> anyhow::Result<Exit> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    let Some(folder) = &arguments.output else {
        let (_, page) = render_page(Arguments::command())?;
        terminal::print_data(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Success);
    };
    std::fs::create_dir_all(folder).map_err(|why| unwritable(folder, &why))?;
    command.build();
    let subcommands: Vec<_> = command.get_subcommands().filter(|it| !it.is_hide_set()).cloned().collect();
    for command in subcommands.into_iter().chain([command]) {
        let (name, page) = render_page(command)?;
        write_whole(&folder.join(name), &page)?;
    }
    Ok(Exit::Success)
}

/// The name of a page, and the page.
fn render_page(command: clap::Command) -> anyhow::Result<(String, Vec<u8>)> {
    let page = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text).context("the page cannot be made")?;
    Ok((page.get_filename(), text))
}
