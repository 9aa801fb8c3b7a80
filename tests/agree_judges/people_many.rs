//! Several people per item: each is a rater, and judges are held against what they say
//! together.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, gzip, is, measured, panel, refused, row, row_with, rows};
use crate::support::Place;

/// Two judges of six items.
fn judged() -> Place {
    panel(&[("jan", "yyynnn"), ("joe", "ynynyn")])
}

fn by(who: &str, said: &str) -> Vec<Value> {
    let named = rows(said).into_iter().map(|mut row| {
        row["annotator"] = who.into();
        row
    });
    named.collect()
}

#[track_caller]
fn human(place: &Place, options: &str) -> Value {
    measured(place, options)["human"].clone()
}

fn names(human: &Value) -> Vec<&str> {
    let people = human["people"].as_array().expect("people").iter();
    people
        .filter_map(|person| person["name"].as_str())
        .collect()
}

/// 120 items and three people: 360 annotations, all of them used.
#[test]
fn three_people_for_every_item() {
    let said = |from: usize| -> String {
        let letter = |item: usize| {
            if (item + from).is_multiple_of(3) {
                'y'
            } else {
                'n'
            }
        };
        (0..120).map(letter).collect()
    };
    let place = panel(&[("jan", &said(0)), ("joe", &said(1))]);
    let all = [
        by("ana", &said(0)),
        by("ben", &said(0)),
        by("cal", &said(1)),
    ]
    .concat();
    place.write("human.json", json!(all).to_string());
    let human = human(&place, "--human human.json");
    assert_eq!([&human["annotations"], &human["matched_items"]], [360, 120]);
    for key in ["duplicates", "unmatched", "refused_rows", "no_reference"] {
        assert_eq!(human[key], 0, "{key}");
    }
    assert_eq!(names(&human), ["ana", "ben", "cal"]);
    // Two of three say what jan says.
    assert_eq!(human["reference"], "majority");
    assert_eq!(human["accuracy"][0]["correct"], 120);
    assert_eq!(human["people"][2]["items"], 120);
    is(&human["people"][0]["agrees"], 1.0);
    // Of three pairs one agrees on all items, two on the third where both say no.
    is(
        &human["agreement"]["percent_agreement"],
        (1.0 + 2.0 / 3.0) / 3.0,
    );
    assert_eq!(human["pairwise"].as_array().map(Vec::len), Some(3));
    is(&human["pairwise"][0]["cohen_kappa"], 1.0);
    assert_eq!(place.names("out"), ["report.json"]);
}

#[test]
fn one_verdict_of_several() {
    let place = judged();
    // Items 0 to 5: all yes; two to one; even; even; all no; nobody.
    let all = [
        by("ana", "yyynn-"),
        by("ben", "yyn-n-"),
        by("cal", "yn-y--"),
    ]
    .concat();
    place.write("human.json", json!(all).to_string());
    let of = |how: &str| human(&place, &format!("--human human.json {how}"));
    let majority = of("");
    assert_eq!(
        [&majority["matched_items"], &majority["no_reference"]],
        [5, 2]
    );
    // yes, yes, -, -, no: jan says yynn right but for nothing; joe errs on 1 and 4.
    assert_eq!(
        [
            &majority["accuracy"][0]["n"],
            &majority["accuracy"][0]["correct"]
        ],
        [3, 3]
    );
    assert_eq!(majority["accuracy"][1]["correct"], 1);
    assert_eq!(of("--human-reference majority"), majority);
    // yes, yes, yes, no, no.
    let first = of("--human-reference first");
    assert_eq!(
        [&first["reference"], &first["no_reference"]],
        [&json!("first"), &json!(0)]
    );
    assert_eq!(
        [&first["accuracy"][0]["n"], &first["accuracy"][0]["correct"]],
        [5, 5]
    );
    // yes, -, -, -, no.
    let unanimous = of("--human-reference unanimous");
    assert_eq!(
        [&unanimous["no_reference"], &unanimous["accuracy"][0]["n"]],
        [3, 2]
    );
    let estimated = of("--human-reference dawid-skene");
    assert_eq!(estimated["reference"], "dawid-skene");
    // However it is made, people agree with each other as they do.
    for other in [&first, &unanimous, &estimated] {
        assert_eq!(other["agreement"], majority["agreement"]);
        assert_eq!(other["pairwise"], majority["pairwise"]);
    }
    place
        .judica(&format!("{JUDGES} --human human.json"))
        .exits(0)
        .says(&[
            "People",
            "Among people, percent agreement",
            "(majority); 2 items have none",
        ]);
    place
        .judica(&format!(
            "{JUDGES} --human human.json --human-reference best"
        ))
        .exits(2)
        .complains(&["majority", "unanimous"]);
}

