//! Which column is which: their own names, names of other tools, names that were given.

use crate::agree_ratings::data::{NOMINAL, csv, fifty, place};
use crate::support::{Place, Ran, ran};

#[test]
fn names_that_other_tools_use_are_understood() {
    let plain = place(&fifty()).judica(NOMINAL).exits(0).stdout;
    for header in [
        "item_id,rater_id,rating",
        "id,coder,label",
        "unit,judge,score",
        "subject,annotator,category",
        "Subject,ANNOTATOR, Label ",
    ] {
        let place = Place::new();
        place.write(
            "r.csv",
            csv(&fifty()).replacen("item,rater,value", header, 1),
        );
        assert!(place.judica(NOMINAL).exits(0).stdout == plain, "{header}");
    }
}

#[test]
fn names_that_were_given_come_first() {
    let plain = place(&fifty()).judica(NOMINAL).exits(0).stdout;
    let place = Place::new();
    // Every column has the name of another part.
    place.write(
        "r.csv",
        csv(&fifty()).replacen("item,rater,value", "value,item,rater", 1),
    );
    let ran = place.judica(&format!(
        "{NOMINAL} --item value --rater item --value rater"
    ));
    assert!(ran.exits(0).stdout == plain);
}

#[test]
fn keys_of_json_are_found_the_same_way() {
    let plain = place(&fifty()).judica(NOMINAL).exits(0).stdout;
    let place = Place::new();
    let line = |(item, rater, value): &(String, String, String)| {
        format!(
            "{{\"note\": {{\"value\": 1}}, \"Label\": {value:?}, \"annotator\": {rater:?}, \"id\": {item:?}}}"
        )
    };
    place.write_lines("r.jsonl", &fifty().iter().map(line).collect::<Vec<_>>());
    assert!(
        place
            .judica(&NOMINAL.replace("r.csv", "r.jsonl"))
            .exits(0)
            .stdout
            == plain
    );
}

#[test]
fn raters_may_have_a_column_each() {
    let place = Place::new();
    place.write(
        "long.csv",
        "item,rater,value,epoch\n1,ann,yes,1\n1,bob,no,1\n2,ann,yes,\n1,ann,no,2\n1,bob,no,2\n",
    );
    place.write(
        "wide.csv",
        "item;epoch;Ann;bob\n1;1;yes;no\n2;;yes;\n1;2;no;no\n",
    );
    let report = |arguments: &str| {
        let ran = place.judica(&format!("agree ratings --level nominal --json {arguments}"));
        serde_json::from_str::<serde_json::Value>(&ran.exits(0).stdout).expect("JSON")
    };
    let long = report("--input long.csv");
    let wide = report("--input wide.csv --rater-columns ann,bob --run w");
    assert_eq!(
        (&long["items"], &long["ratings"]),
        (&serde_json::json!(3), &serde_json::json!(5))
    );
    assert_eq!(
        (&wide["items"], &wide["ratings"], &wide["missing"]),
        (&long["items"], &long["ratings"], &serde_json::json!(1))
    );
    let alpha = &long["krippendorff_alpha"];
    assert!(alpha["value"].is_number(), "{long}");
    assert_eq!(&wide["krippendorff_alpha"], alpha);
    place
        .judica("show w 1 --epoch 2")
        .exits(0)
        .says(&["wide.csv:4", "1;2;no;no"]);
    place.judica("reproduce w").exits(0).says(&["identical"]);
    place
        .judica("agree ratings --level nominal --input wide.csv --rater-columns ann,carl")
        .exits(2)
        .complains(&["no column `carl`"]);
    place
        .judica("agree ratings --level nominal --input wide.csv --rater-columns ann,ann")
        .exits(2)
        .complains(&["--rater-columns: `ann` is listed twice"]);
    for (arguments, part) in [
        (
            "--input wide.csv --item bob --rater-columns ann,bob",
            "item",
        ),
        (
            "--input wide.csv --item Bob --rater-columns ann,bob",
            "item",
        ),
        ("--input wide.csv --rater-columns item,ann", "item"),
        (
            "--input wide.csv --item item,ann --rater-columns ann,bob",
            "item",
        ),
        ("--input long.csv --item item --rater Item", "rater"),
    ] {
        place
            .judica(&format!("agree ratings --level nominal {arguments}"))
            .exits(2)
            .complains(&["is taken for the item and for the", part]);
    }
}

