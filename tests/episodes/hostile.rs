//! Input that was made to break a reader.

use serde_json::json;

use crate::data::{SCORE, act, click, place, row, scored};
use crate::support::Place;

#[test]
fn deep_nesting_is_refused_and_overflows_nothing() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let place = Place::new();
    let good = row("a", &[act("x")]).to_string();
    place.write_lines(
        "e.jsonl",
        &[
            &good,
            &format!(r#"{{"episode_id":"b","steps":[],"more":{deep}}}"#),
        ],
    );
    place.write_lines("p.jsonl", &[&good, &deep]);
    let eval = scored(&place, "--mode coord");
    assert_eq!(eval["inputs"]["episodes"]["rejects"], 1);
    assert_eq!(eval["inputs"]["predictions"]["rejects"], 1);
    assert_eq!(eval["metrics"]["action_type_accuracy"], 1.0);
    place.write("deep.json", format!(r#"{{"metrics":{deep}}}"#));
    place.judica("schema validate deep.json").exits(2);
    place.judica("schema migrate deep.json").exits(2);
    place
        .judica("plot --files deep.json --output f.svg")
        .exits(2);
}

#[test]
fn a_step_far_beyond_the_end_costs_nothing() {
    let far = json!({"episode_id": "a", "step_index": 4_000_000_000_u64, "action": act("x")});
    let milestone = json!([{"name": "m", "step_index": 4_000_000_001_u64, "type": "x"}]);
    let mut recorded = row("a", &[act("x")]);
    recorded["milestones"] = milestone;
    let place = place(&[recorded], &[far]);
    let metrics = &scored(&place, "--mode coord")["metrics"];
    assert_eq!(metrics["extra_steps"], 1);
    assert_eq!(metrics["weak_episode_success_rate"], 0.0);
}

#[test]
fn numbers_at_the_ends_of_their_range() {
    let place = Place::new();
    let gold = row("a", &[click(0.0, 1.0)]).to_string();
    place.write_lines("e.jsonl", &[&gold]);
    for number in [
        "1e400",
        "-1e400",
        "1e-400",
        "-0.0",
        "NaN",
        "0.5000000000000000000000000001",
    ] {
        let action = format!(r#"{{"type":"click","x":{number},"y":1}}"#);
        place.write_lines(
            "p.jsonl",
            &[format!(
                r#"{{"episode_id":"a","steps":[{{"action":{action}}}]}}"#
            )],
        );
        let eval = scored(&place, "--mode coord");
        let read = ["1e-400", "-0.0", "0.5000000000000000000000000001"].contains(&number);
        // Whatever a model writes, its row is used.
        assert_eq!(eval["inputs"]["predictions"]["records"], 1, "{number}");
        assert_eq!(
            (
                &eval["counts"]["unreadable_steps"],
                &eval["counts"]["coord_errors"]
            ),
            (&json!(u64::from(!read)), &json!(u64::from(read))),
            "{number}"
        );
    }
}

#[test]
fn names_that_a_terminal_would_obey_are_shown_harmless() {
    let name = "\u{1b}[31mred\u{7}\u{202e}";
    let good = row("a", &[act("\u{1b}[2J")]);
    let place = place(
        std::slice::from_ref(&good),
        &[row(name, &[act("x")]), good.clone()],
    );
    let ran = place.judica(&format!("{SCORE} --mode coord")).exits(0);
    assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    let ran = place
        .judica(&format!("{SCORE} --mode coord --strict"))
        .exits(2);
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

#[test]
fn text_that_is_not_utf_8_is_kept_as_it_is() {
    let place = Place::new();
    let good = row("a", &[act("x")]).to_string();
    let bad = b"{\"episode_id\":\"\xff\xfe\",\"steps\":[]}";
    place.write("e.jsonl", [good.as_bytes(), b"\n", bad, b"\n"].concat());
    place.write_lines("p.jsonl", &[&good]);
    scored(&place, "--mode coord");
    let kept = &place.json_lines("out/rejects.jsonl")[0];
    assert_eq!(kept["reason"], "invalid_utf8");
    assert_eq!(crate::support::raw_bytes(kept), bad);
}
