//! What is compared: which records of which run.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, StringArray};
use judica_data::fingerprint::fingerprint;
use judica_data::work_error::WorkError;
use judica_model::comma_list;

use super::CompareRequest;
use crate::layout::head;
use crate::names::Names;
use crate::open::Run;

/// A harness's hash of the document that it asked on, which stays where items, called by their
/// position, move.
pub const DOCUMENT: &str = "doc_hash";

/// What says which records belong together, of every record of a run.
pub struct Loaded<'r> {
    /// The run.
    pub run: &'r Run,
    /// Names of data sets and subjects, by number.
    pub names: Vec<String>,
    /// Of every record.
    pub keys: Vec<RecordKey>,
    /// Two fingerprints of the document that every record was asked on and of its epoch, where
    /// a harness says it of all.
    pub documents: Option<Vec<[u64; 2]>>,
    /// The names of its subjects, sorted.
    subjects: Vec<String>,
}

/// What a record answers.
#[derive(Clone, Copy)]
pub struct RecordKey {
    /// The number of its data set.
    pub dataset: u32,
    /// The number of its subject.
    pub subject: u32,
    /// Two fingerprints of item and epoch: as good as the text itself.
    pub question: [u64; 2],
    /// The same of the item alone: repeats of a question stand or fall together.
    pub item: [u64; 2],
    /// The same of what it stands or falls with; nothing where it has no cluster.
    pub cluster: Option<[u64; 2]>,
}

/// Two fingerprints, of which no two texts in practice share both.
fn prints(text: &str) -> [u64; 2] {
    let first = fingerprint(text.as_bytes());
    let mut bytes = first.to_le_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    [first, fingerprint(&bytes)]
}

/// Every repeat of a question is one of its own.
fn in_epoch([first, second]: [u64; 2], epoch: i32) -> [u64; 2] {
    [first, second.wrapping_add(epoch as u64)]
}

impl<'r> Loaded<'r> {
    /// Reads the keys of a run.
    pub fn read(run: &'r Run) -> Result<Self, WorkError> {
        let records = run.records()?;
        let mut names = Names::default();
        let mut keys = Vec::with_capacity(records.len() as usize);
        let mut columns = vec![
            head::DATASET,
            head::SUBJECT,
            head::ITEM,
            head::EPOCH,
            head::CLUSTER,
        ];
        let mut documents = records.columns().contains(&DOCUMENT).then(Vec::new);
        columns.extend(documents.is_some().then_some(DOCUMENT));
        for batch in records.batches(&columns)? {
            let batch = batch?;
            // The columns of the head were looked at when the table was opened.
            let text = |name: &str| -> &StringArray {
                batch
                    .column_by_name(name)
                    .unwrap_or(batch.column(0))
                    .as_string()
            };
            let (datasets, subjects) = (text(head::DATASET), text(head::SUBJECT));
            let (items, clusters) = (text(head::ITEM), text(head::CLUSTER));
            let epochs = batch
                .column_by_name(head::EPOCH)
                .and_then(|column| column.as_primitive_opt::<Int32Type>());
            for row in 0..batch.num_rows() {
                let epoch = epochs.map_or(1, |epochs| epochs.value(row));
                let item = prints(items.value(row));
                let hashes = batch.column_by_name(DOCUMENT);
                let hashes = hashes.and_then(|column| column.as_string_opt::<i32>());
                let hash = hashes.filter(|hashes| hashes.is_valid(row));
                documents = documents.zip(hash).map(|(mut documents, hashes)| {
                    documents.push(in_epoch(prints(hashes.value(row)), epoch));
                    documents
                });
                keys.push(RecordKey {
                    dataset: names.number(datasets.value(row)),
                    subject: names.number(subjects.value(row)),
                    question: in_epoch(item, epoch),
                    item,
                    cluster: clusters.is_valid(row).then(|| prints(clusters.value(row))),
                });
            }
        }
        let names = names.names;
        let mut is_subject = vec![false; names.len()];
        for key in &keys {
            is_subject[key.subject as usize] = true;
        }
        let mut subjects: Vec<String> = names
            .iter()
            .zip(is_subject)
            .filter(|(_, is)| *is)
            .map(|(name, _)| name.clone())
            .collect();
        subjects.sort_unstable();
        Ok(Loaded {
            run,
            names,
            keys,
            documents,
            subjects,
        })
    }

    fn subjects(&self) -> Vec<&str> {
        self.subjects.iter().map(String::as_str).collect()
    }

    fn lacks(&self, subject: &str) -> WorkError {
        WorkError::BadInput(format!(
            "--subjects {}: no such subject in {}; it has {}",
            comma_list::join([subject]),
            self.run.path.display(),
            comma_list::spaced(&self.subjects)
        ))
    }
}

/// One side of a comparison.
pub struct Side<'r> {
    /// Its run.
    pub loaded: &'r Loaded<'r>,
    /// Its subjects.
    pub subjects: Vec<String>,
    /// Where its records stand in the run.
    pub rows: Vec<u32>,
    /// How many data sets it has.
    pub datasets: usize,
    /// Whether records are paired by subject, too.
    pub by_subject: bool,
}

