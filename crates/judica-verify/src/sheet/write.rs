//! Evaluated records become a row group of the table.

use judica_data::parquet::{
    ColumnData, CompiledSpec, EncodedRowGroup, Encoder, TableError, Values,
};
use judica_model::evidence::Severity;

use crate::checks::Checks;
use crate::evaluate::{Evaluated, RecordRow};
use crate::evidence::FamilyCount;
use crate::protocol::Protocol;
use crate::render::grade;
use crate::response::ParseOutcome;

/// Numbers into a dictionary, as narrow as the dictionary allows.
enum Indices {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Indices {
    fn collect(dictionary: usize, indices: impl Iterator<Item = usize>) -> Indices {
        if dictionary <= 256 {
            Indices::Narrow(indices.map(|index| index as u8).collect())
        } else {
            Indices::Wide(indices.map(|index| index as u16).collect())
        }
    }

    /// Each atom's entry in a table that has one per check.
    fn by_check(&self, checks: &[u16]) -> Indices {
        match self {
            Indices::Narrow(table) => Indices::Narrow(
                checks
                    .iter()
                    .map(|check| table[usize::from(*check)])
                    .collect(),
            ),
            Indices::Wide(table) => Indices::Wide(
                checks
                    .iter()
                    .map(|check| table[usize::from(*check)])
                    .collect(),
            ),
        }
    }

    fn values<'a>(&'a self, dictionary: &'a [String]) -> Values<'a> {
        match self {
            Indices::Narrow(indices) => Values::Dict8 {
                dictionary,
                indices,
            },
            Indices::Wide(indices) => Values::Dict16 {
                dictionary,
                indices,
            },
        }
    }
}

/// Turns evaluated records into row groups. Holds scratch memory: one per thread.
pub struct SheetWriter<'p> {
    protocol: &'p Protocol,
    checks: &'p Checks,
    spec: &'p CompiledSpec,
    encoder: Encoder,
    files: Vec<String>,
    rule_of: Indices,
    label_of: Indices,
    has_label: Vec<u8>,
    step_of: Vec<u8>,
    has_step: Vec<u8>,
    steps: Vec<i32>,
    tasks: Vec<String>,
    outcomes: Vec<String>,
    adjudications: Vec<String>,
    severities: Vec<String>,
    grades: Vec<String>,
}

impl<'p> SheetWriter<'p> {
    /// A writer for the table `spec`; `files` are the inputs by number.
    pub fn new(
        protocol: &'p Protocol,
        checks: &'p Checks,
        spec: &'p CompiledSpec,
        files: Vec<String>,
    ) -> Result<Self, TableError> {
        let list = &checks.list;
        let most_steps = protocol
            .tasks
            .iter()
            .map(|task| task.horizon)
            .max()
            .unwrap_or(1);
        let mut grades: Vec<String> = protocol
            .grades
            .iter()
            .map(|(grade, _)| grade.clone())
            .collect();
        grades.push("X".to_owned());
        Ok(SheetWriter {
            protocol,
            checks,
            spec,
            encoder: Encoder::new(),
            files,
            rule_of: Indices::collect(checks.rule_names.len(), list.iter().map(|check| check.rule)),
            label_of: Indices::collect(
                checks.labels.len(),
                list.iter().map(|check| check.label.unwrap_or(0)),
            ),
            has_label: list
                .iter()
                .map(|check| u8::from(check.label.is_some()))
                .collect(),
            step_of: list
                .iter()
                .map(|check| check.step.unwrap_or(0) as u8)
                .collect(),
            has_step: list
                .iter()
                .map(|check| u8::from(check.step.is_some()))
                .collect(),
            steps: (0..most_steps as i32).collect(),
            tasks: protocol
                .tasks
                .iter()
                .map(|task| task.name.clone())
                .collect(),
            outcomes: ParseOutcome::ALL
                .map(|outcome| outcome.name().to_owned())
                .to_vec(),
            adjudications: vec!["eligible".to_owned(), "ineligible".to_owned()],
            severities: Severity::ALL
                .map(|severity| severity.name().to_owned())
                .to_vec(),
            grades,
        })
    }

