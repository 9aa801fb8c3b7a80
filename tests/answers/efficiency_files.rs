//! The files that `judica efficiency` writes: report, notebook, figures; and its tables.

use std::process::Command;

use serde_json::Value;

use crate::answers::data::three;
use crate::support::{Place, keys, note};

/// Drawing takes its time without optimisation, so one run is looked at from all sides.
#[test]
fn one_run_writes_them_all() {
    let place = three();
    place
        .judica("efficiency -p preds --prices prices.json --out out")
        .exits(0)
        .says(&[
            "Efficiency",
            "Rankings",
            "Pareto frontier",
            "inputs 12 = records 12 + rejects 0",
        ]);
    all_of_them_and_nothing_else(&place);
    figures_are_figures(&place);
    the_notebook_is_a_notebook(&place.json("out/efficiency_report.ipynb"));
    the_notebook_runs(&place);
    let first = place.files("out");
    place
        .judica("efficiency -p preds --prices prices.json --out again")
        .exits(0);
    assert!(first == place.files("again"), "the same bytes again");
}

fn all_of_them_and_nothing_else(place: &Place) {
    let expected = [
        "efficiency_cost.pdf",
        "efficiency_cost.png",
        "efficiency_cost.svg",
        "efficiency_latency.pdf",
        "efficiency_latency.png",
        "efficiency_latency.svg",
        "efficiency_report.ipynb",
        "efficiency_report.json",
    ];
    assert_eq!(place.names("out"), expected);
    let printed = place
        .judica("efficiency -p preds --prices prices.json --json")
        .exits(0)
        .stdout;
    assert_eq!(place.text("out/efficiency_report.json"), printed);
}

fn figures_are_figures(place: &Place) {
    for name in ["efficiency_cost", "efficiency_latency"] {
        let svg = place.text(&format!("out/{name}.svg"));
        let document = roxmltree::Document::parse(&svg).expect("XML");
        assert_eq!(document.root_element().tag_name().name(), "svg");
        let words: String = document
            .descendants()
            .filter_map(|node| node.text())
            .collect();
        for model in ["big", "small", "worse"] {
            assert!(words.contains(model), "{model} in {name}");
        }
        assert!(svg.contains("rows: n = 4 each"), "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        let pdf = place.read(&format!("out/{name}.pdf"));
        assert!(pdf.starts_with(b"%PDF-") && pdf.ends_with(b"%%EOF\n"));
        let png = place.read(&format!("out/{name}.png"));
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(png[12..16], *b"IHDR");
        assert_eq!(png[png.len() - 8..][..4], *b"IEND");
    }
}

#[test]
fn hostile_names_stay_text() {
    let place = Place::new();
    let name = "<script>&\"$x_1$\\end{x}|`\u{202e}";
    let run = crate::answers::data::run(name, 2, 3.0, [1, 1]);
    place.write("preds/a.json", run.to_string());
    place.judica("efficiency -p preds --out out").exits(0);
    let svg = place.text("out/efficiency_latency.svg");
    roxmltree::Document::parse(&svg).expect("XML");
    assert!(!svg.contains("<script>"));
    let notebook = place.json("out/efficiency_report.ipynb");
    assert!(
        !notebook.to_string().contains("<script>"),
        "names stay in the report"
    );
    for format in ["markdown", "latex", "csv"] {
        let line = format!("efficiency -p preds --format {format}");
        let table = place.judica(&line).exits(0).stdout;
        assert!(format != "latex" || !table.contains("\\end{x}"), "{table}");
        assert!(
            format != "markdown" || !table.contains("<script>"),
            "{table}"
        );
    }
}

/// What version 4 of the notebook format requires of every cell.
fn the_notebook_is_a_notebook(notebook: &Value) {
    assert_eq!(
        keys(notebook),
        ["cells", "metadata", "nbformat", "nbformat_minor"]
    );
    assert_eq!(notebook["nbformat"], 4);
    assert_eq!(notebook["nbformat_minor"], 5);
    assert_eq!(notebook["metadata"]["kernelspec"]["name"], "python3");
    let cells = notebook["cells"].as_array().expect("cells");
    let mut ids = Vec::new();
    for cell in cells {
        let id = cell["id"].as_str().expect("an id");
        assert!(!id.is_empty() && id.len() <= 64);
        assert!(
            id.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)),
            "{id}"
        );
        ids.push(id);
        assert!(cell["metadata"].is_object());
        let lines = cell["source"].as_array().expect("lines");
        let (last, others) = lines.split_last().expect("a line");
        assert!(
            others
                .iter()
                .all(|line| line.as_str().is_some_and(|l| l.ends_with('\n')))
        );
        assert!(!last.as_str().expect("a line").ends_with('\n'));
        match cell["cell_type"].as_str().expect("a type") {
            "markdown" => assert!(cell.get("outputs").is_none()),
            "code" => {
                assert_eq!(cell["outputs"], Value::Array(Vec::new()));
                assert!(cell["execution_count"].is_null());
            }
            other => panic!("{other}"),
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), cells.len());
}

/// Runs the cells one after the other, where pandas and matplotlib are installed; where only
/// Python is, its compiler must accept them.
fn the_notebook_runs(place: &Place) {
    const SCRIPT: &str = r#"
import json, sys
cells = [c for c in json.load(open("efficiency_report.ipynb", encoding="utf-8"))["cells"]
         if c["cell_type"] == "code"]
code = [compile("".join(c["source"]), c["id"], "exec") for c in cells]
try:
    import matplotlib, pandas
except ImportError:
    sys.exit()
matplotlib.use("Agg")
space = {"display": lambda *shown: None}
for cell in code:
    exec(cell, space)
"#;
    let run = Command::new("python3")
        .args(["-c", SCRIPT])
        .current_dir(place.path("out"))
        .output();
    let Ok(output) = run else {
        note("python3 is not here, the notebook was not run");
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn tables_for_pages_papers_and_programs() {
    let place = three();
    for (format, words) in [
        ("markdown", ["**Efficiency**", "| model "]),
        ("latex", [r"\begin{tabular}", "big"]),
        ("csv", ["model,rows", "big,4"]),
    ] {
        place
            .judica(&format!(
                "efficiency -p preds --prices prices.json --format {format}"
            ))
            .exits(0)
            .says(&words);
    }
}
