//! Every command that leaves a run, and everything that can be done with one, over one table.

mod bad_folders;
mod cases;
mod compare;
mod every_command;
mod one_interval;
