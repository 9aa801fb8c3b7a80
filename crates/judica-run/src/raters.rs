//! How far raters agree, two by two, and on which items they do not.

use judica_data::work_error::WorkError;
use judica_model::heatmap::{HeatCell, HeatMap};
use judica_model::metric::MetricValue;
use judica_model::run::Estimator;
use judica_stats::clusters::Intervals;
use serde::Serialize;

use crate::labels::Labels;
use crate::layout::head;
use crate::open::Run;
use crate::rows::{Rows, Scratch};
use crate::values::{cluster_ranks, coefficient};

/// With more raters than this only the first ones are held against each other.
const MOST: usize = 20;

/// What the labels of a run say of those who gave them.
#[derive(Debug, Serialize)]
pub struct Raters {
    /// Who they are, in byte order.
    pub names: Vec<String>,
    /// Every two of them.
    pub pairs: Vec<Agreed>,
    /// How many records somebody labelled.
    pub labelled: u64,
    /// The rows of the records that were labelled differently.
    #[serde(skip)]
    pub disagreements: Vec<u32>,
}

/// How far two raters agree.
#[derive(Debug, Serialize)]
pub struct Agreed {
    /// One of them.
    pub first: String,
    /// The other.
    pub second: String,
    /// The share of common items of which they say the same.
    pub percent_agreement: MetricValue,
    /// The same beyond chance.
    pub cohen_kappa: MetricValue,
}

impl Raters {
    /// Reads the labels of a run.
    pub fn read(run: &Run, threads: usize) -> Result<Self, WorkError> {
        let clusters = cluster_ranks(run)?;
        let mut labels = Labels::default();
        let mut found = Raters {
            names: Vec::new(),
            pairs: Vec::new(),
            labelled: 0,
            disagreements: Vec::new(),
        };
        let mut row = 0;
        for batch in run.records()?.batches(&[head::LABELS])? {
            let batch = batch?;
            let rows = Rows::new(&batch);
            let mut scratch = Scratch::default();
            for at in 0..rows.len() {
                let said = rows.get(at, &mut scratch).labels;
                labels.push_in(clusters[row as usize], said);
                found.labelled += u64::from(!said.is_empty());
                if said.windows(2).any(|two| two[0].value != two[1].value) {
                    found.disagreements.push(row);
                }
                row += 1;
            }
        }
        found.names = labels.raters.names.clone();
        found.names.sort_unstable();
        let intervals = Intervals::on_threads(threads);
        let compared = &found.names[..found.names.len().min(MOST)];
        for (at, first) in compared.iter().enumerate() {
            for second in &compared[at + 1..] {
                let of = |name: &str| {
                    let estimator = Estimator {
                        name: name.to_owned(),
                        level: None,
                        raters: vec![first.clone(), second.clone()],
                        categories: Vec::new(),
                    };
                    let value = coefficient(&estimator, &labels, &intervals);
                    value.unwrap_or_else(MetricValue::undefined)
                };
                found.pairs.push(Agreed {
                    first: first.clone(),
                    second: second.clone(),
                    percent_agreement: of("percent_agreement"),
                    cohen_kappa: of("cohen_kappa"),
                });
            }
        }
        Ok(found)
    }

    /// The agreement of every two beyond chance, to be drawn.
    pub fn map(&self) -> HeatMap {
        let names = self.names[..self.names.len().min(MOST)].to_vec();
        let place = |name: &String| names.iter().position(|known| known == name);
        let mut map = HeatMap::new(
            "Agreement of every two raters beyond chance",
            "Cohen's kappa",
            names.clone(),
        );
        for pair in &self.pairs {
            let cell = match &pair.cohen_kappa {
                MetricValue::Defined { value, .. } => HeatCell::Value(*value),
                MetricValue::Undefined { reason } => HeatCell::Missing(reason.clone()),
            };
            if let (Some(a), Some(b)) = (place(&pair.first), place(&pair.second)) {
                map.set(a, b, cell);
            }
        }
        map
    }
}
