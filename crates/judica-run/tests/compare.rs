//! Two sides against each other, held against numbers from other programs.

#[path = "compare/own.rs"]
mod own;
#[path = "compare/reach.rs"]
mod reach;
mod support;

use std::path::{Path, PathBuf};

use judica_model::run::{Estimator, MetricSpec};
use judica_run::compare::report::{CompareReport, Finding, MetricRow};
use judica_run::compare::{CompareRequest, compare};
use support::{Answer, metrics, write};

fn request(runs: &[&Path]) -> CompareRequest {
    let runs = runs.iter().map(|path| PathBuf::from(*path)).collect();
    CompareRequest::new(runs, 2)
}

fn two(a: &[Answer], b: &[Answer]) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    write(&first, a, metrics(), 7);
    write(&second, b, metrics(), 1000);
    (folder, first, second)
}

fn row<'r>(report: &'r CompareReport, metric: &str, dataset: Option<&str>) -> &'r MetricRow {
    let mut rows = report.metrics.iter();
    rows.find(|row| row.metric == metric && row.dataset.as_deref() == dataset)
        .unwrap()
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

/// 3 right by a alone, 12 by b alone, 20 by both, 5 by none.
fn discordant() -> (Vec<Answer>, Vec<Answer>) {
    let outcome = |at: usize| match at {
        0..3 => (true, false),
        3..15 => (false, true),
        15..35 => (true, true),
        _ => (false, false),
    };
    let side = |of: fn((bool, bool)) -> bool| -> Vec<Answer> {
        let answers = (0..40)
            .map(|at| Answer::new(format!("q{at:02}"), Some(of(outcome(at))), Some(at as f64)));
        answers.collect()
    };
    (side(|(a, _)| a), side(|(_, b)| b))
}

#[test]
fn paired_rates_are_mcnemar_and_tango() {
    let (a, mut b) = discordant();
    b.reverse();
    let (_folder, a, b) = two(&a, &b);
    let report = compare(&request(&[&a, &b])).unwrap();
    assert_eq!((report.items.common, report.items.only_a), (40, 0));
    let found = row(&report, "right", None);
    assert!(found.primary && found.kind == judica_model::run::MetricKind::Rate);
    assert_eq!((found.n, found.clusters), (40, 40));
    near(found.a.value.unwrap(), 23.0 / 40.0);
    near(found.b.value.unwrap(), 32.0 / 40.0);
    near(found.difference.value.unwrap(), 9.0 / 40.0);
    // statsmodels: mcnemar([[20, 3], [12, 5]], exact=True) is 0.03515625; less half of the
    // probability of the observed table, twice: 2 * binom(15, 3) / 2^15 / 2.
    near(found.p.unwrap(), 0.035_156_25 - 455.0 / 32_768.0);
    assert_eq!(found.test, Some("mcnemar mid-p"));
    assert_eq!(found.verdict, Finding::Better);
    let [lo, hi] = found.difference.ci.unwrap();
    assert!(lo > 0.0 && lo < 0.225 && hi > 0.225);
    assert!(!report.is_worse());
    // The other way round it is worse, and that decides.
    let report = compare(&request(&[&b, &a])).unwrap();
    assert_eq!(row(&report, "right", None).verdict, Finding::Worse);
    assert!(report.is_worse());
    // Lengths do not differ: no variation, no interval, no difference.
    let length = row(&report, "length", None);
    assert_eq!(length.verdict, Finding::NoDifference);
    assert_eq!(length.p, Some(1.0));
    assert!(
        length
            .difference
            .ci_undefined
            .as_deref()
            .unwrap()
            .contains("no variation")
    );
}

#[test]
fn clusters_are_what_varies() {
    // Four passages of three questions each.
    let side = |lengths: [f64; 12]| -> Vec<Answer> {
        let answers = lengths.iter().enumerate().map(|(at, length)| Answer {
            cluster: Some(format!("p{}", at / 3)),
            ..Answer::new(format!("q{at:02}"), Some(at % 2 == 0), Some(*length))
        });
        answers.collect()
    };
    let a = side([3.0, 4.0, 5.0, 6.0, 2.0, 1.0, 7.0, 8.0, 9.0, 4.0, 4.0, 5.0]);
    let b = side([4.0, 4.0, 6.0, 6.0, 3.0, 2.0, 7.0, 9.0, 9.5, 4.0, 5.0, 5.0]);
    let (_folder, first, second) = two(&a, &b);
    let report = compare(&request(&[&first, &second])).unwrap();
    let found = row(&report, "length", None);
    assert_eq!((found.n, found.clusters), (12, 4));
    near(found.difference.value.unwrap(), 6.5 / 12.0);
    // Sums of differences by passage: 2, 2, 1.5, 1; their mean 1.625, each less that over 12.
    let squares: f64 = [2.0, 2.0, 1.5, 1.0]
        .map(|d: f64| ((d - 1.625) / 12.0).powi(2))
        .iter()
        .sum();
    near(found.difference.se.unwrap(), (4.0 / 3.0 * squares).sqrt());
    // All four passages point the same way: 2 of 16 assignments reach that far.
    near(found.p.unwrap(), 2.0 / 16.0);
    assert!(found.note.as_deref().unwrap().contains("fewer than 6"));
    // Sides that disagree about a cluster are refused.
    let mut other = b.clone();
    other[0].cluster = Some("p9".to_owned());
    write(&second, &other, metrics(), 5);
    let error = compare(&request(&[&first, &second]))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("disagree about the cluster of item `q00`"),
        "{error}"
    );
}

