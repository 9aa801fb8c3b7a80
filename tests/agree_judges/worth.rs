//! What follows from the votes as a whole: what the panel is worth, and a label per item.

use serde_json::{Value, json};

use crate::agree_judges::data::{JUDGES, is, measured, panel, row, rows};
use crate::support::Place;

/// A judge who is right but for the items that a rule picks.
fn erring(truth: &str, errs: impl Fn(usize) -> bool) -> String {
    let flip = |letter| if letter == 'y' { 'n' } else { 'y' };
    let said = truth.chars().enumerate();
    said.map(|(item, letter)| if errs(item) { flip(letter) } else { letter })
        .collect()
}

/// 120 items, yes and no in no simple order.
fn truth() -> String {
    (0..120)
        .map(|item| if item * item % 7 < 3 { 'y' } else { 'n' })
        .collect()
}

/// Six judges of whom three copy one and three another.
fn copies() -> Place {
    let (one, two) = (
        erring(&truth(), |item| item % 5 == 0),
        erring(&truth(), |item| item % 4 == 1),
    );
    let said = ["a1", "a2", "a3"].map(|name| (name, one.as_str()));
    let more = ["b1", "b2", "b3"].map(|name| (name, two.as_str()));
    let place = panel(&[said, more].concat());
    place.write("human.json", json!(rows(&truth())).to_string());
    place
}

#[test]
fn six_judges_who_vote_like_two_are_worth_two() {
    let worth = measured(&copies(), "")["effective_judges"].clone();
    let value = worth["value"].as_f64().expect("a number");
    assert!((value - 2.0).abs() < 0.1, "{value}");
    assert_eq!([&worth["judges"], &worth["n"]], [6, 120]);
    assert_eq!(worth["basis"], "panel");
    assert_eq!(worth["experimental"], true);
    assert_eq!([&worth["pairs"], &worth["known_pairs"]], [15, 15]);
    assert_eq!(
        worth["voices"],
        json!([["a1", "a2", "a3"], ["b1", "b2", "b3"]])
    );
    let least = worth["at_least"].as_f64().expect("a number");
    assert!((1.0..=value).contains(&least), "{least}");
    copies().judica(JUDGES).exits(0).says(&[
        "6 judges are worth 2.0",
        "Vote as one (experimental): a1, a2, a3; b1, b2, b3.",
    ]);
}

/// Against people the number follows from the correlations: J² over their sum, which is
/// J / (1 + (J − 1) ρ̄) where all pairs are known.
#[test]
fn against_people_errors_are_known() {
    let place = copies();
    let worth = measured(&place, "--human human.json")["effective_judges"].clone();
    assert_eq!(worth["basis"], "human");
    assert_eq!(worth["experimental"], false);
    let [lo, hi] = [0, 1].map(|end| worth["ci"][end].as_f64().expect("an end"));
    assert!(
        (1.0..2.0).contains(&lo) && hi > 2.0 && hi <= 6.0,
        "{lo} {hi}"
    );
    let rows = worth["error_correlation"].as_array().expect("rows");
    let cells = rows.iter().flat_map(|row| row.as_array().expect("cells"));
    let sum: f64 = cells.map(|cell| cell.as_f64().expect("a number")).sum();
    is(&worth, 36.0 / sum);
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.as_array().expect("cells").iter().enumerate() {
            let cell = cell.as_f64().expect("a number");
            if row / 3 == column / 3 {
                assert!((cell - 1.0).abs() < 1e-12, "{row} {column}: {cell}");
            } else {
                // 24 and 30 errors of 120, on 5, 25, … both: 6/120 is just 0.2 · 0.25.
                assert!(cell.abs() < 1e-12, "{row} {column}: {cell}");
            }
        }
    }
    is(&worth, 2.0);
}

/// 60 items of which the last judge saw `seen`, and votes on these like the first two.
fn through_a_third(seen: usize) -> Place {
    let truth: String = truth().chars().take(60).collect();
    let one = erring(&truth, |item| item % 5 == 0);
    let few: String = one
        .chars()
        .enumerate()
        .map(|(item, letter)| if item < seen { letter } else { '-' })
        .collect();
    let two = erring(&truth, |item| item % 4 == 1);
    let three = erring(&truth, |item| item % 3 == 2);
    panel(&[
        ("a1", &one),
        ("a2", &one),
        ("few", &few),
        ("b", &two),
        ("c", &three),
    ])
}

