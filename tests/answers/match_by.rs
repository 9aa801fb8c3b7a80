//! `judica match --by`: the same for some of the rows at a time.

use serde_json::{Value, json};

use crate::answers::data::{lines, matched, near, printed, row, with};
use crate::support::Place;

fn strata(report: &Value) -> &Vec<Value> {
    report["by"]["strata"].as_array().expect("strata")
}

#[test]
fn every_value_has_its_numbers_and_rows_without_one_are_named() {
    let rows: Vec<Value> = (0..40)
        .map(|n| {
            let said = if n % 4 == 0 { "b" } else { "a" };
            let lang = match n % 5 {
                0 => json!("en"),
                1 => json!(" "),
                2 => json!(7),
                3 => json!(null),
                _ => json!("de"),
            };
            let more = json!({"lang": lang, "p": 0.5, "id": n / 2, "epoch": n % 2 + 1});
            with(row("a", said), more)
        })
        .collect();
    let options = "--by lang --classes --confidence p --k 1";
    let place = Place::new();
    let (report, _) = matched(&place, &rows, options);
    assert_eq!(report["by"]["column"], "lang");
    let found = strata(&report);
    let values: Vec<&Value> = found.iter().map(|stratum| &stratum["value"]).collect();
    assert_eq!(
        values,
        [&json!("7"), &json!("de"), &json!("en"), &Value::Null]
    );
    let rows: Vec<u64> = found.iter().map(|s| s["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [8, 8, 8, 16]);
    for stratum in found {
        for name in ["exact_match", "structural", "matched"] {
            let ci = stratum[name]["ci"].as_array().expect("an interval");
            assert!(ci[0].as_f64() < ci[1].as_f64(), "{stratum}");
        }
        assert_eq!(stratum["calibration"]["rows"], stratum["rows"]);
        assert_eq!(stratum["classes"]["rows"], stratum["rows"]);
        near(
            &stratum["repeats"]["passes"][0]["pass_at_k"]["value"],
            stratum["matched"]["value"].as_f64().unwrap(),
        );
    }
    place
        .judica(&format!("match --predictions p.jsonl {options}"))
        .exits(0)
        .says(&["By `lang`", "(none)", "16 rows have no `lang`", "pass@1"]);
}

#[test]
fn a_stratum_is_what_its_rows_alone_are() {
    let rows: Vec<Value> = (0..120)
        .map(|n| {
            let gold = (n * 13 % 29) as f64;
            let said = gold + (n * 7 % 11) as f64 - 4.0;
            let more = json!({"id": format!("q{}", n / 3), "epoch": n % 3 + 1, "of": n % 2});
            with(row(gold.to_string(), said.to_string()), more)
        })
        .collect();
    let options = "--normalizer number --tolerance 1";
    let (report, _) = matched(&Place::new(), &rows, &format!("{options} --by of"));
    for (at, stratum) in strata(&report).iter().enumerate() {
        let alone: Vec<Value> = rows.iter().filter(|row| row["of"] == at).cloned().collect();
        let (alone, _) = matched(&Place::new(), &alone, options);
        let mut numbers = alone["numbers"].clone();
        numbers["left_out"] = stratum["numbers"]["left_out"].clone();
        assert_eq!(stratum["numbers"], numbers);
        assert_eq!(stratum["matched"], alone["intervals"]["matched"]);
    }
}

/// A column of numbers is text in a CSV, and numbers in JSON.
#[test]
fn numbers_name_clusters_in_every_kind_of_table() {
    let place = Place::new();
    place.write(
        "m.csv",
        "id,gold,prediction,cluster\nq1,a,a,7\nq2,b,a,7\nq3,a,a,8\n",
    );
    let row = |id: &str, gold: &str, cluster: u32| {
        json!({"id": id, "gold": gold, "prediction": "a", "cluster": cluster}).to_string()
    };
    let rows = [row("q1", "a", 7), row("q2", "b", 7), row("q3", "a", 8)];
    place.write_lines("m.jsonl", &rows);
    let [text, numbers] = ["m.csv", "m.jsonl"].map(|file| {
        let line = format!("match --predictions {file} --json");
        printed(&place.judica(&line).exits(0))["intervals"]["matched"].clone()
    });
    assert_eq!(numbers["clusters"], 2);
    assert_eq!(text, numbers);
}

#[test]
fn subjects_and_data_sets_are_columns_whoever_says_them() {
    let place = Place::new();
    place.write("m.csv", "id,label,one,two\nq1,a,a,b\nq2,b,b,b\n");
    let line = "match --predictions m.csv --gold label --prediction one --prediction two --json";
    let report = printed(&place.judica(&format!("{line} --by subject")).exits(0));
    let found = strata(&report);
    assert_eq!(
        (&found[0]["value"], &found[1]["value"]),
        (&json!("one"), &json!("two"))
    );
    assert_eq!(found[1]["matched"]["value"], 0.5);
    let report = printed(&place.judica(&format!("{line} --by dataset")).exits(0));
    assert_eq!(strata(&report).len(), 1);
    // Both subjects answer the same questions.
    assert_eq!(report["intervals"]["matched"]["clusters"], 2);
    // What tells rows apart may be a field, too.
    let by =
        place.judica("match --predictions m.csv --gold label --prediction one --by label --json");
    assert_eq!(strata(&printed(&by.exits(0))).len(), 2);
}

#[test]
fn a_column_of_names_is_no_strata() {
    let rows: Vec<Value> = (0..101)
        .map(|n| with(row("a", "a"), json!({"who": n})))
        .collect();
    let (report, _) = matched(&Place::new(), &rows, "--by who");
    let undefined = json!({"undefined": "101 values are more than 100"});
    assert_eq!(report["by"]["strata"], undefined);
    // What nobody has was not meant.
    let place = Place::new();
    place.write("p.jsonl", lines(&rows[..2]));
    let ran = place.judica("match --predictions p.jsonl --by what --json");
    ran.exits(2).complains(&["--by what: no row has it"]);
}

#[test]
fn a_value_without_an_interval_says_why() {
    let place = Place::new();
    place.write(
        "w.csv",
        "id,label,m1,m2,cl\n1,a,a,b,c1\n2,b,b,b,c1\n3,c,c,,c2\n",
    );
    let columns = "--gold label --prediction m1 --prediction m2 --cluster cl";
    place
        .judica(&format!("match -p w.csv {columns} --by subject"))
        .exits(0)
        .says(&[
            "what matched of `w__m2` has no interval: only one cluster",
            "matched of `m2` has no interval: only one cluster",
        ]);
}
