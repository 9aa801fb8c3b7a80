//! Man pages: one for each command.

use clap_mangen::Man;

use super::Page;
use crate::failure::Failure;
use crate::help;

/// All pages.
pub fn pages() -> Result<Vec<Page>, Failure> {
    // `judica help eval` is `judica eval --help`, and needs no page.
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add(&command, &mut pages)?;
    Ok(pages)
}

/// Adds the page of a command, and those of the commands below it.
fn add(command: &clap::Command, pages: &mut Vec<Page>) -> Result<(), Failure> {
    let man = Man::new(command.clone()).manual("judica");
    let mut text = Vec::new();
    man.render(&mut text)
        .map_err(|error| Failure::System(error.to_string()))?;
    pages.push((man.get_filename(), text));
    command
        .get_subcommands()
        .try_for_each(|sub| add(sub, pages))
}
