//! Comparisons as people ask for them: of many, unpaired, drawn.

use crate::support::Place;

/// A run of forty items of which so many are right.
fn run(place: &Place, name: &str, first: usize, right: usize) {
    let rows: Vec<String> = (first..first + 40)
        .map(|at| {
            let said = if at - first < right { "a" } else { "b" };
            format!(r#"{{"id": "q{at}", "gold": "a", "prediction": "{said}"}}"#)
        })
        .collect();
    place.write_lines(&format!("{name}.jsonl"), &rows);
    place
        .judica(&format!("match --predictions {name}.jsonl --run {name}"))
        .exits(0);
}

#[test]
fn runs_without_a_common_item_must_be_meant() {
    let place = Place::new();
    run(&place, "one", 0, 36);
    run(&place, "other", 100, 12);
    let refused = place.judica("compare one other --json").exits(2);
    let refused = refused.complains(&["no item is common", "--unpaired"]);
    let meant = place.judica("compare one other --unpaired --json").exits(0);
    assert_eq!(
        refused.stdout, meant.stdout,
        "the numbers are there either way"
    );
    let report: serde_json::Value = serde_json::from_str(&meant.stdout).unwrap();
    assert_eq!(report["unpaired"], true);
    assert_eq!(report["metrics"][0]["verdict"], "worse");
    assert!(report["metrics"][0]["p"].is_null());
    let worse = "compare one other --unpaired --fail-if-worse";
    place.judica(worse).exits(1);
    // A gate asks for items that both have, whatever anybody means.
    let gate =
        "version = 1\n[[gate]]\nname = \"held\"\nmetric = \"matched\"\nno_worse_than = 0.9\n";
    place.write("gates.toml", gate);
    let gate = "gate check other --gates gates.toml --baseline one";
    let refused = place.judica(gate).exits(2);
    refused.complains(&["no item in common"]);
    place.judica("plan one other --difference 0.1").exits(2);
}

#[test]
fn many_sides_are_held_against_the_first_or_against_each_other() {
    let place = Place::new();
    for (name, right) in [("x", 20), ("y", 34), ("z", 35)] {
        run(&place, name, 0, right);
    }
    let found = place.judica("compare x y z --forest all.svg").exits(0);
    found.says(&[
        "every b against a = x",
        "b = z (z) against a = x",
        "for 2 (Bonferroni)",
    ]);
    assert!(place.text("all.svg").contains("better"));
    assert!(place.text("all.svg").contains("aria-label=\"n = 40\""));
    let found = place
        .judica("compare x y z --matrix --forest m.png")
        .exits(0);
    found.says(&[
        "row less column",
        "for 3 (Bonferroni)",
        "+0.3500 >",
        "-0.3500 <",
        "+0.0250 =",
    ]);
    assert!(place.read("m.png").starts_with(b"\x89PNG"));
    let found = place.judica("compare x y z --matrix --json").exits(0);
    let report: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let last = report["metrics"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["against"], &last["side"]), (&1.into(), &2.into()));
    place.judica("compare x y --forest f.gif").exits(2);
    // A size that will not do is told before anything is.
    let told = place
        .judica("compare x y --forest f.svg --width 120")
        .exits(2);
    assert!(told.stdout.is_empty() && !place.path("f.svg").exists());
    told.complains(&["--width 120", "at least"]);
}

