//! Items as records of a run: what each rater said of it.

use judica_data::chunks::Found;
use judica_data::work_error::WorkError;
use judica_model::run::{Label, Place, RunRecord};
use judica_run::options::RunTarget;
use judica_run::records::RecordColumns;
use judica_run::writer::RunWriter;

use super::load::{self, About, Loader, item_and_epoch};
use super::{COMMAND, RatingsRequest};
use crate::panel::Panel;
use crate::run::{PanelRecord, coefficients, panel_layout, panel_metrics, spec};

/// Records that are held at a time.
const BATCH: usize = 8192;

/// Where an item was first named, and what that row says of it.
#[derive(Debug)]
pub(super) struct FirstRow {
    file: u32,
    line: u64,
    found: Found,
    usage: [Option<f64>; 4],
}

impl FirstRow {
    pub(super) fn new(file: u32, place: &load::Place, about: &About) -> Self {
        FirstRow {
            file,
            line: place.record.line,
            found: place.record.found(),
            usage: about.usage,
        }
    }
}

/// Writes the records of all items. `labels` are the names of all categories, `declared` the
/// same if they were listed.
pub(super) fn write(
    target: &RunTarget,
    request: &RatingsRequest,
    loader: &Loader,
    panel: &Panel,
    labels: &[String],
    declared: &[String],
) -> Result<RunWriter, WorkError> {
    let metrics = panel_metrics(panel, coefficients(panel, "", &[], declared));
    let spec = spec(COMMAND, &request.options, target, metrics);
    let mut run = RunWriter::create(&target.folder, spec, panel_layout(&target.options, []))?;
    let mut columns = RecordColumns::new(run.layout());
    let first = request.inputs.first().map_or("", |input| &input.name);
    let (mut item, mut written) = (0_u32, Ok(()));
    let mut row = Vec::new();
    panel.ratings.each_row(&mut |given| {
        row.clear();
        row.extend_from_slice(given);
        row.sort_unstable();
        let said = row.iter().map(|&(rater, category)| Label {
            rater: &panel.raters[rater as usize],
            value: &labels[category as usize],
        });
        let first_row = loader
            .first_rows
            .as_ref()
            .and_then(|rows| rows.get(item as usize));
        let place = first_row.map(|row| Place {
            file: &request.inputs[row.file as usize].name,
            line: row.line,
            offset: row.found.offset,
            bytes: row.found.bytes,
            hash: Some(row.found.hash),
        });
        let usage = first_row.map_or([None; 4], |row| row.usage);
        let (name, epoch) = item_and_epoch(loader.items.name(item));
        PanelRecord {
            record: RunRecord {
                dataset: target.options.dataset(None, first),
                item: name,
                epoch,
                cluster: loader.named_clusters.get(&item).map(|cluster| &**cluster),
                latency_ms: usage[0],
                tokens_in: usage[1],
                tokens_out: usage[2],
                usd: usage[3],
                labels: &said.collect::<Vec<_>>(),
                place,
                ..RunRecord::default()
            },
            agreeing: row.iter().map(|&(_, category)| category),
        }
        .push(&target.options, &mut columns);
        item += 1;
        if columns.len() == BATCH && written.is_ok() {
            written = run.append(columns.take());
        }
    });
    written?;
    run.append(columns.take())?;
    Ok(run)
}