/// The reference is one more rater; a tie has no vote.
#[test]
fn an_even_split_says_nothing() {
    let place = judged();
    let all = [by("ana", "ynyyyy"), by("ben", "nynnnn")].concat();
    place.write("human.json", json!(all).to_string());
    let report = measured(&place, "--human human.json");
    assert_eq!(report["human"]["no_reference"], 6);
    is(&report["human"]["accuracy"][0]["accuracy"], None);
    is(&report["human"]["agreement"]["percent_agreement"], 0.0);
    assert_eq!(report["overall"], report["judges_only"]);
}

/// Who says so stands under many names, or nowhere: then people are told by their order.
#[test]
fn names_of_people_and_people_without() {
    let place = judged();
    let keys = [
        "annotator",
        "rater",
        "annotator_id",
        "worker",
        "user",
        "reviewer",
        "name",
    ];
    for key in keys {
        let said = [
            row_with(0, "yes", json!({key: "ana"})),
            row_with(0, "no", json!({key: " ben "})),
            row_with(0, "no", json!({key: 7})),
        ];
        place.write("human.json", json!(said).to_string());
        let human = human(&place, "--human human.json");
        assert_eq!(names(&human), ["ana", "ben", "7"], "{key}");
        assert_eq!(human["accuracy"][0]["correct"], 0, "{key}");
    }
    let said = [
        row(0, "yes"),
        row(0, "yes"),
        row(1, "no"),
        row(0, "no"),
        row(1, "no"),
    ];
    place.write("human.json", json!(said).to_string());
    let unnamed = human(&place, "--human human.json");
    assert_eq!(names(&unnamed), ["human_1", "human_2", "human_3"]);
    let items: Vec<&Value> = unnamed["people"]
        .as_array()
        .expect("people")
        .iter()
        .map(|p| &p["items"])
        .collect();
    assert_eq!(items, [2, 2, 1]);
    assert_eq!([&unnamed["duplicates"], &unnamed["matched_items"]], [0, 2]);
}

/// Each file is a person's, who is called like the file; rows that name somebody are theirs.
#[test]
fn several_files_are_several_people() {
    let place = judged();
    place.write("ana.json", json!(rows("yyyyyy")).to_string());
    place.write(
        "b/ben.jsonl",
        rows("yynnnn")
            .iter()
            .map(|row| format!("{row}\n"))
            .collect::<String>(),
    );
    place.write(
        "c/other.json",
        json!({"reviewer": "cal", "items": rows("yynnny")}).to_string(),
    );
    place.write("d/ana.json", json!(rows("n-----")).to_string());
    let files = "--human ana.json --human b/ben.jsonl --human c/other.json --human d/ana.json";
    let human = human(&place, files);
    assert_eq!(names(&human), ["ana", "ben", "cal", "ana_2"]);
    assert_eq!([&human["annotations"], &human["no_reference"]], [19, 0]);
    // The same item twice in one person's file is a repetition.
    let twice = [row(0, "no"), row(0, "no"), row(0, "yes")];
    place.write("d/ana.json", json!(twice).to_string());
    let report = measured(&place, files);
    assert_eq!(report["human"]["duplicates"], 2);
    assert_eq!(
        [
            refused(&report, "duplicate_row"),
            refused(&report, "conflicting_row")
        ],
        [1, 1]
    );
    place
        .judica(&format!("{JUDGES} --human - --human -"))
        .exits(2)
        .complains(&["standard input"]);
}