#[test]
fn gates_against_a_run_as_init_writes_them() {
    let place = Place::new();
    let many = |name: &str, right: usize| {
        let rows: Vec<String> = (0..400)
            .map(|at| {
                let said = if at < right { "a" } else { "b" };
                format!(r#"{{"id": "q{at}", "gold": "a", "prediction": "{said}"}}"#)
            })
            .collect();
        place.write_lines("m.jsonl", &rows);
        let command = format!("match --predictions m.jsonl --run {name}");
        place.judica(&command).exits(0);
    };
    many("before", 360);
    many("after", 330);
    std::fs::create_dir(place.path("ci")).unwrap();
    place
        .judica("gate init before --out ci/gates.toml")
        .exits(0);
    let gates = place.text("ci/gates.toml");
    assert!(gates.contains("\nno_worse_than = 0.02\n"), "{gates}");
    assert!(!gates.contains("\nbaseline"), "{gates}");
    let check = "gate check before --gates ci/gates.toml";
    place.judica(check).exits(2).complains(&["--baseline"]);
    let check = "gate check after --gates ci/gates.toml --baseline before";
    place.judica(check).exits(1).says(&[
        "against before",
        "paired on 400",
        "is at least -0.0996324",
    ]);
    // What is worse does not pass because the file was made from it.
    place.judica("gate init after --out own.toml").exits(0);
    let check = "gate check after --gates own.toml --baseline before";
    place.judica(check).exits(1).says(&["-0.0996324"]);
    let check = "gate check before --gates own.toml --baseline after";
    place.judica(check).exits(0).says(&["is no worse"]);
    std::fs::hard_link(place.path("after/report.json"), place.path("linked.json")).unwrap();
    for itself in ["after", "./after", "before/../after", "linked.json"] {
        let check = format!("gate check after --gates own.toml --baseline {itself}");
        let refused = place.judica(&check).exits(2);
        refused.complains(&["own.toml:", "never worse than itself"]);
    }
    let own = "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"matched\"\nno_worse_than = 0.02\n";
    place.write("ci/own.toml", format!("{own}baseline = \"../before\"\n"));
    let refused = place.judica("gate check before --gates ci/own.toml --baseline after");
    refused.exits(2).complains(&["never worse than itself"]);
    let named = place.judica("gate check after --gates ci/own.toml --baseline after --json");
    let named = named.exits(1).stdout;
    assert!(named.contains("against ../before; "), "{named}");
    assert!(named.contains("\"baseline\": null"), "{named}");
    // Of too few the same answers would not show it, so the file does not ask.
    run(&place, "few", 0, 36);
    place.judica("gate init few --out few.toml").exits(0);
    assert!(place.text("few.toml").contains("# no_worse_than = 0.02"));
    place.judica("gate check few --gates few.toml").exits(0);
    // How many there must be, and an interval that must exist.
    run(&place, "again", 0, 36);
    let gate = |rule: &str| {
        let text = format!("version = 1\n[[gate]]\nname = \"g\"\nmetric = \"matched\"\n{rule}\n");
        place.write("g.toml", text);
        place.judica("gate check few --gates g.toml --baseline again")
    };
    gate("op = \">=\"\nthreshold = 0.5\nmin_n = 40").exits(0);
    let few = "op = \">=\"\nthreshold = 0.5\nmin_n = 41";
    gate(few).exits(1).says(&["rests on 40 items"]);
    gate("no_worse_than = 0.5\nmin_n = 41").exits(1);
    gate("lower_bound_at_least = 0.5").exits(0);
    let both = "lower_bound_at_least = 0.5\nthreshold = 0.5";
    gate(both).exits(2).complains(&["says it all"]);
    gate("op = \">=\"\nthreshold = 0.5\nmin_n = 0").exits(2);
}

/// A run of so many predicted numbers.
fn numbers(place: &Place, name: &str, predicted: &[f64]) {
    let rows: Vec<String> = (0..)
        .zip(predicted)
        .map(|(at, said): (usize, _)| {
            format!(
                r#"{{"id": "q{at}", "gold": "0", "prediction": "{said:e}", "score": {said:e}}}"#
            )
        })
        .collect();
    place.write_lines(&format!("{name}.jsonl"), &rows);
    let command = format!("match --predictions {name}.jsonl --normalizer number --run {name}");
    place.judica(&command).exits(0);
}

fn report(place: &Place, command: &str) -> serde_json::Value {
    serde_json::from_str(&place.judica(command).exits(0).stdout).expect("JSON")
}

#[test]
fn gates_of_a_run_hold_the_next_one_though_its_file_is_called_otherwise() {
    let place = Place::new();
    run(&place, "old", 0, 36);
    run(&place, "new", 0, 12);
    place.judica("gate init old --out g.toml").exits(0);
    let check = "gate check new --gates g.toml --baseline old";
    place
        .judica(check)
        .exits(1)
        .says(&["matched", "0.3", "FAIL"]);
}

#[test]
fn a_difference_is_resampled_as_often_as_its_level_asks() {
    let place = Place::new();
    // Three to ten judgments of each of sixty answers: on none do raters just agree or not.
    for (name, step) in [("one", 7), ("two", 11)] {
        let rows: Vec<String> = (0..600)
            .map(|at| (at / 10, at % 10))
            .filter(|(item, rater)| *rater < 3 + item % 8)
            .map(|(item, rater)| {
                let value = (item * item * step / (rater + 1)) % 3;
                format!(r#"{{"item": "i{item}", "rater": "r{rater}", "value": "v{value}"}}"#)
            })
            .collect();
        place.write_lines(&format!("{name}.jsonl"), &rows);
        let command = "agree ratings --level nominal --resamples 50";
        place
            .judica(&format!("{command} --input {name}.jsonl --run {name}"))
            .exits(0);
    }
    let of = |more: &str| {
        let found = report(&place, &format!("compare one two --json {more}"));
        let row = found["metrics"][0].clone();
        assert_eq!(
            (&row["metric"], &row["kind"]),
            (&"agreement".into(), &"rate".into())
        );
        row["difference"]["ci"].clone()
    };
    // 100 / 0.05, although 1 - 0.95 is a little more than that.
    assert_eq!(of(""), of("--resamples 2000"));
    assert_ne!(of(""), of("--resamples 2001"));
}

#[test]
fn who_has_nothing_in_common_is_named() {
    let place = Place::new();
    run(&place, "one", 0, 30);
    run(&place, "copy", 0, 20);
    run(&place, "other", 100, 10);
    let refused = place.judica("compare one copy other --json").exits(2);
    let refused = refused.complains(&["no item is common to one (one) and other (other),"]);
    assert!(!refused.stderr.contains("copy"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_told_says_why() {
    let place = Place::new();
    run(&place, "one", 0, 30);
    let found = report(&place, "compare one one --json --difference 0.01");
    let row = &found["metrics"][0];
    assert!(row["smallest_detectable"].is_null());
    let why = "no variation among 40 items";
    assert_eq!(row["smallest_detectable_undefined"], why);
    // So many items nobody has.
    run(&place, "two", 0, 20);
    for command in [
        "compare one two --json --difference 1e-300",
        "plan one --json --difference 1e-300",
    ] {
        let found = report(&place, command);
        let row = found["metrics"].get(0).unwrap_or(&found);
        assert!(row["items_needed"].is_null(), "{row}");
        let why = row
            .get("items_needed_undefined")
            .unwrap_or(&row["undefined"]);
        assert_eq!(*why, "more items would be needed than can be counted");
        assert!(
            row.get("repeats")
                .is_none_or(|rows| rows == &serde_json::json!([]))
        );
    }
}

#[test]
fn the_table_says_how_many_items_a_difference_takes() {
    let place = Place::new();
    for (name, right) in [("x", 20), ("y", 34), ("z", 35)] {
        run(&place, name, 0, right);
    }
    let plan = report(&place, "plan x y --json --difference 0.1");
    let takes = format!(
        "a difference of 0.1 four times out of five takes {} items",
        plan["items_needed"]
    );
    for asked in ["--difference 0.1", "--margin 0.1"] {
        let found = place.judica(&format!("compare x y {asked}")).exits(0);
        found.says(&[&takes]);
    }
    let found = place.judica("compare x y z --matrix --difference 0.1");
    found.exits(0).says(&["which take the most: to see a"]);
    let found = place.judica("compare x x --difference 0.1").exits(0);
    found.says(&["cannot be told: no variation among 40 items"]);
    for command in ["compare", "plan"] {
        for bad in ["0", "-1", "nan"] {
            let line = format!("{command} x y --difference {bad}");
            let refused = place.judica(&line).exits(2);
            let refused = refused.complains(&["a finite number above 0"]);
            assert!(!refused.stderr.contains("'-- "), "{}", refused.stderr);
        }
    }
    // A test sees what is not there as often as its level says.
    for power in ["0.01", "0.05"] {
        let line = format!("plan x y --difference 0.1 --power {power}");
        let refused = place.judica(&line).exits(2);
        refused.complains(&["above --alpha is needed", "0.05 of the time"]);
    }
    let found = place.judica("plan x y --difference 1e-300").exits(0);
    found.says(&["a difference of 1e-300 in"]);
}

#[test]
fn small_errors_have_a_root() {
    let place = Place::new();
    numbers(&place, "small", &[1e-200, 2e-200, 9e-200]);
    let found = place.json("small/report.json");
    let found = &found["numbers"];
    let number = |key: &str, of: &str| found[key][of].as_f64().expect("a number");
    let root = (86.0_f64 / 3.0).sqrt() * 1e-200;
    assert!(
        (number("rmse", "value") / root - 1.0).abs() < 1e-12,
        "{found}"
    );
    assert!(number("rmse", "value") >= number("mae", "value"));
    assert!(number("rmse", "se") > 0.0 && number("mae", "se") > 0.0);
    // A mean of large numbers that differ by little still varies.
    numbers(&place, "large", &[1e15, 1e15 + 599.0]);
    let found = place.json("large/report.json");
    let mean = &found["numbers"]["bias"];
    assert!(mean["ci"].is_array(), "{mean}");
    assert_eq!(mean["se"], 299.5);
}

/// A run of scores as a table has them: item, epoch and value.
fn table(place: &Place, name: &str, rows: impl Iterator<Item = (usize, usize, f64)>) {
    let rows: Vec<String> = std::iter::once("item,epoch,s".to_owned())
        .chain(rows.map(|(item, epoch, value)| format!("q{item},{epoch},{value:?}")))
        .collect();
    place.write_lines(&format!("{name}.csv"), &rows);
    place
        .judica(&format!(
            "import {name}.csv --as table --item item --metric s --subject m --dataset d --run {name}"
        ))
        .exits(0);
}

#[test]
fn a_drop_that_is_the_same_everywhere_is_a_drop() {
    let rate = |value: f64| (0..20).map(move |n| (n / 2, n % 2 + 1, value));
    let mean = |from: f64, less: f64| (0..30).map(move |n| (n, 1, from + 0.37 * n as f64 - less));
    for (name, lost) in [("rates", 1.0), ("means", 0.2), ("large", 0.1)] {
        let place = Place::new();
        match name {
            "rates" => {
                table(&place, "a", rate(1.0));
                table(&place, "b", rate(0.0));
            }
            "means" => {
                table(&place, "a", mean(0.5, 0.0));
                table(&place, "b", mean(0.5, lost));
            }
            _ => {
                table(&place, "a", mean(1e6, 0.0));
                table(&place, "b", mean(1e6, lost));
            }
        }
        place.judica("compare a b --fail-if-worse").exits(1);
        let command = |margin: f64| {
            format!("compare a b --json --fail-if-worse --margin {margin} --difference 0.05")
        };
        let ran = place.judica(&command(lost / 2.0)).exits(1);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let row = &report["metrics"][0];
        assert_eq!(
            (&row["verdict"], &row["borderline"]),
            (&"worse".into(), &false.into())
        );
        assert!(row["p"].as_f64().unwrap() < 0.01, "{name}");
        assert_eq!(row["difference"]["se"], 0.0, "{name}");
        assert!(row["difference"]["ci"].is_null(), "{name}");
        for why in ["smallest_detectable_undefined", "items_needed_undefined"] {
            let why = row[why].as_str().unwrap();
            assert!(why.starts_with("no variation among"), "{name}: {why}");
        }
        // What all lost alike, others may lose or not: there is no bound, and no pass.
        let bound = &row["no_worse_than"];
        assert!(bound["lower"].is_null() && bound["pass"].is_null(), "{row}");
        let why = bound["undefined"].as_str().unwrap();
        assert!(why.starts_with("no variation among"), "{name}: {why}");
        place.judica(&command(lost * 1.5)).exits(1);
        let gates =
            "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"s\"\nop = \"no_significant_drop\"\n";
        place.write("gates.toml", gates);
        place
            .judica("gate check b --gates gates.toml --baseline a")
            .exits(1);
    }
}

#[test]
fn rates_that_never_differ_in_clusters_have_an_interval() {
    let place = Place::new();
    for name in ["a", "b"] {
        table(&place, name, (0..20).map(|n| (n / 2, n % 2 + 1, 1.0)));
    }
    let report = report(&place, "compare a b --json --margin 0");
    let row = &report["metrics"][0];
    let ci = row["difference"]["ci"].as_array().unwrap();
    assert_eq!(ci[0].as_f64(), ci[1].as_f64().map(|hi| -hi));
    assert_eq!(row["verdict"], "no difference");
    let why = row["items_needed_undefined"].as_str().unwrap();
    assert!(why.contains("difference of 0"), "{why}");
}

#[test]
fn sides_hold_the_same_for_the_better() {
    let place = Place::new();
    table(&place, "a", (0..3).map(|n| (n, 1, n as f64)));
    place
        .judica(
            "import a.csv --as table --item item --metric s:lower --subject m --dataset d --run b",
        )
        .exits(0);
    for line in ["compare a b", "compare b a", "plan a b --difference 1"] {
        let refused = place.judica(line).exits(2);
        refused.complains(&["of `s`", "higher is better in a", "lower is better in b"]);
    }
}

#[test]
fn the_agreement_of_many_raters_has_one_interval_under_both_names() {
    let place = Place::new();
    for (name, odd) in [("a", 3), ("b", 5)] {
        let label = |item: usize, rater: usize| usize::from((item * rater + item) % odd == 1);
        let rows = (0..30).flat_map(|item| (0..4).map(move |rater| (item, rater)));
        let rows = rows.map(|(item, rater)| format!("q{item},r{rater},{}", label(item, rater)));
        let rows: Vec<String> = std::iter::once("item,rater,value".to_owned())
            .chain(rows)
            .collect();
        place.write_lines(&format!("{name}.csv"), &rows);
        let line = format!("agree ratings --input {name}.csv --level nominal --run {name}");
        place.judica(&line).exits(0);
    }
    let found = report(&place, "compare a b --json");
    let row = |name: &str| {
        let mut rows = found["metrics"].as_array().unwrap().iter();
        rows.find(|row| row["metric"] == name).unwrap().clone()
    };
    let (agreement, percent) = (row("agreement"), row("percent_agreement"));
    for side in ["a", "b"] {
        assert!(agreement[side]["ci"].is_array(), "{agreement}");
        assert_eq!(agreement[side], percent[side]);
    }
    let [one, other] = [&agreement, &percent].map(|row| &row["difference"]["value"]);
    assert_eq!(one, other);
    // A coefficient has no test, and no plan can be made of it.
    assert!(agreement["p"].is_null());
    let plan = report(&place, "plan a b --json --difference 0.1");
    assert_eq!(
        plan["undefined"],
        "a coefficient is resampled, and has an interval alone"
    );
}

#[test]
fn what_cannot_be_added_up_or_bounded_says_so() {
    let place = Place::new();
    table(&place, "huge", (0..3).map(|n| (n, 1, 1e308)));
    table(&place, "small", (0..3).map(|n| (n, 1, n as f64)));
    let huge = report(&place, "compare huge small --json");
    let row = &huge["metrics"][0];
    for part in [&row["a"], &row["b"], &row["difference"]] {
        assert_eq!(part["undefined"], "its values are too large to be added up");
    }
    let loose = report(&place, "compare small small --json --alpha 0.6 --margin 1");
    let bound = &loose["metrics"][0]["no_worse_than"];
    assert_eq!(
        bound["undefined"],
        serde_json::Value::Null,
        "nothing differs"
    );
    table(&place, "one", std::iter::once((9, 1, 0.5)));
    let apart = report(&place, "compare one small --unpaired --json");
    let row = &apart["metrics"][0];
    assert_eq!(row["clusters"], 4);
    assert_eq!(
        row["difference"]["se_undefined"],
        "one cluster on a side has none"
    );
}

#[test]
fn a_plan_asks_for_as_many_items_as_showed_it() {
    let place = Place::new();
    // Items of very different sizes: every item says one thing, some of them often.
    let sizes = [20, 15, 10].into_iter().chain(std::iter::repeat_n(1, 20));
    let rows = sizes
        .enumerate()
        .flat_map(|(item, size)| (1..=size).map(move |epoch| (item, epoch, (item * 7 % 5) as f64)));
    table(&place, "a", rows);
    let plan = |difference: f64| {
        report(
            &place,
            &format!("plan a --json --difference {difference:?}"),
        )
    };
    let smallest = plan(0.5)["smallest_detectable"].as_f64().unwrap();
    // A little more, so that rounding does not ask for one item more.
    let again = plan(smallest * (1.0 + 1e-9));
    assert_eq!(again["clusters_needed"], again["clusters"]);
    assert_eq!(again["clusters"], 23);
    // Records, as in a comparison.
    assert_eq!(
        (&again["items_needed"], &again["n"]),
        (&65.into(), &65.into())
    );
    let said = place.judica("plan a --difference 0.5").exits(0);
    said.says(&[
        "records per cluster",
        "65 records of 23 clusters were looked at",
    ]);
    assert!(again["notes"].to_string().contains("a guess"), "{again}");
}
