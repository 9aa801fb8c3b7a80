//! A rate that a judge measured, corrected for the judge's own errors by what people said
//! about a random part of the items.

use crate::exact_sum::exact_mean;
use crate::interval::Interval;
use crate::normal::normal_quantile;

/// With fewer labels the normal limit cannot be trusted.
pub const FEWEST_LABELS: usize = 100;

/// An item that people labelled and the judge judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Labelled {
    /// What people said.
    pub label: f64,
    /// What the judge said.
    pub judged: f64,
    /// The number of its cluster.
    pub cluster: u32,
}

/// An item that only the judge judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unlabelled {
    /// What the judge said.
    pub judged: f64,
    /// The number of its cluster.
    pub cluster: u32,
}

/// A corrected rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrected {
    /// The value.
    pub value: f64,
    /// Its standard error; `None` where all items are one cluster.
    pub se: Option<f64>,
    /// Its interval, by the normal distribution; `None` without a standard error, and where
    /// none of it is a rate.
    pub interval: Option<Interval>,
    /// How much of the judge went into it, from 0 (labels alone) to 1.
    pub lambda: f64,
}

/// Prediction-powered inference with the weight of the judge tuned to the data.
///
/// Angelopoulos, Duchi and Zrnic, "PPI++: Efficient Prediction-Powered Inference", 2023.
/// Clusters are numbered below `clusters`; where an item shares its cluster, the error is
/// robust to that. `None` below [`FEWEST_LABELS`], without unlabelled items, or where the
/// correction does not vary.
pub fn prediction_powered(
    labelled: &[Labelled],
    unlabelled: &[Unlabelled],
    clusters: usize,
    confidence: f64,
) -> Option<Corrected> {
    if labelled.len() < FEWEST_LABELS || unlabelled.is_empty() {
        return None;
    }
    let (n, rest) = (labelled.len() as f64, unlabelled.len() as f64);
    let mean_of = |values: &[f64]| exact_mean(values);
    let labels: Vec<f64> = labelled.iter().map(|item| item.label).collect();
    let judged: Vec<f64> = labelled.iter().map(|item| item.judged).collect();
    let judged_rest: Vec<f64> = unlabelled.iter().map(|item| item.judged).collect();
    let all: Vec<f64> = judged.iter().chain(&judged_rest).copied().collect();
    let (label_mean, judged_mean) = (mean_of(&labels)?, mean_of(&judged)?);
    let (rest_mean, all_mean) = (mean_of(&judged_rest)?, mean_of(&all)?);
    let products: Vec<f64> = labelled
        .iter()
        .map(|item| (item.label - label_mean) * (item.judged - judged_mean))
        .collect();
    let covariance = mean_of(&products)?;
    let squares: Vec<f64> = all.iter().map(|f| (f - all_mean).powi(2)).collect();
    let variance = mean_of(&squares)? * all.len() as f64 / (all.len() as f64 - 1.0);
    // A judge that always says the same tells nothing.
    let lambda = match variance {
        0.0 => 0.0,
        variance => (covariance / ((1.0 + n / rest) * variance)).clamp(0.0, 1.0),
    };
    let rectifiers: Vec<f64> = labelled
        .iter()
        .map(|item| item.label - lambda * item.judged)
        .collect();
    let rectifier = mean_of(&rectifiers)?;
    if rectifiers.iter().all(|r| *r == rectifiers[0]) {
        return None;
    }
    // What each cluster adds to the error; single items are clusters of their own.
    let mut psi = vec![0.0; clusters];
    let mut members = vec![0_u32; clusters];
    for (item, r) in labelled.iter().zip(&rectifiers) {
        *psi.get_mut(item.cluster as usize)? += (r - rectifier) / n;
        members[item.cluster as usize] += 1;
    }
    for item in unlabelled {
        *psi.get_mut(item.cluster as usize)? += lambda * (item.judged - rest_mean) / rest;
        members[item.cluster as usize] += 1;
    }
    let used = members.iter().filter(|count| **count > 0).count() as f64;
    let shared = members.iter().any(|count| *count > 1);
    let squares: Vec<f64> = psi.iter().map(|psi| psi * psi).collect();
    let correction = if shared { used / (used - 1.0) } else { 1.0 };
    // What varies are clusters, and one of them does not.
    let se = (used > 1.0).then(|| (correction * crate::exact_sum(&squares)).sqrt());
    let value = lambda * rest_mean + rectifier;
    let z = normal_quantile((1.0 + confidence) / 2.0)?;
    Some(Corrected {
        value,
        se,
        interval: se.map(|se| Interval {
            lo: value - z * se,
            hi: value + z * se,
        }),
        lambda,
    })
}

