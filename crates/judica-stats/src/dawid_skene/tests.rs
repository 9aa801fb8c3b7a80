use super::*;
use crate::resample::Draws;
use proptest::prelude::*;

const M: u32 = MISSING;

/// As of 1979, without a prior.
const PLAIN: EmOptions = EmOptions {
    tolerance: 1e-9,
    max_iterations: 1000,
    prior: 0.0,
};

fn fitted(ratings: &Ratings) -> DawidSkene {
    dawid_skene(ratings, &PLAIN).unwrap()
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} {b}");
}

#[test]
fn worked_by_hand() {
    // Two raters, four items: 00, 00, 11, 01. The votes on the last are even, so the
    // start believes it half 0, half 1. Counting: 2.5 items are 0, 1.5 are 1.
    // First rater: of 2.5 zeros all are said 0; of 1.5 ones a half is said 0, so 1/3.
    // Second: of 2.5 zeros a half is said 1, so 1/5; of the ones none is said 0.
    // Bayes for the last item: 5/8 · 1 · 1/5 = 1/8 for 0, 3/8 · 1/3 · 1 = 1/8 for 1: even
    // again. For 00: 5/8 · 1 · 4/5 = 1/2 against 0; for 11: 3/8 · 2/3 · 1 = 1/4 against 0.
    // So the start is the end. The likelihood is 1/2 · 1/2 · 1/4 · (1/8 + 1/8) = 2^-6.
    let found = fitted(&Ratings::new(2, 2, vec![0, 0, 0, 0, 1, 1, 0, 1]));
    assert_eq!((found.iterations, found.converged), (1, true));
    assert_eq!(found.priors, [0.625, 0.375]);
    let rows = |rater: usize| found.confusion[rater].as_ref().unwrap().rows.clone();
    let row = |row: &Option<Vec<f64>>, expected: [f64; 2]| {
        let row = row.as_ref().unwrap();
        (0..2).for_each(|l| close(row[l], expected[l], 1e-15));
    };
    row(&rows(0)[0], [1.0, 0.0]);
    row(&rows(0)[1], [1.0 / 3.0, 2.0 / 3.0]);
    row(&rows(1)[0], [0.8, 0.2]);
    row(&rows(1)[1], [0.0, 1.0]);
    assert_eq!(found.posterior(0).unwrap(), [1.0, 0.0]);
    assert_eq!(found.posterior(2).unwrap(), [0.0, 1.0]);
    close(found.posterior(3).unwrap()[0], 0.5, 1e-15);
    close(found.log_likelihood, -6.0 * std::f64::consts::LN_2, 1e-14);
}

/// Ratings by a rule that is easy to repeat in another language.
fn by_rule() -> Ratings {
    let said = |i: u32, r: u32| {
        let truth = (i * i + 3 * i + i / 7) % 3;
        match (i * 31 + r * 17 + i * i * 7 + r * i * 13) % 97 {
            h if h < 55 + 3 * r => truth,
            h if h < 80 => (truth + 1) % 3,
            h if h < 92 => (truth + 2) % 3,
            _ => M,
        }
    };
    let codes = (0..120).flat_map(|i| (0..5).map(move |r| said(i, r)));
    Ratings::new(5, 3, codes.collect())
}

#[test]
fn equal_to_a_separate_program() {
    // Numbers of a program in Python with numpy that goes item by item, without groups
    // and without logarithms: three categories, 19 of 600 ratings missing.
    let found = fitted(&by_rule());
    assert_eq!((found.iterations, found.converged), (79, true));
    close(found.log_likelihood, -555.850_498_072_150_3, 1e-9);
    let priors = [
        0.398_020_937_964_664_2,
        0.283_919_589_175_094_9,
        0.318_059_472_860_240_67,
    ];
    let last = [
        0.162_037_125_300_771_13,
        0.204_785_928_050_999_96,
        0.633_176_946_648_229_2,
    ];
    let of_item_100 = [
        0.338_492_661_444_389_33,
        0.658_094_736_267_019_6,
        0.003_412_602_288_591_165_5,
    ];
    let rows = &found.confusion[4].as_ref().unwrap().rows;
    for j in 0..3 {
        close(found.priors[j], priors[j], 1e-12);
        close(rows[2].as_ref().unwrap()[j], last[j], 1e-12);
        close(found.posterior(100).unwrap()[j], of_item_100[j], 1e-12);
    }
}

