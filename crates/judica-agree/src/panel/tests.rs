use super::*;
use judica_model::heatmap::HeatCell;
use judica_stats::agreement::{MISSING, Ratings};
use proptest::prelude::*;

const M: u32 = MISSING;

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}{i}")).collect()
}

/// Measures a table of so many raters and categories at the nominal level.
struct Case {
    ratings: Ratings,
    raters: Vec<String>,
    labels: Vec<String>,
    values: Vec<f64>,
}

impl Case {
    fn new(raters: usize, categories: usize, codes: &[u32]) -> Self {
        Case {
            ratings: Ratings::new(raters, categories, codes.to_vec()),
            raters: names("rater", raters),
            labels: names("label", categories),
            values: (1..=categories).map(|v| v as f64).collect(),
        }
    }

    fn panel(&self) -> Panel<'_> {
        Panel {
            ratings: &self.ratings,
            raters: &self.raters,
            labels: &self.labels,
            values: &self.values,
            level: Level::Nominal,
            weights: Weights::Quadratic,
        }
    }

    fn coefficients(&self) -> Coefficients {
        coefficients(&self.panel(), &few())
    }
}

fn few() -> BootstrapOptions {
    BootstrapOptions {
        resamples: 50,
        ..BootstrapOptions::default()
    }
}

fn close(value: &MetricValue, expected: f64) -> bool {
    value.value().is_some_and(|v| (v - expected).abs() < 1e-12)
}

fn n_of(value: &MetricValue) -> Option<u64> {
    match value {
        MetricValue::Defined { n, .. } => Some(*n),
        MetricValue::Undefined { .. } => None,
    }
}

fn reason(value: &MetricValue) -> &str {
    match value {
        MetricValue::Undefined { reason } => reason,
        MetricValue::Defined { .. } => "",
    }
}

#[test]
fn worked_by_hand() {
    // Two raters, ten items: 4 times (0, 0), 1 (0, 1), 2 (1, 0), 3 (1, 1).
    // They agree on 7 of 10. The first says 0 five times, the second six.
    // Cohen: chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5; (0.7 - 0.5) / 0.5 = 0.4. With two
    // categories, weights change nothing.
    // Scott and Fleiss: shares 11/20 and 9/20, chance (121 + 81) / 400 = 0.505;
    // (0.7 - 0.505) / 0.495 = 13/33.
    // Krippendorff: 20 ratings, disagreeing pairs observed 6, expected 2 * 11 * 9 / 19;
    // 1 - 6 * 19 / 198 = 14/33.
    // Gwet: chance 2 * (11/20) * (9/20) = 0.495; (0.7 - 0.495) / 0.505 = 41/101; with two
    // categories AC2 is the same.
    let codes: Vec<u32> = [(4, [0, 0]), (1, [0, 1]), (2, [1, 0]), (3, [1, 1])]
        .iter()
        .flat_map(|&(times, pair)| [pair].repeat(times).concat())
        .collect();
    let found = Case::new(2, 2, &codes).coefficients();
    for ((name, value), expected) in found.named().into_iter().zip([
        0.7,
        0.4,
        0.4,
        0.4,
        13.0 / 33.0,
        13.0 / 33.0,
        14.0 / 33.0,
        41.0 / 101.0,
        41.0 / 101.0,
    ]) {
        assert!(close(value, expected), "{name}: {value:?}");
        assert_eq!(n_of(value), Some(10), "{name}");
        let MetricValue::Defined { ci: Some(ci), .. } = value else {
            panic!("{name} has an interval");
        };
        assert!(ci[0] < expected && expected < ci[1], "{name}: {ci:?}");
    }
    let keys = serde_json::to_value(&found).unwrap();
    let keys: Vec<&String> = keys.as_object().unwrap().keys().collect();
    assert_eq!(keys, found.named().map(|(name, _)| name));
}

