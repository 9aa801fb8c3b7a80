//! The demo: everything at once, from nothing.

use crate::support::Place;

#[test]
fn it_needs_no_file_and_tells_the_personalities_apart() {
    let place = Place::new();
    place.judica("demo").exits(0).says(&[
        "Leaderboard",
        "accurate-1",
        "noisy-1",
        "unsafe-1",
        "format-breaking-1",
        "rate-limited-1",
        "inputs 3000 = records 3000 + rejects 0",
        "cites EVID_",
        "judica show judica-demo/run",
        "judica explain",
        // One that failed for each, whatever else was wrong with it.
        "\n  format-breaking-1 on ",
        "\n  noisy-1 on ",
        "\n  rate-limited-1 on ",
        "\n  unsafe-1 on ",
    ]);
    assert_eq!(place.names("."), ["judica-demo"]);
    assert!(
        place
            .names("judica-demo/run")
            .contains(&"manifest.json".to_owned())
    );
}

/// What the paper found: safety tells models apart that accuracy does not.
#[test]
fn dimensions_tell_models_apart_that_the_error_does_not() {
    let place = Place::new();
    place
        .judica("demo --protocol flight-dimensions")
        .exits(0)
        .says(&["Dimensions in task S1", "Models lie farthest apart in D4"]);
    let report = place.json("judica-demo/run/report.json");
    let tasks = report["dimensions"]["tasks"].as_array().expect("tasks");
    assert_eq!(tasks.len(), 4);
    for task in tasks {
        let std = |name: &str| {
            task["std_over_models"][name]["std"]
                .as_f64()
                .expect("a number")
        };
        assert!(std("D4") > 10.0 * std("D5"), "{task}");
        let models = task["models"].as_array().expect("models");
        let of = |name: &str| {
            let mut scores: Vec<f64> = models
                .iter()
                .map(|model| model["scores"][name].as_f64().expect("a number"))
                .collect();
            scores.sort_by(f64::total_cmp);
            scores
        };
        // Every two models differ by more in D4 than all of them in D5, but for a few.
        let (safety, quality) = (of("D4"), of("D5"));
        assert!(quality[4] - quality[0] < 5.0, "{quality:?}");
        assert!(safety[4] - safety[0] > 40.0, "{safety:?}");
    }
}

#[test]
fn what_it_says_to_do_next_works() {
    for domain in [
        "--domain flight",
        "--domain battery",
        "--protocol flight-dimensions",
    ] {
        let place = Place::new();
        let said = place
            .judica(&format!("demo {domain} --samples 60 --out d"))
            .exits(0)
            .stdout;
        let steps: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix("  judica "))
            .map(|line| line.split(['>', '#']).next().unwrap_or(line).trim())
            .collect();
        assert!(steps.len() >= 4, "{said}");
        // It serves until somebody ends it; `tests/view` opens the demo's run.
        let (served, ended): (Vec<&str>, Vec<&str>) =
            steps.iter().partition(|step| step.starts_with("view "));
        assert_eq!(served, ["view d/run"]);
        for step in ended {
            place.judica(step).exits(0);
        }
    }
}

#[test]
fn what_synth_says_to_do_next_works() {
    let place = Place::new();
    let said = place
        .judica("synth battery --samples 10 --models 2 --out data")
        .exits(0)
        .stdout;
    let next = said
        .lines()
        .find_map(|line| line.strip_prefix("next: judica "))
        .expect("a next step");
    place
        .judica(next)
        .exits(0)
        .says(&["inputs 20 = records 20 + rejects 0"]);
}

#[test]
fn the_personalities_differ_in_the_way_they_were_made() {
    let place = Place::new();
    place.judica("demo --out d").exits(0);
    let summary = place.json("d/run/report.json");
    let models = summary["models"].as_array().expect("models");
    let model = |name: &str| {
        models
            .iter()
            .find(|model| model["model_name"] == name)
            .expect("the model")
    };
    let number = |name: &str, key: &str| model(name)[key].as_f64().expect("a number");
    assert_eq!(summary["leaderboard"][0]["model_name"], "accurate-1");
    assert!(number("rate-limited-1", "api_errors") > 100.0);
    assert_eq!(number("accurate-1", "api_errors"), 0.0);
    assert!(number("format-breaking-1", "parse_failures") > 10.0);
    assert!(number("noisy-1", "eligibility_rate") > 90.0);
    assert!(number("unsafe-1", "eligibility_rate") < 80.0);
    let modes = &model("unsafe-1")["failure_modes"];
    let worst = modes
        .as_object()
        .expect("modes")
        .iter()
        .max_by_key(|(_, count)| count.as_u64());
    assert_eq!(
        worst.map(|(family, _)| family.as_str()),
        Some("safety_constraint")
    );
}

#[test]
fn it_can_be_run_twice() {
    let place = Place::new();
    let first = place.judica("demo --samples 30").exits(0).stdout;
    assert_eq!(place.judica("demo --samples 30").exits(0).stdout, first);
}