/// What is known of a judge from items that people labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// People said yes.
    pub yes: u64,
    /// People said yes, and so did the judge.
    pub yes_yes: u64,
    /// People said no.
    pub no: u64,
    /// People said no, and so did the judge.
    pub no_no: u64,
}

/// The rate of yes among `judged` items of which the judge said yes to `judged_yes`,
/// corrected for how often the judge is right about yes and about no. `None` where the judge
/// is no better than chance, or people never said one of the two.
///
/// Rogan and Gladen, "Estimating Prevalence from the Results of a Screening Test", *American
/// Journal of Epidemiology* 107, 1978. Clipped to 0 and 1 after the error is known.
pub fn rogan_gladen(
    judged_yes: u64,
    judged: u64,
    confusion: Confusion,
    confidence: f64,
) -> Option<Corrected> {
    if judged == 0 || confusion.yes == 0 || confusion.no == 0 {
        return None;
    }
    let (n_yes, n_no) = (confusion.yes as f64, confusion.no as f64);
    let sensitivity = confusion.yes_yes as f64 / n_yes;
    let specificity = confusion.no_no as f64 / n_no;
    let youden = sensitivity + specificity - 1.0;
    if youden <= 0.0 {
        return None;
    }
    let (q, n) = (judged_yes as f64 / judged as f64, judged as f64);
    let p = (q + specificity - 1.0) / youden;
    let variance = (q * (1.0 - q) / n
        + p * p * sensitivity * (1.0 - sensitivity) / n_yes
        + (1.0 - p) * (1.0 - p) * specificity * (1.0 - specificity) / n_no)
        / (youden * youden);
    let se = variance.sqrt();
    let half = normal_quantile((1.0 + confidence) / 2.0)? * se;
    let interval = Interval {
        lo: (p - half).clamp(0.0, 1.0),
        hi: (p + half).clamp(0.0, 1.0),
    };
    Some(Corrected {
        value: p.clamp(0.0, 1.0),
        se: Some(se),
        // Where both ends are cut at one point nothing is left that would be sure of it.
        interval: (interval.lo < interval.hi).then_some(interval),
        lambda: 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 120 labelled and 900 unlabelled, made by a rule that any language can follow.
    fn made() -> (Vec<Labelled>, Vec<Unlabelled>) {
        let bit = |i: u32, k: u32, m: u32| f64::from(u8::from(i * i * k % m < m / 2));
        let labelled = (0..120)
            .map(|i| Labelled {
                label: bit(i, 7, 31),
                judged: if i % 6 == 0 {
                    bit(i, 5, 29)
                } else {
                    bit(i, 7, 31)
                },
                cluster: i,
            })
            .collect();
        let unlabelled = (0..900)
            .map(|i| Unlabelled {
                judged: bit(i + 3, 11, 37),
                cluster: 120 + i,
            })
            .collect();
        (labelled, unlabelled)
    }

    /// Against `ppi_py.ppi_mean_ci` and `ppi_mean_pointestimate` of the same numbers.
    #[test]
    fn as_elsewhere() {
        let (labelled, unlabelled) = made();
        let found = prediction_powered(&labelled, &unlabelled, 1020, 0.95).unwrap();
        assert!((found.value - 0.56003205990343).abs() < 1e-12, "{found:?}");
        let ends = found.interval.unwrap();
        assert!((ends.lo - 0.5068440483438859).abs() < 1e-12, "{found:?}");
        assert!((ends.hi - 0.6132200714629741).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn shared_clusters_count_once_and_too_little_is_none() {
        let (mut labelled, mut unlabelled) = made();
        let alone = prediction_powered(&labelled, &unlabelled, 1020, 0.95).unwrap();
        assert_eq!(
            prediction_powered(&labelled[..99], &unlabelled, 1020, 0.95),
            None
        );
        assert_eq!(prediction_powered(&labelled, &[], 1020, 0.95), None);
        // Everything twice, in the same clusters: as sure as before but for G/(G−1).
        labelled.extend(labelled.clone());
        unlabelled.extend(unlabelled.clone());
        let twice = prediction_powered(&labelled, &unlabelled, 1020, 0.95).unwrap();
        let expected = alone.se.unwrap() * (1020.0_f64 / 1019.0).sqrt();
        assert!(
            (twice.se.unwrap() / expected - 1.0).abs() < 1e-4,
            "{twice:?}"
        );
        // All in one cluster: a value, and nothing to say how sure it is.
        let together = |item: &Labelled| Labelled {
            cluster: 0,
            ..*item
        };
        let one: Vec<Labelled> = labelled.iter().map(together).collect();
        let rest = unlabelled.iter().map(|item| Unlabelled {
            cluster: 0,
            ..*item
        });
        let rest: Vec<Unlabelled> = rest.collect();
        let found = prediction_powered(&one, &rest, 1020, 0.95).unwrap();
        assert_eq!((found.se, found.interval), (None, None));
        assert_eq!(found.value, twice.value);
        for item in &mut labelled {
            item.label = 1.0;
            item.judged = 1.0;
        }
        assert_eq!(prediction_powered(&labelled, &unlabelled, 1020, 0.95), None);
    }

    /// Sensitivity 0.9 of 50, specificity 0.8 of 50, 60 of 100 judged yes: p = 0.4/0.7.
    #[test]
    fn rogan_gladen_by_hand() {
        let confusion = Confusion {
            yes: 50,
            yes_yes: 45,
            no: 50,
            no_no: 40,
        };
        let found = rogan_gladen(60, 100, confusion, 0.95).unwrap();
        let p: f64 = 0.4 / 0.7;
        assert!((found.value - p).abs() < 1e-15);
        let variance = (0.0024 + p * p * 0.0018 + (1.0 - p) * (1.0 - p) * 0.0032) / 0.49;
        assert!((found.se.unwrap() - variance.sqrt()).abs() < 1e-15);
        assert_eq!(rogan_gladen(5, 100, confusion, 0.95).unwrap().value, 0.0);
        // 28 of 29 yes, and people say that it misses three in ten: no rate explains that.
        let shy = Confusion {
            yes: 100,
            yes_yes: 70,
            no: 100,
            no_no: 100,
        };
        for (yes, confusion, value, explained) in [
            (2800, shy, 1.0, false),
            (2200, shy, 1.0, true),
            (0, Confusion { no_no: 70, ..shy }, 0.0, false),
        ] {
            let found = rogan_gladen(yes, 3000, confusion, 0.95).unwrap();
            assert_eq!(found.value, value);
            assert_eq!(found.interval.is_some(), explained, "{found:?}");
        }
        let blind = Confusion {
            yes_yes: 10,
            ..confusion
        };
        assert_eq!(rogan_gladen(60, 100, blind, 0.95), None);
        assert_eq!(
            rogan_gladen(60, 100, Confusion { no: 0, ..confusion }, 0.95),
            None
        );
    }
}
