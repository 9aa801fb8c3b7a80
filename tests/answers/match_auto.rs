//! Which normaliser is taken where none is named: a function of all golds of a data set.

use serde_json::{Value, json};

use crate::answers::data::{efficiency, lines, matched, method, notes, printed, row};
use crate::support::{Place, gzip};

/// The normaliser that is taken for these golds.
#[track_caller]
fn taken(golds: &[&str]) -> String {
    let rows: Vec<Value> = golds.iter().map(|gold| row(*gold, "q")).collect();
    let (report, _) = matched(&Place::new(), &rows, "");
    let taken = report["normalizer"].as_str().expect("a name").to_owned();
    assert_eq!(report["files"][0]["normalizer"], taken.as_str());
    taken
}

#[test]
fn text_is_not_squeezed_into_other_words() {
    assert_eq!(method("the rapist", "therapist", ""), "undecided");
    assert_eq!(method("the rapist", "The  Rapist", ""), "exact");
    // Who asks for it gets it.
    assert_eq!(
        method("the rapist", "therapist", "--normalizer atl"),
        "exact"
    );
    let named = "--normalizer auto";
    assert_eq!(method("the rapist", "therapist", named), "undecided");
}

#[test]
fn formulas_are_formulas_if_all_are() {
    for golds in [
        &["<<A>>F p"][..],
        &["<<A>>F p", "p", "at(r1, hall)"],
        &["p && q", "p and q"],
        &["<<A>>F p", "", "  "],
        &["p -> q"],
        &["[[A]] X p"],
        &["F p", "G (p)", "p U q"],
    ] {
        assert_eq!(taken(golds), "atl", "{golds:?}");
    }
}

/// Who has one row more may be compared in another way, and no value of theirs compares.
#[test]
fn a_data_set_that_is_compared_in_two_ways_is_told() {
    let place = Place::new();
    let mut rows = vec![row("<<A>>F (p && q)", "<<A>>F (q && p)")];
    rows[0]["dataset"] = json!("D");
    place.write("small.jsonl", lines(&rows));
    rows.push(row("the end", "the end"));
    rows[1]["dataset"] = json!("D");
    place.write("big.jsonl", lines(&rows));
    let said = "data set D: compared as atl and as text in different files";
    let run = "match -p small.jsonl -p big.jsonl --run";
    place.judica(&format!("{run} run")).exits(0).says(&[said]);
    place.judica(&format!("{run} pieces --part 1/1")).exits(0);
    place.judica("finish pieces").exits(0);
    let notes = |run: &str| place.json(&format!("{run}/report.json"))["notes"].clone();
    assert_eq!(notes("run"), notes("pieces"));
    let named = place
        .judica(&format!("{run} run --normalizer text"))
        .exits(0);
    assert!(!named.stdout.contains("compared as"), "{}", named.stdout);
}

#[test]
fn words_that_could_be_propositions_are_text() {
    for golds in [
        &["yes", "no"][..],
        &["Paris"],
        &["p"],
        &["A", "B", "C", "D"],
        &["3", "4.5"],
        &["salt and pepper", "not sure", "true or false"],
        &["next Monday", "closed until tomorrow"],
        &["AT&T", "Rock & Roll"],
        &["yes", "X ray"],
        &["", ""],
        &["<<A>>F p", "<<A>>G p", "to be or not to be"],
        &["I am unable to say", "<<A>>F p"],
    ] {
        assert_eq!(taken(golds), "text", "{golds:?}");
    }
}

#[test]
fn the_last_gold_counts_as_much_as_the_first() {
    let place = Place::new();
    let mut rows = vec![row("<<A>>F p", "<<A>>Fp"); 3000];
    place.write("preds/a.jsonl", lines(&rows));
    // A gold counts though its row cannot be used for want of a prediction.
    rows.push(json!({"gold": "the rapist"}));
    place.write("preds/b.jsonl", lines(&rows));
    place.write("preds/c.json", json!({"predictions": rows}).to_string());
    let mut outcomes = Vec::new();
    for threads in [1, 2, 5] {
        let line = format!(
            "match -p preds --threads {threads} --json --details d.jsonl --rejects r.jsonl"
        );
        let said = place.judica(&line).exits(0).stdout;
        outcomes.push((said, place.read("d.jsonl")));
    }
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]));
    let report: Value = serde_json::from_str(&outcomes[0].0).expect("JSON");
    let files = report["files"].as_array().expect("files");
    let told: Vec<Value> = files
        .iter()
        .map(|file| json!([file["dataset"], file["normalizer"], file["counts"]["exact"]]))
        .collect();
    let expected = [
        json!(["a", "atl", 3000]),
        json!(["b", "text", 0]),
        json!(["c", "text", 0]),
    ];
    assert_eq!(told, expected);
    assert_eq!(report["normalizer"], "auto", "they differ");
    assert!(
        notes(
            &report,
            &[
                "b: compared as text",
                "3000 have a coalition",
                "--normalizer atl"
            ]
        ),
        "{report}"
    );
    // Each line of details is told by what decided.
    let details = place.json_lines("d.jsonl");
    assert_eq!(details.len(), 9000);
    assert_eq!(details[2999]["gold"], "<<a>>fp");
    assert_eq!(details[3000]["gold"], "<<a>>f p");
    place.judica("match -p preds").exits(0).says(&[
        "Match by `auto`",
        "text",
        "atl",
        "compared as text",
    ]);
}

#[test]
fn what_can_be_read_once_only_is_read_once() {
    let place = Place::new();
    let formulas = lines(&[row("<<A>>F p", "<<A>>Fp"), row("p", "p")]);
    let text = lines(&[row("<<A>>F p", "<<A>>Fp"), row("the rapist", "therapist")]);
    for (input, name, exact) in [(&formulas, "atl", 2), (&text, "text", 0)] {
        for bytes in [input.clone().into_bytes(), gzip(input.as_bytes())] {
            let ran = place.judica_with_stdin("match -p - --json", bytes);
            let report = printed(&ran.exits(0));
            assert_eq!(report["normalizer"], name);
            assert_eq!(report["counts"]["exact"], exact);
        }
    }
}

#[test]
fn efficiency_says_by_what_it_compared() {
    let place = Place::new();
    let run = |model: &str, rows: &[Value]| {
        let file = json!({"model": model, "run_id": format!("{model}-1"), "predictions": rows});
        place.write(&format!("preds/{model}.json"), file.to_string());
    };
    run("f", &[row("<<A>>F p", "<<A>>Fp")]);
    run("t", &[row("the rapist", "therapist")]);
    let report = efficiency(&place, "");
    assert_eq!(report["normalizer"], "auto");
    for (at, model, name, accuracy) in [(0, "f", "atl", 1.0), (1, "t", "text", 0.0)] {
        assert_eq!(report["models"][at]["normalizer"], name);
        assert_eq!(report["models"][at]["accuracy"], accuracy);
        assert_eq!(
            report["files"][at],
            json!({
                "file": format!("preds/{model}.json"), "dataset": model, "model": model,
                "run": format!("{model}-1"), "normalizer": name, "judged": null,
            })
        );
    }
    place
        .judica("efficiency -p preds")
        .exits(0)
        .says(&["(text)", "(atl)"]);
    let named = efficiency(&place, "--normalizer atl");
    assert_eq!(named["normalizer"], "atl");
    assert_eq!(named["models"][1]["accuracy"], 1.0);
}
