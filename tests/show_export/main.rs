//! `judica show` and `judica export`, run as a user runs them.

mod conditions;
mod every_eval_ever;
mod inspect;
mod names;
mod records;
mod show;
mod stored_formats;
mod tables;
