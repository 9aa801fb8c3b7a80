//! Agreement between validators, judges and raters, and a deterministic conflict policy.
//!
//! Three doors, one for each kind of judgment:
//!
//! * [`pairs`]: two validators of the same answers, and who wins where they differ
//! * [`judges`]: any number of yes/no judges of the same predictions, and people
//! * [`ratings`]: any table of item, rater, value
//!
//! What they share: [`panel`] (every coefficient of a table of ratings, with its
//! interval), [`refusals`] (what could not be used, counted and named) and [`mod@run`]
//! (what their runs have in common).
//!
//! What cannot be used is never dropped: it is counted by reason, named in the report and
//! handed on whole as a reject. A coefficient that is undefined says why. Nothing depends
//! on the number of threads. `docs/agreement.md` says what is read, what is counted, what
//! each number means, and which choices were made where several were possible.

mod cells;
pub mod judges;
pub mod pairs;
pub mod panel;
pub mod ratings;
pub mod refusals;
pub mod run;
