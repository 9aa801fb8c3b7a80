//! `judica judge`, run as a user runs it, against a real HTTP server.

mod asks_nobody;
mod at_once;
mod bodies;
mod cache_file;
mod concurrency;
mod data;
mod faults;
mod folder;
mod hostile;
mod inputs;
mod judges;
mod leaves_run;
mod money;
mod normalizer;
mod pace;
mod probe;
mod rerun;
mod runs;
mod secret;
mod stopped;
mod votes;