#[test]
fn margins_and_what_could_not_have_been_seen() {
    let (a, b) = discordant();
    let (_folder, a, b) = two(&a, &b);
    let asked = CompareRequest {
        margin: Some(0.02),
        ..request(&[&b, &a])
    };
    let report = compare(&asked).unwrap();
    let found = row(&report, "right", None);
    let margin = found.no_worse_than.as_ref().unwrap();
    assert!(margin.pass == Some(false) && margin.lower.unwrap() < -0.02);
    assert!(report.is_worse());
    let seen = found.smallest_detectable.unwrap();
    let z = 1.959_963_984_540_054 + 0.841_621_233_572_914_3;
    near(seen, z * found.difference.se.unwrap());
    assert_eq!(
        found.items_needed,
        Some((40.0 * (seen / 0.02).powi(2)).ceil() as u64)
    );
    // Too few resamples are raised, and it is said where they were asked for.
    let raised = |report: &CompareReport| report.notes.iter().any(|note| note.contains("raised"));
    let few = CompareRequest {
        resamples: Some(50),
        ..request(&[&b, &a])
    };
    assert!(raised(&compare(&few).unwrap()) && !raised(&report));
    // Lower is better there, so more words are a loss.
    let wide = CompareRequest {
        margin: Some(0.9),
        ..request(&[&b, &a])
    };
    assert!(!compare(&wide).unwrap().is_worse());
}

#[test]
fn what_is_not_common_is_counted_and_named() {
    let (mut a, mut b) = discordant();
    a.push(Answer::new("only here", Some(true), None));
    b.truncate(38);
    let (_folder, first, second) = two(&a, &b);
    let report = compare(&request(&[&first, &second])).unwrap();
    let items = &report.items;
    assert_eq!((items.common, items.only_a, items.only_b), (38, 3, 0));
    assert_eq!(items.left_out, ["q38", "q39", "only here"]);
    // With the data set where there are several, and a repeat with its number.
    let (mut more, more_b) = discordant();
    let other = |epoch| Answer {
        dataset: "e",
        epoch,
        ..Answer::new("q01", Some(true), None)
    };
    more.extend([other(1), other(2)]);
    let (_more, first_of, second_of) = two(&more, &more_b);
    let report = compare(&request(&[&first_of, &second_of])).unwrap();
    assert_eq!(report.items.left_out, ["q01 of e", "q01 of e (epoch 2)"]);
    let none: Vec<Answer> = vec![Answer::new("elsewhere", Some(true), None)];
    write(&second, &none, metrics(), 5);
    let report = compare(&request(&[&first, &second])).unwrap();
    assert!(report.unpaired, "somebody has to mean it");
    assert!(report.notes[0].contains("no item in common"), "{report:?}");
    // A second record of the same key.
    b.push(b[0].clone());
    write(&second, &b, metrics(), 5);
    let error = compare(&request(&[&first, &second]))
        .unwrap_err()
        .to_string();
    assert!(error.contains("`q00` stands there twice"), "{error}");
}

