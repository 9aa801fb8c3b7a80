//! Which column is which: their own names, names of other tools, names that were given.

use crate::data::{NOMINAL, csv, fifty, place};
use crate::support::Place;

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
