//! A notebook that reads the report and shows it: the table, bars, and the frontier.
//!
//! The code needs pandas and matplotlib, and nothing of the report needs to be known: a
//! quantity that no model has is left out with a sentence. The numbers are those of the
//! report; nothing is computed again.

use judica_model::notebook::NotebookCell;

/// The cells. `report_file` is the name of the report beside the notebook.
pub fn notebook_cells(report_file: &str) -> Vec<NotebookCell> {
    let markdown = |text: &str| NotebookCell::Markdown(text.to_owned());
    let code = |text: &str| NotebookCell::Code(text.to_owned());
    // A JSON string is a Python string as well.
    let name = serde_json::Value::from(report_file).to_string();
    vec![
        markdown(TITLE),
        NotebookCell::Code(LOAD.replace("REPORT_FILE", &name)),
        code(OVERVIEW),
        markdown("## Notes"),
        code(NOTES),
        markdown("## Accuracy, cost, latency, composite"),
        code(BARS),
        markdown(FRONTIER_TEXT),
        code(FRONTIER),
        markdown("## Rankings"),
        code(RANKINGS),
    ]
}

const TITLE: &str = "\
# Which model is worth its cost?

This notebook shows the efficiency report that lies beside it. It needs pandas and
matplotlib. What the report does not know stays empty: nothing is replaced by 0.";

const LOAD: &str = include_str!("notebook/load.py");
const OVERVIEW: &str = include_str!("notebook/overview.py");
const NOTES: &str = include_str!("notebook/notes.py");
const BARS: &str = include_str!("notebook/bars.py");

const FRONTIER_TEXT: &str = "\
## The frontier

Nobody is both more accurate and cheaper (or faster) than a model on the line. Models off
the line are beaten by one on it.";
const FRONTIER: &str = include_str!("notebook/frontier.py");
const RANKINGS: &str = include_str!("notebook/rankings.py");
