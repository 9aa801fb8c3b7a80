//! Which records of two sides answer the same question.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use judica_data::work_error::WorkError;
use rustc_hash::FxHashMap;

use super::difference::Clusters;
use super::sides::{DOCUMENT, Side};
use crate::layout::head;
use judica_model::table::grouped;
use judica_stats::clusters::RESAMPLED_UP_TO;

/// The records of two sides that belong together.
pub struct Pairs {
    pairs: Vec<Pair>,
    /// How many clusters there are.
    clusters: usize,
    /// Whether every cluster is one pair.
    pub single: bool,
    /// Records of the first side that have no partner.
    pub only_a: Vec<u32>,
    /// Records of the second side that have none.
    pub only_b: Vec<u32>,
}

/// Two records of the same question.
struct Pair {
    a: u32,
    b: u32,
    dataset: u32,
    cluster: u32,
}

/// What two records must have in common.
type Question = (u32, u32, [u64; 2]);

/// Records of the first side with their partners, and those of the second that have none.
type Partners = (FxHashMap<u32, u32>, Vec<u32>);

/// The partner of each record of the first side that has one, and records of the second that
/// have none; else a record, of the first or the second side, whose question it has twice.
fn partners(
    a: impl ExactSizeIterator<Item = (u32, Question)>,
    b: impl Iterator<Item = (u32, Question)>,
) -> Result<Partners, (usize, u32)> {
    let mut waiting: FxHashMap<Question, u32> = FxHashMap::default();
    waiting.reserve(a.len());
    for (row, question) in a {
        if waiting.insert(question, row).is_some() {
            return Err((0, row));
        }
    }
    let mut partner: FxHashMap<u32, u32> = FxHashMap::default();
    let mut alone = Vec::new();
    for (row, question) in b {
        match waiting.get(&question) {
            None => alone.push(row),
            Some(first) => {
                if partner.insert(*first, row).is_some() {
                    return Err((1, row));
                }
            }
        }
    }
    Ok((partner, alone))
}