#[test]
fn with_a_prior_equal_to_a_separate_program() {
    let found = dawid_skene(&by_rule(), &EmOptions::default()).unwrap();
    assert_eq!((found.iterations, found.converged), (42, true));
    close(found.log_likelihood, -558.088_727_354_834_3, 1e-9);
    let priors = [
        0.389_286_414_623_052_97,
        0.297_995_764_761_769_7,
        0.312_717_820_615_177_6,
    ];
    let last = [
        0.180_375_104_863_000_6,
        0.208_754_556_093_760_6,
        0.610_870_339_043_238_7,
    ];
    let of_item_100 = [
        0.345_351_969_077_762_33,
        0.646_354_227_618_125_3,
        0.008_293_803_304_112_366,
    ];
    let rows = &found.confusion[4].as_ref().unwrap().rows;
    for j in 0..3 {
        close(found.priors[j], priors[j], 1e-12);
        close(rows[2].as_ref().unwrap()[j], last[j], 1e-12);
        close(found.posterior(100).unwrap()[j], of_item_100[j], 1e-12);
    }
}

/// Of 60 items and six judges right seven times in ten: how many beliefs exceed 0.999, and
/// how many of those are wrong.
fn too_sure(options: &EmOptions) -> (f64, f64) {
    let (mut sure, mut wrong, mut all) = (0, 0, 0);
    for set in 0..200 {
        let mut draws = Draws::new(7, set);
        let truths: Vec<u32> = (0..60).map(|_| draws.below(2)).collect();
        let votes = truths.iter().flat_map(|&truth| vec![truth; 6]);
        let votes = votes.map(|truth| truth ^ u32::from(draws.below(10) < 3));
        let found = dawid_skene(&Ratings::new(6, 2, votes.collect()), options).unwrap();
        for (belief, &truth) in found.posteriors().flatten().zip(&truths) {
            all += 1;
            if belief[0].max(belief[1]) > 0.999 {
                sure += 1;
                wrong += u32::from(belief[truth as usize] < 0.5);
            }
        }
    }
    (
        f64::from(sure) / f64::from(all),
        f64::from(wrong) / f64::from(sure),
    )
}

#[test]
fn a_prior_keeps_it_from_being_sure_and_wrong() {
    let (plain, with_prior) = (too_sure(&PLAIN), too_sure(&EmOptions::default()));
    println!("without a prior {plain:?}, with one {with_prior:?}");
    assert!(plain.0 > 0.25 && plain.1 > 0.08, "{plain:?}");
    assert!(with_prior.0 < plain.0 / 2.0, "{with_prior:?}");
    assert!(with_prior.1 < plain.1 / 2.0, "{with_prior:?}");
}

#[test]
fn what_nobody_saw_is_what_the_prior_says() {
    let found = dawid_skene(&Ratings::new(1, 3, vec![0, 1]), &EmOptions::default()).unwrap();
    let rows = &found.confusion[0].as_ref().unwrap().rows;
    let third = rows[2].as_ref().unwrap();
    third.iter().for_each(|&rate| close(rate, 1.0 / 3.0, 0.1));
    assert!(found.priors[2] > 0.1 && found.priors[2] < 1.0 / 3.0);
}

#[test]
fn finds_the_rates_that_made_the_ratings() {
    // 20,000 items, a third of them 1; each rater errs on each category at a rate of
    // their own, and one rating in ten is missing.
    let wrong = [[5, 30], [10, 10], [20, 5], [40, 15], [3, 3]];
    let mut draws = Draws::new(11, 0);
    let mut codes = Vec::new();
    let mut truths = Vec::new();
    for _ in 0..20_000 {
        let truth = u32::from(draws.below(3) == 0);
        truths.push(truth as usize);
        for rates in wrong {
            let errs = draws.below(100) < rates[truth as usize];
            let missing = draws.below(10) == 0;
            codes.push(if missing { M } else { truth ^ u32::from(errs) });
        }
    }
    let found = fitted(&Ratings::new(5, 2, codes));
    assert!(found.converged);
    close(found.priors[1], 1.0 / 3.0, 0.015);
    for (confusion, wrong) in found.confusion.iter().zip(wrong) {
        let rows = &confusion.as_ref().unwrap().rows;
        close(
            rows[0].as_ref().unwrap()[1],
            f64::from(wrong[0]) / 100.0,
            0.02,
        );
        close(
            rows[1].as_ref().unwrap()[0],
            f64::from(wrong[1]) / 100.0,
            0.02,
        );
    }
    let right = found.posteriors().zip(&truths);
    let right = right.filter(|(belief, truth)| belief.unwrap()[**truth] > 0.5);
    assert!(right.count() > 19_300);
}

#[test]
fn the_silent_and_the_unused_have_no_numbers() {
    assert!(dawid_skene(&Ratings::new(0, 0, vec![]), &EmOptions::default()).is_none());
    assert!(dawid_skene(&Ratings::new(2, 2, vec![M; 6]), &EmOptions::default()).is_none());
    // The second rater rated nothing, nobody rated the last item, nobody said 2.
    let found = fitted(&Ratings::new(3, 3, vec![0, M, 0, 1, M, 1, M, M, M]));
    assert_eq!(found.confusion[1], None);
    assert_eq!(found.confusion[0].as_ref().unwrap().rows[2], None);
    assert_eq!(found.priors, [0.5, 0.5, 0.0]);
    assert_eq!(found.posterior(2), None);
    assert_eq!(found.posteriors().len(), 3);
}

