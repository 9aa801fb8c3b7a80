use super::*;
use proptest::prelude::*;

const M: u32 = MISSING;

/// Votes of raters, one text each of 0, 1 and - for no vote.
fn votes(said: &[&str]) -> Ratings {
    let items = said[0].len();
    let code = |letter: u8| match letter {
        b'-' => MISSING,
        digit => u32::from(digit - b'0'),
    };
    let codes = (0..items).flat_map(|at| said.iter().map(move |said| code(said.as_bytes()[at])));
    Ratings::new(said.len(), 2, codes.collect())
}

#[test]
fn worked_by_hand_against_the_truth() {
    // Six items, all truly 0. Errors: the first rater on items 0 and 1, the second on 0
    // and 2, the third on 3. First and second: both wrong 1, one alone 1 and 1, neither 3;
    // (1·3 − 1·1) / √(2·4·2·4) = 2/8 = 0.25. The third with either: both 0, alone 2 and 1,
    // neither 3; (0·3 − 2·1) / √(2·4·1·5) = −2/√40. With m their mean: 3 / (1 + 2m).
    let table = votes(&["110000", "101000", "000100"]);
    let found = against_truth(&table, &[0; 6], 1).unwrap();
    let mean = (0.25 - 4.0 / 40f64.sqrt()) / 3.0;
    assert!((found.mean_correlation - mean).abs() < 1e-15);
    // Errors that avoid each other on the whole do not make more than three raters.
    assert_eq!((found.value, found.known_pairs), (3.0, 3));
    let [first, second] = [0, 1].map(|i| found.correlations[i].clone());
    assert_eq!(
        (first[0], first[1], second[0]),
        (Some(1.0), Some(0.25), Some(0.25))
    );
    assert_eq!(
        (found.items, found.raters, found.basis),
        (6, 3, Basis::Truth)
    );
    // The first two alone: 2 / (1 + 0.25).
    let found = against_truth(&votes(&["110000", "101000"]), &[0; 6], 6).unwrap();
    assert_eq!(found.value, 1.6);
}

#[test]
fn what_is_not_known_is_not_zero() {
    // The third never errs: of three pairs one is known, which is less than half.
    let few = |known, min_common| NotMeasurable::FewPairs {
        known,
        pairs: 3,
        min_common,
    };
    let table = votes(&["110000", "101000", "000000"]);
    assert_eq!(against_truth(&table, &[0; 6], 1), Err(few(1, 1)));
    // Six common items are not enough where seven are asked for.
    let table = votes(&["110000", "101000", "000100"]);
    assert_eq!(against_truth(&table, &[0; 6], 7), Err(few(0, 7)));
    // The third shares four items with the first, six with the second: two pairs of three
    // are known, 0.25 and −2/√40, and the mean is over those.
    let table = votes(&["110000----", "101000----", "--0100----"]);
    let found = against_truth(&table, &[0; 10], 5).unwrap_err();
    assert_eq!(found, few(1, 5));
    let table = votes(&["1100000000", "1010000000", "--01001000"]);
    let found = against_truth(&table, &[0; 10], 9).unwrap_err();
    assert_eq!(found, few(1, 9));
    let found = against_truth(&table, &[0; 10], 8).unwrap();
    assert_eq!(found.known_pairs, 2);
    assert_eq!(found.correlations[0][2], None);
    let known = [found.correlations[0][1], found.correlations[1][2]].map(Option::unwrap);
    assert_eq!(found.mean_correlation, (known[0] + known[1]) / 2.0);
}

#[test]
fn only_raters_with_items_that_have_a_truth_count() {
    // The third rated only the item without truth, the fourth nothing; of the last item
    // only the truth is known.
    let table = votes(&["100--", "010--", "--1--", "-----"]);
    let found = against_truth(&table, &[0, 0, M, 1, 1], 1).unwrap();
    assert_eq!((found.raters, found.items), (2, 2));
    assert_eq!(found.correlations[2], [None; 4]);
    assert_eq!((found.value, found.mean_correlation), (2.0, -1.0));
}

#[test]
fn errors_that_avoid_each_other_make_no_more_raters() {
    let codes = vec![1, 0, 0, 1, 1, 0, 0, 1];
    let found = against_truth(&Ratings::new(2, 2, codes), &[0; 4], 1).unwrap();
    assert_eq!((found.value, found.mean_correlation), (2.0, -1.0));
}

#[test]
fn more_than_two_categories_have_errors_too() {
    let codes = vec![2, 1, 0, 0, 1, 1, 2, 2];
    let found = against_truth(&Ratings::new(2, 3, codes), &[0, 0, 2, 2], 1).unwrap();
    assert_eq!(found.value, 1.0);
}

#[test]
fn nobody_votes_as_one_through_a_third() {
    // Two copies of one judge of 40 items and one who is alike on the 5 items they share
    // with the second: too few to say anything, so they are apart.
    let said: Vec<u8> = (0..40u32).map(|i| b'0' + u8::from(i * i % 7 < 3)).collect();
    let other: Vec<u8> = (0..40u32)
        .map(|i| b'0' + u8::from(i * i % 11 < 5))
        .collect();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let few: String = (0..40)
        .map(|i| if i < 5 { said[i] as char } else { '-' })
        .collect();
    let rest: Vec<u8> = (0..40u32).map(|i| b'0' + u8::from(i % 3 == 0)).collect();
    let table = votes(&[
        &text(&said),
        &text(&said),
        &few,
        &text(&other),
        &text(&rest),
    ]);
    let found = against_panel(&table, 20).unwrap();
    assert_eq!(found.voices[0], [0, 1]);
    assert!(found.voices.contains(&vec![2]), "{:?}", found.voices);
    assert_eq!(found.correlations[0][2], None);
    assert_eq!(found.known_pairs, 6);
    // Asked for less, they are one.
    let found = against_panel(&table, 5).unwrap();
    assert_eq!(found.voices[0], [0, 1, 2]);
}