    /// Encodes records that came from input number `file`; `models` are what
    /// [`RecordRow::batch_model`] counts, `sample_id` names samples by number.
    pub fn encode<'a>(
        &mut self,
        models: &[Box<str>],
        sample_id: impl Fn(u32) -> &'a str,
        evaluated: &Evaluated,
        file: usize,
    ) -> Result<EncodedRowGroup, TableError> {
        let rows = &evaluated.records;
        let model_names: Vec<String> = models.iter().map(|name| name.to_string()).collect();
        let ids = Texts::collect(rows.iter().map(|row| sample_id(row.sample)));
        // A chunk can hold more models than a dictionary can number.
        let few_models = model_names.len() <= usize::from(u16::MAX);
        let names = match few_models {
            true => Texts::default(),
            false => Texts::collect(rows.iter().map(|row| &*models[row.batch_model as usize])),
        };
        let indices = |dictionary: usize, of: &dyn Fn(&RecordRow) -> usize| {
            Indices::collect(dictionary, rows.iter().map(of))
        };
        let model_indices = indices(model_names.len(), &|row| row.batch_model as usize);
        let tasks = indices(self.tasks.len(), &|row| row.task as usize);
        let files = indices(self.files.len(), &|_| file);
        let lines: Vec<i64> = rows.iter().map(|row| row.line as i64).collect();
        let outcomes = indices(self.outcomes.len(), &|row| row.outcome as usize);
        let adjudications = indices(2, &|row| usize::from(!row.scores.passed));
        let graded: Vec<Option<usize>> = rows.iter().map(|row| self.grade_index(row)).collect();
        let grades = Indices::collect(
            self.grades.len(),
            graded.iter().map(|grade| grade.unwrap_or(0)),
        );
        let has_grade: Vec<u8> = graded
            .iter()
            .map(|grade| u8::from(grade.is_some()))
            .collect();
        let rule_names = &self.checks.rule_names;
        let top_rules = indices(rule_names.len(), &|row| {
            row.reasons.first().map_or(0, |rule| *rule as usize)
        });
        let has_reason: Vec<u8> = rows
            .iter()
            .map(|row| u8::from(!row.reasons.is_empty()))
            .collect();
        let present: Vec<i32> = rows.iter().map(|row| row.present as i32).collect();
        let compared: Vec<i32> = rows.iter().map(|row| row.scores.compared as i32).collect();
        let scores = score_columns(rows);
        let counts = self.count_columns(evaluated);

        let mut flat = vec![
            ColumnData::full(ids.values()),
            ColumnData::full(if few_models {
                model_indices.values(&model_names)
            } else {
                names.values()
            }),
            ColumnData::full(tasks.values(&self.tasks)),
            ColumnData::full(files.values(&self.files)),
            ColumnData::full(Values::Int64(&lines)),
            ColumnData::full(outcomes.values(&self.outcomes)),
            ColumnData::full(adjudications.values(&self.adjudications)),
            ColumnData::sparse(grades.values(&self.grades), &has_grade),
            ColumnData::sparse(top_rules.values(rule_names), &has_reason),
            ColumnData::full(Values::Int32(&present)),
            ColumnData::full(Values::Int32(&compared)),
        ];
        flat.extend(
            scores
                .iter()
                .map(|(values, there)| ColumnData::sparse(Values::Double(values), there)),
        );
        flat.extend(
            counts
                .iter()
                .map(|values| ColumnData::full(Values::Int32(values))),
        );

        let atoms = &evaluated.atoms;
        let lengths: Vec<u32> = rows.iter().map(|row| row.atoms).collect();
        let rules = self.rule_of.by_check(&atoms.check);
        let labels = self.label_of.by_check(&atoms.check);
        let has_label = by_check(&self.has_label, &atoms.check);
        let steps = by_check(&self.step_of, &atoms.check);
        let has_step = by_check(&self.has_step, &atoms.check);
        let passed: Vec<u8> = atoms
            .severity
            .iter()
            .map(|code| u8::from(*code == 0))
            .collect();
        let has_observed: Vec<u8> = atoms
            .observed
            .iter()
            .map(|value| u8::from(!value.is_nan()))
            .collect();
        let (limits, has_limit) = spread(atoms.len(), &atoms.limits);
        let (texts, has_text) = Texts::spread(atoms.len(), &atoms.texts);
        let elements = [
            ColumnData::full(rules.values(rule_names)),
            ColumnData::sparse(labels.values(&self.checks.labels), &has_label),
            ColumnData::sparse(
                Values::DictInt8 {
                    dictionary: &self.steps,
                    indices: &steps,
                },
                &has_step,
            ),
            ColumnData::full(Values::Boolean(&passed)),
            ColumnData::full(Values::Dict8 {
                dictionary: &self.severities,
                indices: &atoms.severity,
            }),
            ColumnData::sparse(Values::Double(&atoms.observed), &has_observed),
            ColumnData::sparse(Values::Double(&limits), &has_limit),
            ColumnData::sparse(texts.values(), &has_text),
        ];
        self.encoder
            .encode(self.spec, rows.len(), &flat, &lengths, &elements)
    }

    fn grade_index(&self, row: &RecordRow) -> Option<usize> {
        let grade = grade(self.protocol, &row.scores)?;
        self.grades.iter().position(|known| known == grade)
    }

    /// Three counts per family, family by family.
    fn count_columns(&self, evaluated: &Evaluated) -> Vec<Vec<i32>> {
        let families = self.protocol.families.len();
        let mut columns = Vec::with_capacity(families * 3);
        for family in 0..families {
            let of_family = || evaluated.counts.iter().skip(family).step_by(families);
            let column = |pick: fn(&FamilyCount) -> u32| {
                of_family().map(|count| pick(count) as i32).collect()
            };
            columns.extend([
                column(|c| c.atoms),
                column(|c| c.critical),
                column(|c| c.warning),
            ]);
        }
        columns
    }
}

