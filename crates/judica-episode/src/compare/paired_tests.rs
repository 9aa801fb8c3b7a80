use super::*;
use proptest::prelude::*;

/// A run whose episodes have these terms in the first metric and an answer in the third.
fn run(terms: &[(f64, f64)]) -> Episodes {
    let episode = |(i, &(above, below)): (usize, &(f64, f64))| {
        let mut all = [[0.0; 2]; MEASURED];
        all[0] = [above, below];
        all[2] = [f64::from(u8::from(above == below)), 1.0];
        (format!("e{i:04}"), all)
    };
    Episodes(terms.iter().enumerate().map(episode).collect())
}

fn request() -> CompareRequest {
    CompareRequest {
        resamples: 400,
        ..CompareRequest::new(Vec::new())
    }
}

#[test]
fn worked_by_hand() {
    // Three episodes of 4, 2 and 4 steps; matches 1, 1, 2 and 4, 2, 3.
    let first = run(&[(1.0, 4.0), (1.0, 2.0), (2.0, 4.0)]);
    let second = run(&[(4.0, 4.0), (2.0, 2.0), (3.0, 4.0)]);
    let found = differences(&first, &second, &request());
    let accuracy = found[0].as_ref().unwrap();
    assert!((accuracy.difference - 0.5).abs() < 1e-15);
    // Swings 3, 1, 1: of the 8 choices of signs only +++ and --- reach 5.
    assert_eq!(
        (accuracy.p_value, accuracy.test, accuracy.n),
        (0.25, "permutation_exact", 3)
    );
    let [lo, hi] = accuracy.interval.unwrap();
    assert!(lo <= 0.5 && 0.5 <= hi && lo >= 0.25);
    // Two episodes of three became successes: 2 · 1/4.
    let success = found[2].as_ref().unwrap();
    assert_eq!((success.p_value, success.test), (0.5, "mcnemar_exact"));
    assert!((success.difference - 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(found[1], Err("no episode in common has it"));
}

#[test]
fn runs_that_are_alike_show_no_difference() {
    let run = run(&[(1.0, 4.0), (2.0, 2.0), (0.0, 3.0)]);
    let found = differences(&run, &run, &request());
    for place in [0, 2] {
        let same = found[place].as_ref().unwrap();
        assert_eq!((same.difference, same.p_value), (0.0, 1.0));
        assert_eq!(same.interval, Some([0.0, 0.0]));
    }
}

#[test]
fn what_is_alone_is_named_and_answers_need_a_counterpart() {
    let first = run(&[(1.0, 1.0), (0.0, 1.0)]);
    let mut second = run(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]);
    let found = matched(&first, &second);
    assert_eq!((found.common, found.first_only.len()), (2, 0));
    assert_eq!(found.second_only, ["e0002"]);
    second.0.get_mut("e0001").unwrap()[2] = [0.0, 0.0];
    let answers = differences(&first, &second, &request())[2].clone().unwrap();
    assert_eq!(
        (answers.n, answers.difference, answers.p_value),
        (1, 0.0, 1.0)
    );
    let none = differences(&Episodes::default(), &second, &request());
    assert!(none.iter().all(Result::is_err));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn swapping_the_runs_turns_the_sign_alone(
        terms in prop::collection::vec((0u8..5, 0u8..5, 0u8..5, 0u8..5), 2..14),
    ) {
        // Sums below may differ between the runs, as with distances.
        let term = |above: u8, below: u8| (f64::from(above.min(below)), f64::from(below));
        let first: Vec<_> = terms.iter().map(|t| term(t.0, t.1)).collect();
        let second: Vec<_> = terms.iter().map(|t| term(t.2, t.3)).collect();
        let (first, second) = (run(&first), run(&second));
        let there = differences(&first, &second, &request());
        let back = differences(&second, &first, &request());
        match (&there[0], &back[0]) {
            (Ok(there), Ok(back)) => {
                prop_assert!((there.difference + back.difference).abs() < 1e-12);
                prop_assert_eq!(there.p_value, back.p_value);
                prop_assert!((0.0..=1.0).contains(&there.p_value));
            }
            (there, back) => prop_assert_eq!(there, back),
        }
        let mut more = request();
        more.threads = 3;
        prop_assert_eq!(&there, &differences(&first, &second, &more));
    }
}
