//! What the process tells its caller. The one place where exit codes are defined.

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, and every gate passed.
    Done,
    /// Done, and a gate failed (for `reproduce`: something differs).
    GateFailed,
    /// Bad usage or bad input; the message names file, line and what was expected.
    BadInput,
    /// A required artifact is missing or malformed, or the environment failed.
    SystemError,
    /// Stopped by the user (Ctrl-C); nothing half-written is left.
    Interrupted,
}

impl ExitCode {
    /// The number given to the operating system.
    pub fn code(self) -> u8 {
        match self {
            ExitCode::Done => 0,
            ExitCode::GateFailed => 1,
            ExitCode::BadInput => 2,
            ExitCode::SystemError => 3,
            // 128 + SIGINT, as shells expect.
            ExitCode::Interrupted => 130,
        }
    }
}
