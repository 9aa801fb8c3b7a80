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
    assert!(
        gates.contains("no_worse_than = 0.02\nbaseline = \"../before\""),
        "{gates}"
    );
    let check = "gate check before --gates ci/gates.toml";
    place.judica(check).exits(0).says(&["is no worse"]);
    let check = "gate check after --gates ci/gates.toml";
    place
        .judica(check)
        .exits(1)
        .says(&["paired on 400", "change is at least -0.0996324"]);
    // Of too few the same answers would not show it, so the file does not ask.
    run(&place, "few", 0, 36);
    place.judica("gate init few --out few.toml").exits(0);
    assert!(place.text("few.toml").contains("# no_worse_than = 0.02"));
    place.judica("gate check few --gates few.toml").exits(0);
    // How many there must be, and an interval that must exist.
    let gate = |rule: &str| {
        let text = format!("version = 1\n[[gate]]\nname = \"g\"\nmetric = \"matched\"\n{rule}\n");
        place.write("g.toml", text);
        place.judica("gate check few --gates g.toml --baseline few")
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
