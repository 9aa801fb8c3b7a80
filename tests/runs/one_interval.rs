//! One quantity has one interval, in whichever report it stands.

use serde_json::{Value, json};

use crate::support::Place;

fn json_of(place: &Place, command: &str, code: i32) -> Value {
    let out = place.judica(command).exits(code).stdout;
    serde_json::from_str(&out).expect("JSON")
}

/// The row of a metric in a comparison of a run with itself.
fn compared(place: &Place, command: &str, metric: &str) -> Value {
    let report = json_of(place, command, 0);
    let rows = report["metrics"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["metric"] == metric);
    row.expect("the metric").clone()
}

/// Ten questions, asked six times each; the two differ on every third question.
fn repeated(key: &str) -> Vec<String> {
    let pairs = (0..60).map(|at| {
        let (question, epoch) = (at / 6, at % 6 + 1);
        let label = if question % 3 == 0 { "REJECT" } else { "VALID" };
        let mut line = json!({"scholar": {"label": "VALID"}, "auditor": {"label": label}});
        match key {
            "epoch" => (line["qid"], line["epoch"]) = (json!(format!("q{question}")), json!(epoch)),
            // Of the first nobody says which repeat it is.
            "mixed" if epoch == 1 => line["qid"] = json!(format!("q{question}")),
            "mixed" => {
                (line["qid"], line["model"]) = (json!(format!("q{question}")), json!(epoch));
            }
            _ => {
                line["qid"] = json!(format!("q{at}"));
                line["cluster"] = json!(format!("c{question}"));
            }
        }
        line.to_string()
    });
    pairs.collect()
}

#[test]
fn repeats_of_a_pair_are_one_cluster() {
    for key in ["epoch", "mixed", "cluster"] {
        let place = Place::new();
        let mut lines = repeated(key);
        if key == "mixed" {
            // Repeats before what they repeat.
            lines.reverse();
        }
        place.write_lines("p.jsonl", &lines);
        let report = json_of(&place, "agree pairs --pairs p.jsonl --run run --json", 1);
        let found = &report["metrics"]["percent_agreement"];
        assert_eq!(
            (&found["n"], &found["clusters"]),
            (&json!(60), &json!(10)),
            "{key}"
        );
        let effect = found["design_effect"].as_f64().expect("a design effect");
        assert!(effect > 5.0, "{effect}");
        let own = compared(&place, "compare run run --json", "agree");
        assert_eq!(found["ci"], own["a"]["ci"], "{key}");
        let abstains = &report["metrics"]["scholar_abstain_rate"];
        let own = compared(&place, "compare run run --json", "scholar_abstain_rate");
        assert_eq!(abstains["ci"], own["a"]["ci"], "{key}");
        assert!(
            abstains["ci"][1].as_f64().expect("an end") > 0.2,
            "as of ten"
        );
        // Whichever of the two a gate reads, it says the same.
        let gate = |metric: &str| {
            format!(
                "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"{metric}\"\nlower_bound_at_least = 0.4\n"
            )
        };
        place.write("run.toml", gate("agree"));
        place.write("report.toml", gate("/metrics/percent_agreement"));
        place.judica("gate check run --gates run.toml").exits(1);
        let check = "gate check --report run/report.json --gates report.toml";
        place.judica(check).exits(1);
    }
}

/// Twelve questions, on each of which the two say the same in every one of its repeats.
fn alike(repeats: usize) -> (Vec<String>, Vec<String>) {
    let labels = ["REJECT", "VALID"];
    let said = |question: usize| {
        let turned = question % 4 == 3;
        [
            labels[question % 2],
            labels[(question + usize::from(turned)) % 2],
        ]
    };
    let each = (0..12 * repeats).map(|at| (at % 12, at / 12 + 1));
    let pair = |(question, epoch): (usize, usize)| {
        let [auditor, scholar] = said(question);
        json!({"qid": format!("q{question}"), "epoch": epoch,
               "scholar": {"label": scholar}, "auditor": {"label": auditor}})
        .to_string()
    };
    let row = |(question, epoch): (usize, usize)| {
        let [auditor, scholar] = said(question);
        [("auditor", auditor), ("scholar", scholar)].map(|(rater, value)| {
            json!({"item": format!("q{question}"), "epoch": epoch, "rater": rater, "value": value})
                .to_string()
        })
    };
    (
        each.clone().map(pair).collect(),
        each.flat_map(row).collect(),
    )
}

