//! Language models as judges: prompts, clients, cache, votes. The only room with a network.
//!
//! * [`chat`]: a question to a chat model and its reply, before any wire format
//! * [`error`]: why there is no reply

#![forbid(unsafe_code)]

pub mod chat;
pub mod error;
