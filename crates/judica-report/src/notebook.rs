//! A Jupyter notebook, in version 4.5 of its format.
//!
//! Cells are numbered, not named by chance, and nothing is run: the same cells give the
//! same bytes.

use judica_model::notebook::NotebookCell;
use serde_json::{Map, Value, json};

/// The notebook as the text of an `.ipynb` file.
pub fn render(cells: &[NotebookCell]) -> String {
    let cells: Vec<Value> = (1..).zip(cells).map(|(n, cell)| written(n, cell)).collect();
    let notebook = json!({
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    format!("{notebook:#}\n")
}

fn written(number: usize, cell: &NotebookCell) -> Value {
    let (kind, text) = match cell {
        NotebookCell::Markdown(text) => ("markdown", text),
        NotebookCell::Code(text) => ("code", text),
    };
    let mut members = Map::new();
    members.insert("cell_type".to_owned(), kind.into());
    if kind == "code" {
        members.insert("execution_count".to_owned(), Value::Null);
    }
    members.insert("id".to_owned(), format!("cell-{number}").into());
    members.insert("metadata".to_owned(), Map::new().into());
    if kind == "code" {
        members.insert("outputs".to_owned(), Value::Array(Vec::new()));
    }
    members.insert("source".to_owned(), lines(text));
    Value::Object(members)
}

/// Lines, each with its end but for the last: the form in which differences between two
/// versions of a notebook can be read.
fn lines(text: &str) -> Value {
    text.trim_end_matches('\n')
        .split_inclusive('\n')
        .map(Value::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_what_the_format_asks_of_their_kind() {
        let text = render(&[
            NotebookCell::Markdown("# A title\n\nwith \"words\"\n".to_owned()),
            NotebookCell::Code("x = 1\nprint(x)".to_owned()),
            NotebookCell::Code("".to_owned()),
        ]);
        let notebook: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&notebook["nbformat"], &notebook["nbformat_minor"]),
            (&json!(4), &json!(5))
        );
        let cells = notebook["cells"].as_array().unwrap();
        assert_eq!(
            cells[0],
            json!({
                "cell_type": "markdown",
                "id": "cell-1",
                "metadata": {},
                "source": ["# A title\n", "\n", "with \"words\""],
            })
        );
        assert_eq!(
            cells[1],
            json!({
                "cell_type": "code",
                "execution_count": null,
                "id": "cell-2",
                "metadata": {},
                "outputs": [],
                "source": ["x = 1\n", "print(x)"],
            })
        );
        assert_eq!(cells[2]["source"], json!([]));
        assert!(text.ends_with("}\n") && text.starts_with("{\n  \"cells\": [\n    {"));
    }

    #[test]
    fn a_notebook_without_cells_is_one() {
        let notebook: Value = serde_json::from_str(&render(&[])).unwrap();
        assert_eq!(notebook["cells"], json!([]));
    }
}