#[test]
fn people_among_the_judges_are_told_by_their_order_too() {
    let place = judged();
    place.write(
        "eval/human/one.json",
        json!([rows("yyyyyy"), rows("yy----")].concat()).to_string(),
    );
    let human = human(&place, "");
    assert_eq!(names(&human), ["human_1", "human_2"]);
    let csv = "input,gold,prediction,correct\ninput 0,<<A>>F p0,<<A>>G p0,no\n";
    place.write("eval/human/two.csv", csv);
    assert_eq!(
        measured(&place, "")["human"]["people"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

/// Every shape of a file, every name of a key.
#[test]
fn shapes_and_names() {
    let place = judged();
    let whole = by("ana", "yynnyy");
    place.write("list.json", json!(whole).to_string());
    let expected = human(&place, "--human list.json");
    assert_eq!(expected["matched_items"], 6);
    for key in ["annotations", "items", "data", "predictions"] {
        place.write("dict.json", json!({"model": "m", key: whole}).to_string());
        assert_eq!(human(&place, "--human dict.json"), expected, "{key}");
    }
    let renamed = |names: [&str; 4]| -> Vec<Value> {
        let with = |row: &Value| {
            let [input, gold, prediction, correct] = names;
            json!({input: row["input"], gold: row["gold"], prediction: row["prediction"],
                   correct: row["correct"], "annotator": "ana"})
        };
        whole.iter().map(with).collect()
    };
    for names in [
        ["nl", "expected", "generated", "label"],
        ["input", "reference", "output_pred", "correct"],
        ["input", "gold", "output", "correct"],
        ["input", "output", "model_output", "label"],
    ] {
        place.write("named.json", json!(renamed(names)).to_string());
        assert_eq!(human(&place, "--human named.json"), expected, "{names:?}");
    }
}

#[test]
fn tables_of_annotations() {
    let place = judged();
    place.write("list.json", json!(by("ana", "yynnyy")).to_string());
    let expected = human(&place, "--human list.json");
    let said = ["Correct", "right", "wrong", "INCORRECT", "valid", "pass"];
    let table = |separator: &str| {
        let header = ["Input", "gold", "prediction", "correct", "annotator_id"].join(separator);
        let line = |(at, said): (usize, &&str)| {
            let (gold, prediction) = (format!("\"<<A>>F p{at}\""), format!("<<A>>G p{at}"));
            let cells = [&format!("input {at}"), &gold, &prediction, *said, "ana"];
            cells.join(separator)
        };
        let lines: Vec<String> = said.iter().enumerate().map(line).collect();
        format!("{header}\r\n{}\r\n", lines.join("\r\n"))
    };
    place.write("a.csv", table(","));
    place.write("a.tsv", table("\t"));
    place.write("a.csv.gz", gzip(table(",").as_bytes()));
    for name in ["a.csv", "a.tsv", "a.csv.gz"] {
        assert_eq!(
            human(&place, &format!("--human {name}")),
            expected,
            "{name}"
        );
    }
    let line = format!("{JUDGES} --json --human -");
    let ran = place.judica_with_stdin(&line, table(",")).exits(0);
    assert_eq!(crate::agree_judges::data::report(&ran)["human"], expected);
    // A cell that is no verdict, a row that is cut: refused, with place and text.
    let bad = "input,gold,prediction,correct\ninput 0,<<A>>F p0,<<A>>G p0,\ninput 1,x\ninput 2,<<A>>F p2,<<A>>G p2,yes\n";
    place.write("bad.csv", bad);
    let report = measured(&place, "--human bad.csv");
    assert_eq!(
        [
            &report["human"]["refused_rows"],
            &report["human"]["matched_items"]
        ],
        [2, 1]
    );
    assert_eq!(
        [
            refused(&report, "missing_verdict"),
            refused(&report, "wrong_field_count")
        ],
        [1, 1]
    );
    let rejects = place.json_lines("out/rejects.jsonl");
    assert_eq!(
        [&rejects[1]["file"], &rejects[1]["line"]],
        [&json!("bad.csv"), &json!(3)]
    );
    for empty in ["", "input,gold,prediction,correct\n"] {
        place.write("empty.csv", empty);
        place
            .judica(&format!("{JUDGES} --human empty.csv"))
            .exits(2)
            .complains(&["empty.csv"]);
    }
}