#[test]
fn subjects_of_one_run_and_of_several() {
    let (a, b) = discordant();
    let named = |answers: &[Answer], subject: &'static str| -> Vec<Answer> {
        let answers = answers.iter().cloned();
        answers.map(|answer| Answer { subject, ..answer }).collect()
    };
    let both = [named(&a, "x"), named(&b, "y")].concat();
    let (_folder, run, other) = two(&both, &named(&a, "z"));
    let of = |runs: &[&Path], subjects: &[&str]| CompareRequest {
        subjects: subjects.iter().map(|name| (*name).to_owned()).collect(),
        ..request(runs)
    };
    let report = compare(&of(&[&run], &["x", "y"])).unwrap();
    assert_eq!(row(&report, "right", None).verdict, Finding::Better);
    assert_eq!(report.sides[1].subject.as_deref(), Some("y"));
    assert_eq!(compare(&of(&[&run], &[])).unwrap().sides.len(), 2);
    let error = |request| compare(&request).unwrap_err().to_string();
    assert!(error(of(&[&run], &["x"])).contains("two subjects"));
    assert!(error(of(&[&run], &["x", "w"])).contains("no such subject"));
    assert!(error(of(&[&run, &other], &[])).contains("no subject in common"));
    let report = compare(&of(&[&run, &other], &["y", "z"])).unwrap();
    assert_eq!(row(&report, "right", None).verdict, Finding::Worse);
    // Of runs that both have both, each has its own only where that is said.
    let each = |runs: &[&Path], subjects: &[&str]| CompareRequest {
        one_each: true,
        ..of(runs, subjects)
    };
    let report = compare(&each(&[&run, &run], &["x", "y"])).unwrap();
    let found = row(&report, "right", None);
    assert_eq!((found.n, found.verdict), (40, Finding::Better));
    let whose = report.sides.iter().map(|side| side.subject.as_deref());
    assert_eq!(whose.collect::<Vec<_>>(), [Some("x"), Some("y")]);
    let all = compare(&of(&[&run, &run], &["x", "y"])).unwrap();
    let all = row(&all, "right", None);
    assert_eq!((all.n, all.verdict), (80, Finding::NoDifference));
    assert!(error(each(&[&run, &run], &["x"])).contains("each of 2 runs"));
    assert!(error(each(&[&run, &other], &["x", "y"])).contains("no such subject"));
    // Subjects of the same name are paired, and items are the clusters.
    let report = compare(&request(&[&run, &run])).unwrap();
    let found = row(&report, "right", None);
    assert_eq!((found.n, found.clusters), (80, 40));
    assert_eq!(found.verdict, Finding::NoDifference);
    // More than two sides: what decides is corrected for their number.
    write(&other, &named(&b, "x"), metrics(), 5);
    let report = compare(&of(&[&other, &run, &run], &["x"])).unwrap();
    let primary: Vec<&MetricRow> = report.metrics.iter().filter(|row| row.primary).collect();
    assert_eq!(primary.len(), 2);
    for row in primary {
        near(row.p_adjusted.unwrap(), (2.0 * row.p.unwrap()).min(1.0));
    }
}

#[test]
fn datasets_are_told_apart_where_there_are_several() {
    let (a, b) = discordant();
    let split = |answers: &[Answer]| -> Vec<Answer> {
        let answers = answers.iter().cloned().enumerate();
        let halves = answers.map(|(at, answer)| Answer {
            dataset: if at % 2 == 0 { "even" } else { "odd" },
            ..answer
        });
        halves.collect()
    };
    let (_folder, first, second) = two(&split(&a), &split(&b));
    let report = compare(&request(&[&first, &second])).unwrap();
    let (all, even) = (
        row(&report, "right", None),
        row(&report, "right", Some("even")),
    );
    assert!(all.primary && !even.primary);
    assert_eq!((all.n, even.n), (40, 20));
    // Five rows beside the one that decides have a test each.
    near(even.p_adjusted.unwrap(), (5.0 * even.p.unwrap()).min(1.0));
    // One data set each: its name does not matter, and that is said.
    let renamed: Vec<Answer> = b
        .iter()
        .cloned()
        .map(|x| Answer { dataset: "e", ..x })
        .collect();
    let (_folder, first, second) = two(&a, &renamed);
    let report = compare(&request(&[&first, &second])).unwrap();
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("name was not looked at"))
    );
}

#[test]
fn metrics_of_one_side_are_named() {
    let (a, b) = discordant();
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    write(&first, &a, metrics(), 7);
    write(&second, &b, metrics()[..1].to_vec(), 7);
    let report = compare(&request(&[&first, &second])).unwrap();
    assert_eq!(report.metrics.len(), 1);
    assert!(report.notes[0].contains("length"), "{:?}", report.notes);
    let wrong = CompareRequest {
        metric: Some("rigth".to_owned()),
        ..request(&[&first, &second])
    };
    let error = compare(&wrong).unwrap_err().to_string();
    assert!(error.contains("did you mean `right`?"), "{error}");
}

