//! The web pages over runs: HTTP alone. What stands on a page is what `judica-run` reads and
//! `judica-report` draws; this room puts it into HTML that the server renders whole.
//!
//! The URL is the whole state: no page needs a script, and every page can be sent on. Each
//! has a `.json` twin with the same content.
//!
//! * [`serve`]: the server; [`guard`]: who may ask it, and what every answer says to the browser
//! * [`viewer`]: the runs that are looked at, and their index while it grows
//! * `route`: from a path to a page, as HTML or as JSON; `asked`: what parameters say
//! * `frame`: what stands around every page; `table`: tables; `words`: text that is not ours
//! * `pages`: one file per page
//! * [`report`]: a run on one page that needs no server

#![forbid(unsafe_code)]

mod asked;
mod frame;
pub mod guard;
mod pages;
mod refusal;
pub mod report;
mod route;
pub mod serve;
mod table;
pub mod viewer;
mod words;

pub use route::why_no_beginning;
