use super::*;
use proptest::prelude::*;

const M: u32 = MISSING;

#[test]
fn worked_by_hand_against_the_truth() {
    // Six items, all truly 0. Errors: the first rater on items 0 and 1, the second on 0
    // and 2, the third never. First and second: both wrong 1, one alone 1 and 1, neither
    // 3; (1·3 − 1·1) / √(2·4·2·4) = 2/8 = 0.25. The third correlates with nobody.
    // 3² / (3 + 2·0.25) = 9 / 3.5.
    let codes = vec![1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let found = against_truth(&Ratings::new(3, 2, codes), &[0; 6]).unwrap();
    assert_eq!(found.value, 9.0 / 3.5);
    assert_eq!(found.mean_correlation, Some(0.25));
    assert_eq!(found.correlations[0], [Some(1.0), Some(0.25), None]);
    assert_eq!(
        (found.items, found.raters, found.basis),
        (6, 3, Basis::Truth)
    );
}

#[test]
fn only_raters_with_items_that_have_a_truth_count() {
    // The third rated only the item without truth, the fourth nothing; of the last item
    // only the truth is known.
    let codes = vec![1, 1, M, M, 0, 1, M, M, 0, 0, 1, M, M, M, M, M];
    let found = against_truth(&Ratings::new(4, 2, codes), &[0, 0, M, 1]).unwrap();
    assert_eq!((found.raters, found.items), (2, 2));
    assert_eq!(found.correlations[2], [None; 4]);
    // The second is always wrong, so nothing correlates.
    assert_eq!((found.value, found.mean_correlation), (2.0, None));
}

#[test]
fn errors_that_avoid_each_other_make_no_more_raters() {
    let codes = vec![1, 0, 0, 1, 1, 0, 0, 1];
    let found = against_truth(&Ratings::new(2, 2, codes), &[0; 4]).unwrap();
    assert_eq!((found.value, found.mean_correlation), (2.0, Some(-1.0)));
}

#[test]
fn more_than_two_categories_have_errors_too() {
    let codes = vec![2, 1, 0, 0, 1, 1, 2, 2];
    let found = against_truth(&Ratings::new(2, 3, codes), &[0, 0, 2, 2]).unwrap();
    assert_eq!(found.value, 1.0);
}

#[test]
fn what_cannot_be_measured_says_why() {
    use NotMeasurable::*;
    let truth = |raters, codes: &[u32], truth: &[u32]| {
        against_truth(&Ratings::new(raters, 2, codes.to_vec()), truth).unwrap_err()
    };
    let panel = |raters, categories, codes: &[u32]| {
        against_panel(&Ratings::new(raters, categories, codes.to_vec())).unwrap_err()
    };
    let few = |raters, needed| FewRaters { raters, needed };
    assert_eq!(truth(0, &[], &[]), few(0, 2));
    assert_eq!(truth(1, &[0, 1], &[0, 0]), few(1, 2));
    assert_eq!(truth(2, &[0, 1], &[M]), few(0, 2));
    assert_eq!(truth(2, &[0, 0, 1, 1], &[0, 1]), NoErrors);
    assert_eq!(panel(2, 2, &[0, 1, 1, 1]), few(2, 3));
    assert_eq!(panel(3, 2, &[0, 1, M, 1, 1, M]), few(2, 3));
    assert_eq!(panel(3, 3, &[0, 1, 2]), NotTwoCategories { categories: 3 });
    assert_eq!(panel(3, 2, &[0, 1, M, M, 0, 1]), NoVariation);
    let silent = CloseToOne { at_least: 1.0 };
    assert_eq!(panel(3, 2, &[1, 1, 1, 1, 1, 1]), silent);
    assert_eq!(panel(3, 2, &[1, 1, 1, 0, 0, 0]), silent);
    let raters = MOST_RATERS + 1;
    assert_eq!(panel(raters, 2, &[]), ManyRaters { raters });
    for reason in [few(1, 3), NoErrors, NoVariation, silent] {
        assert!(!reason.to_string().is_empty() && !reason.to_string().ends_with('.'));
    }
}

#[test]
fn raters_who_always_say_yes_are_one_voice() {
    let varied = [
        [0, 0, 1],
        [0, 1, 1],
        [1, 0, 0],
        [1, 1, 1],
        [0, 0, 0],
        [1, 1, 0],
    ];
    let codes = varied.iter().flat_map(|v| [v[0], 1, v[1], 1, v[2], 1]);
    let found = against_panel(&Ratings::new(6, 2, codes.collect())).unwrap();
    assert!(found.voices.contains(&vec![1, 3, 5]), "{found:?}");
}

/// Votes of three to five raters on up to 14 items, and an order of the items.
fn panels() -> impl Strategy<Value = (Ratings, Vec<usize>)> {
    (3usize..6, 4usize..15).prop_flat_map(|(raters, items)| {
        let code = prop_oneof![4 => 0u32..2, 1 => Just(M)];
        let codes = prop::collection::vec(code, raters * items);
        let order = Just((0..items).collect::<Vec<_>>()).prop_shuffle();
        (codes, order).prop_map(move |(codes, order)| (Ratings::new(raters, 2, codes), order))
    })
}

proptest! {
    #[test]
    fn bounded_symmetric_and_whatever_the_order_of_items((ratings, order) in panels()) {
        let rows: Vec<&[u32]> = ratings.rows().collect();
        let codes = order.iter().flat_map(|&item| rows[item].to_vec()).collect();
        let shuffled = Ratings::new(ratings.raters(), 2, codes);
        let truth: Vec<u32> = (0..rows.len() as u32).map(|item| item % 2).collect();
        let shuffled_truth: Vec<u32> = order.iter().map(|&item| truth[item]).collect();
        let by_truth = against_truth(&ratings, &truth);
        prop_assert_eq!(&by_truth, &against_truth(&shuffled, &shuffled_truth));
        let by_panel = against_panel(&ratings);
        prop_assert_eq!(&by_panel, &against_panel(&shuffled));
        for found in [by_truth, by_panel].into_iter().flatten() {
            prop_assert!((1.0..=found.raters as f64).contains(&found.value));
            if let Some(at_least) = found.at_least {
                prop_assert!((1.0..=found.raters as f64).contains(&at_least));
            }
            for (i, row) in found.correlations.iter().enumerate() {
                for (j, rho) in row.iter().enumerate() {
                    prop_assert_eq!(*rho, found.correlations[j][i]);
                    prop_assert!(rho.is_none_or(|rho| (-1.0..=1.0).contains(&rho)));
                }
            }
        }
    }

    #[test]
    fn against_the_truth_raters_and_names_do_not_matter((ratings, _) in panels()) {
        let truth: Vec<u32> = (0..ratings.items() as u32).map(|item| item % 2).collect();
        let codes = ratings.rows().flat_map(|row| row.iter().rev());
        let codes = codes.map(|&c| if c == M { M } else { 1 - c }).collect();
        let turned = Ratings::new(ratings.raters(), 2, codes);
        let turned_truth: Vec<u32> = truth.iter().map(|t| 1 - t).collect();
        let value = |found: Result<EffectiveRaters, NotMeasurable>| found.map(|found| found.value);
        match (value(against_truth(&ratings, &truth)), value(against_truth(&turned, &turned_truth))) {
            (Ok(a), Ok(b)) => prop_assert!((a - b).abs() < 1e-12),
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