#[test]
fn coefficients_follow_from_labels() {
    let kappa = MetricSpec::coefficient(
        "kappa",
        Estimator {
            name: "cohen_kappa".to_owned(),
            level: None,
            raters: Vec::new(),
            categories: Vec::new(),
        },
    );
    // b agrees on 28 of 30, a on 15.
    let side = |differ: fn(usize) -> bool| -> Vec<Answer> {
        let answers = (0..30).map(|at| {
            let one = if at % 3 == 0 { "yes" } else { "no" };
            let other = match (differ(at), one) {
                (false, same) => same,
                (true, "yes") => "no",
                (true, _) => "yes",
            };
            Answer {
                labels: vec![("r", one), ("s", other)],
                ..Answer::new(format!("q{at:02}"), Some(!differ(at)), None)
            }
        });
        answers.collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    let metrics = || [metrics()[..1].to_vec(), vec![kappa.clone()]].concat();
    write(&first, &side(|at| at % 2 == 0), metrics(), 4);
    write(&second, &side(|at| at >= 28), metrics(), 4);
    let report = compare(&request(&[&first, &second])).unwrap();
    let found = row(&report, "kappa", None);
    assert_eq!((found.p, found.test), (None, None));
    assert_eq!(found.verdict, Finding::Better);
    // a: 5 yes/yes, 5 yes/no, 10 no/yes, 10 no/no: po = 1/2, pe = (10·15 + 20·15) / 900.
    near(found.a.value.unwrap(), 0.0);
    let [lo, hi] = found.difference.ci.unwrap();
    assert!(0.0 < lo && lo < hi);
    let same = compare(&request(&[&first, &first])).unwrap();
    let same = row(&same, "kappa", None);
    assert_eq!(same.difference.value, Some(0.0));
    assert!(same.difference.ci.is_none() && same.difference.ci_undefined.is_some());
}

/// Nothing is paired: Newcombe's interval of rates, Welch's of means, and no test.
#[test]
fn sides_without_a_common_item_are_compared_apart() {
    let (a, b) = discordant();
    let renamed = b.iter().map(|answer| Answer {
        item: format!("other {}", answer.item),
        length: answer.length.map(|length| length * length / 20.0),
        ..answer.clone()
    });
    let (_folder, a, b) = two(&a, &renamed.collect::<Vec<_>>());
    let report = compare(&request(&[&a, &b])).unwrap();
    assert!(report.unpaired);
    assert_eq!(
        (
            report.items.common,
            report.items.only_a,
            report.items.only_b
        ),
        (0, 40, 40)
    );
    let right = row(&report, "right", None);
    // statsmodels: confint_proportions_2indep(32, 40, 23, 40, method="newcomb").
    let [lo, hi] = right.difference.ci.unwrap();
    near(lo, 0.021_649_271_665_170_89);
    near(hi, 0.405_136_371_161_168_1);
    assert_eq!((right.p, right.n, right.clusters), (None, 80, 80));
    assert_eq!((right.a.n, right.b.n), (40, 40));
    assert_eq!(right.verdict, Finding::Better);
    // SciPy: ttest_ind(b, a, equal_var=False) of 0 … 39 and k²/20, with the quantile by
    // inverting `betainc`; `t.ppf` of SciPy 1.12 is off by 6e−10 where degrees are no number
    // of things.
    let length = row(&report, "length", None);
    let [lo, hi] = length.difference.ci.unwrap();
    near(lo, -2.157_838_480_018_277_5);
    near(hi, 14.507_838_480_018_278);
    assert_eq!((length.test, length.verdict), (None, Finding::NoDifference));
}

#[test]
fn every_side_against_every_other() {
    let (a, b) = discordant();
    let (_folder, first, second) = two(&a, &b);
    let third = first.with_file_name("c");
    write(&third, &a, metrics(), 9);
    let all = CompareRequest {
        matrix: true,
        ..request(&[&first, &second, &third])
    };
    let report = compare(&all).unwrap();
    let primary: Vec<_> = report.metrics.iter().filter(|row| row.primary).collect();
    let sides: Vec<_> = primary.iter().map(|row| (row.against, row.side)).collect();
    assert_eq!(
        sides,
        [(Some(0), Some(1)), (Some(0), Some(2)), (Some(1), Some(2))]
    );
    near(primary[0].p_adjusted.unwrap(), 3.0 * primary[0].p.unwrap());
    assert_eq!(primary[1].difference.value, Some(0.0));
    near(
        primary[2].difference.value.unwrap(),
        -primary[0].difference.value.unwrap(),
    );
    assert!(
        report.correction.contains("for 3 (Bonferroni)"),
        "{report:?}"
    );
    let shown = &judica_run::compare::tables::tables(&report)[0];
    let cells: Vec<Vec<String>> = shown
        .grid()
        .map(|row| row.iter().map(|cell| cell.display()).collect())
        .collect();
    assert_eq!(cells[0][4], "+0.0000 =");
    assert_eq!(cells[1][2].split(' ').next(), Some("+0.2250"));
}
