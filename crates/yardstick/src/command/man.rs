//! `yardstick man`

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Arguments, ManArguments};
use crate::exit::Exit;
use crate::files::{unwritable, write_whole};
use crate::terminal;

pub(crate) fn run(arguments: &ManArguments) -> anyhow::Result<Exit> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    let Some(folder) = &arguments.output else {
        let (_, page) = render_page(Arguments::command())?;
        terminal::print_data(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Success);
    };
    std::fs::create_dir_all(folder).map_err(|why| unwritable(folder, &why))?;
    command.build();
    write_pages(&command, folder)?;
    Ok(Exit::Success)
}

/// Writes the page of `command`, and those of its subcommands.
fn write_pages(command: &clap::Command, folder: &Path) -> anyhow::Result<()> {
    let (name, page) = render_page(command.clone())?;
    write_whole(&folder.join(name), &page)?;
    command.get_subcommands().filter(|it| !it.is_hide_set()).try_for_each(|it| write_pages(it, folder))
}

/// The name of a page, and the page.
fn render_page(command: clap::Command) -> anyhow::Result<(String, Vec<u8>)> {
    let page = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text).context("the page cannot be made")?;
    Ok((page.get_filename(), text))
}