impl Pairs {
    /// Finds them.
    pub fn of(a: &Side, b: &Side, notes: &mut Vec<String>) -> Result<Pairs, WorkError> {
        // If each side has one data set its name does not matter.
        let by_dataset = a.datasets > 1 || b.datasets > 1;
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        for (at, name) in a.loaded.names.iter().enumerate() {
            numbers.insert(name, at as u32);
        }
        let of_b: Vec<u32> = b
            .loaded
            .names
            .iter()
            .map(|name| numbers.get(name.as_str()).copied().unwrap_or(u32::MAX))
            .collect();
        let question = |dataset: u32, subject: u32, asked: [u64; 2]| -> Question {
            (
                if by_dataset { dataset } else { 0 },
                if a.by_subject { subject } else { 0 },
                asked,
            )
        };
        let of_a = |row: u32, asked: [u64; 2]| {
            let key = &a.loaded.keys[row as usize];
            question(key.dataset, key.subject, asked)
        };
        let of_b = |row: u32, asked: [u64; 2]| {
            let key = &b.loaded.keys[row as usize];
            let [dataset, subject] = [key.dataset, key.subject].map(|at| of_b[at as usize]);
            question(dataset, subject, asked)
        };
        let asked = |side: &Side, row: u32| side.loaded.keys[row as usize].question;
        let documents = a.loaded.documents.as_ref().zip(b.loaded.documents.as_ref());
        // Documents that stand twice, or that no other side has, tell nothing.
        let by_document = documents.and_then(|(in_a, in_b)| {
            let in_a = a
                .rows
                .iter()
                .map(|row| (*row, of_a(*row, in_a[*row as usize])));
            let in_b = b
                .rows
                .iter()
                .map(|row| (*row, of_b(*row, in_b[*row as usize])));
            let partners = partners(in_a, in_b).ok()?;
            (!partners.0.is_empty()).then_some(partners)
        });
        let (partner, only_b) = match by_document {
            Some(partners) => {
                let moved = partners
                    .0
                    .iter()
                    .filter(|(first, second)| asked(a, **first) != asked(b, **second));
                let moved = moved.count() as u64;
                if moved > 0 {
                    notes.push(format!(
                        "{} of {} paired items are called by another name in {} than in {}: they \
                         were paired by `{DOCUMENT}`",
                        grouped(moved),
                        grouped(partners.0.len() as u64),
                        a.run_name(),
                        b.run_name(),
                    ));
                }
                partners
            }
            None => {
                let in_a = a.rows.iter().map(|row| (*row, of_a(*row, asked(a, *row))));
                let in_b = b.rows.iter().map(|row| (*row, of_b(*row, asked(b, *row))));
                partners(in_a, in_b).map_err(|(at, row)| twice([a, b][at], row))?
            }
        };
        if !by_dataset {
            let name = |side: &Side| {
                let row = side.rows.first()?;
                let key = &side.loaded.keys[*row as usize];
                Some(side.loaded.names[key.dataset as usize].clone())
            };
            if let (Some(first), Some(second)) = (name(a), name(b))
                && first != second
            {
                notes.push(format!(
                    "each side has one data set, `{first}` and `{second}`: its name was not looked at"
                ));
            }
        }
        let mut found = Pairs {
            pairs: Vec::with_capacity(partner.len()),
            clusters: 0,
            single: true,
            only_a: Vec::new(),
            only_b,
        };
        // Clusters are the rows' own, else the item in its data set.
        let mut clusters: FxHashMap<Question, (u32, u32)> = FxHashMap::default();
        for row in &a.rows {
            let Some(other) = partner.get(row) else {
                found.only_a.push(*row);
                continue;
            };
            let key = &a.loaded.keys[*row as usize];
            let other_key = &b.loaded.keys[*other as usize];
            if key.cluster != other_key.cluster {
                return Err(WorkError::BadInput(format!(
                    "{} and {} disagree about the cluster of item `{}`",
                    a.shown(),
                    b.shown(),
                    item(a, *row)?
                )));
            }
            let of_item = match key.cluster {
                Some(cluster) => (u32::MAX, 0, cluster),
                None => (key.dataset, 0, key.item),
            };
            let next = clusters.len() as u32;
            let (cluster, size) = clusters.entry(of_item).or_insert((next, 0));
            *size += 1;
            found.single &= *size == 1;
            found.pairs.push(Pair {
                a: *row,
                b: *other,
                dataset: key.dataset,
                cluster: *cluster,
            });
        }
        found.clusters = clusters.len();
        found.order(a)?;
        Ok(found)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The data sets, if there are several, by their numbers.
    pub fn datasets(&self, a: &Side) -> Vec<u32> {
        let mut found: Vec<u32> = self.pairs.iter().map(|pair| pair.dataset).collect();
        found.sort_unstable();
        found.dedup();
        found.sort_by_key(|at| &a.loaded.names[*at as usize]);
        match found.len() {
            1 => Vec::new(),
            _ => found,
        }
    }

    /// Sums of a metric by cluster, from its terms in every record of either side.
    pub fn clusters(&self, dataset: Option<u32>, a: &[[f64; 2]], b: &[[f64; 2]]) -> Clusters {
        let rows = self.rows(0, dataset).zip(self.rows(1, dataset));
        let terms = rows.map(|(first, second)| [a[first as usize], b[second as usize]]);
        self.added_up(dataset, terms)
    }

    /// The same from the terms of both sides, pair by pair.
    pub fn added_up(
        &self,
        dataset: Option<u32>,
        terms: impl Iterator<Item = [[f64; 2]; 2]>,
    ) -> Clusters {
        let pairs = self.cluster_numbers(dataset).zip(terms);
        let terms = pairs.map(|(cluster, [a, b])| (cluster as usize, a, b));
        Clusters::of(self.clusters, terms)
    }

    /// The records of either side, pair by pair.
    pub fn rows(&self, side: usize, dataset: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let wanted = move |pair: &&Pair| dataset.is_none_or(|dataset| dataset == pair.dataset);
        let pairs = self.pairs.iter().filter(wanted);
        pairs.map(move |pair| if side == 0 { pair.a } else { pair.b })
    }

    /// The number of the cluster of each of these.
    pub fn cluster_numbers(&self, dataset: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let wanted = move |pair: &&Pair| dataset.is_none_or(|dataset| dataset == pair.dataset);
        self.pairs.iter().filter(wanted).map(|pair| pair.cluster)
    }

    /// Numbers clusters in the byte order of their names, where resamples depend on it.
    fn order(&mut self, a: &Side) -> Result<(), WorkError> {
        if self.clusters > RESAMPLED_UP_TO {
            return Ok(());
        }
        let mut wanted: Vec<u64> = Vec::with_capacity(self.clusters);
        let mut first = vec![true; self.clusters];
        let mut cluster_of: FxHashMap<u64, u32> = FxHashMap::default();
        for pair in &self.pairs {
            if std::mem::take(&mut first[pair.cluster as usize]) {
                wanted.push(u64::from(pair.a));
                cluster_of.insert(u64::from(pair.a), pair.cluster);
            }
        }
        wanted.sort_unstable();
        let mut names: Vec<(String, u32)> = Vec::with_capacity(wanted.len());
        let mut places = wanted.iter();
        let columns = [head::CLUSTER, head::DATASET, head::ITEM];
        for batch in a.loaded.run.records()?.rows(&columns, &wanted)? {
            let column = |name: &str| {
                let column = batch.column_by_name(name);
                column.and_then(|column| column.as_string_opt::<i32>())
            };
            for row in 0..batch.num_rows() {
                let text = |name: &str| {
                    let column = column(name)?;
                    arrow_array::Array::is_valid(column, row).then(|| column.value(row))
                };
                let name = match text(head::CLUSTER) {
                    Some(cluster) => cluster.to_owned(),
                    None => format!(
                        "{}\0{}",
                        text(head::DATASET).unwrap_or_default(),
                        text(head::ITEM).unwrap_or_default()
                    ),
                };
                if let Some(place) = places.next() {
                    names.push((name, cluster_of[place]));
                }
            }
        }
        names.sort();
        let mut rank = vec![0u32; self.clusters];
        for (at, (_, cluster)) in names.iter().enumerate() {
            rank[*cluster as usize] = at as u32;
        }
        for pair in &mut self.pairs {
            pair.cluster = rank[pair.cluster as usize];
        }
        Ok(())
    }
}

fn twice(side: &Side, row: u32) -> WorkError {
    let name = item(side, row).unwrap_or_default();
    WorkError::BadArtifact(format!(
        "{}: the item `{name}` stands there twice; a run has one record of each",
        side.shown()
    ))
}

/// What a record's item is called; of several data sets and of a repeat with their names.
pub fn item(side: &Side, row: u32) -> Result<String, WorkError> {
    let records = side.loaded.run.records()?;
    let found = records.rows(&[head::ITEM, head::EPOCH], &[u64::from(row)])?;
    let named = found.first().and_then(|batch| {
        let items = batch.column_by_name(head::ITEM)?.as_string_opt::<i32>()?;
        let epochs = batch.column_by_name(head::EPOCH)?;
        let epochs = epochs.as_primitive_opt::<Int32Type>()?;
        Some((items.value(0).to_owned(), epochs.value(0)))
    });
    let (mut name, epoch) = named.unwrap_or_default();
    let keys = &side.loaded.keys;
    let own = &keys[row as usize];
    let is_other = |row: &u32| keys[*row as usize].dataset != own.dataset;
    if side.rows.iter().any(is_other) {
        let dataset = &side.loaded.names[own.dataset as usize];
        name = format!("{name} of {dataset}");
    }
    if epoch > 1 {
        name = format!("{name} (epoch {epoch})");
    }
    Ok(name)
}
