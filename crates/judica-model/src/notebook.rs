//! The cells of a notebook, before anyone has written it to a file.
//!
//! Rooms that have something to explore fill these; a renderer knows the file format.

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotebookCell {
    /// Text in Markdown.
    Markdown(String),
    /// Python.
    Code(String),
}
