//! Runs over the real client against a real server on loopback, and what is left of them
//! when they are killed.

mod server;

#[path = "run/setup.rs"]
mod setup;

#[path = "run/kill.rs"]
mod kill;
#[path = "run/network.rs"]
mod network;
