//! Which judges to keep: how right every small panel is, and the cheapest that is as good as
//! the best but for chance.
//!
//! All panels are held against the same items, so that they can be compared; where a panel
//! does not decide, it is not right. "One standard error of the best" is the rule of Breiman,
//! Friedman, Olshen and Stone, *Classification and Regression Trees*, 1984, section 3.4.3.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use judica_data::error::DataErrorKind;
use judica_data::prices::PriceList;
use judica_data::work_error::WorkError;
use judica_model::metric::MetricValue;
use judica_stats::agreement::MISSING;
use judica_stats::normal::normal_quantile;

use super::JudgesRequest;
use super::judge::Judge;
use super::report::{PanelAccuracy, Panels};
use super::votes::Votes;

/// Panels have at most so many judges.
const LARGEST: u32 = 6;
/// So many panels are measured at most, of fewer judges if there are more of them.
const MOST_PANELS: u64 = 200_000;
/// Votes of panels that are counted at most.
const MOST_VOTES: u64 = 2_000_000_000;
/// A panel is a number with a bit for each judge.
const MOST_JUDGES: usize = 64;
/// So many panels are listed.
const LISTED: usize = 50;

/// What a verdict of each judge costs, where it is known: tokens that its rows tell, by the
/// price of its model, else of the judge's own name.
pub(super) fn costs(
    judges: &[Judge],
    prices: Option<&PriceList>,
) -> Result<Vec<Option<f64>>, WorkError> {
    let cost = |judge: &Judge| -> Result<Option<f64>, WorkError> {
        let (Some(prices), true) = (prices, judge.told > 0) else {
            return Ok(None);
        };
        let model = match judge.models.iter().collect::<Vec<_>>()[..] {
            [model] => prices.of(model)?,
            _ => None,
        };
        let price = match model {
            Some(price) => Some(price),
            None => prices.of(&judge.name)?,
        };
        let [sent, received] = judge.tokens;
        let cost = price.and_then(|price| price.tokens_cost(sent, received));
        Ok(cost.map(|usd| usd / judge.told as f64))
    };
    judges.iter().map(cost).collect()
}

/// Reads a file of prices; what is wrong with it is the user's input.
pub(super) fn prices(request: &JudgesRequest) -> Result<Option<PriceList>, WorkError> {
    let Some(input) = &request.prices else {
        return Ok(None);
    };
    PriceList::open(&input.path)
        .map(Some)
        .map_err(|error| match error.kind() {
            DataErrorKind::Malformed => WorkError::BadInput(error.to_string()),
            _ => WorkError::Data(error),
        })
}

/// Items that count the same for every panel.
struct Alike {
    /// Judges who say what is true, and judges who say the other.
    right: u64,
    wrong: u64,
    items: u64,
}

impl Alike {
    /// Whether most of a panel are right; `None` where it is even or silent.
    fn decided(&self, panel: u64) -> Option<bool> {
        let right = (panel & self.right).count_ones();
        match right.cmp(&(panel & self.wrong).count_ones()) {
            Ordering::Equal => None,
            more => Some(more == Ordering::Greater),
        }
    }
}

/// A panel, and on how many items it is right and undecided.
#[derive(Clone, Copy)]
struct Found {
    panel: u64,
    correct: u64,
    undecided: u64,
}

/// Measures panels against people, else against labels that were estimated.
pub(super) fn panels(
    votes: &Votes,
    costs: &[Option<f64>],
    estimated: Option<&[Option<u32>]>,
    request: &JudgesRequest,
) -> Panels {
    let people = votes.raters.len() > votes.judges;
    let truth = |at: usize| match (people, estimated) {
        (true, _) => votes.human(at),
        (false, labels) => labels.and_then(|labels| labels[at]),
    };
    let basis = match (people, estimated) {
        (true, _) => Some("human"),
        (false, Some(_)) => Some("dawid-skene"),
        (false, None) => None,
    };
    let items: Vec<(usize, u32)> = (0..votes.items.len())
        .filter_map(|at| Some((at, truth(at)?)))
        .collect();
    let undefined = |why: &str| Panels {
        basis,
        undefined: Some(why.to_owned()),
        ..Panels::default()
    };
    if basis.is_none() {
        return undefined("needs people's verdicts, or --aggregate dawid-skene");
    }
    if items.is_empty() {
        return undefined("no item that judges voted on has a label");
    }
    if votes.judges > MOST_JUDGES {
        return undefined("more than 64 judges");
    }
    let side = |at: usize, truth: u32| {
        let row = votes.judges_row(at).iter().enumerate();
        row.fold(
            (0_u64, 0_u64),
            |(right, wrong), (judge, &vote)| match vote {
                MISSING => (right, wrong),
                vote if vote == truth => (right | 1 << judge, wrong),
                _ => (right, wrong | 1 << judge),
            },
        )
    };
    let mut counts: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for &(at, truth) in &items {
        *counts.entry(side(at, truth)).or_default() += 1;
    }
    let counts = counts.into_iter();
    let alike: Vec<Alike> = counts
        .map(|((right, wrong), items)| Alike {
            right,
            wrong,
            items,
        })
        .collect();
    let usd = |panel: u64| -> Option<f64> { members(panel).map(|judge| costs[judge]).sum() };
    let known = costs.iter().all(Option::is_some);
    // Cheaper first, then more accurate, then as the judges come.
    let cheaper = |a: &Found, b: &Found| {
        let by_usd = match known {
            true => usd(a.panel).partial_cmp(&usd(b.panel)),
            false => None,
        };
        let by_usd = by_usd.unwrap_or(Ordering::Equal);
        let by_size = a.panel.count_ones().cmp(&b.panel.count_ones());
        let by_right = b.correct.cmp(&a.correct);
        let by_place = a
            .panel
            .reverse_bits()
            .cmp(&b.panel.reverse_bits())
            .reverse();
        by_usd.then(by_size).then(by_right).then(by_place)
    };
    let (all, largest) = every_panel(votes.judges as u32, &alike);
    let mut ranked = all;
    ranked.sort_by(|a, b| b.correct.cmp(&a.correct).then_with(|| cheaper(a, b)));
    let measured = ranked.len() as u64;
    let n = items.len() as u64;
    let accuracy = |found: &Found| {
        if votes.alone {
            return votes.rate_of(found.correct, n, &request.bootstrap, "no item");
        }
        let right = items.iter().map(|&(at, truth)| {
            let (right, wrong) = side(at, truth);
            let items = 1;
            let one = Alike {
                right,
                wrong,
                items,
            };
            (at, one.decided(found.panel) == Some(true))
        });
        votes.rate(right, &request.bootstrap, "no item")
    };
    let shown = |found: &Found| PanelAccuracy {
        judges: members(found.panel)
            .map(|judge| votes.raters[judge].clone())
            .collect(),
        accuracy: accuracy(found),
        correct: found.correct,
        undecided: found.undecided,
        usd_per_item: usd(found.panel),
    };
    let best = ranked.first().map(shown);
    let se = best.as_ref().map_or(0.0, |best| {
        standard_error(&best.accuracy, request.bootstrap.confidence)
    });
    let enough = ranked.first().map_or(0.0, |best| best.correct as f64) - se * n as f64;
    let near = ranked.iter().filter(|found| found.correct as f64 >= enough);
    let keep = near.min_by(|a, b| cheaper(a, b)).map(shown);
    Panels {
        basis,
        undefined: None,
        n,
        measured,
        largest: largest.into(),
        cheap_by: if known { "usd" } else { "judges" },
        best,
        keep,
        list: ranked.iter().take(LISTED).map(shown).collect(),
    }
}