/// A judge who shares few items with others is one of its own: nothing is known of it.
#[test]
fn judges_who_share_few_items_are_unknown_and_not_joined() {
    let place = through_a_third(12);
    let worth = measured(&place, "")["effective_judges"].clone();
    assert_eq!(worth["min_common"], 20);
    assert_eq!([&worth["pairs"], &worth["known_pairs"]], [10, 6]);
    let voices = worth["voices"].as_array().expect("voices");
    assert!(voices.contains(&json!(["a1", "a2"])), "{voices:?}");
    assert!(voices.contains(&json!(["few"])), "{voices:?}");
    // Judges are in the order of their names: a1, a2, b, c, few.
    for other in 0..4 {
        assert_eq!(worth["error_correlation"][4][other], Value::Null);
    }
    place.judica(JUDGES).exits(0).says(&[
        "Of 10 pairs of judges 4 are left out",
        "Vote as one (experimental): a1, a2.",
    ]);
    // Twelve are enough if the user says so.
    let worth = measured(&place, "--min-common 12")["effective_judges"].clone();
    let voices = worth["voices"].as_array().expect("voices");
    assert!(voices.contains(&json!(["a1", "a2", "few"])), "{voices:?}");
    for bad in ["0", "-1", "nan", "1.5"] {
        let line = format!("{JUDGES} --min-common={bad}");
        place.judica(&line).exits(2).complains(&["--min-common"]);
    }
}

/// Less than half of the pairs are known: there is no number, and it says why.
#[test]
fn too_few_known_pairs_have_no_worth() {
    let place = panel(&[("ana", "ynyynn"), ("ben", "yynnyn"), ("cal", "nynyyn")]);
    let report = measured(&place, "");
    let worth = &report["effective_judges"];
    is(worth, None);
    let why = worth["undefined"].as_str().expect("a reason");
    assert!(why.contains("--min-common") && why.contains("20"), "{why}");
    assert_eq!([&worth["pairs"], &worth["known_pairs"]], [3, 0]);
    assert!(measured(&place, "--min-common 6")["effective_judges"]["undefined"].is_null());
}

#[test]
fn independent_judges_are_worth_themselves() {
    let errs: [fn(usize) -> bool; 4] = [
        |item| item % 5 == 0,
        |item| item % 4 == 1,
        |item| item % 3 == 2,
        |item| item % 7 == 3,
    ];
    let said = errs.map(|errs| erring(&truth(), errs));
    let names = ["ana", "ben", "cal", "dan"];
    let named: Vec<(&str, &str)> = names
        .iter()
        .zip(&said)
        .map(|(name, said)| (*name, said.as_str()))
        .collect();
    let place = panel(&named);
    place.write("human.json", json!(rows(&truth())).to_string());
    let worth = measured(&place, "--human human.json")["effective_judges"]["value"].as_f64();
    assert!(
        worth.is_some_and(|worth| worth > 3.5 && worth <= 4.0),
        "{worth:?}"
    );
    let worth = measured(&place, "")["effective_judges"]["value"].as_f64();
    assert!(
        worth.is_some_and(|worth| worth > 3.0 && worth <= 4.0),
        "{worth:?}"
    );
}

#[test]
fn two_judges_alone_cannot_tell() {
    let report = measured(&panel(&[("ana", "ynyn"), ("ben", "yynn")]), "");
    is(&report["effective_judges"], None);
    let why = report["effective_judges"]["undefined"].as_str();
    assert!(why.is_some_and(|why| why.contains('3')), "{why:?}");
}

/// Three judges of different skill, one of whom skips items.
fn skilled() -> Place {
    let good = erring(&truth(), |item| item % 20 == 3);
    let fair = erring(&truth(), |item| item % 6 == 1);
    let poor = erring(&truth(), |item| item % 3 == 2);
    let poor: String = poor
        .chars()
        .enumerate()
        .map(|(item, letter)| if item % 11 == 0 { '-' } else { letter })
        .collect();
    let place = panel(&[("good", &good), ("fair", &fair), ("poor", &poor)]);
    place.write("human.json", json!(rows(&truth())).to_string());
    place
}