#[test]
fn each_coefficient_counts_its_own_items() {
    // Complete, complete, two of three, one of three, none.
    let codes = [0, 0, 1, 1, 1, 1, 0, 1, M, 0, M, M, M, M, M];
    let found = Case::new(3, 2, &codes).coefficients();
    assert_eq!(n_of(&found.percent_agreement), Some(3));
    assert_eq!(n_of(&found.fleiss_kappa), Some(2));
    assert_eq!(n_of(&found.krippendorff_alpha), Some(3));
    assert_eq!(n_of(&found.gwet_ac1), Some(3));
    assert_eq!(n_of(&found.gwet_ac2), Some(3));
    for value in [
        &found.cohen_kappa,
        &found.cohen_kappa_linear,
        &found.scott_pi,
    ] {
        assert_eq!(reason(value), "defined for two raters, and there are 3");
    }
}

#[test]
fn a_rater_who_rated_nothing_is_no_rater() {
    let with = Case::new(3, 2, &[0, M, 0, 1, M, 1, 0, M, 1, 1, M, 1]);
    let without = Case::new(2, 2, &[0, 0, 1, 1, 0, 1, 1, 1]);
    assert_eq!(with.coefficients(), without.coefficients());
    assert_eq!(n_of(&with.coefficients().fleiss_kappa), Some(4));
    assert_eq!(speakers(&with.ratings), [true, false, true]);
    let pairs = pairwise(&with.panel(), &few());
    assert_eq!(pairs.len(), 1);
    assert_eq!(pairs[0].raters, ["rater0", "rater2"]);
}

#[test]
fn too_few_raters_are_named_as_such() {
    for (case, why) in [
        (Case::new(0, 0, &[]), "no item was rated"),
        (Case::new(2, 2, &[]), "no item was rated"),
        (Case::new(2, 2, &[M, M]), "no item was rated"),
        (Case::new(1, 2, &[0, 1]), "needs at least two raters"),
        (Case::new(2, 2, &[0, M, 1, M]), "needs at least two raters"),
    ] {
        for (name, value) in case.coefficients().named() {
            assert_eq!(reason(value), why, "{name}");
        }
        assert!(pairwise(&case.panel(), &few()).is_empty());
    }
}

#[test]
fn raters_without_an_item_in_common() {
    let case = Case::new(2, 2, &[0, M, M, 1, 1, M]);
    let found = case.coefficients();
    assert_eq!(
        reason(&found.cohen_kappa),
        "no item was rated by both raters"
    );
    assert_eq!(reason(&found.krippendorff_alpha), "no item has two ratings");
    assert_eq!(
        reason(&found.fleiss_kappa),
        "no item was rated by every rater"
    );
    let pairs = pairwise(&case.panel(), &few());
    assert_eq!(pairs[0].n, 0);
    assert_eq!(
        reason(&pairs[0].cohen_kappa),
        "no item was rated by both raters"
    );
    assert_eq!(pairs[0].confusion, [[0, 0], [0, 0]]);
    assert_eq!(pairs[0].rates, [const { Vec::<f64>::new() }; 2]);
}

#[test]
fn one_category_leaves_percent_agreement_alone_defined() {
    let found = Case::new(2, 1, &[0; 8]).coefficients();
    assert_eq!(found.percent_agreement.value(), Some(1.0));
    for (name, value) in &found.named()[1..] {
        assert_eq!(reason(value), "only one category was used", "{name}");
    }
}

#[test]
fn undefined_resamples_are_told() {
    // One item in six differs: a resample without it has one category only.
    let found = Case::new(2, 2, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]).coefficients();
    let MetricValue::Defined { note, ci, .. } = &found.cohen_kappa else {
        panic!("defined");
    };
    assert_eq!(*ci, Some([1.0, 1.0]));
    let note = note.as_deref().unwrap();
    assert!(
        note.ends_with(" of 50 resamples undefined and passed over"),
        "{note}"
    );
}

#[test]
fn a_value_without_interval_says_why() {
    let case = Case::new(2, 2, &[0, 0, 1, 1, 0, 1]);
    for (options, why) in [
        (
            BootstrapOptions {
                resamples: 0,
                ..few()
            },
            "no resamples were asked for",
        ),
        (
            BootstrapOptions {
                confidence: 1.0,
                ..few()
            },
            "a confidence of 1 is not between",
        ),
    ] {
        let value = coefficients(&case.panel(), &options).percent_agreement;
        let MetricValue::Defined { ci, note, .. } = value else {
            panic!("defined");
        };
        assert_eq!(ci, None);
        assert!(
            note.as_deref().is_some_and(|note| note.contains(why)),
            "{note:?}"
        );
    }
    // One of two items: without it, only one category is left.
    let bca = BootstrapOptions {
        method: IntervalMethod::Bca,
        ..few()
    };
    let two = Case::new(2, 2, &[0, 0, 1, 1]);
    let MetricValue::Defined { ci, note, .. } = coefficients(&two.panel(), &bca).cohen_kappa else {
        panic!("defined");
    };
    assert_eq!(ci, None);
    assert!(note.unwrap().starts_with("no interval: BCa"));
}

