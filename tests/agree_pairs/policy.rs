//! Arbitration is data: another policy has other raters, other labels and other rules.

use std::fs;

use serde_json::{Value, json};

use crate::agree_pairs::data::{PAIRS, judgment, merged, report, ten};
use crate::run_folder::{as_reported, recomputed};
use crate::support::{Place, STAMP, with};

/// A doctor and a pharmacist, three labels, a flag of their own.
const CLINIC: &str = r#"version = 1
hard_flags = ["allergy"]

[[rater]]
name = "doctor"
key = "dr"

[[rater]]
name = "pharmacist"

[[label]]
name = "SAFE"
aliases = ["ok", "Ä 👍"]
ships = true

[[label]]
name = "UNSAFE"

[[label]]
name = "UNSURE"
abstains = true

[[rule]]
why = "allergy"
when = { flagged = true }
final = "UNSAFE"

[[rule]]
why = "agreed"
when = { agree = true }
unless = { out_of_scope = true }
final_of = "doctor"

[[rule]]
why = "pharmacist_knows"
when = { doctor = "UNSURE", pharmacist = ["SAFE", "UNSAFE"] }
final_of = "pharmacist"

[[rule]]
why = "in_doubt"
final = "UNSURE"
"#;

const RUN: &str = "agree pairs --pairs p.jsonl --policy clinic.toml --resamples 50 \
    --allow-undefined --pa-gate 0 --kappa-gate -1 --abstain-gate 1";

fn line(qid: &str, doctor: &str, pharmacist: &str, more: Value) -> String {
    let line = json!({"qid": qid, "dr": {"label": doctor}, "pharmacist": {"label": pharmacist}});
    with(line, &more).to_string()
}

fn clinic() -> Place {
    let place = merged(&[
        line("a", "SAFE", "ok", json!({})),
        line("b", "UNSURE", "UNSAFE", json!({})),
        line("c", "UNSURE", "UNSURE", json!({})),
        line("d", "SAFE", "UNSAFE", json!({})),
        line("e", "SAFE", "SAFE", json!({"flags": {"allergy": 1}})),
        // A flag of another policy is none here.
        line(
            "f",
            "Ä 👍",
            "SAFE",
            json!({"flags": {"provenance_violation": 1}}),
        ),
        line(
            "g",
            "SAFE",
            "SAFE",
            json!({"answer_json": {"citations": ["x"]}}),
        ),
        line("h", "safe", "SAFE", json!({})),
        line("i", "VALID", "VALID", json!({})),
        json!({"qid": "j", "scholar": {"label": "SAFE"}, "pharmacist": {"label": "SAFE"}})
            .to_string(),
    ]);
    place.write("clinic.toml", CLINIC);
    place
}

#[test]
fn other_raters_other_labels_other_rules() {
    let place = clinic();
    let ran = place.judica(&format!(
        "{RUN} --json --tsv out/d.tsv --arbitrated out/all.jsonl"
    ));
    let report = report(&ran.exits(0));
    assert_eq!(report["labels"], json!(["SAFE", "UNSAFE", "UNSURE"]));
    assert_eq!(
        report["confusion"],
        json!([[4, 1, 0], [0, 0, 0], [0, 1, 1]])
    );
    assert_eq!(
        report["final_labels"],
        json!({"SAFE": 2, "UNSAFE": 2, "UNSURE": 3})
    );
    assert_eq!(
        report["final_why"],
        json!({"allergy": 1, "agreed": 3, "pharmacist_knows": 1, "in_doubt": 2})
    );
    assert_eq!(
        report["policy"],
        json!({"file": "clinic.toml", "raters": ["doctor", "pharmacist"]})
    );
    assert_eq!(report["metrics"]["doctor_abstain_rate"]["value"], 2.0 / 7.0);
    assert_eq!(
        report["metrics"]["pharmacist_abstain_rate"]["value"],
        1.0 / 7.0
    );
    assert!(report["metrics"].get("scholar_abstain_rate").is_none());
    assert_eq!(
        place.text("out/d.tsv"),
        "qid\tdoctor\tpharmacist\tfinal\twhy\n\
         b\tUNSURE\tUNSAFE\tUNSAFE\tpharmacist_knows\n\
         d\tSAFE\tUNSAFE\tUNSURE\tin_doubt\n\
         h\tsafe\tSAFE\tUNSURE\tin_doubt\n"
    );
    let decided = place.json_lines("out/all.jsonl");
    assert_eq!(
        decided[0],
        json!({"qid": "a", "doctor": "SAFE", "pharmacist": "SAFE", "final": "SAFE",
               "why": "agreed", "counted": true})
    );
    assert_eq!(
        (&decided[8]["why"], &decided[8]["counted"]),
        (&json!("in_doubt"), &json!(false))
    );
    let rejects = place.json_lines("out/rejects.jsonl");
    let told: Vec<&str> = rejects
        .iter()
        .map(|reject| reject["detail"].as_str().expect("a sentence"))
        .collect();
    assert_eq!(
        told,
        [
            "`doctor` says \"safe\", not \"SAFE\"",
            "`doctor` says \"VALID\", which is no label; `pharmacist` says \"VALID\", which is no label",
            "no `dr`"
        ]
    );
    place
        .judica(&format!("{RUN} --tsv out/d.tsv"))
        .exits(0)
        .says(&[
            "Agreement of doctor and pharmacist",
            "doctor abstains",
            "rows doctor, columns pharmacist",
            "as pharmacist",
        ]);
}