#[test]
fn dawid_skene_finds_who_errs() {
    let report = measured(&skilled(), "--aggregate dawid-skene --human human.json");
    let found = &report["aggregate"];
    assert_eq!(found["method"], "dawid-skene");
    assert_eq!(found["converged"], true);
    assert!(found["iterations"].as_u64().is_some_and(|n| n > 0));
    let skill = |at: usize| {
        let judge = &found["judges"][at];
        let of = |key: &str| judge[key].as_f64().expect("a rate");
        (
            judge["judge"].clone(),
            (of("sensitivity") + of("specificity")) / 2.0,
        )
    };
    let [(fair, middling), (good, best), (poor, least)] = [0, 1, 2].map(skill);
    assert_eq!([fair, good, poor], ["fair", "good", "poor"]);
    assert!(
        best > middling && middling > least,
        "{best} {middling} {least}"
    );
    let human = &found["human"];
    assert_eq!(human["n"], 120);
    assert!(
        human["accuracy"]["value"]
            .as_f64()
            .is_some_and(|share| share > 0.85),
        "{human}"
    );
    let labels = ["no", "yes", "even"].map(|key| found["labels"][key].as_u64().expect("a count"));
    assert_eq!(labels.iter().sum::<u64>(), 120);
}

/// At rest, the rates give the beliefs and the beliefs give the rates.
#[test]
fn dawid_skene_is_at_rest() {
    let found = measured(&skilled(), "--aggregate dawid-skene --prior 0")["aggregate"].clone();
    let items = found["items"].as_array().expect("items");
    let judges = found["judges"].as_array().expect("judges");
    let number = |value: &Value| value.as_f64().expect("a number");
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} and {b}");

    let mut log_likelihood = 0.0;
    for item in items {
        let joint = ["no", "yes"].map(|truth| {
            let said = judges.iter().filter_map(|judge| {
                let vote = item["votes"][judge["judge"].as_str()?].as_str()?;
                Some(number(
                    &judge["confusion"][usize::from(truth == "yes")][vote],
                ))
            });
            number(&found["priors"][truth]) * said.product::<f64>()
        });
        let sum = joint[0] + joint[1];
        log_likelihood += sum.ln();
        let yes = number(&item["yes_probability"]);
        close(yes, joint[1] / sum);
        assert_eq!(item["label"], if yes > 0.5 { "yes" } else { "no" });
    }
    close(number(&found["log_likelihood"]), log_likelihood);

    let belief = |item: &Value| number(&item["yes_probability"]);
    close(
        number(&found["priors"]["yes"]),
        items.iter().map(belief).sum::<f64>() / 120.0,
    );
    for judge in judges {
        let name = judge["judge"].as_str().expect("a name");
        let seen = || {
            items
                .iter()
                .filter(|item| item["votes"].get(name).is_some())
        };
        assert_eq!(judge["n"], seen().count());
        let all: f64 = seen().map(belief).sum();
        let yes: f64 = seen()
            .filter(|item| item["votes"][name] == "yes")
            .map(belief)
            .sum();
        close(number(&judge["sensitivity"]), yes / all);
        close(
            number(&judge["sensitivity"]),
            number(&judge["confusion"][1]["yes"]),
        );
        close(
            number(&judge["specificity"]),
            number(&judge["confusion"][0]["no"]),
        );
    }
}

#[test]
fn every_item_gets_a_label_in_order() {
    let place = crate::agree_judges::data::three();
    let report = measured(&place, "--aggregate dawid-skene");
    let items = report["aggregate"]["items"].as_array().expect("items");
    let named: Vec<String> = items
        .iter()
        .map(|item| format!("{} {}", item["source"], item["input"]).replace('"', ""))
        .collect();
    let expected: Vec<String> = (0..6)
        .map(|at| format!("one input {at}"))
        .chain((0..4).map(|at| format!("two input {at}")))
        .collect();
    assert_eq!(named, expected);
    assert_eq!(items[5]["votes"], json!({"ana": "yes", "ben": "yes"}));
    let ran = place
        .judica(&format!("{JUDGES} --aggregate dawid-skene"))
        .exits(0);
    ran.says(&[
        "Estimated from all votes",
        "sensitivity",
        "came to rest after",
    ]);
}

/// People's verdicts are kept out of the estimate that is compared with them.
#[test]
fn people_do_not_vote_in_the_estimate() {
    let place = skilled();
    let with = measured(&place, "--aggregate dawid-skene --human human.json");
    let without = measured(&place, "--aggregate dawid-skene");
    for key in ["priors", "judges", "items", "log_likelihood"] {
        assert_eq!(with["aggregate"][key], without["aggregate"][key], "{key}");
    }
}

