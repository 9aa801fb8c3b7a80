//! Records from `records.parquet`.

use std::collections::HashMap;
use std::path::Path;

use judica_data::parquet::{OwnedColumn, OwnedValues, Projection, RowGroup, TableReader};
use judica_model::evidence::Severity;
use judica_model::record::Adjudication;

use super::record::{StoredError, StoredRecord, unexpected};
use crate::checks::Checks;
use crate::evidence::FamilyCount;
use crate::protocol::Protocol;
use crate::response::ParseOutcome;
use crate::score::{ScoreRow, gating_failures};
use crate::sheet::columns::{EVIDENCE, atom, family_columns, flat};
use crate::sheet::{SCHEMA_VERSION, metadata};

/// Reads records of a protocol out of a table.
pub struct SheetReader<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    reader: TableReader,
    rule_by_name: HashMap<&'p str, usize>,
    label_by_name: HashMap<&'p str, usize>,
}

impl<'p> SheetReader<'p> {
    /// Opens a table.
    pub fn open(
        path: &Path,
        protocol: &'p Protocol,
        checks: &'p Checks,
    ) -> Result<Self, StoredError> {
        let positions = |names: &'p [String]| {
            names
                .iter()
                .enumerate()
                .map(|(i, name)| (name.as_str(), i))
                .collect()
        };
        let reader = TableReader::open(path)?;
        let version = reader
            .key_values()
            .into_iter()
            .find(|(key, _)| key == metadata::SCHEMA);
        if version
            .as_ref()
            .is_none_or(|(_, version)| version != SCHEMA_VERSION)
        {
            let found = version.map_or("missing".to_owned(), |(_, version)| format!("`{version}`"));
            return Err(unexpected(
                metadata::SCHEMA,
                format!("is {found}, this program reads `{SCHEMA_VERSION}`"),
            ));
        }
        Ok(SheetReader {
            protocol,
            checks,
            reader,
            rule_by_name: positions(&checks.rule_names),
            label_by_name: positions(&checks.labels),
        })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.reader.rows()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `each` with every record in order; stops at the first error.
    pub fn for_each<E: From<StoredError>>(
        &mut self,
        each: &mut dyn FnMut(&StoredRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        for group in 0..self.reader.row_groups() {
            let rows = self
                .reader
                .read(group, Projection::All)
                .map_err(StoredError::from)?;
            self.each_in(&rows, each)?;
        }
        Ok(())
    }

    /// The records whose sample has this id, of one model or of all.
    pub fn find(
        &mut self,
        sample_id: &str,
        model: Option<&str>,
    ) -> Result<Vec<StoredRecord>, StoredError> {
        let mut found = Vec::new();
        for group in 0..self.reader.row_groups() {
            let ids = self.reader.read(
                group,
                Projection::Columns(&[flat::SAMPLE_ID, flat::MODEL_NAME]),
            )?;
            let (samples, models) = (
                column(&ids, flat::SAMPLE_ID)?,
                column(&ids, flat::MODEL_NAME)?,
            );
            for row in 0..ids.rows {
                let wanted = model.is_none_or(|model| models.text(row) == Some(model));
                if wanted && samples.text(row) == Some(sample_id) {
                    let rows = self
                        .reader
                        .read_rows(group, row..row + 1, Projection::All)?;
                    self.each_in(&rows, &mut |record| {
                        found.push(record.clone());
                        Ok::<(), StoredError>(())
                    })?;
                }
            }
        }
        Ok(found)
    }

    fn each_in<E: From<StoredError>>(
        &self,
        rows: &RowGroup,
        each: &mut dyn FnMut(&StoredRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let list = rows
            .list
            .as_ref()
            .ok_or_else(|| unexpected(EVIDENCE, "is missing"))?;
        let mut start = 0;
        for row in 0..rows.rows {
            let end = start + list.lengths[row] as usize;
            each(&self.record(rows, row, start..end)?)?;
            start = end;
        }
        Ok(())
    }

    fn record(
        &self,
        rows: &RowGroup,
        row: usize,
        atoms: std::ops::Range<usize>,
    ) -> Result<StoredRecord, StoredError> {
        let text = |name: &str| -> Result<String, StoredError> {
            column(rows, name)?
                .text(row)
                .map(str::to_owned)
                .ok_or_else(|| unexpected(name, "is not text"))
        };
        let task_id = text(flat::TASK_ID)?;
        let task = self.protocol.task_index(&task_id).ok_or_else(|| {
            unexpected(
                flat::TASK_ID,
                format!("`{task_id}` is no task of the protocol"),
            )
        })?;
        let parsing = text(flat::PARSING)?;
        let outcome = ParseOutcome::ALL
            .into_iter()
            .find(|outcome| outcome.name() == parsing)
            .ok_or_else(|| unexpected(flat::PARSING, format!("`{parsing}` is unknown")))?;
        let eligible = text(flat::ADJUDICATION)? == Adjudication::Eligible.name();
        let mut counts = Vec::with_capacity(self.protocol.families.len());
        for family in &self.protocol.families {
            let [atoms, critical, warning] = family_columns(&family.name);
            counts.push(FamilyCount {
                atoms: integer(rows, &atoms, row)? as u32,
                critical: integer(rows, &critical, row)? as u32,
                warning: integer(rows, &warning, row)? as u32,
            });
        }
        let [availability, constraint, error, total, mae, rmse] = flat::SCORES;
        let mut record = StoredRecord {
            sample_id: text(flat::SAMPLE_ID)?,
            model_name: text(flat::MODEL_NAME)?,
            task,
            input_file: text(flat::INPUT_FILE)?,
            input_line: integer(rows, flat::INPUT_LINE, row)?,
            outcome,
            present: integer(rows, flat::FIELDS_PRESENT, row)? as u32,
            values: vec![f64::NAN; self.protocol.fields.len() * self.protocol.tasks[task].horizon],
            check: Vec::with_capacity(atoms.len()),
            severity: Vec::with_capacity(atoms.len()),
            observed: Vec::with_capacity(atoms.len()),
            texts: Vec::new(),
            limits: Vec::new(),
            adjudication: if eligible {
                Adjudication::Eligible
            } else {
                Adjudication::Ineligible
            },
            scores: ScoreRow {
                passed: eligible,
                availability: double(column(rows, availability)?, row),
                constraint: double(column(rows, constraint)?, row),
                error: double(column(rows, error)?, row),
                total: double(column(rows, total)?, row),
                mae: double(column(rows, mae)?, row),
                rmse: double(column(rows, rmse)?, row),
                compared: integer(rows, flat::COMPARED_VALUES, row)? as u32,
                gating_failures: gating_failures(self.protocol, &counts),
            },
            counts,
        };
        self.read_atoms(rows, atoms, &mut record)?;
        Ok(record)
    }

    fn read_atoms(
        &self,
        rows: &RowGroup,
        atoms: std::ops::Range<usize>,
        record: &mut StoredRecord,
    ) -> Result<(), StoredError> {
        let part = |name: &str| {
            rows.list
                .as_ref()
                .and_then(|list| list.column(name))
                .ok_or_else(|| unexpected(name, "is missing"))
        };
        let (rules, fields, steps) = (part(atom::RULE)?, part(atom::FIELD)?, part(atom::STEP)?);
        let (severities, observed, texts) = (
            part(atom::SEVERITY)?,
            part(atom::OBSERVED)?,
            part(atom::TEXT)?,
        );
        let limits = part(atom::LIMIT)?;
        for slot in atoms {
            let rule = rules
                .text(slot)
                .and_then(|name| self.rule_by_name.get(name))
                .copied();
            let label = match fields.text(slot) {
                Some(name) => Some(
                    *self
                        .label_by_name
                        .get(name)
                        .ok_or_else(|| unexpected(atom::FIELD, name))?,
                ),
                None => None,
            };
            let step = match (&steps.values, steps.is_present(slot)) {
                (OwnedValues::Int32(values), true) => Some(values[slot] as usize),
                _ => None,
            };
            let check = rule
                .and_then(|rule| self.checks.find(record.task, rule, label, step))
                .ok_or_else(|| {
                    unexpected(atom::RULE, "names a check the protocol does not make")
                })?;
            let severity = Severity::ALL
                .iter()
                .position(|severity| severities.text(slot) == Some(severity.name()))
                .ok_or_else(|| unexpected(atom::SEVERITY, "is unknown"))?;
            let (value, limit) = (double(observed, slot), double(limits, slot));
            if !limit.is_nan() {
                record.limits.push((record.check.len() as u32, limit));
            }
            record.push_atom(
                self.protocol,
                self.checks,
                check,
                severity as u8,
                value,
                texts.text(slot),
            );
        }
        Ok(())
    }
}

fn column<'a>(rows: &'a RowGroup, name: &str) -> Result<&'a OwnedColumn, StoredError> {
    rows.column(name)
        .ok_or_else(|| unexpected(name, "is missing"))
}

fn integer(rows: &RowGroup, name: &str, row: usize) -> Result<i64, StoredError> {
    match &column(rows, name)?.values {
        OwnedValues::Int32(values) => Ok(i64::from(values[row])),
        OwnedValues::Int64(values) => Ok(values[row]),
        _ => Err(unexpected(name, "is not a whole number")),
    }
}

fn double(column: &OwnedColumn, slot: usize) -> f64 {
    match &column.values {
        OwnedValues::Double(values) if column.is_present(slot) => values[slot],
        _ => f64::NAN,
    }
}
