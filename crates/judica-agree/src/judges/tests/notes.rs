//! What the report says beside its numbers.

use super::*;

fn notes_of(title: &str, report: &JudgesReport) -> Vec<String> {
    let found = tables(report)
        .into_iter()
        .find(|table| table.title.starts_with(title));
    found.map(|table| table.notes).unwrap_or_default()
}

fn aggregated(dir: &Dir) -> JudgesReport {
    let request = JudgesRequest {
        aggregate: Some(Aggregation::DawidSkene),
        ..dir.request()
    };
    measure(&request).unwrap()
}

#[test]
fn judges_that_share_nothing_are_named() {
    let dir = Dir::new(&[
        ("a/d.json", &list("yn")),
        ("b/d.json", &list("yn")),
        ("c/other.json", &list("yn")),
        ("e/d.json", "[{}]"),
    ]);
    let note = "judge `c` shares no item with another judge";
    assert!(noted(&dir.report(), note), "{:?}", dir.report().notes);
    let two = Dir::new(&[("a/d.json", &list("y-")), ("b/d.json", &list("-y"))]);
    assert!(noted(&two.report(), "judges `a`, `b` share no item"));
    let one = Dir::new(&[("a/d.json", &list("y"))]);
    assert!(!noted(&one.report(), "no item"));
}

#[test]
fn two_judges_cannot_tell_who_errs() {
    let why = "fewer than three judges";
    let dir = Dir::new(&[("a/d.json", &list("yynn")), ("b/d.json", &list("ynnn"))]);
    let report = aggregated(&dir);
    let note = &report.aggregate.as_ref().unwrap().notes[0];
    assert!(note.contains(why) && note.contains("no item has three"));
    assert!(notes_of("Estimated", &report).contains(note));
    // Two more judges, one of whom saw other items than the three that share some.
    dir.write("c/d.json", list("yynn").as_bytes());
    assert!(aggregated(&dir).aggregate.unwrap().notes.is_empty());
    dir.write("e/d.json", list("----yn").as_bytes());
    let notes = aggregated(&dir).aggregate.unwrap().notes;
    assert!(
        notes[0].ends_with("judge `e` has no such items"),
        "{notes:?}"
    );
}

#[test]
fn labels_of_nothing_say_why() {
    let row = row(0, "yes", r#","decision_method":"exact""#);
    let report = aggregated(&Dir::new(&[("a/d.json", &format!("[{row}]"))]));
    assert!(report.aggregate.is_none());
    assert!(noted(&report, "no label was estimated"));
    assert!(noted(
        &report,
        "1 row that was decided without a judge is left out"
    ));
}

#[test]
fn ways_of_deciding_are_counted() {
    let said = |i, method: &str| row(i, "yes", &format!(r#","decision_method":"{method}""#));
    let rows = [
        said(0, "llm"),
        said(1, "exact_match"),
        said(2, " llm"),
        said(3, "exact"),
        row(4, "no", ""),
        said(0, "llm"),
    ];
    let dir = Dir::new(&[("a/d.json", &format!("[{}]", rows.join(",")))]);
    let report = dir.report();
    let methods = serde_json::to_string(&report.judges[0].methods).unwrap();
    assert_eq!(methods, r#"{"exact_match":1,"llm":2}"#);
    assert!(noted(&report, "`decision_method`: llm 2, exact_match 1"));
    // Whoever writes something else every time does not fill the report.
    let rows: Vec<String> = (0..99).map(|i| said(i, &format!("m{i:02}"))).collect();
    dir.write("a/d.json", format!("[{}]", rows.join(",")).as_bytes());
    let methods = &dir.report().judges[0].methods;
    assert_eq!((methods.len(), methods["m00"], methods["…"]), (51, 1, 49));
}

#[test]
fn one_is_not_many() {
    let dir = Dir::new(&[("a/d.json", &list("y"))]);
    let report = measure(&dir.human(&list("y"))).unwrap();
    assert_eq!(
        notes_of("Agreement on 1 item", &report),
        [
            "Gwet's AC1: no interval: one cluster has no interval",
            "How many independent ones 1 judge is worth is not known: \
             3 judges with usable verdicts are needed, and there is 1."
        ]
    );
    assert_eq!(
        notes_of("Against people", &report),
        [
            "1 annotation gives a verdict on 1 item; 0 match nothing, 0 are duplicates, \
          0 cannot be read."
        ]
    );
    assert!(noted(&report, "against people, 2 judges of items"));
}

#[test]
fn every_coefficient_says_how_many_items_it_rests_on() {
    let dir = Dir::new(&[
        ("a/d.json", &list("yynnyn")),
        ("b/d.json", &list("yyny--")),
        ("c/d.json", &list("yn--yn")),
    ]);
    let table = tables(&dir.report()).remove(1);
    assert_eq!(table.columns[2].name, "items");
    let of = |title: &str| {
        let row = table.rows.iter().find(|row| row[0].display() == title);
        row.unwrap()[2].display()
    };
    assert_eq!(
        (of("Fleiss' kappa"), of("Gwet's AC1")),
        ("n/a".into(), "6".into())
    );
    let with_people = tables(&measure(&dir.human(&list("yy"))).unwrap()).remove(1);
    assert_eq!(with_people.columns.len(), 5);
}

#[test]
fn disagreements_are_shown_with_everybodys_vote() {
    let long = row(2, "no", "").replace("in 2", &"long ".repeat(30));
    let dir = Dir::new(&[
        (
            "a/d.json",
            &format!("[{},{long}]", row(0, "yes", r#","id":7"#)),
        ),
        (
            "b/d.json",
            &format!(
                "[{},{}]",
                row(0, "no", r#","id":7"#),
                long.replace("no", "yes")
            ),
        ),
        ("c/d.json", &format!("[{}]", row(0, "yes", r#","id":7"#))),
    ]);
    let report = dir.report();
    let table = tables(&report)
        .into_iter()
        .find(|table| table.title.starts_with("Disagreements"))
        .unwrap();
    let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["item", "a", "b", "c"]);
    let cells = |at: usize| -> Vec<String> { table.rows[at].iter().map(|c| c.display()).collect() };
    assert_eq!(cells(0)[1..], ["no", "yes", "n/a"]);
    assert!(cells(0)[0].chars().count() == 40 && cells(0)[0].ends_with('…'));
    assert_eq!(cells(1), ["7: in 0", "yes", "no", "yes"]);
    assert!(table.notes[0].starts_with("2 items that raters disagree on"));
    // Of more raters than there is room for, votes are counted.
    for judge in ["e", "f", "g", "h", "i", "j"] {
        dir.write(&format!("{judge}/d.json"), list("y").as_bytes());
    }
    let report = dir.report();
    let tables = tables(&report);
    let table = tables.iter().find(|t| t.title.starts_with("Disagreements"));
    assert_eq!(table.unwrap().columns.len(), 3);
    let none = JudgesRequest {
        disagreements: 0,
        ..dir.request()
    };
    assert!(notes_of("Disagreements", &measure(&none).unwrap()).is_empty());
}
