//! Language models as judges: prompts, clients, cache, votes. The only room with a network.
//!
//! * [`chat`]: a question to a chat model and its reply, before any wire format
//! * [`cache`]: replies that were paid for, kept on disk
//! * [`error`]: why there is no reply
//! * [`judging`]: one judge, many questions: all of the others together
//! * [`run`]: many questions at the same time, answered in order
//! * [`stop`]: the flag that ends a run
//! * [`prompt`]: what a judge is asked, with the data fenced
//! * [`reply`]: what it said
//! * [`votes`]: what several replies come to
//! * [`tokens`]: how long a question is, before anybody counted
//! * [`client`]: asking a server: retries, pauses, what is learnt on the way
//! * [`endpoint`]: who is asked: address, model, key, headers
//! * [`pace`]: how fast a server is asked
//! * [`wire`]: the chat API on the wire
//! * [`probe`]: does the wording of a question change the verdict

#![forbid(unsafe_code)]

pub mod cache;
pub mod chat;
pub mod client;
pub mod endpoint;
pub mod error;
pub mod judging;
pub mod pace;
pub mod probe;
pub mod prompt;
pub mod reply;
pub mod run;
pub mod stop;
pub mod tokens;
pub mod votes;
pub mod wire;
