//! Tables for a paper: LaTeX sets them, and they fit the page.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Place;
use crate::support::needs::{Needs, on_path};

const LATEX: Needs = Needs {
    suite: "tables that LaTeX sets",
    missing: "there is no pdflatex with booktabs",
    variable: "JUDICA_LATEX",
    packages: &["texlive-latex-base", "texlive-latex-recommended"],
};

fn pdflatex() -> Option<PathBuf> {
    on_path("pdflatex")
}

/// A plain article at 10 pt, with nothing but what the tables say they need.
#[track_caller]
fn fits(place: &Place, pdflatex: &Path, tables: &str, what: &str) {
    let name = "paper";
    let document = format!(
        "\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{tables}\n\\end{{document}}\n"
    );
    place.write(&format!("{name}.tex"), document);
    let set = Command::new(pdflatex)
        .args(["-interaction=nonstopmode", "-halt-on-error", name])
        .current_dir(place.path("."))
        .output()
        .expect("pdflatex starts");
    let log = String::from_utf8_lossy(&place.read(&format!("{name}.log"))).into_owned();
    let wrong = |line: &&str| line.starts_with('!') || line.starts_with("Overfull");
    let wrong: Vec<&str> = log.lines().filter(wrong).collect();
    assert!(
        set.status.success() && wrong.is_empty(),
        "{what}: {wrong:?}\n{tables}"
    );
}

#[test]
fn the_tables_of_runs_fit_an_article() {
    let Some(pdflatex) = LATEX.met(pdflatex) else {
        return;
    };
    let place = Place::new();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    place.judica("demo --samples 60 --out flight").exits(0);
    place
        .judica("demo --samples 60 --protocol flight-dimensions --out dimensions")
        .exits(0);
    place
        .judica(&format!(
            "match --predictions {docs}/answers/predictions --run answers"
        ))
        .exits(0);
    let judges = format!(
        "agree judges --eval-dir {docs}/agreement/judges --human {docs}/agreement/human.json --run judges"
    );
    place.judica(&judges).exits(0);
    for run in ["flight/run", "dimensions/run", "answers", "judges"] {
        let tables = place
            .judica(&format!("export {run} --format latex"))
            .exits(0)
            .stdout;
        assert!(
            tables.starts_with("% needs \\usepackage{booktabs}"),
            "{tables}"
        );
        fits(&place, &pdflatex, &tables, run);
    }
    for line in [
        "compare flight/run --subjects rate-limited-1,format-breaking-1",
        "plan flight/run --subjects accurate-1,noisy-1 --difference 0.5",
    ] {
        let tables = place
            .judica(&format!("{line} --format latex"))
            .exits(0)
            .stdout;
        fits(&place, &pdflatex, &tables, line);
    }
}
