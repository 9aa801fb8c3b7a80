//! What can be set about a client, and what is wrong with what was set.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use judica_model::exit_code::ExitCode;

use super::events::Events;
use crate::endpoint::Endpoint;
use crate::pace::PaceLimits;

/// What can be set about a client.
#[derive(Clone)]
pub struct ClientOptions {
    /// Who is asked.
    pub endpoint: Endpoint,
    /// How often a question is sent at most. A server that never answered anything is given
    /// up sooner, so that a wrong port costs seconds.
    pub attempts: u32,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long one attempt may take from its first byte sent to its last byte received.
    pub timeout: Duration,
    /// The upper end of the first wait between attempts; each further one doubles it.
    pub first_wait: Duration,
    /// The longest wait between attempts, also where the server asks for a longer one.
    pub longest_wait: Duration,
    /// A server that asks for a longer wait than this is not waited for at all.
    pub hopeless_wait: Duration,
    /// How long a call that is on its way may take when the run is stopped. What it answers
    /// has been paid for.
    pub grace: Duration,
    /// How fast the server may be asked.
    pub limits: PaceLimits,
    /// Certificates (PEM) to trust beside those of the system.
    pub ca_file: Option<PathBuf>,
    /// What to tell a user whose server wants a key, where none is sent.
    pub no_key: Option<String>,
    /// Who watches.
    pub events: Arc<dyn Events>,
}

impl ClientOptions {
    /// The defaults for `endpoint`.
    pub fn new(endpoint: Endpoint) -> ClientOptions {
        ClientOptions {
            endpoint,
            attempts: 6,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(120),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            hopeless_wait: Duration::from_secs(600),
            grace: Duration::from_secs(2),
            limits: PaceLimits::default(),
            ca_file: None,
            no_key: None,
            events: Arc::new(()),
        }
    }
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The certificates could not be read.
    #[error("{}: {problem} (expected certificates in PEM form)", path.display())]
    BadCertificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The system's certificates or sockets are not usable.
    #[error("SYSTEM_ERROR: no connection can be prepared: {0}")]
    Unprepared(String),
}

impl ClientError {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            ClientError::BadCertificates { .. } => ExitCode::BadInput,
            ClientError::Unprepared(_) => ExitCode::SystemError,
        }
    }
}
