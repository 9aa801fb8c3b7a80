//! The client against a real server on loopback that misbehaves in every way we know.

mod server;

#[path = "client/setup.rs"]
mod setup;

#[path = "client/answers.rs"]
mod answers;
#[path = "client/dialects.rs"]
mod dialects;
#[path = "client/endpoints.rs"]
mod endpoints;
#[path = "client/faults.rs"]
mod faults;
#[path = "client/tls.rs"]
mod tls;
#[path = "client/waits.rs"]
mod waits;