/// Repeats that say nothing new make no coefficient surer, wherever it is measured.
#[test]
fn coefficients_are_resampled_over_clusters() {
    let place = Place::new();
    let measured = |repeats: usize| {
        let (pairs, rows) = alike(repeats);
        place.write_lines("p.jsonl", &pairs);
        place.write_lines("r.jsonl", &rows);
        let pairs = json_of(&place, "agree pairs --pairs p.jsonl --run pairs --json", 1);
        let ratings = "agree ratings --input r.jsonl --level nominal --run ratings --json";
        let ratings = json_of(&place, ratings, 0);
        (pairs["metrics"].clone(), ratings)
    };
    let (_, once) = measured(1);
    let (pairs, tenfold) = measured(10);
    for coefficient in ["cohen_kappa", "scott_pi", "krippendorff_alpha", "gwet_ac1"] {
        let found = &tenfold[coefficient];
        assert_eq!(found["clusters"], 12, "{coefficient}");
        // α corrects for few ratings, and is another number of more.
        if coefficient != "krippendorff_alpha" {
            assert_eq!(found["ci"], once[coefficient]["ci"], "{coefficient}");
        }
        let own = compared(&place, "compare ratings ratings --json", coefficient);
        assert_eq!(
            (&own["clusters"], &own["a"]["ci"]),
            (&json!(12), &found["ci"])
        );
    }
    assert_eq!(pairs["kappa"]["ci"], tenfold["cohen_kappa"]["ci"]);
    assert_eq!(pairs["kappa"]["clusters"], 12);
    assert_eq!(pairs["kappa_standard_error"]["value"], Value::Null);
    let own = compared(&place, "compare pairs pairs --json", "cohen_kappa");
    assert_eq!(own["a"]["ci"], pairs["kappa"]["ci"]);
}

#[test]
fn two_files_are_as_one() {
    let place = Place::new();
    let lines = repeated("epoch");
    let one_side = |side: &str| -> Vec<String> {
        let of = |line: &String| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            json!({"qid": line["qid"], "epoch": line["epoch"], "label": line[side]["label"]})
                .to_string()
        };
        lines.iter().map(of).collect()
    };
    place.write_lines("p.jsonl", &lines);
    place.write_lines("s.jsonl", &one_side("scholar"));
    place.write_lines("a.jsonl", &one_side("auditor"));
    let merged = json_of(&place, "agree pairs --pairs p.jsonl --json", 1);
    let joined = json_of(
        &place,
        "agree pairs --scholar s.jsonl --auditor a.jsonl --json",
        1,
    );
    assert_eq!(merged["metrics"], joined["metrics"]);
}

