//! Judges against people.

use serde_json::{Value, json};

use crate::agree_judges::data::{
    JUDGES, gzip, is, judge, measured, notes, panel, report, rows, three, three_annotations,
};
use crate::support::Place;

/// The three judges, with people's annotations in `human.json`.
fn with_people(annotations: &Value) -> Place {
    let place = three();
    place.write("human.json", annotations.to_string());
    place
}

#[track_caller]
fn compared(place: &Place, human: &str) -> Value {
    measured(place, &format!("--human {human}"))["human"].clone()
}

/// People say yynnn of the first data set and nny of the second. ana errs on the third
/// item, ben on the seventh (the second of the second data set), cal on three of seven.
#[test]
fn judges_one_by_one() {
    let human = compared(&with_people(&three_annotations()), "human.json");
    assert_eq!([&human["annotations"], &human["matched_items"]], [8, 8]);
    // ana: yes to 4 of 8, people to 3, by chance 1/2. ben the same. cal: yes to 4 of 7,
    // people to 3, by chance 24/49, observed 28/49.
    let expected = [
        ("ana", 8, 7, 0.75),
        ("ben", 8, 7, 0.75),
        ("cal", 7, 4, 4.0 / 25.0),
    ];
    let judges = human["accuracy"].as_array().expect("judges");
    assert_eq!(judges.len(), 3);
    for (judge, (name, n, correct, kappa)) in judges.iter().zip(expected) {
        assert_eq!(judge["judge"], name);
        assert_eq!([&judge["n"], &judge["correct"]], [n, correct]);
        is(&judge["accuracy"], f64::from(correct) / f64::from(n));
        is(&judge["kappa"], kappa);
        let wilson = wilson(f64::from(correct), f64::from(n));
        for (at, end) in wilson.into_iter().enumerate() {
            let found = judge["accuracy"]["ci"][at].as_f64().expect("an end");
            assert!((found - end).abs() < 1e-6, "{found}, not {end}");
        }
    }
}

/// Wilson's interval for a share, 95 %.
fn wilson(correct: f64, n: f64) -> [f64; 2] {
    let z = 1.959_963_985_f64;
    let share = correct / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    [middle - half, middle + half].map(|end| end / (1.0 + z * z / n))
}

#[test]
fn what_judges_vote_together() {
    let human = compared(&with_people(&three_annotations()), "human.json");
    // Two of three err on the third item; on the seventh two judges are even.
    let majority = &human["majority_vote"];
    assert_eq!(
        [&majority["n"], &majority["correct"], &majority["no_vote"]],
        [7, 6, 1]
    );
    is(&majority["accuracy"], 6.0 / 7.0);
    // Of one mind on four, and right.
    let unanimous = &human["unanimous_vote"];
    assert_eq!(
        [
            &unanimous["n"],
            &unanimous["correct"],
            &unanimous["no_vote"]
        ],
        [4, 4, 4]
    );
    is(&unanimous["accuracy"], 1.0);
}

