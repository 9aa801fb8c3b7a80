//! Records, counted by what they are told apart by.

use std::collections::BTreeMap;

use judica_model::run::Verdict;
use serde::Serialize;

use super::filter::{FAILED, Filter};
use super::names::{NO_NAME, Name};
use super::query::Dimension;
use super::{Index, NONE};

/// Records of a list, counted by one dimension, under all conditions but its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facet<'i> {
    /// By what.
    pub dimension: Dimension,
    /// The most frequent first, equal ones by name; those that were asked for even if there is
    /// no record.
    pub counts: Vec<Counted<'i>>,
}

/// How many records have a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counted<'i> {
    /// The name; `none` for records without.
    pub name: Name<'i>,
    /// How many.
    pub count: u64,
    /// Whether it was asked for.
    pub chosen: bool,
}

/// The records of a subject in a data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell<'i> {
    /// The data set.
    pub dataset: Name<'i>,
    /// The subject.
    pub subject: Name<'i>,
    /// How many there are.
    pub records: u64,
    /// Of them by verdict, in the order of [`Verdict::ALL`], and last those without.
    pub verdicts: [u64; 5],
    /// How many have a score.
    pub scored: u64,
    /// The mean of the scores.
    pub mean: Option<f64>,
}

/// A rule of which atoms failed with a severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedRule<'i> {
    /// The rule.
    pub rule: Name<'i>,
    /// The severity.
    pub severity: Name<'i>,
    /// Records with such an atom.
    pub records: u64,
    /// The atoms.
    pub atoms: u64,
    /// Both by subject, the most records first.
    pub by_subject: Vec<FailedOf<'i>>,
}

/// What failed of one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedOf<'i> {
    /// The subject.
    pub subject: Name<'i>,
    /// Its records with such an atom.
    pub records: u64,
    /// The atoms.
    pub atoms: u64,
}

