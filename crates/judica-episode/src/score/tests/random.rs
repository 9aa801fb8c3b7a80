//! Random episodes in both modes: the metrics equal the naive ones, and neither the number
//! of threads nor the order of predictions changes a byte.

use super::*;
use crate::schema::validate::validate_text;
use judica_data::json::json_bytes;
use proptest::prelude::*;

fn grid() -> impl Strategy<Value = f64> {
    // Coarse, so that hits, edges and misses all occur.
    (0u32..=40).prop_map(|n| f64::from(n) / 40.0)
}

fn action() -> impl Strategy<Value = Value> {
    const KINDS: [&str; 7] = ["click", "CLICK", "drag", "type", "scroll", "done", "öffnen"];
    let near = prop_oneof![Just(0.5), Just(0.53), Just(0.55), grid()];
    (
        prop::sample::select(&KINDS[..]),
        prop::option::weighted(0.8, (near.clone(), near)),
        0u8..3,
        prop::option::of((grid(), grid(), grid(), grid())),
        prop::option::weighted(0.7, 0u8..4),
    )
        .prop_map(|(kind, point, form, area, mark)| {
            let mut action = json!({"type": kind, "text": "a\"b"});
            match (point, form) {
                (None, 0) => action["x"] = Value::Null,
                (None, _) => {}
                (Some((x, y)), 0) => action["normalized_coordinates"] = json!([x, y]),
                (Some((x, y)), _) => (action["y"], action["x"]) = (json!(y), json!(x)),
            }
            if let Some((a, b, c, d)) = area {
                let [x0, y0, x1, y1] = [a.min(c), b.min(d), a.max(c), b.max(d)];
                if form == 1 {
                    let bounds = json!({"x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0});
                    action["element"] = json!({"bounds": bounds});
                } else {
                    action["bbox"] = json!([x0, y0, x1, y1]);
                }
            }
            match (mark, form) {
                (None, _) => {}
                (Some(mark), 0) => action["element_index"] = json!(mark),
                (Some(mark), 1) => action["element"]["element_id"] = json!(mark.to_string()),
                (Some(mark), _) => action["element_index"] = json!(mark.to_string()),
            }
            action
        })
}

fn gold() -> impl Strategy<Value = Value> {
    let step = (
        action(),
        prop::option::weighted(0.3, prop::bool::weighted(0.5)),
    );
    let milestone = (
        0u64..8,
        prop::sample::select(&["click", "type", "done"][..]),
        prop::option::of(grid()),
    );
    (
        prop::collection::vec(step, 0..6),
        prop::option::weighted(0.5, prop::collection::vec(milestone, 0..3)),
    )
        .prop_map(|(steps, milestones)| {
            let steps: Vec<Value> = steps
                .into_iter()
                .map(|(action, seen)| match seen {
                    None => json!({"action": action}),
                    Some(seen) => json!({"has_screenshot": seen, "action": action}),
                })
                .collect();
            let mut episode = json!({"goal": "g", "steps": steps});
            if let Some(milestones) = milestones {
                let list = milestones.into_iter().map(|(step, kind, limit)| {
                    json!({"name": "m", "step_index": step, "type": kind,
                           "coord_threshold": limit.map(|limit| limit + 0.01)})
                });
                episode["milestones"] = list.collect();
            }
            episode
        })
}

/// The same action, off the screen.
fn outside(gold: &Value) -> Value {
    json!({"type": gold["type"], "x": 1.03, "y": gold["y"].as_f64().unwrap_or(-0.01)})
}

/// For each recorded step, mostly the same action again; sometimes nothing one can read.
fn predicted(gold: &Value) -> impl Strategy<Value = Vec<Value>> + use<> {
    let gold: Vec<Value> = gold["steps"].as_array().unwrap().clone();
    let others = prop::collection::vec((0u8..10, action(), prop::option::of(any::<bool>())), 0..8);
    others.prop_map(move |others| {
        let steps = others
            .into_iter()
            .enumerate()
            .map(|(index, (choice, other, success))| {
                let action = match (choice, gold.get(index)) {
                    (0, _) => Value::Null,
                    (1..=5, Some(gold)) => gold["action"].clone(),
                    (6, Some(gold)) => outside(&gold["action"]),
                    (7, _) => json!("CLICK(0.5, 0.5)"),
                    _ => other,
                };
                json!({"action": action, "state": {"success": success}})
            });
        steps.collect()
    })
}

type Case = (Vec<Value>, Vec<Vec<Value>>, Vec<(bool, u64)>);

fn case() -> impl Strategy<Value = Case> {
    prop::collection::vec(gold(), 0..12).prop_flat_map(|episodes| {
        let predictions: Vec<_> = episodes.iter().map(predicted).collect();
        let forms = prop::collection::vec((any::<bool>(), any::<u64>()), episodes.len());
        (Just(episodes), predictions, forms)
    })
}

/// Rows of both files; `order` shuffles the predictions.
fn rows((episodes, predictions, forms): &Case) -> (Vec<Value>, Vec<(u64, Value)>) {
    let mut gold = episodes.clone();
    let mut rows = Vec::new();
    for (number, episode) in gold.iter_mut().enumerate() {
        episode["episode_id"] = json!(format!("e\u{e9}{number}"));
        let (whole, order) = forms[number];
        let name = episode["episode_id"].clone();
        if order % 7 == 0 {
            continue;
        }
        if whole {
            rows.push((
                order,
                json!({"episode_id": name, "steps": predictions[number]}),
            ));
            continue;
        }
        for (index, step) in predictions[number].iter().enumerate() {
            let mut row = json!({"episode_id": name, "step_index": index});
            row["action"] = step["action"].clone();
            row["state"] = step["state"].clone();
            let key = order
                .wrapping_mul(index as u64 * 2 + 1)
                .rotate_left(index as u32);
            rows.push((key, row));
        }
    }
    (gold, rows)
}

fn lines<'a>(rows: impl Iterator<Item = &'a Value>) -> Vec<u8> {
    rows.flat_map(|row| format!("{row}\n").into_bytes())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn equals_the_naive_metrics(case in case(), som: bool) {
        let mode = if som { Mode::Som } else { Mode::Coord };
        let (episodes, mut predictions) = rows(&case);
        let plain: Vec<Value> = predictions.iter().map(|(_, row)| row.clone()).collect();
        // Nothing to compare is an error, and no result.
        prop_assume!(!episodes.is_empty() && !plain.is_empty());
        let expected = naive::metrics(&episodes, &plain, mode);
        let mut run = Run::new(&lines(episodes.iter()), &lines(plain.iter()));
        run.request.mode = mode;
        let outcome = run.score().unwrap();
        let eval = document(&outcome);
        let found = serde_json::to_value(&eval).unwrap();
        for (name, expected) in &expected {
            let found = &found["metrics"][name];
            let same = match (found.as_f64(), expected.as_f64()) {
                (Some(found), Some(expected)) => (found - expected).abs() <= 1e-15,
                _ => found == expected,
            };
            prop_assert!(same, "{}: {} instead of {}", name, found, expected);
        }
        prop_assert!(outcome.refused.is_empty(), "{:?}", outcome.refused);
        if outcome.metrics.num_steps > 0 {
            let validation = validate_text("eval.json", &json_bytes(&eval));
            prop_assert!(validation.valid && validation.warnings.is_empty(), "{:?}", validation);
        }

        let details = run.details_bytes();
        predictions.sort_by_key(|(key, _)| *key);
        let shuffled = lines(predictions.iter().map(|(_, row)| row));
        std::fs::write(&run.request.predictions.as_ref().unwrap().path, shuffled).unwrap();
        run.request.threads = 1;
        prop_assert_eq!(document(&run.score().unwrap()), eval);
        prop_assert!(run.details_bytes() == details);
    }

    #[test]
    fn nothing_is_lost_and_nothing_panics(
        episodes in prop::collection::vec("[\\[\\]{}:,\"a0-2.n \n]{0,40}|\\{\"episode_id\":[0-3],\"steps\":\\[\\{\"action\":\\{\"type\":\"(click|a)\",\"x\":0\\.[0-9],\"y\":[01]\\}\\}\\]\\}", 0..8),
        predictions in prop::collection::vec("[\\[\\]{}:,\"a0-2.n \n]{0,40}|\\{\"episode_id\":[0-3],\"step_index\":[0-2],\"action\":\\{\"type\":\"(click|a)\",\"x\":[0-2],\"y\":0\\}\\}", 0..12),
    ) {
        // One row of each can be used, so that there is a result.
        let (episodes, predictions) = (
            format!("{{\"episode_id\":9,\"steps\":[]}}\n{}", episodes.join("\n")),
            format!("{{\"episode_id\":9,\"steps\":[]}}\n{}", predictions.join("\n")),
        );
        let run = Run::new(episodes.as_bytes(), predictions.as_bytes());
        let outcome = run.score().unwrap();
        let count = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        prop_assert_eq!(outcome.episode_rows.inputs, count(&episodes));
        prop_assert_eq!(outcome.prediction_rows.inputs, count(&predictions));
        prop_assert_eq!(run.details().len() as u64, outcome.counts.episodes);
        for reject in run.rejects() {
            let text = if reject.file.ends_with("e.jsonl") { &episodes } else { &predictions };
            let line = text.split('\n').nth(reject.line as usize - 1).unwrap();
            prop_assert_eq!(line.as_bytes(), reject.raw.kept());
            let at = reject.byte_offset as usize;
            prop_assert_eq!(&text.as_bytes()[at..at + reject.raw.kept().len()], reject.raw.kept());
        }
    }
}