/// The standard error of a rate. Items that are all right do not show that there is none;
/// then it is what Wilson's interval takes it for.
fn standard_error(rate: &MetricValue, confidence: f64) -> f64 {
    match rate {
        MetricValue::Defined { se: Some(se), .. } if *se > 0.0 => *se,
        MetricValue::Defined {
            ci: Some([lo, hi]), ..
        } => {
            let z = normal_quantile((1.0 + confidence) / 2.0).filter(|z| *z > 0.0);
            z.map_or(0.0, |z| (hi - lo) / (2.0 * z))
        }
        _ => 0.0,
    }
}

/// The judges of a panel.
fn members(panel: u64) -> impl Iterator<Item = usize> {
    (0..MOST_JUDGES).filter(move |judge| panel >> judge & 1 == 1)
}

/// Every panel of up to so many judges that there is time for, and how many that is.
fn every_panel(judges: u32, alike: &[Alike]) -> (Vec<Found>, u32) {
    let (mut found, mut largest) = (Vec::new(), 0);
    let most = MOST_PANELS.min(MOST_VOTES / alike.len().max(1) as u64);
    let (mut all, mut of_size) = (0_u64, 1_u64);
    for size in 1..=LARGEST.min(judges) {
        of_size = of_size * u64::from(judges - size + 1) / u64::from(size);
        all += of_size;
        // Single judges are always measured.
        if size > 1 && all > most {
            break;
        }
        largest = size;
        let mut panel = u64::MAX >> (64 - size);
        for _ in 0..of_size {
            found.push(measure(panel, alike));
            panel = next(panel);
        }
    }
    (found, largest)
}

/// The next larger number with as many bits; 0 after the last one of 64.
fn next(panel: u64) -> u64 {
    let lowest = panel & panel.wrapping_neg();
    let Some(up) = panel.checked_add(lowest) else {
        return 0;
    };
    up | (((panel ^ up) >> 2) / lowest)
}

fn measure(panel: u64, alike: &[Alike]) -> Found {
    let (mut correct, mut undecided) = (0, 0);
    for group in alike {
        match group.decided(panel) {
            Some(true) => correct += group.items,
            Some(false) => {}
            None => undecided += group.items,
        }
    }
    Found {
        panel,
        correct,
        undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_once() {
        let alike = [Alike {
            right: 0b01,
            wrong: 0b10,
            items: 3,
        }];
        let (all, largest) = every_panel(8, &alike);
        // 8 + 28 + 56 + 70 + 56 + 28
        assert_eq!((all.len(), largest), (246, 6));
        let mut panels: Vec<u64> = all.iter().map(|found| found.panel).collect();
        panels.sort_unstable();
        panels.dedup();
        assert_eq!(panels.len(), 246);
        assert!(panels.iter().all(|panel| *panel < 256));
        // The first is right, the second wrong, both are even, others are silent.
        let of = |panel| measure(panel, &alike);
        assert_eq!((of(0b001).correct, of(0b001).undecided), (3, 0));
        assert_eq!((of(0b110).correct, of(0b110).undecided), (0, 0));
        assert_eq!((of(0b111).correct, of(0b111).undecided), (0, 3));
        assert_eq!(of(0b100).undecided, 3);
        // 64 judges: of two at most, as there are 41,664 of three and 635,376 of four.
        let (all, largest) = every_panel(64, &alike);
        assert_eq!((all.len(), largest), (64 + 2016 + 41_664, 3));
        assert_eq!(every_panel(0, &alike).0.len(), 0);
    }
}