#[test]
fn ratings_in_clusters_are_as_their_run_has_them() {
    for key in ["cluster", "epoch"] {
        let place = Place::new();
        let rows = (0..120).map(|at| {
            let (item, rater) = (at / 2, ["a", "b"][at % 2]);
            let question = item / 6;
            let value = rater == "a" || question % 3 != 0;
            match key {
                "cluster" => format!(r#"{{"item": "i{item}", "rater": "{rater}", "value": {value}, "cluster": "c{question}"}}"#),
                _ => format!(r#"{{"item": "i{question}", "rater": "{rater}", "value": {value}, "epoch": {}}}"#, item % 6 + 1),
            }
        });
        place.write_lines("r.jsonl", &rows.collect::<Vec<_>>());
        let command = "agree ratings --input r.jsonl --level nominal --json";
        let report = json_of(&place, &format!("{command} --run run"), 0);
        assert_eq!(
            report,
            json_of(&place, command, 0),
            "a run changes no number"
        );
        let found = &report["percent_agreement"];
        assert_eq!((&found["n"], &found["clusters"]), (&json!(60), &json!(10)));
        assert_eq!(found, &report["pairwise"][0]["percent_agreement"]);
        for metric in ["agreement", "percent_agreement"] {
            let own = compared(&place, "compare run run --json", metric);
            assert_eq!(found["ci"], own["b"]["ci"], "{metric}");
        }
        // What a gate reads of the run is the same, [0.2686, 0.8597].
        let gate = "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"percent_agreement\"\n";
        for (bound, code) in [("0.26", 0), ("0.27", 1)] {
            place.write("g.toml", format!("{gate}lower_bound_at_least = {bound}\n"));
            place.judica("gate check run --gates g.toml").exits(code);
        }
    }
}

#[test]
fn answers_to_one_question_are_one_cluster_of_two_judges() {
    let place = Place::new();
    for judge in ["x", "y"] {
        let rows = (0..60).map(|at| {
            let question = at / 3;
            let right = judge == "x" || question % 4 != 0;
            json!({"id": format!("q{question}"), "input": "i", "gold": "g",
                "prediction": format!("p{at}"), "correct": if right { "yes" } else { "no" }})
        });
        let rows: Vec<Value> = rows.collect();
        let document = json!({"judge_model": judge, "detailed_results": rows});
        place.write(&format!("evm/{judge}/d.json"), document.to_string());
    }
    let report = json_of(&place, "agree judges --eval-dir evm --run run --json", 0);
    let found = &report["overall"]["percent_agreement"];
    assert_eq!((&found["n"], &found["clusters"]), (&json!(60), &json!(20)));
    assert_eq!(found, &report["pairwise"][0]["percent_agreement"]);
    assert_eq!(
        found,
        &report["per_source"][0]["coefficients"]["percent_agreement"]
    );
    // The second says yes wherever the two agree.
    assert_eq!(found["ci"], report["judges"][1]["yes_rate"]["ci"]);
    let own = compared(&place, "compare run run --json", "agreement");
    assert_eq!(found["ci"], own["a"]["ci"]);
}

/// A hundred items of two raters.
fn rated(place: &Place, name: &str, of: fn(usize) -> [usize; 2]) {
    let mut rows = vec!["item,rater,value".to_owned()];
    for at in 0..100 {
        let [a, b] = of(at);
        rows.extend([format!("i{at:03},a,{a}"), format!("i{at:03},b,{b}")]);
    }
    place.write_lines(&format!("{name}.csv"), &rows);
    let command = format!("agree ratings --input {name}.csv --level nominal --run {name}");
    place.judica(&command).exits(0);
}

#[test]
fn a_side_has_the_interval_it_has_by_itself() {
    let place = Place::new();
    rated(&place, "one", |at| {
        [at % 2, if at % 5 > 0 { at % 2 } else { 1 - at % 2 }]
    });
    rated(&place, "two", |at| {
        let a = at / 3 % 2;
        [a, if at % 7 > 0 { a } else { 1 - a }]
    });
    for (side, run) in [("a", "one"), ("b", "two")] {
        let report = place.json(&format!("{run}/report.json"));
        for metric in ["cohen_kappa", "krippendorff_alpha", "percent_agreement"] {
            let row = compared(&place, "compare one two --json", metric);
            assert_eq!(row[side]["ci"], report[metric]["ci"], "{metric} of {run}");
        }
    }
    let [agreement, percent] = ["agreement", "percent_agreement"]
        .map(|metric| compared(&place, "compare one two --json", metric));
    assert_eq!(agreement["difference"], percent["difference"]);
}

/// However many other rows are corrected for.
#[test]
fn one_quantity_has_one_verdict() {
    let place = Place::new();
    let rows = |every: usize| {
        let row = |at: usize| {
            let (question, model) = (at / 2, ["m1", "m2"][at % 2]);
            let every = every + 3 * (at % 2);
            json!({"id": format!("q{question}"), "model": model, "input": "i", "gold": "g",
                "prediction": format!("p{at}"),
                "correct": if question.is_multiple_of(every) { "no" } else { "yes" }})
        };
        Value::from_iter((0..40).map(row))
    };
    for (judge, every) in [("x", 2), ("y", 3)] {
        place.write(&format!("evm/{judge}/d.json"), rows(every).to_string());
    }
    place.write("h.json", rows(7).to_string());
    let command = "agree judges --eval-dir evm --human h.json --run run --json";
    json_of(&place, command, 0);
    let compare = "compare run --subjects m1,m2 --json";
    let rows_of = |command: &str, metrics: [&str; 3]| {
        let report = json_of(&place, command, 0);
        let rows = report["metrics"].as_array().expect("rows").clone();
        metrics.map(|metric| {
            let row = rows.iter().find(|row| row["metric"] == metric);
            row.expect("the metric").clone()
        })
    };
    let metrics = ["agreement", "percent_agreement", "human_accuracy:x"];
    let [agreement, percent, other] = rows_of(compare, metrics);
    assert_ne!(other["p"], other["p_adjusted"], "others are corrected for");
    for key in ["difference", "p_adjusted", "verdict"] {
        assert_eq!(agreement[key], percent[key], "{key}");
    }
    // Whichever of the two is asked to decide.
    let compare = format!("{compare} --metric percent_agreement");
    let [by_other_name, decides, _] = rows_of(&compare, metrics);
    assert_eq!(decides["difference"], agreement["difference"]);
    assert_eq!(by_other_name["verdict"], decides["verdict"]);
}

/// Of three raters, too, how often they agree has one interval, also where they always do.
#[test]
fn agreement_of_three_raters_has_one_interval() {
    let place = Place::new();
    for (name, differ) in [("mixed", true), ("alike", false)] {
        let mut rows = vec!["item,rater,value".to_owned()];
        for at in 0..36 {
            let (item, rater) = (at / 3, at % 3);
            let other = differ && (item % 2 == 0 && rater == 1 || item % 5 == 0 && rater == 2);
            // Of one item only two have said something.
            if at != 20 {
                let value = (item + usize::from(other)) % 3;
                rows.push(format!("i{item:02},r{rater},{value}"));
            }
        }
        place.write_lines("r.csv", &rows);
        let command = format!("agree ratings --input r.csv --level nominal --run {name} --json");
        let report = json_of(&place, &command, 0);
        let [lo, hi] = [0, 1].map(|end| report["percent_agreement"]["ci"][end].clone());
        let gates = ["agreement", "percent_agreement"].map(|metric| {
            format!("[[gate]]\nname = \"{metric}\"\nmetric = \"{metric}\"\nlower_bound_at_least = {lo}\n")
        });
        place.write("g.toml", format!("version = 1\n{}", gates.concat()));
        let command = format!("gate check {name} --gates g.toml --json");
        let held = json_of(&place, &command, 0);
        let of = |at: usize, key: &str| held["gates"][at][key].clone();
        for key in ["value", "note"] {
            assert_eq!(of(0, key), of(1, key), "{name} {key}");
        }
        let shown = |end: &Value| format!("{:.4}", end.as_f64().expect("an end"));
        let both = format!("[{}, {}]", shown(&lo), shown(&hi));
        let ran = place.judica(&format!("show {name}")).exits(0);
        assert!(
            ran.stdout.matches(&both).count() >= 2,
            "{both} {}",
            ran.stdout
        );
    }
    let own = compared(&place, "compare alike alike --json", "agreement");
    let alike = place.json("alike/report.json");
    assert_eq!(own["a"]["ci"], alike["percent_agreement"]["ci"]);
    assert_eq!(own["verdict"], "no difference");
}

#[test]
fn judges_of_one_question_are_corrected_without_an_interval() {
    let place = Place::new();
    let row = |at: usize, every: usize| {
        json!({"id": "q", "input": at.to_string(), "gold": "g", "prediction": "p",
            "correct": if at.is_multiple_of(every) { "no" } else { "yes" }})
    };
    let write = |labels: usize| {
        let rows: Vec<Value> = (0..102).map(|at| row(at, 3)).collect();
        let document = json!({"judge_model": "j", "detailed_results": rows});
        place.write("evm/j/d.json", document.to_string());
        let people: Vec<Value> = (0..labels).map(|at| row(at, 4)).collect();
        place.write("h.json", Value::from(people).to_string());
    };
    let command = "agree judges --eval-dir evm --human h.json --out x.json --json";
    write(100);
    let report = json_of(&place, command, 0);
    let corrected = &report["human"]["corrected"]["judges"][0];
    for key in ["prediction_powered", "rogan_gladen"] {
        let found = &corrected[key];
        assert!(
            found["value"].is_number() && found["ci"].is_null(),
            "{found}"
        );
        assert_eq!(found["ci_undefined"], "one cluster has no interval");
        assert!(found.get("se").is_none_or(Value::is_null), "{found}");
    }
    // Who labelled everything needs no correction, and there is nothing to be sure of.
    write(102);
    let report = json_of(&place, command, 0);
    let found = &report["human"]["corrected"]["judges"][0]["rogan_gladen"];
    assert!(
        found["value"].is_number() && found["ci"].is_null(),
        "{found}"
    );
    let why = "people labelled everything it judged: see `labels_alone`";
    assert_eq!(found["ci_undefined"], why);
}