impl<'r> Side<'r> {
    fn of(loaded: &'r Loaded<'r>, subjects: &[&str], by_subject: bool) -> Self {
        let wanted: Vec<bool> = loaded
            .names
            .iter()
            .map(|name| subjects.contains(&name.as_str()))
            .collect();
        let keys = loaded.keys.iter().enumerate();
        let rows: Vec<u32> = keys
            .filter(|(_, key)| wanted[key.subject as usize])
            .map(|(row, _)| row as u32)
            .collect();
        let mut datasets: Vec<u32> = rows
            .iter()
            .map(|row| loaded.keys[*row as usize].dataset)
            .collect();
        datasets.sort_unstable();
        datasets.dedup();
        Side {
            loaded,
            subjects: subjects.iter().map(|name| (*name).to_owned()).collect(),
            rows,
            datasets: datasets.len(),
            by_subject,
        }
    }

    /// The run's folder, as people call it.
    pub fn run_name(&self) -> String {
        self.loaded.run.path.display().to_string()
    }

    /// What it is called in messages.
    pub fn shown(&self) -> String {
        match self.subjects.as_slice() {
            [subject] => format!("{} ({subject})", self.run_name()),
            _ => self.run_name(),
        }
    }
}

/// Chooses the sides: two runs or more pair subjects of the same name, or their only ones;
/// one run has its subjects compared.
pub fn choose<'r>(
    request: &CompareRequest,
    loaded: &'r [Loaded<'r>],
    notes: &mut Vec<String>,
) -> Result<Vec<Side<'r>>, WorkError> {
    let bad = |message: String| Err(WorkError::BadInput(message));
    let known = |loaded: &Loaded, subject: &String| loaded.subjects().contains(&subject.as_str());
    if request.one_each && request.subjects.len() != loaded.len() {
        return bad(format!(
            "--one-each: each of {} runs needs one subject, in the same order; --subjects names {}",
            loaded.len(),
            request.subjects.len()
        ));
    }
    if let [only] = loaded {
        let subjects = only.subjects();
        let wanted: Vec<&str> = match request.subjects.as_slice() {
            [] if subjects.len() == 2 => subjects.clone(),
            [] => {
                return bad(format!(
                    "one run was given: name the subjects to compare with --subjects A,B; it has {}",
                    comma_list::spaced(&subjects)
                ));
            }
            [one] => {
                return bad(format!(
                    "--subjects {one}: two subjects of the run are needed; it has {}",
                    comma_list::spaced(&subjects)
                ));
            }
            several => several.iter().map(String::as_str).collect(),
        };
        if let Some(unknown) = wanted.iter().find(|name| !subjects.contains(name)) {
            return Err(only.lacks(unknown));
        }
        let mut seen = Vec::new();
        for name in &wanted {
            if seen.contains(name) {
                return bad(format!("--subjects: `{name}` stands there twice"));
            }
            seen.push(name);
        }
        return Ok(wanted
            .iter()
            .map(|name| Side::of(only, &[name], false))
            .collect());
    }
    if !request.subjects.is_empty() {
        let given = &request.subjects;
        // One name per run, where that is said or nothing else can be meant; else those that
        // all runs have.
        let elsewhere = || !given.iter().all(|name| known(&loaded[0], name));
        if request.one_each || given.len() == loaded.len() && elsewhere() {
            for (loaded, name) in loaded.iter().zip(given) {
                if !known(loaded, name) {
                    return Err(loaded.lacks(name));
                }
            }
            let sides = loaded.iter().zip(given);
            return Ok(sides
                .map(|(loaded, name)| Side::of(loaded, &[name], false))
                .collect());
        }
        for loaded in loaded {
            if let Some(unknown) = given.iter().find(|name| !known(loaded, name)) {
                return Err(loaded.lacks(unknown));
            }
        }
        let names: Vec<&str> = given.iter().map(String::as_str).collect();
        let sides = loaded.iter();
        return Ok(sides
            .map(|loaded| Side::of(loaded, &names, names.len() > 1))
            .collect());
    }
    if loaded.iter().all(|loaded| loaded.subjects().len() == 1) {
        let sides = loaded.iter();
        return Ok(sides
            .map(|loaded| Side::of(loaded, &loaded.subjects(), false))
            .collect());
    }
    let common: Vec<&str> = loaded[0]
        .subjects()
        .into_iter()
        .filter(|name| loaded.iter().all(|other| other.subjects().contains(name)))
        .collect();
    if common.is_empty() {
        let each: Vec<String> = loaded
            .iter()
            .map(|loaded| {
                let path = loaded.run.path.display();
                format!("{path} has {}", comma_list::spaced(&loaded.subjects))
            })
            .collect();
        return bad(format!(
            "the runs have no subject in common: {}; to compare others, name one of \
             each run: `judica compare RUN_A RUN_B --subjects A,B --one-each`",
            each.join("; ")
        ));
    }
    for loaded in loaded {
        let others: Vec<&str> = loaded
            .subjects()
            .into_iter()
            .filter(|name| !common.contains(name))
            .collect();
        if !others.is_empty() {
            notes.push(format!(
                "only in {}, so left out: {}",
                loaded.run.path.display(),
                comma_list::spaced(others)
            ));
        }
    }
    let sides = loaded.iter();
    Ok(sides
        .map(|loaded| Side::of(loaded, &common, common.len() > 1))
        .collect())
}
