//! Merging counts: any split, any order, the same sum.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::test_support::{Bench, good, output, sample, state};

fn counts() -> impl Strategy<Value = GroupCounts> {
    let family = (0..50u64, 0..50u64, 0..50u64, 0..50u64).prop_map(
        |(atoms, critical, warning, failure_modes)| FamilyTotals {
            atoms,
            critical,
            warning,
            info: 0,
            failure_modes,
        },
    );
    let totals = (0..100u64, 0..100u64, 0..100u64, 0..100u64, 0..100u64);
    (totals, prop::collection::vec(family, 7)).prop_map(
        |((total, eligible, api_errors, parse_failures, present), families)| GroupCounts {
            total,
            eligible,
            api_errors,
            parse_failures,
            present,
            families,
        },
    )
}

fn any_state() -> impl Strategy<Value = SummaryState> {
    prop::collection::btree_map((0..3u32, 0..4u32), counts(), 0..6).prop_map(|groups| {
        SummaryState {
            groups,
            ..SummaryState::default()
        }
    })
}

fn sum(states: &[&SummaryState]) -> SummaryState {
    let mut all = SummaryState::default();
    states.iter().for_each(|state| all.merge(state));
    all
}

proptest! {
    #[test]
    fn merging_is_associative_commutative_and_has_a_zero(a in any_state(), b in any_state(), c in any_state()) {
        prop_assert_eq!(sum(&[&a, &b]), sum(&[&b, &a]));
        prop_assert_eq!(sum(&[&sum(&[&a, &b]), &c]), sum(&[&a, &sum(&[&b, &c])]));
        prop_assert_eq!(&sum(&[&a, &SummaryState::default()]), &a);
        prop_assert_eq!(&sum(&[&SummaryState::default(), &a]), &a);
    }

    #[test]
    fn any_split_gives_the_whole(states in prop::collection::vec(any_state(), 0..8), cut in 0..8usize) {
        let all: Vec<&SummaryState> = states.iter().collect();
        let (left, right) = all.split_at(cut.min(all.len()));
        prop_assert_eq!(sum(&[&sum(right), &sum(left)]), sum(&all));
    }
}

#[test]
fn one_chunk_by_hand() {
    let bench = Bench::flight(&[
        sample("a", "S1"),
        sample("b", "S1"),
        sample("c", "S1"),
        sample("d", "M3"),
    ]);
    let mut lacking = good("S1");
    lacking.remove("Slip/Skid");
    let run = bench.run(&[
        output("m", "a", Value::Object(good("S1"))),
        output("m", "b", Value::Object(lacking)),
        output("m", "c", "HTTP error"),
        output(
            "m",
            "d",
            Value::Object(state("M3", &[("vs", json!([-2100, -2100, -2100]))])),
        ),
        output("n", "a", "?"),
    ]);
    let state = SummaryState::of(&bench.protocol, &bench.checks, &run.evaluated);
    assert_eq!(
        state.groups.keys().copied().collect::<Vec<_>>(),
        [(0, 0), (0, 1), (2, 0)]
    );
    let scalar = &state.groups[&(0, 0)];
    assert_eq!(
        (
            scalar.total,
            scalar.eligible,
            scalar.api_errors,
            scalar.parse_failures
        ),
        (3, 1, 1, 0)
    );
    // 19 + 18 + 0 keys; 19 + 19 + 0 atoms of which one is missing; the second answer's
    // 18 fields are measured from the first.
    assert_eq!(
        (
            scalar.present,
            scalar.families[1].atoms,
            scalar.families[1].critical
        ),
        (37, 38, 1)
    );
    assert_eq!(scalar.families[3].atoms, 18);
    // Reasons of the two ineligible records: one missing field, one API error.
    assert_eq!(
        (
            scalar.families[0].failure_modes,
            scalar.families[1].failure_modes
        ),
        (1, 1)
    );
    let array = &state.groups[&(2, 0)];
    // Three warnings, one reason; but the record is eligible, so it is no failure mode.
    assert_eq!(
        (
            array.eligible,
            array.families[6].warning,
            array.families[6].failure_modes
        ),
        (1, 3, 0)
    );
    assert_eq!(
        (
            state.groups[&(0, 1)].parse_failures,
            state.groups[&(0, 1)].api_errors
        ),
        (1, 0)
    );
    assert_eq!(state.groups_of(0), [(0, 0), (2, 0)]);
    assert!(state.groups_of(9).is_empty());
}