/// Three judges and people on part of the items.
fn labelled(labels: usize) -> Place {
    let place = skilled();
    let truth = truth();
    let some: String = truth.chars().take(labels).collect();
    place.write("human.json", json!(rows(&some)).to_string());
    place
}

#[test]
fn a_judges_errors_reach_the_result() {
    let report = measured(&labelled(110), "--human human.json");
    let corrected = &report["human"]["corrected"];
    let assumed = "people labelled a random part of the items";
    assert_eq!(corrected["assumes"], assumed);
    let judges = corrected["judges"].as_array().expect("judges");
    assert_eq!(judges.len(), 3);
    for judge in judges {
        assert_eq!(judge["rate"], report_rate(&report, &judge["judge"]));
        for key in ["prediction_powered", "rogan_gladen", "labels_alone"] {
            let ci = &judge[key]["ci"];
            let value = judge[key]["value"].as_f64().expect("a rate");
            let ends = [0, 1].map(|end| ci[end].as_f64().expect("an end"));
            assert!(ends[0] < value && value < ends[1], "{key} {judge}");
        }
        let lambda = judge["lambda"].as_f64().expect("a weight");
        assert!((0.0..=1.0).contains(&lambda));
    }
    // ppi_py: `ppi_mean_pointestimate` and `ppi_mean_ci` of the same verdicts.
    let by_ppi_py = [
        (
            0,
            [0.7164493006301696, 0.6336829629681042, 0.7992156382922351],
        ),
        (
            1,
            [0.7181818181818179, 0.6367955669596027, 0.7995680694040331],
        ),
    ];
    for (at, expected) in by_ppi_py {
        let found = &judges[at]["prediction_powered"];
        let numbers = [&found["value"], &found["ci"][0], &found["ci"][1]];
        for (number, expected) in numbers.into_iter().zip(expected) {
            let number = number.as_f64().expect("a number");
            assert!((number - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
    // 90 labels are too few for the normal limit, and Wilson's on the labels is what is left.
    let few = measured(&labelled(90), "--human human.json");
    let judge = &few["human"]["corrected"]["judges"][1];
    assert_eq!(judge["labels"], 90);
    let why = "90 labels, and 100 are needed: see `labels_alone`";
    assert_eq!(judge["prediction_powered"]["undefined"], why);
    assert_eq!(judge["rogan_gladen"]["ci_undefined"], why);
    assert_eq!(judge["labels_alone"]["n"], 90);
    let all = measured(&labelled(120), "--human human.json");
    let judge = &all["human"]["corrected"]["judges"][1];
    let why = "people labelled everything it judged: see `labels_alone`";
    assert_eq!(judge["prediction_powered"]["undefined"], why);
}

fn report_rate(report: &Value, name: &Value) -> Value {
    let judges = report["judges"].as_array().expect("judges");
    let judge = judges.iter().find(|judge| judge["name"] == *name);
    judge.expect("the judge")["yes_rate"].clone()
}

/// A row without a verdict may have been either.
#[test]
fn what_is_missing_is_not_no() {
    let place = Place::new();
    let mut said = rows("yyyynnnnyy");
    said[8]["parse_status"] = "refused".into();
    said[9]["parse_status"] = "invalid".into();
    said[9]["correct"] = "no".into();
    // What was asked again is missing once, and not at all where there is a verdict.
    let again = [8, 9].map(|at| said[at].clone());
    said.extend(again);
    let mut other = [0, 1].map(|item| row(item, "no"));
    other[0]["parse_status"] = "refused".into();
    other[1]["parse_status"] = "invalid".into();
    let [before, after] = other;
    said.insert(0, before);
    said.push(after);
    crate::agree_judges::data::judge(&place, "ana", "one", &said);
    crate::agree_judges::data::judge(&place, "ben", "one", &rows("yyyynnnnyy"));
    place.write("human.json", json!(rows("yn")).to_string());
    for options in ["", "--drop-invalid"] {
        let report = measured(&place, &format!("--human human.json {options}"));
        let ana = &report["human"]["corrected"]["judges"][0];
        assert_eq!(ana["missing"], 2, "{ana}");
        assert_eq!(ana["bounds"], json!([0.4, 0.6]), "{options} {ana}");
        // Four of the eight verdicts that can be read.
        assert_eq!(ana["rate"]["value"], 0.5, "{options} {ana}");
        assert_eq!(ana["rate"]["n"], 8, "{options} {ana}");
    }
}

/// Whether verdicts that stand in for replies are used elsewhere is nothing to the correction,
/// and what a judge declined is nothing to what people said.
#[test]
fn a_reply_that_cannot_be_read_corrects_nothing() {
    let place = labelled(118);
    let mut said = rows(&truth());
    for (at, status) in [
        (1, "invalid"),
        (3, "invalid"),
        (5, "refused"),
        (119, "invalid"),
    ] {
        said[at]["parse_status"] = status.into();
        said[at]["correct"] = "no".into();
    }
    // An error of its own, so that there is something to correct.
    said[7]["correct"] = if said[7]["correct"] == "yes" {
        "no"
    } else {
        "yes"
    }
    .into();
    crate::agree_judges::data::judge(&place, "dan", "one", &said);
    let [with, without] = ["", "--drop-invalid"].map(|options| {
        let report = measured(&place, &format!("--human human.json {options}"));
        let judges = report["human"]["corrected"]["judges"].clone();
        let dan = judges.as_array().expect("judges").iter();
        let mut dan = dan.filter(|judge| judge["judge"] == "dan");
        (report.clone(), dan.next().expect("the judge").clone())
    });
    assert_eq!(with.1, without.1);
    assert_eq!(
        (&with.1["labels"], &with.1["missing"]),
        (&json!(115), &json!(4))
    );
    assert_eq!(with.1["rate"]["n"], 116, "{}", with.1);
    assert_eq!(with.1["prediction_powered"]["n"], 116, "{}", with.1);
    assert_eq!(with.1["labels_alone"]["n"], 118, "{}", with.1);
    // Elsewhere a reply that cannot be read is no.
    let used = |report: &Value| report_rate(report, &json!("dan"))["n"].clone();
    assert_eq!((used(&with.0), used(&without.0)), (json!(119), json!(116)));
}

#[test]
fn the_smallest_panel_that_is_good_enough() {
    let place = skilled();
    let report = measured(&place, "--human human.json");
    let panels = &report["panels"];
    assert_eq!(panels["basis"], "human");
    assert_eq!(
        (&panels["n"], &panels["measured"]),
        (&json!(120), &json!(7))
    );
    assert_eq!(panels["cheap_by"], "judges");
    let list = panels["list"].as_array().expect("panels");
    assert_eq!(list.len(), 7);
    assert_eq!(list[0], panels["best"]);
    let right = |panel: &Value| panel["correct"].as_u64().expect("a count");
    assert!(list.windows(2).all(|two| right(&two[0]) >= right(&two[1])));
    // Single judges are as accurate as people say.
    for accuracy in report["human"]["accuracy"].as_array().expect("judges") {
        let alone = json!([accuracy["judge"]]);
        let panel = list.iter().find(|panel| panel["judges"] == alone);
        assert_eq!(panel.expect("a panel")["correct"], accuracy["correct"]);
    }
    // Within one standard error of the best, and nobody smaller is.
    let se = panels["best"]["accuracy"]["se"].as_f64().expect("an error");
    let least = right(&panels["best"]) as f64 - 120.0 * se;
    assert!(right(&panels["keep"]) as f64 >= least);
    let size = |panel: &Value| panel["judges"].as_array().map_or(0, Vec::len);
    let good = list.iter().filter(|panel| right(panel) as f64 >= least);
    assert_eq!(good.map(size).min(), Some(size(&panels["keep"])));
    place
        .judica(&format!("{JUDGES} --human human.json"))
        .exits(0)
        .says(&["Which judges to keep", "(keep)"]);
}

#[test]
fn panels_need_something_to_be_held_against() {
    let place = skilled();
    let alone = measured(&place, "");
    let why = "needs people's verdicts, or --aggregate dawid-skene";
    assert_eq!(alone["panels"]["undefined"], why);
    assert_eq!(alone["panels"]["best"], Value::Null);
    let estimated = measured(&place, "--aggregate dawid-skene");
    assert_eq!(estimated["panels"]["basis"], "dawid-skene");
    assert_eq!(estimated["panels"]["measured"], 7);
}

#[test]
fn the_cheapest_panel_by_tokens_and_prices() {
    let place = Place::new();
    let truth = truth();
    // Both are as good; the second costs a tenth.
    for (name, tokens) in [("dear", 1000), ("thrifty", 100)] {
        let mut said = rows(&truth);
        for row in &mut said {
            row["judge_tokens_input"] = tokens.into();
            row["judge_tokens_output"] = 10.into();
        }
        said[3]["correct"] = if truth.starts_with("yyyy") {
            "no"
        } else {
            "yes"
        }
        .into();
        crate::agree_judges::data::judge(&place, name, "one", &said);
    }
    place.write("human.json", json!(rows(&truth)).to_string());
    let price = json!({"price_input_per_1k": 0.5, "price_output_per_1k": 1.0});
    let prices = json!({"dear-model": price, "thrifty-model": price});
    place.write("prices.json", prices.to_string());
    let report = measured(&place, "--human human.json --prices prices.json");
    assert_eq!(report["judges"][0]["usd_per_verdict"], 0.51);
    let panels = &report["panels"];
    assert_eq!(panels["cheap_by"], "usd");
    assert_eq!(panels["keep"]["judges"], json!(["thrifty"]));
    let usd = panels["keep"]["usd_per_item"].as_f64().expect("a price");
    assert!((usd - 0.06).abs() < 1e-12, "{usd}");
    // Prices of models that are not there are no prices.
    place.write("prices.json", json!({"other": price}).to_string());
    let report = measured(&place, "--human human.json --prices prices.json");
    assert_eq!(report["panels"]["cheap_by"], "judges");
    assert_eq!(report["judges"][0]["usd_per_verdict"], Value::Null);
}

/// The same number has the same interval in all three commands.
#[test]
fn percent_agreement_is_one_number_everywhere() {
    let place = panel(&[("ana", "yyynnyynyn"), ("ben", "yyynnyynny")]);
    let judges = measured(&place, "")["overall"]["percent_agreement"]["ci"].clone();
    let (mut csv, mut pairs) = (String::from("item,rater,value\n"), String::new());
    for (item, (a, b)) in "yyynnyynyn".chars().zip("yyynnyynny".chars()).enumerate() {
        csv += &format!("{item},ana,{a}\n{item},ben,{b}\n");
        let label = |said| if said == 'y' { "VALID" } else { "REJECT" };
        let line = json!({"qid": format!("q{item}"), "scholar": {"label": label(a)},
                          "auditor": {"label": label(b)}});
        pairs += &format!("{line}\n");
    }
    place.write("r.csv", csv);
    place.write("p.jsonl", pairs);
    let ran = place.judica("agree ratings --input r.csv --level nominal --json");
    let ratings = crate::agree_judges::data::report(&ran.exits(0));
    assert_eq!(ratings["percent_agreement"]["ci"], judges);
    let ran =
        place.judica("agree pairs --pairs p.jsonl --tsv t.tsv --json --pa-gate 0 --kappa-gate=-1");
    let pairs = crate::agree_judges::data::report(&ran.exits(0));
    assert_eq!(pairs["metrics"]["percent_agreement"]["ci"], judges);
    let fleiss = &ratings["fleiss_kappa"]["ci"];
    for end in [0, 1] {
        let [pi, kappa] =
            [&ratings["scott_pi"]["ci"][end], &fleiss[end]].map(|v| v.as_f64().unwrap());
        assert!((pi - kappa).abs() < 1e-12);
    }
}

/// Two answers to each question, judged alike: as many clusters as questions.
#[test]
fn answers_to_one_question_are_one_cluster() {
    let truth: String = truth().chars().take(40).collect();
    let of = |ids: bool| {
        let place = Place::new();
        for name in ["ana", "ben"] {
            let mut said = rows(&truth);
            for (at, row) in said.iter_mut().enumerate() {
                if ids {
                    row["id"] = (at % 20).into();
                }
            }
            crate::agree_judges::data::judge(&place, name, "one", &said);
        }
        measured(&place, "")["judges"][0]["yes_rate"].clone()
    };
    let (alone, together) = (of(false), of(true));
    assert_eq!(alone["value"], together["value"]);
    assert_eq!((&alone["n"], &alone["clusters"]), (&json!(40), &json!(40)));
    assert_eq!(
        (&together["n"], &together["clusters"]),
        (&json!(40), &json!(20))
    );
    assert!(together["design_effect"].is_f64() && alone.get("design_effect").is_none());
}