#[test]
fn judges_two_by_two() {
    let human = compared(&with_people(&three_annotations()), "human.json");
    // Of b + c items that only one of them gets right, by chance half: exact p is twice
    // the tail, mid-p counts the observed split half.
    let expected = [
        (["ana", "ben"], 8, [1, 1], 1.0, 0.75),
        (["ana", "cal"], 7, [2, 0], 0.5, 0.25),
        (["ben", "cal"], 7, [3, 0], 0.25, 0.125),
    ];
    let tests = human["pair_tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 3);
    for (test, (judges, n, only, exact, mid)) in tests.iter().zip(expected) {
        assert_eq!(test["judges"], json!(judges));
        assert_eq!(test["n"], n);
        assert_eq!(
            [&test["only_first_correct"], &test["only_second_correct"]],
            only
        );
        assert_eq!(test["p_exact"], exact, "{judges:?}");
        assert_eq!(test["p_mid"], mid, "{judges:?}");
    }
}

#[test]
fn people_are_one_more_rater() {
    let place = with_people(&three_annotations());
    let alone = measured(&place, "");
    let report = measured(&place, "--human human.json");
    let pairs = report["pairwise"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 6);
    let with_people: Vec<&Value> = pairs
        .iter()
        .filter(|pair| pair["raters"][1] == "human")
        .collect();
    // Agreement of a judge with people is its accuracy.
    for (pair, judge) in with_people
        .iter()
        .zip(report["human"]["accuracy"].as_array().expect("judges"))
    {
        assert_eq!(pair["raters"][0], judge["judge"]);
        assert_eq!(
            pair["percent_agreement"]["value"],
            judge["accuracy"]["value"]
        );
        assert_eq!(pair["cohen_kappa"]["value"], judge["kappa"]["value"]);
    }
    assert_eq!(report["judges_only"], alone["overall"]);
    assert_ne!(report["overall"], alone["overall"]);
    assert_eq!(report["overall"]["fleiss_kappa"]["value"], Value::Null);
    // Where judges are of one mind, people are too: no more items are disputed.
    assert_eq!(report["disagreement_items"], 5);
    assert_eq!(report["disagreements"][0]["votes"]["human"], "no");
}

#[test]
fn both_formats_of_the_file() {
    let list = three_annotations();
    let rows = list.as_array().expect("rows");
    let lines: String = rows.iter().map(|row| format!("{row}\r\n")).collect();
    let object = json!({"run_name": "a run", "metrics": {"n_examples": 8}, "annotations": list});
    let place = with_people(&list);
    let expected = compared(&place, "human.json");
    place.write("object.json", object.to_string());
    place.write(
        "results.json",
        json!({"detailed_results": list}).to_string(),
    );
    place.write("lines.jsonl", &lines);
    place.write("bom.json", format!("\u{feff}{object:#}"));
    place.write("packed.json.gz", gzip(list.to_string().as_bytes()));
    for name in [
        "object.json",
        "results.json",
        "lines.jsonl",
        "bom.json",
        "packed.json.gz",
    ] {
        assert_eq!(compared(&place, name), expected, "{name}");
    }
    let line = format!("{JUDGES} --json --human -");
    let ran = place.judica_with_stdin(&line, object.to_string()).exits(0);
    assert_eq!(report(&ran)["human"], expected);
}

#[test]
fn only_the_four_fields_are_needed_under_any_of_their_names() {
    let place = panel(&[("ana", "yyn"), ("ben", "yny")]);
    let row = &rows("yyy");
    let human = json!([
        {"nl": row[0]["input"], "expected": row[0]["gold"], "generated": row[0]["prediction"], "correct": "YES"},
        {"input": row[1]["input"], "reference": row[1]["gold"], "model_output": row[1]["prediction"], "correct": 0},
        {"input": row[2]["input"], "gold": row[2]["gold"], "prediction": row[2]["prediction"], "correct": true},
    ]);
    place.write("human.json", human.to_string());
    let human = compared(&place, "human.json");
    assert_eq!([&human["matched_items"], &human["unmatched"]], [3, 0]);
    // yes, no, yes.
    let correct = human["accuracy"].as_array().expect("judges").iter();
    let correct: Vec<&Value> = correct.map(|judge| &judge["correct"]).collect();
    assert_eq!(correct, [1, 3]);
}

/// Like rows of several data sets: an annotation is about all of them, unless its file
/// says which data set it is about.
#[test]
fn an_annotation_of_a_text_that_stands_in_two_data_sets() {
    let place = Place::new();
    for (name, one, two) in [("ana", "yn", "yy"), ("ben", "yy", "nn")] {
        judge(&place, name, "one", &rows(one));
        judge(&place, name, "two", &rows(two));
    }
    let annotations = rows("yy");
    place.write("all.json", json!(annotations).to_string());
    let all = compared(&place, "all.json");
    assert_eq!([&all["annotations"], &all["matched_items"]], [2, 4]);
    for about in [
        json!({"run_name": "two", "annotations": annotations}),
        json!({"source_file": "runs/two.json", "annotations": annotations}),
    ] {
        place.write("two.json", about.to_string());
        let two = compared(&place, "two.json");
        assert_eq!([&two["matched_items"], &two["accuracy"][0]["n"]], [2, 2]);
        // ana says yy of the second data set, ben nn.
        assert_eq!(two["accuracy"][0]["correct"], 2);
        assert_eq!(two["accuracy"][1]["correct"], 0);
    }
}

#[test]
fn people_in_a_folder_among_the_judges() {
    let place = panel(&[("ana", "yn"), ("ben", "yy")]);
    place.write("eval/human/one.json", json!(rows("yn")).to_string());
    let report = measured(&place, "");
    assert_eq!(report["human"]["matched_items"], 2);
    assert_eq!(report["judges"].as_array().map(Vec::len), Some(2));
    assert!(notes(&report, "`human`"), "{}", report["notes"]);
    // Twice is once too often.
    place.write("human.json", json!(rows("yn")).to_string());
    let line = format!("{JUDGES} --human human.json");
    place
        .judica(&line)
        .exits(2)
        .complains(&["`human`", "human.json"]);
}

#[test]
fn the_table_for_people() {
    let place = with_people(&three_annotations());
    let line = format!("{JUDGES} --human human.json");
    place.judica(&line).exits(0).says(&[
        "Against people",
        "majority of judges",
        "unanimous judges",
        "unanimous judges: no vote on 4 items",
        "8 annotations give a verdict on 8 items",
        "Is one of two judges right more often?",
        "judges only",
    ]);
}