#[test]
fn pairs_have_matrices_and_rates() {
    let codes = [0, 0, 1, 0, 1, 1, 1, 1, M, 2, 2, 2];
    let case = Case::new(3, 3, &codes);
    let pairs = pairwise(&case.panel(), &few());
    let of = |i: usize| pairs[i].raters.each_ref().map(String::as_str);
    assert_eq!(of(0), ["rater0", "rater1"]);
    assert_eq!(of(1), ["rater0", "rater2"]);
    assert_eq!(of(2), ["rater1", "rater2"]);
    assert_eq!(pairs[0].n, 4);
    assert_eq!(pairs[0].confusion, [[1, 1, 0], [0, 1, 0], [0, 0, 1]]);
    assert_eq!(pairs[0].rates, [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]);
    assert_eq!(pairs[0].percent_agreement.value(), Some(0.75));
    // Chance 0.5 * 0.25 + 0.25 * 0.5 + 0.25 * 0.25 = 5/16; (12/16 - 5/16) / (11/16).
    assert!(close(&pairs[0].cohen_kappa, 7.0 / 11.0));
    assert_eq!(pairs[1].n, 3);
}

#[test]
fn pairs_make_a_map() {
    let case = Case::new(3, 2, &[0, 0, M, 1, 1, M, 0, M, 1]);
    let map = kappa_map(&pairwise(&case.panel(), &few()));
    assert_eq!(map.names, ["rater0", "rater1", "rater2"]);
    assert_eq!(map.cell(1, 0), &HeatCell::Value(1.0));
    assert_eq!(map.cell(2, 2), &HeatCell::Blank);
    let reason = "no item was rated by both raters".to_owned();
    assert_eq!(map.cell(1, 2), &HeatCell::Missing(reason));
    assert!(kappa_map(&[]).names.is_empty());
}

#[test]
fn many_labels_have_no_matrix_and_many_pairs_no_interval() {
    let codes: Vec<u32> = (0..51).flat_map(|code| [code, code]).collect();
    let wide = Case::new(2, 51, &codes);
    let pair = &pairwise(&wide.panel(), &few())[0];
    assert!(pair.labels.is_empty() && pair.confusion.is_empty());
    assert_eq!(pair.cohen_kappa.value(), Some(1.0));
    let codes: Vec<u32> = (0..21 * 4).map(|at| at % 2).collect();
    let crowd = Case::new(21, 2, &codes);
    let pairs = pairwise(&crowd.panel(), &few());
    assert_eq!(pairs.len(), 210);
    for pair in &pairs {
        let MetricValue::Defined { ci, note, .. } = &pair.percent_agreement else {
            panic!("defined");
        };
        assert_eq!(*ci, None);
        assert!(
            note.as_deref()
                .is_some_and(|note| note.contains("210 pairs"))
        );
    }
}

#[test]
fn remarks_add_up() {
    let value = with_remark(with_remark(MetricValue::new(1.0, 1), "one"), "two");
    assert!(matches!(value, MetricValue::Defined { note: Some(note), .. } if note == "one; two"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn threads_and_the_order_of_items_change_nothing(
        (rows, shuffled) in prop::collection::vec(
            prop::array::uniform3(prop_oneof![4 => 0u32..3, 1 => Just(M)]), 1..20,
        ).prop_flat_map(|t| (Just(t.clone()), Just(t).prop_shuffle())),
    ) {
        let case = Case::new(3, 3, rows.as_flattened());
        let other = Case::new(3, 3, shuffled.as_flattened());
        let both = BootstrapOptions { threads: 2, ..few() };
        prop_assert_eq!(case.coefficients(), coefficients(&other.panel(), &both));
        prop_assert_eq!(pairwise(&case.panel(), &few()), pairwise(&other.panel(), &both));
    }
}
