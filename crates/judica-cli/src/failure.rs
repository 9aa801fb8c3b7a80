//! How a command fails: one message on standard error, one exit code.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use judica_data::work_error::WorkError;
use judica_judge::cache::CacheError;
use judica_judge::client::options::ClientError;
use judica_judge::endpoint::EndpointError;
use judica_judge::prompt::TemplateError;
use judica_judge::run::RunError;
use judica_model::exit_code::ExitCode;
use judica_verify::protocol::ProtocolError;
use judica_verify::protocol::load::LoadError;

use crate::screen;

/// So many mistakes of one protocol file are shown; who has mended them sees the rest.
const SHOWN: usize = 20;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A protocol cannot be used.
    #[error(transparent)]
    Protocol(#[from] LoadError),
    /// Work on rows or on a run failed.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// A judge cannot be asked.
    #[error("{message}")]
    Judge {
        /// Why.
        message: String,
        /// What it means.
        code: ExitCode,
    },
    /// Something the user said is wrong.
    #[error("{0}")]
    Usage(String),
    /// Reading or writing failed.
    #[error("SYSTEM_ERROR: {0}")]
    System(String),
}

impl Failure {
    /// The exit code it means.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Work(error) => error.exit_code(),
            Failure::Judge { code, .. } => *code,
            Failure::Protocol(_) | Failure::Usage(_) => ExitCode::BadInput,
            Failure::System(_) => ExitCode::SystemError,
        }
    }

    /// Says it on standard error.
    pub fn print(&self) {
        let text = self.text(screen::error_color());
        match self {
            Failure::Protocol(LoadError::Invalid(_)) => screen::tell_plainly(&text),
            _ => screen::tell_plainly(&format!("{} {text}", screen::alarm("judica:"))),
        }
    }

    /// What is said of it, with the places of mistakes in a protocol file.
    pub fn text(&self, color: bool) -> String {
        if let Failure::Protocol(LoadError::Invalid(errors)) = self {
            let shown = errors.0.iter().take(SHOWN);
            let mut told: Vec<String> = shown.map(|error| snippet(error, color)).collect();
            if errors.0.len() > SHOWN {
                told.push(format!("and {} more", errors.0.len() - SHOWN));
            }
            return told.join("\n\n");
        }
        // Several mistakes are told on several lines; what a line holds is not always ours,
        // and must not command the terminal.
        let text = self.to_string();
        let lines: Vec<String> = text.lines().map(judica_report::visible).collect();
        lines.join("\n")
    }
}

/// Errors of the judge's room all say what they mean and need no more than that.
macro_rules! from_judge {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::Judge {
                    message: error.to_string(),
                    code: error.exit_code(),
                }
            }
        }
    )*};
}
from_judge!(
    CacheError,
    ClientError,
    EndpointError,
    RunError,
    TemplateError
);

impl From<judica_report::figure::png::PngError> for Failure {
    fn from(error: judica_report::figure::png::PngError) -> Self {
        Failure::System(error.to_string())
    }
}

impl From<judica_data::error::DataError> for Failure {
    fn from(error: judica_data::error::DataError) -> Self {
        Failure::Work(error.into())
    }
}

/// A problem in a protocol file, with the place in question.
fn snippet(error: &ProtocolError, color: bool) -> String {
    let length = error.source.len();
    let start = error.span.start.min(length);
    let end = error.span.end.clamp(start, length);
    // The file may hold what a terminal obeys. Each part is made visible on its own, so that
    // the mark stays under what it marks.
    let part = |range: Range<usize>| match error.source.get(range) {
        Some(text) => screen::visible_lines(text),
        None => String::new(),
    };
    let (before, marked, after) = (part(0..start), part(start..end), part(end..length));
    let span = before.len()..before.len() + marked.len();
    let source = [before, marked, after].concat();
    let file = judica_report::visible(&error.file);
    // What can be put into the file stands below, each line as it is to be written.
    let help = error.help.as_deref().unwrap_or("");
    let (help, lines) = help.split_once('\n').unwrap_or((help, ""));
    let help = judica_report::visible(help);
    let snippet = Snippet::source(&source)
        .path(&file)
        .annotation(AnnotationKind::Primary.span(span).label(&help));
    let (line, column) = error.line_column();
    let message = screen::visible_lines(&error.message);
    let title = format!("{file}:{line}:{column}: {message}");
    let group = Level::ERROR.primary_title(&title).element(snippet);
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut shown = renderer.render(&[group]);
    for line in lines.lines() {
        shown.push_str(&format!("\n    {}", judica_report::visible(line)));
    }
    shown
}
