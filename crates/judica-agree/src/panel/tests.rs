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
            clusters: None,
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

fn ci(value: &MetricValue) -> Option<[f64; 2]> {
    match value {
        MetricValue::Defined { ci, .. } => *ci,
        MetricValue::Undefined { .. } => None,
    }
}

/// Why a value has no interval.
fn no_ci(value: &MetricValue) -> &str {
    match value {
        MetricValue::Defined {
            ci: None,
            ci_undefined: Some(why),
            ..
        } => why,
        _ => "",
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
        let ci = ci(value).unwrap();
        assert!(ci[0] < expected && expected < ci[1], "{name}: {ci:?}");
    }
    // The same number has the same interval, whatever it is called.
    let (pi, kappa) = (ci(&found.scott_pi), ci(&found.fleiss_kappa));
    for (pi, kappa) in pi.unwrap().iter().zip(kappa.unwrap()) {
        assert!((pi - kappa).abs() < 1e-12);
    }
    assert_eq!(ci(&found.gwet_ac1), ci(&found.gwet_ac2));
    let wilson = wilson_interval(7, 10, 0.95).unwrap();
    let pair = &pairwise(&Case::new(2, 2, &codes).panel(), &few())[0];
    for agreement in [&found.percent_agreement, &pair.percent_agreement] {
        assert_eq!(ci(agreement), Some([wilson.lo, wilson.hi]));
    }
    assert_eq!(pair.cohen_kappa, found.cohen_kappa);
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
    let unequal = "needs equally many ratings of every item, and there are 1 to 3";
    assert_eq!(reason(&found.fleiss_kappa), unequal);
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
    assert_eq!(reason(&found.fleiss_kappa), "no item has two ratings");
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
fn what_nobody_chose_counts() {
    // Unanimous, and yet there was something else to choose.
    let found = Case::new(3, 2, &[0; 12]).coefficients();
    assert_eq!(found.gwet_ac1.value(), Some(1.0));
    assert_eq!(reason(&found.fleiss_kappa), "only one category was used");
    // irrCAC: `CAC(…).gwet()`, identity and quadratic weights, of these with categories 1, 2, 3 and with 1, 2, 3, 4.
    let codes = [0, 0, 0, 1, 1, 1, 2, 2, 1, 0, 2, 2, 0, 0, 1, 1];
    for (categories, ac1, ac2) in [
        (3, 0.627_906_976_744_186, 0.818_181_818_181_818),
        (4, 0.68, 0.924_528_301_886_792),
    ] {
        let found = Case::new(2, categories, &codes).coefficients();
        assert!(close(&found.gwet_ac1, ac1), "{:?}", found.gwet_ac1);
        assert!(close(&found.gwet_ac2, ac2), "{:?}", found.gwet_ac2);
    }
}

#[test]
fn perfect_agreement_is_not_certain() {
    let found = Case::new(2, 2, &[0, 0, 1, 1, 0, 0, 1, 1, 1, 1]).coefficients();
    for (name, value) in &found.named()[1..] {
        assert_eq!(value.value(), Some(1.0), "{name}");
        assert_eq!(no_ci(value), "no variation among 5 items", "{name}");
    }
    let wilson = wilson_interval(5, 5, 0.95).unwrap();
    assert_eq!(ci(&found.percent_agreement), Some([wilson.lo, 1.0]));
    // Three raters: as many items, not as many pairs.
    let found = Case::new(3, 2, &[0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1]).coefficients();
    assert_eq!(ci(&found.percent_agreement), Some([wilson.lo, 1.0]));
    let one = Case::new(3, 2, &[0, 0, 1]).coefficients();
    assert_eq!(no_ci(&one.percent_agreement), "one cluster has no interval");
}

#[test]
fn undefined_resamples_are_told() {
    // 300 items of which three are of the other category, one in dispute: a resample
    // without them has one category only.
    let mut codes = vec![0; 594];
    codes.extend([1, 1, 1, 1, 0, 1]);
    let found = Case::new(2, 2, &codes).coefficients();
    assert!(ci(&found.cohen_kappa).is_some());
    let MetricValue::Defined { note, .. } = &found.cohen_kappa else {
        panic!("defined");
    };
    let note = note.as_deref().unwrap();
    assert!(
        note.ends_with(" of 50 resamples undefined and passed over"),
        "{note}"
    );
}

#[test]
fn a_value_without_interval_says_why() {
    let case = Case::new(2, 2, &[0, 0, 1, 1, 0, 1]);
    let none = BootstrapOptions {
        resamples: 0,
        ..few()
    };
    let found = coefficients(&case.panel(), &none);
    assert_eq!(no_ci(&found.cohen_kappa), "no resamples were asked for");
    assert!(ci(&found.percent_agreement).is_some());
    let certain = BootstrapOptions {
        confidence: 1.0,
        ..few()
    };
    let found = coefficients(&case.panel(), &certain);
    assert_eq!(ci(&found.cohen_kappa), None);
    // Without the only item of the second category there is only one.
    let one = Case::new(3, 2, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    let found = coefficients(&one.panel(), &few());
    let why = no_ci(&found.fleiss_kappa);
    assert!(
        why.starts_with("undefined without one of the items"),
        "{why}"
    );
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
        assert!(ci(&pair.percent_agreement).is_some());
        assert!(
            no_ci(&pair.cohen_kappa).contains("210 pairs") || pair.cohen_kappa.value().is_none()
        );
    }
}

#[test]
fn remarks_add_up() {
    let value = MetricValue::new(1.0, 1).with_note("one").with_note("two");
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
