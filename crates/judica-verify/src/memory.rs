//! Rows in memory become records in memory: what `eval` does, without files.
//!
//! The page on using judica as a library (`docs/library.md`) has an example.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray, new_null_array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;
use judica_data::chunks::Chunk;
use judica_data::rejects::Reject;
use judica_data::work_error::WorkError;
use judica_run::layout::{Layout, head};

use crate::carry::Carry;
use crate::checks::Checks;
use crate::columns::layout;
use crate::columns::write::RecordWriter;
use crate::evaluate::Evaluator;
use crate::outputs::{OutputContext, OutputReader};
use crate::pipeline::reject;
use crate::protocol::Protocol;
use crate::samples::{SampleLoader, Samples};

/// What rows are called where records and rejects name their input.
pub const ROWS: &str = "rows";

/// A protocol that is ready to evaluate by. It can be shared by threads.
pub struct Compiled {
    protocol: Protocol,
    checks: Checks,
    layout: Arc<Layout>,
}

/// What is meant where a row does not say it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Defaults<'a> {
    /// The model that answered.
    pub model: Option<&'a str>,
    /// The task, for rows that name no sample: the third of them answers the third sample.
    pub task: Option<&'a str>,
}

/// What became of some rows: each is a record or a reject.
#[derive(Debug)]
pub struct Evaluation {
    /// The records, in the columns of a run of `eval`. `input_file` is [`ROWS`] and `input_line`
    /// the number of the row, from 1; bytes of a file they have none.
    pub records: RecordBatch,
    /// The rows that could not be used; `line` is the number of the row, from 1.
    pub rejects: Vec<Reject>,
}

impl Compiled {
    /// Numbers the checks of a protocol.
    pub fn new(protocol: Protocol) -> Result<Self, WorkError> {
        let checks = Checks::new(&protocol)?;
        Ok(Compiled {
            layout: Arc::new(layout(&protocol, &checks, false)),
            protocol,
            checks,
        })
    }

    /// The protocol.
    pub fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// Samples of rows, each a JSON object as a line of `--samples` is; `task` is for those
    /// that name none. Then the rows that are no sample.
    pub fn samples(&self, rows: &[impl AsRef<[u8]>], task: Option<&str>) -> (Samples, Vec<Reject>) {
        let mut loader = SampleLoader::new(&self.protocol, task);
        let mut rejects = Vec::new();
        for (row, line) in rows.iter().zip(1..) {
            let row = row.as_ref();
            if let Err(refusal) = loader.add(row, line) {
                rejects.push(Reject {
                    file: ROWS.to_owned(),
                    line,
                    byte_offset: 0,
                    reason: refusal.reason.into(),
                    detail: refusal.detail,
                    raw: row.into(),
                });
            }
        }
        (loader.finish(), rejects)
    }

    /// Rows in memory are checked by the protocol alone: nothing is started for them.
    fn check_alone(&self) -> Result<(), WorkError> {
        let commands: Vec<String> = self.protocol.commands().collect();
        if commands.is_empty() {
            return Ok(());
        }
        Err(WorkError::BadInput(format!(
            "{}: the protocol runs `{}`, which nothing runs for single rows; `eval` does where \
             commands are allowed",
            self.protocol.origin,
            commands.join("`, `")
        )))
    }

    /// Evaluates rows, each a JSON object as a line of `--outputs` is. They are taken for all
    /// outputs there are: a second answer of the same (model, sample, epoch) is refused, and
    /// jumps are measured from row to row.
    pub fn evaluate(
        &self,
        samples: &Samples,
        rows: &[impl AsRef<[u8]>],
        defaults: Defaults,
    ) -> Result<Evaluation, WorkError> {
        let protocol = &self.protocol;
        self.check_alone()?;
        let context = OutputContext {
            protocol,
            samples,
            default_task: defaults.task,
            default_model: defaults.model,
            of_files: &[],
        };
        let chunk = Chunk::of_rows(rows);
        let mut batch = OutputReader::new(context).read(&chunk);
        let carried = Carry::new(protocol, samples, None).pass(&mut batch);
        let mut evaluated =
            Evaluator::new(protocol, &self.checks, samples).evaluate(&batch, &carried);
        let files = [ROWS.to_owned()];
        let writer = RecordWriter::new(protocol, &self.checks, samples, &files, &self.layout);
        let records = writer.columns(&batch, &mut evaluated, &chunk)?;
        let records = self.plain(&records);
        let refused = batch.refused.into_iter();
        Ok(Evaluation {
            records: records.map_err(|error| WorkError::BadArtifact(error.to_string()))?,
            rejects: refused
                .map(|refused| Reject {
                    byte_offset: 0,
                    ..reject(&chunk, ROWS, refused)
                })
                .collect(),
        })
    }

    /// The same records in the types of a run, and without bytes of a file.
    fn plain(&self, records: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let schema = self.layout.schema();
        let columns = schema.fields().iter().zip(records.columns());
        let columns = columns.map(|(field, column)| match field.name().as_str() {
            head::INPUT_OFFSET | head::INPUT_BYTES => {
                Ok(new_null_array(field.data_type(), column.len()))
            }
            _ => plain(column, field.data_type()),
        });
        let columns = columns.collect::<Result<_, _>>()?;
        RecordBatch::try_new(Arc::clone(schema), columns)
    }
}

/// A column with every word written out.
fn plain(column: &ArrayRef, wanted: &DataType) -> Result<ArrayRef, ArrowError> {
    if let Some(numbered) = column.as_any_dictionary_opt() {
        return take(numbered.values(), numbered.keys(), None);
    }
    let (Some(list), DataType::List(element)) = (column.as_list_opt::<i32>(), wanted) else {
        return Ok(Arc::clone(column));
    };
    let (elements, DataType::Struct(fields)) = (list.values().as_struct(), element.data_type())
    else {
        return Ok(Arc::clone(column));
    };
    let columns = elements.columns().iter().zip(fields);
    let columns = columns.map(|(column, field)| plain(column, field.data_type()));
    let elements = StructArray::try_new(fields.clone(), columns.collect::<Result<_, _>>()?, None)?;
    let offsets = list.offsets().clone();
    let list = ListArray::try_new(Arc::clone(element), offsets, Arc::new(elements), None)?;
    Ok(Arc::new(list))
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