#[test]
fn an_interval_holds_the_value() {
    let mut draws = crate::resample::Draws::new(4, 4);
    let truth: Vec<u32> = (0..300).map(|_| draws.below(2)).collect();
    let mut rater = |percent| -> Vec<u32> {
        let flip = |&t: &u32| t ^ u32::from(draws.below(100) < percent);
        truth.iter().map(flip).collect()
    };
    let (a, b, c) = (rater(20), rater(25), rater(30));
    let other = rater(20);
    let near = a.iter().zip(&other).enumerate();
    let near = near
        .map(|(i, (a, n))| if i % 4 == 0 { *n } else { *a })
        .collect();
    let said = [a, near, b, c];
    let codes = (0..300).flat_map(|item| said.iter().map(move |said| said[item]));
    let table = Ratings::new(4, 2, codes.collect());
    let intervals = |resamples, threads| crate::clusters::Intervals {
        confidence: 0.95,
        resampling: crate::resampled::Resampling {
            resamples,
            seed: 1,
            threads,
        },
    };
    let value = against_truth(&table, &truth, 20).unwrap().value;
    let by_truth =
        |threads| interval_against_truth(&table, &truth, None, 20, &intervals(200, threads));
    let WorthInterval::Found {
        interval,
        resamples,
    } = by_truth(1)
    else {
        panic!("an interval");
    };
    assert_eq!(resamples, 200);
    assert!(
        interval.lo < value && value < interval.hi,
        "{value} {interval:?}"
    );
    assert!(interval.lo >= 1.0 && interval.hi <= 4.0);
    assert_eq!(by_truth(3), by_truth(1));
    let value = against_panel(&table, 20).unwrap().value;
    let by_panel = interval_against_panel(&table, None, 20, &intervals(200, 2));
    let WorthInterval::Found { interval, .. } = by_panel else {
        panic!("an interval");
    };
    assert!(
        interval.lo <= value && value <= interval.hi,
        "{value} {interval:?}"
    );
    let none = interval_against_panel(&table, None, 20, &intervals(0, 1));
    assert_eq!(none, WorthInterval::NotAsked);
    // Copies are worth one, however the items are drawn.
    let copies = votes(&["1100", "1100"]);
    let same = interval_against_truth(&copies, &[0; 4], None, 1, &intervals(200, 1));
    assert_eq!(same, WorthInterval::NoVariation);
}

#[test]
fn what_cannot_be_measured_says_why() {
    use NotMeasurable::*;
    let truth = |raters, codes: &[u32], truth: &[u32]| {
        against_truth(&Ratings::new(raters, 2, codes.to_vec()), truth, 1).unwrap_err()
    };
    let panel = |raters, categories, codes: &[u32]| {
        against_panel(&Ratings::new(raters, categories, codes.to_vec()), 1).unwrap_err()
    };
    let few = |raters, needed| FewRaters { raters, needed };
    assert_eq!(truth(0, &[], &[]), few(0, 2));
    assert_eq!(truth(1, &[0, 1], &[0, 0]), few(1, 2));
    assert_eq!(truth(2, &[0, 1], &[M]), few(0, 2));
    assert_eq!(truth(2, &[0, 0, 1, 1], &[0, 1]), NoErrors);
    assert_eq!(panel(2, 2, &[0, 1, 1, 1]), few(2, 3));
    assert_eq!(panel(3, 2, &[0, 1, M, 1, 1, M]), few(2, 3));
    assert_eq!(panel(3, 3, &[0, 1, 2]), NotTwoCategories { categories: 3 });
    let unknown = FewPairs {
        known: 0,
        pairs: 3,
        min_common: 1,
    };
    assert_eq!(panel(3, 2, &[0, 1, M, M, 0, 1]), unknown);
    let silent = CloseToOne { at_least: 1.0 };
    assert_eq!(panel(3, 2, &[1, 1, 1, 1, 1, 1]), silent);
    assert_eq!(panel(3, 2, &[1, 1, 1, 0, 0, 0]), silent);
    let raters = MOST_RATERS + 1;
    assert_eq!(panel(raters, 2, &[]), ManyRaters { raters });
    for reason in [few(1, 3), NoErrors, unknown, silent] {
        assert!(!reason.to_string().is_empty() && !reason.to_string().ends_with('.'));
    }
}

#[test]
fn raters_who_always_say_yes_are_one_voice() {
    // Of 21 pairs the ten of those who vary are known, and that of the two who do not.
    let varied = |rater: u32, item: u32| (item * item + rater * item + rater) % 5 % 2;
    let codes = (0..24).flat_map(|item| {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|rater| varied(rater, item));
        [a, 1, b, c, 1, d, e]
    });
    let found = against_panel(&Ratings::new(7, 2, codes.collect()), 20).unwrap();
    assert!(found.voices.contains(&vec![1, 4]), "{found:?}");
    assert_eq!(found.known_pairs, 11);
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
        let by_truth = against_truth(&ratings, &truth, 2);
        prop_assert_eq!(&by_truth, &against_truth(&shuffled, &shuffled_truth, 2));
        let by_panel = against_panel(&ratings, 2);
        prop_assert_eq!(&by_panel, &against_panel(&shuffled, 2));
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
        match (value(against_truth(&ratings, &truth, 2)), value(against_truth(&turned, &turned_truth, 2))) {
            (Ok(a), Ok(b)) => prop_assert!((a - b).abs() < 1e-12),
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
