//! Judged files become judges, items and verdicts.
//!
//! Files are read and their rows parsed on several threads, a few files at a time; what
//! they say is then put together in the order of the files, so that the number of
//! threads changes nothing. The text of a row is not kept: whatever is wanted of it in
//! the end (the raw text of a refused row, what a judge wrote about a disagreement) is
//! fetched from its place.

use std::collections::BTreeMap;

use judica_data::ordered::Told;
use judica_data::parallel::parallel_map;
use judica_data::rows::Span;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;

use super::contents::Place;
use super::folder::{self, HUMAN, JudgedFile};
use super::items::{self, Items, Question};
use super::judge::Judge;
use super::parsed::{ParsedFile, parse};
use super::row::{About, Fault, Reply, RowDoor};

/// Which rows count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether rows that were decided without a judge count.
    pub include_deterministic: bool,
    /// Whether verdicts that stand in for an unreadable reply are left out, too.
    pub drop_invalid: bool,
}

/// A row that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedRow {
    /// Where it stands.
    pub place: Place,
    /// Why.
    pub fault: Fault,
}

/// A file that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedFile {
    /// Its name.
    pub name: String,
    /// Why.
    pub fault: Fault,
}

/// Where an item comes from: the first row about it.
#[derive(Debug)]
pub(super) struct Origin {
    /// Whose answer it is, among the subjects, if its file says so.
    pub subject: Option<usize>,
    /// The row's number in its file, from 1.
    pub position: u32,
    /// What else it says of the answer, if anything.
    pub about: Option<Box<About>>,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The judges, by name.
    pub judges: Vec<Judge>,
    /// What they looked at.
    pub items: Items,
    /// What the user calls the data set of them all.
    pub dataset: Option<String>,
    /// Where each item comes from.
    pub origins: Vec<Origin>,
    /// Authors of answers whom files name, each once.
    pub subjects: Vec<String>,
    /// The digests of the files, for a run.
    pub digests: Vec<InputDigest>,
    /// Rows that are not used, in the order of files and places.
    pub refused_rows: Vec<RefusedRow>,
    /// Files that are not used.
    pub refused_files: Vec<RefusedFile>,
    /// Files outside any folder that name people as their judge; they are not read here.
    pub of_people: Vec<JudgedFile>,
}

/// Reads judged files.
pub(super) fn load(
    files: &[JudgedFile],
    choice: Choice,
    threads: usize,
    hashed: bool,
    door: &RowDoor,
    told: &Told,
) -> Result<Loaded, WorkError> {
    let mut loaded = Loaded::default();
    let mut judges: BTreeMap<String, Judge> = BTreeMap::new();
    let mut number = 0;
    // So few at a time that parsed rows do not pile up.
    for batch in files.chunks(threads.max(1) * 2) {
        let parsed = parallel_map(batch, threads, |file| {
            parse(&file.path, &file.name, hashed, door)
        });
        for (file, parsed) in batch.iter().zip(parsed) {
            let (digest, parsed) = parsed?;
            loaded.digests.push(digest);
            match parsed {
                Ok(parsed) => loaded.add(&mut judges, number, file, parsed, choice),
                Err(fault) => loaded.refused_files.push(RefusedFile {
                    name: file.name.clone(),
                    fault,
                }),
            }
            number += 1;
        }
        told(u64::from(number), Some(files.len() as u64));
    }
    loaded.refused_rows.sort_by_key(|row| row.place);
    loaded.judges = judges.into_values().collect();
    Ok(loaded)
}

impl Loaded {
    /// Whether any judge's verdict on an item is used.
    pub fn is_rated(&self, item: u32) -> bool {
        self.judges
            .iter()
            .any(|judge| judge.verdict(item).is_some())
    }

    /// What an item is an answer to.
    pub fn question(&self, item: u32) -> Question<'_> {
        self.items.key(item).question(self.dataset.as_deref())
    }

    /// The number of an author.
    fn subject(&mut self, name: String) -> usize {
        let known = self.subjects.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            self.subjects.push(name);
            self.subjects.len() - 1
        })
    }

    fn add(
        &mut self,
        judges: &mut BTreeMap<String, Judge>,
        number: u32,
        file: &JudgedFile,
        parsed: ParsedFile,
        choice: Choice,
    ) {
        let Some(name) = file.judge.clone().or_else(|| parsed.judge_model.clone()) else {
            let detail = "not in a judge's folder, and it names no `judge_model`";
            self.refused_files.push(RefusedFile {
                name: file.name.clone(),
                fault: Fault::new("no_judge", detail),
            });
            return;
        };
        // In a folder of that name they would be people's too.
        if name == HUMAN {
            self.of_people.push(JudgedFile {
                judge: Some(name),
                ..file.clone()
            });
            return;
        }
        let judge = judges
            .entry(name.clone())
            .or_insert_with(|| Judge::new(name));
        judge.files += 1;
        judge.models.extend(parsed.judge_model);
        judge.rows += (parsed.rows.len() + parsed.faults.len()) as u64;
        judge.refused += parsed.faults.len() as u64;
        let place = |span: Span| Place {
            file: number,
            start: span.start as u64,
            end: span.end as u64,
            line: span.line,
        };
        let refuse = |(span, fault)| RefusedRow {
            place: place(span),
            fault,
        };
        self.refused_rows
            .extend(parsed.faults.into_iter().map(refuse));

        let source = parsed
            .source_file
            .as_deref()
            .map_or(file.stem.as_str(), folder::dataset);
        let subject = parsed.subject.map(|subject| self.subject(subject));
        let mut key = Vec::new();
        let mut methods = vec![0; parsed.methods.len()];
        for row in parsed.rows {
            let source = row.source.as_deref().map_or(source, folder::dataset);
            key.clear();
            items::append(&mut key, Some(source));
            key.extend_from_slice(&parsed.texts[row.parts.clone()]);
            // Also of rows that are left out, so that people's annotations of them are known.
            let item = self.items.number(&key);
            if self.origins.len() == item as usize {
                let own = row.about.as_ref().and_then(|about| about.subject.clone());
                let own = own.map(|own| self.subject(own.into()));
                self.origins.push(Origin {
                    subject: own.or(subject),
                    position: row.position,
                    about: row.about,
                });
            }
            if let Some(method) = row.without_judge
                && !choice.include_deterministic
            {
                judge.without_judge[method] += 1;
                continue;
            }
            match row.reply {
                Reply::Read => {}
                Reply::Invalid => judge.invalid += 1,
                Reply::Declined => judge.declined += 1,
            }
            if row.reply != Reply::Read {
                judge.unread.insert(item);
            }
            if let Some([sent, received]) = row.tokens {
                judge.told += 1;
                judge.tokens[0] = judge.tokens[0].saturating_add(sent);
                judge.tokens[1] = judge.tokens[1].saturating_add(received);
            }
            let Some(correct) = row.correct else {
                continue;
            };
            if choice.drop_invalid && row.reply == Reply::Invalid {
                continue;
            }
            match judge.record(item, correct, place(row.span)) {
                Ok(()) => {
                    judge.used += 1;
                    if row.reply == Reply::Invalid {
                        judge.stand_ins.insert(item);
                    }
                    if let Some(method) = row.method {
                        methods[method as usize] += 1;
                    }
                }
                Err(fault) => {
                    judge.duplicates += 1;
                    self.refused_rows.push(refuse((row.span, fault)));
                }
            }
        }
        for (method, used) in parsed.methods.into_iter().zip(methods) {
            judge.decided(method, used);
        }
    }
}