impl Index {
    /// The records of a list, counted.
    pub fn facets(&self, filter: &Filter) -> Vec<Facet<'_>> {
        use Dimension::{Dataset, Grade, Rule, Severity, Subject, Verdict};
        let mut counts = Dimension::ALL.map(|dimension| vec![0_u64; self.names_of(dimension) + 1]);
        let mut add = |dimension: Dimension, number: u32, count: u64| {
            let counts = &mut counts[dimension as usize];
            let at = (number as usize).min(counts.len() - 1);
            counts[at] += count;
        };
        let kinds = self.kinds.kinds.iter().zip(filter.counts(self));
        let mut seen: Vec<u32> = Vec::new();
        for ((kind, count), misfit) in kinds.zip(&filter.misfits) {
            if *count == 0 {
                continue;
            }
            for (dimension, number) in [
                (Subject, kind.subject),
                (Dataset, kind.dataset),
                (Verdict, kind.verdict),
                (Grade, kind.grade),
            ] {
                if misfit & !(1 << dimension as u8) == 0 {
                    add(dimension, number, *count);
                }
            }
            if misfit & !FAILED != 0 {
                continue;
            }
            // A record counts once for a rule, whatever its severities, and the other way.
            for (dimension, other) in [(Rule, Severity), (Severity, Rule)] {
                seen.clear();
                seen.extend(self.failed(kind).filter_map(|(rule, severity)| {
                    let (own, beside) = match dimension {
                        Rule => (rule, severity),
                        _ => (severity, rule),
                    };
                    filter.wants(other, beside).then_some(own)
                }));
                seen.sort_unstable();
                seen.dedup();
                seen.iter().for_each(|own| add(dimension, *own, *count));
            }
        }
        let facets = Dimension::ALL.into_iter().zip(&counts);
        let facets = facets.filter(|(dimension, _)| *dimension != Grade || self.grades.is_some());
        let facets = facets.map(|(dimension, counts)| {
            let mut counted = Vec::new();
            let last = counts.len() as u32 - 1;
            for (number, count) in (0..).zip(counts) {
                let number = if number == last { NONE } else { number };
                let chosen = filter.chose(dimension, number);
                if *count > 0 || chosen {
                    let rank = self
                        .names(dimension)
                        .map_or(number, |names| names.rank(number));
                    counted.push((std::cmp::Reverse(*count), rank, number, chosen));
                }
            }
            counted.sort_unstable();
            let counts = counted
                .into_iter()
                .map(|(count, _, number, chosen)| Counted {
                    name: self.name(dimension, number),
                    count: count.0,
                    chosen,
                });
            Facet {
                dimension,
                counts: counts.collect(),
            }
        });
        facets.collect()
    }

    fn names_of(&self, dimension: Dimension) -> usize {
        let names = self.names(dimension).map(|names| names.len());
        names.unwrap_or(Verdict::ALL.len())
    }

    fn name(&self, dimension: Dimension, number: u32) -> Name<'_> {
        match self.names(dimension) {
            Some(names) => names.get(number),
            None => {
                let verdict = Verdict::ALL.get(number as usize);
                let name = verdict.map_or(NO_NAME, |verdict| verdict.name());
                Name {
                    name,
                    value: name.into(),
                }
            }
        }
    }

    /// Every subject in every data set where it has records, by name.
    pub fn cross(&self) -> Vec<Cell<'_>> {
        let mut cells: BTreeMap<(u32, u32), (Cell, f64)> = BTreeMap::new();
        let counted = self.kinds.counts.iter().zip(&self.kinds.scores);
        for (kind, (count, (sum, scored))) in self.kinds.kinds.iter().zip(counted) {
            let place = (
                self.datasets.rank(kind.dataset),
                self.subjects.rank(kind.subject),
            );
            let (cell, total) = cells.entry(place).or_insert_with(|| {
                let cell = Cell {
                    dataset: self.datasets.get(kind.dataset),
                    subject: self.subjects.get(kind.subject),
                    records: 0,
                    verdicts: [0; 5],
                    scored: 0,
                    mean: None,
                };
                (cell, 0.0)
            });
            cell.records += count;
            cell.verdicts[(kind.verdict as usize).min(Verdict::ALL.len())] += count;
            cell.scored += scored;
            *total += sum;
        }
        let cells = cells.into_values().map(|(cell, total)| {
            let mean = Some(total / cell.scored as f64).filter(|mean| mean.is_finite());
            Cell { mean, ..cell }
        });
        cells.collect()
    }

    /// The rules of which atoms failed, those of the most records first, then by name.
    pub fn rules(&self) -> Vec<FailedRule<'_>> {
        let mut records: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (kind, count) in self.kinds.kinds.iter().zip(&self.kinds.counts) {
            for pair in &self.kinds.sets[kind.failed as usize] {
                *records.entry((*pair, kind.subject)).or_default() += count;
            }
        }
        let rules = self.atoms.chunk_by(|a, b| a.0.0 == b.0.0).map(|of_pair| {
            let mut by_subject: Vec<FailedOf> = of_pair
                .iter()
                .map(|((pair, subject), atoms)| FailedOf {
                    subject: self.subjects.get(*subject),
                    records: records.get(&(*pair, *subject)).copied().unwrap_or(0),
                    atoms: *atoms,
                })
                .collect();
            by_subject.sort_by(|a, b| {
                let by_name = a.subject.name.cmp(b.subject.name);
                b.records.cmp(&a.records).then(by_name)
            });
            let (rule, severity) = self.kinds.pairs[of_pair[0].0.0 as usize];
            FailedRule {
                rule: self.rules.get(rule),
                severity: self.severities.get(severity),
                records: by_subject.iter().map(|of| of.records).sum(),
                atoms: by_subject.iter().map(|of| of.atoms).sum(),
                by_subject,
            }
        });
        let mut rules: Vec<FailedRule> = rules.collect();
        rules.sort_by(|a, b| {
            let names = |of: &FailedRule| (of.rule.name.to_owned(), of.severity.name.to_owned());
            b.records
                .cmp(&a.records)
                .then_with(|| names(a).cmp(&names(b)))
        });
        rules
    }
}
