//! Each side has what its own run says of itself, over the items that count on both.

use std::path::Path;

use judica_model::metric::MetricValue;
use judica_model::run::{Estimator, MetricKind, MetricSpec};
use judica_run::compare::compare;
use judica_run::compare::report::Finding;
use judica_run::open::Run;
use judica_run::values::usual_values;

use crate::support::{Answer, metrics, write};
use crate::{request, row, two};

fn estimated(name: &str, level: Option<&str>, raters: &[&str]) -> MetricSpec {
    let estimator = Estimator {
        name: name.to_owned(),
        level: level.map(str::to_owned),
        raters: raters.iter().map(|rater| (*rater).to_owned()).collect(),
        categories: Vec::new(),
    };
    MetricSpec::coefficient(name, estimator)
}

/// What a run says of itself: value and interval.
fn alone(run: &Path, metric: &str) -> (Option<f64>, Option<[f64; 2]>) {
    let values = usual_values(&Run::open(run).unwrap(), 2).unwrap();
    let mut found = values.into_iter();
    let found = found.find(|of| of.metric == metric && of.subject.is_none());
    match found.unwrap().value {
        MetricValue::Defined { value, ci, .. } => (Some(value), ci),
        MetricValue::Undefined { .. } => (None, None),
    }
}

/// Forty items of 1, 2 and 3, each rater wrong on every so many of them.
fn rated(raters: &'static [(&'static str, usize)]) -> Vec<Answer> {
    let label =
        |at: usize, every: usize| match (at * at + usize::from(at.is_multiple_of(every))) % 3 {
            0 => "1",
            1 => "2",
            _ => "3",
        };
    let answers = (0..40).map(|at| Answer {
        labels: raters
            .iter()
            .map(|(rater, every)| (*rater, label(at, *every)))
            .collect(),
        ..Answer::new(format!("q{at:02}"), Some(at % 3 == 0), None)
    });
    answers.collect()
}

#[test]
fn each_side_is_estimated_as_its_own_run_says() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    let made = |path: &Path, answers: &[Answer], spec: &MetricSpec| {
        write(path, answers, [metrics(), vec![spec.clone()]].concat(), 9);
    };
    let as_its_own = |metric: &str| {
        for [a, b] in [[&first, &second], [&second, &first]] {
            let report = compare(&request(&[a, b])).unwrap();
            let found = row(&report, metric, None);
            assert_eq!((found.a.value, found.a.ci), alone(a, metric));
            assert_eq!((found.b.value, found.b.ci), alone(b, metric));
        }
        let report = compare(&request(&[&first, &second])).unwrap();
        row(&report, metric, None).clone()
    };
    // Another rater, of whom the other side knows nothing.
    let alpha = |raters: &[&str]| estimated("krippendorff_alpha", Some("nominal"), raters);
    made(
        &first,
        &rated(&[("k1", 9), ("k2", 20)]),
        &alpha(&["k1", "k2"]),
    );
    made(
        &second,
        &rated(&[("k1", 9), ("k3", 2)]),
        &alpha(&["k1", "k3"]),
    );
    let found = as_its_own("krippendorff_alpha");
    assert_eq!(found.verdict, Finding::Worse);
    assert_eq!(
        found.note.as_deref(),
        Some(
            "other raters on the two sides (k2 of a only; k3 of b only): each value is that of its own"
        )
    );
    // Another level is another number, of which there is no difference.
    let both: &[(&str, usize)] = &[("k1", 3), ("k2", 4)];
    made(&first, &rated(both), &alpha(&[]));
    made(
        &second,
        &rated(both),
        &estimated("krippendorff_alpha", Some("ordinal"), &[]),
    );
    let found = as_its_own("krippendorff_alpha");
    assert_ne!(found.a.value, found.b.value);
    assert_eq!(found.verdict, Finding::Undefined);
    assert_eq!(
        found.difference.undefined.as_deref(),
        Some(
            "estimated otherwise on the two sides: krippendorff_alpha (nominal); \
             krippendorff_alpha (ordinal)"
        )
    );
    // Categories that nobody chose count for some coefficients, and not for others.
    for (name, counts) in [("gwet_ac1", true), ("cohen_kappa", false)] {
        let plain = estimated(name, None, &[]);
        let mut declared = plain.clone();
        if let Some(estimator) = &mut declared.estimator {
            estimator.categories = ["1", "2", "3", "4"].map(str::to_owned).to_vec();
        }
        made(&first, &rated(both), &plain);
        made(&second, &rated(both), &declared);
        let found = as_its_own(name);
        let why = found.difference.undefined.as_deref();
        let otherwise = "estimated otherwise on the two sides: categories those that occur; \
                         categories 1, 2, 3, 4";
        assert_eq!(why, counts.then_some(otherwise), "{name}");
    }
}

