//! `judica eval`, run as a user runs it.

mod any_response;
mod bad_input;
mod dimensions;
mod disk_full;
mod folders;
mod formats_in;
mod gold;
mod happy;
mod interrupt;
mod kinds;
mod metamorphic;
mod oracle;
mod own_protocol;
mod pieces;
mod protocol_errors;
mod rejects;
mod repeats;
mod rerun;
mod review_faults;
mod reviews;
mod run;
mod tables;
mod threads;
mod timestamps;
mod usage;
mod verifiers;