#[test]
fn thousands_of_raters_do_not_underflow() {
    let raters = 5000;
    let codes = (0..4 * raters).map(|at| u32::from(at % 3 == 0) ^ u32::from(at / raters > 1));
    let found = fitted(&Ratings::new(raters, 2, codes.collect()));
    assert!(found.log_likelihood.is_finite());
    assert!(
        found
            .posteriors()
            .flatten()
            .flatten()
            .all(|p| p.is_finite())
    );
}

#[test]
fn stops_when_told() {
    let options = EmOptions {
        max_iterations: 3,
        ..PLAIN
    };
    let found = dawid_skene(&by_rule(), &options).unwrap();
    assert_eq!((found.iterations, found.converged), (3, false));
}

/// A table of up to three raters and categories, and an order of its items.
fn tables() -> impl Strategy<Value = (Ratings, Vec<usize>)> {
    (1usize..4, 1u32..4, 1usize..12).prop_flat_map(|(raters, categories, items)| {
        let code = prop_oneof![4 => 0..categories, 1 => Just(M)];
        let codes = prop::collection::vec(code, raters * items);
        let order = Just((0..items).collect::<Vec<_>>()).prop_shuffle();
        (codes, order).prop_map(move |(codes, order)| {
            (Ratings::new(raters, categories as usize, codes), order)
        })
    })
}

fn few() -> EmOptions {
    EmOptions {
        max_iterations: 20,
        ..EmOptions::default()
    }
}

proptest! {
    #[test]
    fn the_order_of_items_changes_nothing((ratings, order) in tables()) {
        let rows: Vec<&[u32]> = ratings.rows().collect();
        let codes = order.iter().flat_map(|&item| rows[item].to_vec()).collect();
        let shuffled = Ratings::new(ratings.raters(), ratings.categories(), codes);
        let (a, b) = (dawid_skene(&ratings, &few()), dawid_skene(&shuffled, &few()));
        prop_assert_eq!(a.is_some(), b.is_some());
        if let (Some(a), Some(b)) = (a, b) {
            prop_assert_eq!(&a.confusion, &b.confusion);
            prop_assert_eq!(a.log_likelihood, b.log_likelihood);
            for (at, &item) in order.iter().enumerate() {
                prop_assert_eq!(a.posterior(item), b.posterior(at));
            }
        }
    }

    #[test]
    fn the_order_of_raters_and_the_names_of_categories_change_nothing((ratings, _) in tables()) {
        let k = ratings.categories() as u32;
        let codes = ratings.rows().flat_map(|row| row.iter().rev());
        let codes = codes.map(|&c| if c == M { M } else { k - 1 - c }).collect();
        let turned = Ratings::new(ratings.raters(), ratings.categories(), codes);
        // Few iterations: where a start lies between two peaks, the last bit decides in
        // the long run which is climbed, and the order of summands decides that bit.
        let options = EmOptions { max_iterations: 4, ..EmOptions::default() };
        let (a, b) = (dawid_skene(&ratings, &options), dawid_skene(&turned, &options));
        prop_assert_eq!(a.is_some(), b.is_some());
        if let (Some(a), Some(b)) = (a, b) {
            prop_assert!((a.log_likelihood - b.log_likelihood).abs() < 1e-9);
            for (a, b) in a.posteriors().flatten().zip(b.posteriors().flatten()) {
                for (a, b) in a.iter().zip(b.iter().rev()) {
                    prop_assert!((a - b).abs() < 1e-9, "{} {}", a, b);
                }
            }
        }
    }

    #[test]
    fn more_iterations_never_make_the_ratings_less_likely((ratings, _) in tables()) {
        let after = |max_iterations| {
            let options = EmOptions { max_iterations, tolerance: 0.0, prior: 0.0 };
            dawid_skene(&ratings, &options).map(|found| found.log_likelihood)
        };
        let likelihoods: Vec<_> = [0, 1, 2, 5, 10].into_iter().filter_map(after).collect();
        prop_assert!(likelihoods.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12), "{:?}", likelihoods);
    }

    #[test]
    fn everything_is_a_probability((ratings, _) in tables()) {
        let Some(found) = dawid_skene(&ratings, &few()) else { return Ok(()) };
        let rows = found.confusion.iter().flatten().flat_map(|c| c.rows.iter().flatten());
        let all = found.posteriors().flatten().chain(rows.map(Vec::as_slice));
        for distribution in all.chain([found.priors.as_slice()]) {
            prop_assert!(distribution.iter().all(|p| (0.0..=1.0 + 1e-12).contains(p)));
            prop_assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        prop_assert!(found.log_likelihood <= 1e-9);
    }
}
