//! The chat API on the wire: what is sent, what comes back, and what a server refuses.
//!
//! * `request`: the body of a question
//! * [`dialect`]: which optional parts of it a server takes, learnt from what it refuses
//! * `response`: the body of an answer
//! * `fault`: the body of a refusal or a failure

pub mod dialect;
pub(crate) mod fault;
pub(crate) mod request;
pub(crate) mod response;