/// Columns of tables hold numbers, true and false as such.
#[test]
fn labels_that_are_no_text_are_as_they_are_spelt() {
    let policy = CLINIC.replace(r#""ok", "Ä 👍""#, r#""1", "true""#);
    let policy = policy.replace("name = \"UNSAFE\"", "name = \"UNSAFE\"\naliases = [\"0\"]");
    let line = |qid: &str, doctor: Value, pharmacist: Value| json!({"qid": qid, "dr": {"label": doctor}, "pharmacist": {"label": pharmacist}});
    let place = merged(&[
        line("a", json!(1), json!("1")).to_string(),
        line("b", json!(true), json!(0)).to_string(),
        line("c", json!(1), json!(2)).to_string(),
        line("d", json!(false), json!(1)).to_string(),
    ]);
    place.write("clinic.toml", policy);
    let ran = place.judica(&format!("{RUN} --json --tsv out/d.tsv"));
    let report = report(&ran.exits(0));
    assert_eq!(
        report["confusion"],
        json!([[1, 1, 0], [0, 0, 0], [0, 0, 0]])
    );
    let rejects = place.json_lines("out/rejects.jsonl");
    let told: Vec<&Value> = rejects.iter().map(|reject| &reject["detail"]).collect();
    assert_eq!(
        told,
        [
            "`pharmacist` has a label that is not text",
            "`doctor` has a label that is not text"
        ]
    );
}

/// The first rule that holds decides: the same rules in another order are another policy.
#[test]
fn the_order_of_rules_matters() {
    let place = clinic();
    let mut parts: Vec<&str> = CLINIC.split("[[rule]]").collect();
    parts.swap(1, 2);
    place.write("clinic.toml", parts.join("[[rule]]"));
    place
        .judica(&format!("{RUN} --tsv out/d.tsv --arbitrated out/all.jsonl"))
        .exits(0);
    let decided = place.json_lines("out/all.jsonl");
    assert_eq!(
        (&decided[4]["final"], &decided[4]["why"]),
        (&json!("SAFE"), &json!("agreed"))
    );
}

#[test]
fn a_run_holds_its_policy_and_is_made_again_without_the_file() {
    let place = clinic();
    place
        .judica(&format!("{RUN} --run run --timestamp {STAMP}"))
        .exits(0);
    let manifest = place.json("run/manifest.json");
    assert_eq!(
        manifest["options"]["policy"],
        json!({"file": "clinic.toml", "text": CLINIC})
    );
    let of = &manifest["metrics"][1]["estimator"];
    assert_eq!(of["raters"], json!(["doctor", "pharmacist"]));
    assert_eq!(of["categories"], json!(["SAFE", "UNSAFE", "UNSURE"]));
    let report = place.json("run/report.json");
    let recomputed = recomputed(&place.path("run"));
    as_reported(
        "cohen_kappa",
        &recomputed["cohen_kappa"],
        &report["metrics"]["kappa"],
    );
    let out = place.judica("export run --format jsonl").exits(0).stdout;
    let records: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let ends: Vec<[&str; 2]> = records
        .iter()
        .map(|record| ["decision", "verdict"].map(|key| record[key].as_str().expect("a word")))
        .collect();
    assert_eq!(
        ends,
        [
            ["SAFE", "pass"],
            ["UNSAFE", "fail"],
            ["UNSURE", "undecided"],
            ["UNSURE", "undecided"],
            ["UNSAFE", "fail"],
            ["SAFE", "pass"],
            ["UNSURE", "undecided"],
        ]
    );
    fs::remove_file(place.path("clinic.toml")).expect("gone");
    place.judica("reproduce run").exits(0);
    place.judica("show run").exits(0).says(&["doctor"]);
}

#[test]
fn pieces_of_a_run_with_a_policy_are_the_run() {
    let place = clinic();
    let base = format!("{RUN} --hygiene --timestamp {STAMP}");
    place.judica(&format!("{base} --run whole")).exits(0);
    for part in 1..=3 {
        place
            .judica(&format!("{base} --run parts --part {part}/3"))
            .exits(0);
    }
    fs::remove_file(place.path("clinic.toml")).expect("gone");
    place.judica("finish parts").exits(0);
    place.same_files("whole", "parts");
    // Pieces that were decided by another policy do not fit.
    place.write("clinic.toml", CLINIC);
    place
        .judica(&format!("{base} --run mixed --part 1/2"))
        .exits(0);
    place.write("clinic.toml", CLINIC.replace("in_doubt", "undecided"));
    place
        .judica(&format!("{base} --run mixed --part 2/2"))
        .exits(0);
    place.judica("finish mixed").exits(3);
}

#[test]
fn files_of_each_and_tables_know_the_raters() {
    let place = clinic();
    place.write_lines("d.jsonl", &[judgment("a", "ok")]);
    place.write_lines(
        "ph.jsonl",
        &[judgment("a", "UNSAFE"), judgment("z", "SAFE")],
    );
    let gates = "--pa-gate 0 --kappa-gate -1 --abstain-gate 1 --allow-undefined";
    let separate = format!(
        "agree pairs --first d.jsonl --second ph.jsonl --policy clinic.toml --run run {gates}"
    );
    place.judica(&separate).exits(0);
    let manifest = place.json("run/manifest.json");
    let roles = [0, 1].map(|at| manifest["inputs"][at]["role"].clone());
    assert_eq!(roles, ["doctor", "pharmacist"]);
    let alone = place.json_lines("run/rejects.jsonl");
    assert_eq!(alone[0]["detail"], "the doctor has no such qid");
    place.judica("reproduce run").exits(0);

    place.write(
        "t.csv",
        "qid,Dr,pharmacist_label,dr_reason\na,ok,UNSAFE,x\nb,SAFE,SAFE,y\n",
    );
    let table =
        format!("agree pairs --pairs t.csv --policy clinic.toml --json --tsv t.tsv {gates}");
    let report = report(&place.judica(&table).exits(0));
    assert_eq!(
        report["confusion"],
        json!([[1, 1, 0], [0, 0, 0], [0, 0, 0]])
    );
}

/// The policy of the program, printed and given back, says nothing else.
#[test]
fn the_printed_policy_is_the_one_that_decides() {
    let place = merged(&ten());
    let printed = place.judica("agree pairs --print-policy").exits(0).stdout;
    place.write("mine.toml", &printed);
    assert_eq!(
        place
            .judica("agree pairs --print-policy --policy mine.toml")
            .exits(0)
            .stdout,
        printed
    );
    let arguments = format!("{PAIRS} --json --arbitrated out/all.jsonl --hygiene");
    let mut plain = report(&place.judica(&arguments).exits(1));
    let files = place.files("out");
    let mut given = report(
        &place
            .judica(&format!("{arguments} --policy mine.toml"))
            .exits(1),
    );
    assert!(place.files("out") == files);
    assert!(plain.get("policy").is_none());
    assert_eq!(given["policy"]["file"], "mine.toml");
    for report in [&mut plain, &mut given] {
        report.as_object_mut().expect("keys").remove("policy");
    }
    assert_eq!(plain, given);
}

#[test]
fn mistakes_in_a_policy_are_told_all_at_once() {
    let place = clinic();
    let bad = CLINIC
        .replace("agree = true", "agre = true")
        .replace(
            "pharmacist = [\"SAFE\", \"UNSAFE\"]",
            "pharmacist = \"UNSAVE\"",
        )
        .replace("hard_flags", "hard_flag");
    place.write("clinic.toml", bad);
    for more in ["", "--print-policy"] {
        let ran = match more {
            "" => place.judica(&format!("{RUN} --run run")),
            more => place.judica(&format!("agree pairs --policy clinic.toml {more}")),
        };
        ran.exits(2).complains(&[
            "clinic.toml:2:1: unknown key `hard_flag` (did you mean `hard_flags`?)",
            "rule `agreed`: unknown key `agre` (did you mean `agree`?)",
            "rule `pharmacist_knows`: unknown label `UNSAVE` (did you mean `UNSAFE`?)",
        ]);
    }
    assert!(!place.path("run").exists());
    // What can never decide is a mistake too.
    place.write(
        "clinic.toml",
        format!("{CLINIC}\n[[rule]]\nwhy = \"late\"\nfinal = \"SAFE\"\n"),
    );
    place
        .judica(&format!("{RUN} --run run"))
        .exits(2)
        .complains(&["rule `late` is never reached", "`in_doubt`"]);
    place.write("clinic.toml", "");
    place
        .judica(&format!("{RUN} --run run"))
        .exits(2)
        .complains(&["version = 1", "[[rater]]", "--print-policy"]);
    place.write("clinic.toml", b"\xff\xfe");
    place.judica(&format!("{RUN} --run run")).exits(2);
    fs::remove_file(place.path("clinic.toml")).expect("gone");
    place.judica(&format!("{RUN} --run run")).exits(3);
    // Neither may it be written over.
    place.write("clinic.toml", CLINIC);
    place.judica(&format!("{RUN} --tsv clinic.toml")).exits(2);
    assert_eq!(place.text("clinic.toml"), CLINIC);
}

#[test]
fn names_cannot_break_what_is_written() {
    let place = clinic();
    for (plain, hostile) in [
        ("\"doctor\"\nkey", "\"a\\tb\"\nkey"),
        ("\"doctor\"\nkey", "\"\"\nkey"),
        ("\"doctor\"\nkey", "\"final\"\nkey"),
        ("\"doctor\"\nkey", "\"pharmacist\"\nkey"),
        ("\"dr\"", "\"q\\\"\""),
        ("\"dr\"", "\"retrieved_ids\""),
        ("\"dr\"", "\"Model\""),
        ("\"dr\"", "\"Pharmacist\""),
        ("\"ok\"", "\"a\\nb\""),
        ("\"ok\"", "\"UNSURE\""),
        ("\"UNSURE\"\nabstains", "\"\\u001b[31m\"\nabstains"),
        ("\"in_doubt\"", "\"in\\tdoubt\""),
        ("\"in_doubt\"", "\"agreed\""),
    ] {
        assert!(CLINIC.contains(plain), "{plain}");
        place.write("clinic.toml", CLINIC.replace(plain, hostile));
        let ran = place.judica(&format!("{RUN} --run run")).exits(2);
        assert!(ran.stderr.contains("clinic.toml:"), "{}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
        assert!(!place.path("run").exists());
    }
}

#[test]
fn the_policy_in_the_documentation_is_one() {
    let page = include_str!("../../docs/agreement.md");
    let (_, text) = page.split_once("```toml\n").expect("a policy");
    let (text, _) = text.split_once("```").expect("its end");
    let place = clinic();
    place.write("clinic.toml", text);
    let printed = place.judica("agree pairs --policy clinic.toml --print-policy");
    assert_eq!(printed.exits(0).stdout, text);
    place.judica(&format!("{RUN} --run run")).exits(0);
}