#[test]
fn several_columns_name_an_item_together() {
    let place = Place::new();
    let rows = "question,turn,ann,bob\n1,1,a,a\n1,2,b,b\n2,1,a,b\n2,2,b,b\n3,1,a,a\n3,,a,a\n";
    place.write("w.csv", rows);
    let wide = "agree ratings --input w.csv --level nominal --rater-columns ann,bob --json";
    // Without the turn, a question is rated twice.
    place
        .judica(&format!("{wide} --item question"))
        .exits(0)
        .says(&["duplicate"]);
    let ran = place
        .judica(&format!("{wide} --item question,turn"))
        .exits(0);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["items"], 5, "{report}");
    let refused = place
        .judica(&format!("{wide} --item question,round"))
        .exits(2);
    refused.complains(&["no column `question,round`"]);
    place.write(
        "l.csv",
        "q,t,rater,value\n1,1,a,x\n1,1,b,x\n1,2,a,y\n1,2,b,x\n",
    );
    let long = "agree ratings --input l.csv --level nominal --item q,t --json";
    let ran = place.judica(long).exits(0);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["items"], 2, "{report}");
    // What has a slash of its own is no other item.
    place.write(
        "l.csv",
        "q,t,rater,value\nx/y,z,a,1\nx,y/z,b,0\nx/,y,a,1\nx,/y,b,0\nk,1,a,1\nk,1,b,1\n",
    );
    let ran = place.judica(long).exits(0);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["items"], 5, "{report}");
}

#[test]
fn a_table_in_a_compression_that_is_not_read_is_not_called_damaged() {
    let place = Place::new();
    let brotli = include_bytes!("../fixtures/agreement/brotli.parquet");
    place.write("r.parquet", brotli);
    let ran = place
        .judica("agree ratings --input r.parquet --level nominal")
        .exits(2);
    let ran = ran.complains(&["r.parquet", "Parquet compressed by brotli is not read"]);
    assert!(!ran.stderr.contains("damaged"), "{}", ran.stderr);
}

#[test]
fn a_name_with_a_comma_stands_in_quotes() {
    let place = Place::new();
    let form = "\"What was asked, and when\",\"Ann, first\",\"Bob \"\"B\"\", second\"\n\
                q1,\"no, never\",\"no, never\"\nq2,\"yes, always\",\"no, never\"\n\
                q3,\"yes, always\",\"yes, always\"\n";
    place.write("form.csv", form);
    place.write("plain.csv", "item,a,b\nq1,n,n\nq2,y,n\nq3,y,y\n");
    let ratings = |input: &str, [item, raters, order]: [&str; 3]| {
        let arguments =
            format!("agree ratings --level ordinal --json --run {input}-run --input {input}");
        let mut command = place.command(&arguments);
        command.args(["--item", item, "--rater-columns", raters, "--order", order]);
        ran(command)
    };
    let asked = r#""What was asked, and when""#;
    let raters = r#""Ann, first","Bob ""B"", second""#;
    let order = r#""no, never","yes, always""#;
    let alpha = |ran: Ran| {
        let report: serde_json::Value = serde_json::from_str(&ran.exits(0).stdout).expect("JSON");
        assert!(
            report["krippendorff_alpha"]["value"].is_number(),
            "{report}"
        );
        report["krippendorff_alpha"].clone()
    };
    assert_eq!(
        alpha(ratings("form.csv", [asked, raters, order])),
        alpha(ratings("plain.csv", ["item", "a,b", "n,y"]))
    );
    place
        .judica("show form.csv-run q2")
        .exits(0)
        .says(&["form.csv:3"]);
    place
        .judica("reproduce form.csv-run")
        .exits(0)
        .says(&["identical"]);
    // What `look` names is what can be run.
    place.judica("look form.csv").exits(0).says(&[
        "--item '\"What was asked, and when\"'",
        r#"--rater-columns '"Ann, first","Bob ""B"", second"'"#,
    ]);
    ratings("form.csv", [asked, "\"Ann, first", order])
        .exits(2)
        .complains(&["must end with one"]);
    ratings("form.csv", [asked, "Ann, first", order])
        .exits(2)
        .complains(&["no column `Ann`; a name that holds a comma stands in double quotes"]);
}