/// What one side did not rate tells nothing of the difference.
#[test]
fn items_count_where_both_sides_have_two_ratings() {
    let (_folder, first, second) = two(&[], &[]);
    let mut fewer = rated(&[("r", 3), ("s", 4), ("t", 7)]);
    for answer in fewer.iter_mut().step_by(3) {
        answer.labels.truncate(1);
    }
    // The raters are other people who say the same.
    let all = rated(&[("x", 4), ("y", 3), ("z", 7)]);
    let both = all.iter().enumerate().filter(|(at, _)| at % 3 > 0);
    let both: Vec<Answer> = both.map(|(_, answer)| answer.clone()).collect();
    let names = ["krippendorff_alpha", "gwet_ac1", "percent_agreement"];
    let specs = || {
        let level = |name: &str| (name == names[0]).then_some("nominal");
        let coefficients = names.map(|name| estimated(name, level(name), &[]));
        [metrics(), coefficients.to_vec()].concat()
    };
    write(&first, &all, specs(), 9);
    write(&second, &fewer, specs(), 9);
    let of_both = first.with_file_name("both");
    write(&of_both, &both, specs(), 9);
    for [a, b] in [[&first, &second], [&second, &first]] {
        let report = compare(&request(&[a, b])).unwrap();
        for name in names {
            let found = row(&report, name, None);
            assert_eq!((found.n, found.a.n, found.b.n), (26, 26, 26), "{name}");
            assert_eq!((found.a.value, found.a.ci), alone(&of_both, name));
            assert_eq!((found.b.value, found.b.ci), alone(&of_both, name));
            // Nobody said anything else, whatever they are called.
            assert_eq!(found.difference.se, Some(0.0), "{name}");
            assert_eq!(found.verdict, Finding::NoDifference, "{name}");
        }
    }
}

/// A column says how often two raters agree; of three it is estimated. Either is one quantity.
#[test]
fn two_raters_are_held_against_three_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let (two, three) = (folder.path().join("two"), folder.path().join("three"));
    let percent = estimated("percent_agreement", None, &[]);
    let plain = metrics()[..1].to_vec();
    let mut estimated = plain.clone();
    estimated[0].same_as.clone_from(&percent.estimator);
    let mut answers = rated(&[("r", 3), ("s", 4)]);
    for answer in &mut answers {
        answer.right = Some(answer.labels[0].1 == answer.labels[1].1);
    }
    write(&two, &answers, [plain, vec![percent.clone()]].concat(), 9);
    let answers = rated(&[("r", 3), ("s", 4), ("t", 5)]);
    write(&three, &answers, [estimated, vec![percent]].concat(), 9);
    for [a, b] in [[&two, &three], [&three, &two]] {
        let report = compare(&request(&[a, b])).unwrap();
        let [one, other] = ["right", "percent_agreement"].map(|name| row(&report, name, None));
        assert_eq!((one.a.value, one.a.ci), alone(a, "right"));
        assert_eq!((one.b.value, one.b.ci), alone(b, "right"));
        assert_eq!(one.difference.value, other.difference.value);
        assert_eq!(one.difference.ci, other.difference.ci);
        assert_eq!((one.p, other.p), (None, None));
    }
}

/// That some value of the other side is no 0 or 1 is nothing to a rate.
#[test]
fn each_side_has_the_interval_of_its_own_kind() {
    let side = |right: u32| -> Vec<Answer> {
        let answers = (0..40).map(|at| Answer::new(format!("q{at:02}"), Some(at < right), None));
        answers.collect()
    };
    let mean = || {
        vec![MetricSpec::column(
            "right",
            MetricKind::Mean,
            metrics()[0].direction,
        )]
    };
    for right in [37, 40] {
        let (_folder, first, second) = two(&side(right), &side(30));
        write(&second, &side(30), mean(), 7);
        let report = compare(&request(&[&first, &second])).unwrap();
        let found = row(&report, "right", None);
        assert_eq!((found.a.value, found.a.ci), alone(&first, "right"));
        assert_eq!((found.b.value, found.b.ci), alone(&second, "right"));
        assert_eq!(found.test, Some("cluster flip"));
        write(
            &second,
            &[Answer::new("elsewhere", Some(true), None)],
            mean(),
            7,
        );
        let report = compare(&request(&[&first, &second])).unwrap();
        assert_eq!(row(&report, "right", None).a.ci, alone(&first, "right").1);
    }
}
