use super::*;
use crate::load::action::Rules;
use crate::load::episode::episode;
use crate::load::prediction::prediction;

const RULES: Rules = Rules {
    mode: Mode::Coord,
    screen: None,
};

fn scored(gold: &str, rows: &[&str]) -> (Outcome, u64, Vec<&'static str>) {
    let mut steps = Vec::new();
    let gold = episode(gold.as_bytes(), RULES, &mut steps).unwrap();
    let mut gathered = Gathered::default();
    gathered.reset(gold.steps);
    let mut refused = Vec::new();
    for row in rows {
        let row = prediction(row.as_bytes(), RULES).unwrap();
        if let Err(refusal) = gathered.add(row) {
            refused.push(refusal.reason);
        }
    }
    let mut outcome = Outcome::default();
    compare(
        Mode::Coord,
        &steps,
        &gold.milestones,
        &gathered,
        &mut outcome,
    );
    (outcome, gathered.extra_steps, refused)
}

const GOLD: &str = r#"{"episode_id":"e","steps":[
    {"action":{"type":"click","x":0.5,"y":0.5}},
    {"action":{"type":"type","text":"a"}},
    {"action":{"type":"wait"},"has_screenshot":false},
    {"action":{"type":"click","x":0.2,"y":0.2}},
    {"action":{"type":"done"}}],
    "milestones":[{"name":"typed","step_index":1,"type":"type"},
        {"name":"login","step_index":3,"type":"click","coord_threshold":0.1}]}"#;

#[test]
fn worked_by_hand() {
    let whole = r#"{"episode_id":"e","steps":[
        {"action":{"type":"click","x":0.5,"y":0.5},"state":{"success":true}},
        {"action":{"type":"type"}},
        {"action":{"type":"odd"},"state":{"success":false}},
        {"action":{"type":"click","x":0.2,"y":0.2625}},
        {"action":{"type":"wait"}},
        {"action":{"type":"done"}},
        null]}"#;
    let (outcome, extra, refused) = scored(GOLD, &[whole]);
    let totals = outcome.totals;
    assert_eq!((totals.steps, totals.left_out, totals.missing), (4, 1, 0));
    assert_eq!((totals.type_matches, totals.full), (3, 2));
    assert_eq!((totals.coord_errors, totals.hits), (2, 1));
    assert_eq!(
        (totals.progress(), totals.step_score()),
        (Some(0.75), Some(0.5))
    );
    assert_eq!(totals.success(), Some(false));
    assert_eq!(outcome.weak_success(), Some(true));
    // What was said at the step that is left out does not count.
    assert_eq!(outcome.state_success, Some(true));
    assert_eq!((extra, refused), (1, vec![]));
}

#[test]
fn single_steps_in_any_order() {
    let row = |index: u64, action: &str, success: &str| {
        format!(
            r#"{{"episode_id":"e","step_index":{index},"action":{action},"state":{{"success":{success}}}}}"#
        )
    };
    let rows = [
        row(4, r#"{"type":"done"}"#, "true"),
        row(99, r#"{"type":"more"}"#, "null"),
        row(0, r#"{"type":"click","x":0.5,"y":0.5}"#, "false"),
        row(99, r#"{"type":"more"}"#, "false"),
        row(7, "null", "false"),
        row(3, r#"{"type":"click"}"#, "false"),
        row(0, r#"{"type":"click","x":0.5,"y":0.5}"#, "false"),
        r#"{"episode_id":"e","steps":[]}"#.to_owned(),
    ];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let (outcome, extra, refused) = scored(GOLD, &rows);
    assert_eq!(
        refused,
        ["duplicate_step", "duplicate_step", "duplicate_prediction"]
    );
    assert_eq!(extra, 1);
    let totals = outcome.totals;
    assert_eq!(
        (totals.type_matches, totals.missing, totals.full),
        (3, 1, 2)
    );
    // The last by step, not by row: step 7 comes after step 4.
    assert_eq!(outcome.state_success, Some(false));
    assert_eq!(outcome.milestones, [false, false]);
}

#[test]
fn whole_episodes_win_if_they_come_first() {
    let whole = r#"{"episode_id":"e","steps":[]}"#;
    let step = r#"{"episode_id":"e","step_index":0,"action":{"type":"click"}}"#;
    let (outcome, _, refused) = scored(GOLD, &[whole, step, whole]);
    assert_eq!(refused, ["duplicate_prediction", "duplicate_prediction"]);
    assert_eq!(
        (outcome.totals.missing, outcome.totals.type_matches),
        (4, 0)
    );
}

#[test]
fn an_episode_without_steps_has_no_shares() {
    let (outcome, extra, _) = scored(
        r#"{"episode_id":"e","steps":[{"has_screenshot":false}]}"#,
        &[r#"{"episode_id":"e","steps":[{"action":{"type":"a"}},{"action":{"type":"a"}}]}"#],
    );
    let totals = outcome.totals;
    assert_eq!(
        (totals.success(), totals.progress(), totals.step_score()),
        (None, None, None)
    );
    assert_eq!((outcome.weak_success(), extra), (None, 1));
}

#[test]
fn a_milestone_beyond_the_end_or_at_a_step_left_out_is_not_reached() {
    let gold = |milestone: &str| {
        format!(
            r#"{{"episode_id":"e","steps":[{{"action":{{"type":"a"}}}},{{"action":{{"type":"a"}},"has_screenshot":false}}],"milestones":[{milestone}]}}"#
        )
    };
    let all = r#"{"episode_id":"e","steps":[{"action":{"type":"A"}},{"action":{"type":"a"}},{"action":{"type":"a"}}]}"#;
    for (milestone, reached) in [
        (r#"{"step_index":0,"type":"A"}"#, true),
        (r#"{"step_index":0,"type":"b"}"#, false),
        (r#"{"step_index":1,"type":"a"}"#, false),
        (r#"{"step_index":2,"type":"a"}"#, false),
        // There is no coordinate error that could be below it.
        (
            r#"{"step_index":0,"type":"a","coord_threshold":0.5}"#,
            false,
        ),
    ] {
        let (outcome, ..) = scored(&gold(milestone), &[all]);
        assert_eq!(outcome.weak_success(), Some(reached), "{milestone}");
    }
}