fn score_columns(rows: &[RecordRow]) -> [(Vec<f64>, Vec<u8>); 6] {
    let column = |pick: fn(&RecordRow) -> f64| {
        let values: Vec<f64> = rows.iter().map(pick).collect();
        let there = values
            .iter()
            .map(|value| u8::from(!value.is_nan()))
            .collect();
        (values, there)
    };
    [
        column(|row| row.scores.availability),
        column(|row| row.scores.constraint),
        column(|row| row.scores.error),
        column(|row| row.scores.total),
        column(|row| row.scores.mae),
        column(|row| row.scores.rmse),
    ]
}

fn by_check(table: &[u8], checks: &[u16]) -> Vec<u8> {
    checks
        .iter()
        .map(|check| table[usize::from(*check)])
        .collect()
}

/// A few values spread over many slots.
fn spread(slots: usize, values: &[(u32, f64)]) -> (Vec<f64>, Vec<u8>) {
    let (mut all, mut present) = (vec![0.0; slots], vec![0; slots]);
    for (slot, value) in values {
        all[*slot as usize] = *value;
        present[*slot as usize] = 1;
    }
    (all, present)
}

/// Strings one after another.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Texts {
    fn collect<'a>(texts: impl Iterator<Item = &'a str>) -> Texts {
        let mut all = Texts::default();
        for text in texts {
            all.bytes.extend_from_slice(text.as_bytes());
            all.ends.push(all.bytes.len() as u32);
        }
        all
    }

    /// A few strings spread over many slots.
    fn spread(slots: usize, texts: &[(u32, Box<str>)]) -> (Texts, Vec<u8>) {
        let mut all = Texts {
            bytes: Vec::new(),
            ends: Vec::with_capacity(slots),
        };
        let mut present = vec![0; slots];
        for (slot, text) in texts {
            all.ends.resize(*slot as usize, all.bytes.len() as u32);
            all.bytes.extend_from_slice(text.as_bytes());
            all.ends.push(all.bytes.len() as u32);
            present[*slot as usize] = 1;
        }
        all.ends.resize(slots, all.bytes.len() as u32);
        (all, present)
    }

    fn values(&self) -> Values<'_> {
        Values::Utf8 {
            bytes: &self.bytes,
            ends: &self.ends,
        }
    }
}
