//! What people said about the same items.
//!
//! An annotation is about the items with its input, gold and prediction; of one data set,
//! where its file names one that the judges looked at; with its id, where both have one.

use std::collections::{BTreeSet, HashMap};

use judica_data::rejects::Reject;

use super::contents::{contents, take_apart};
use super::document::{self, Document};
use super::folder::{self, JudgedFile};
use super::items;
use super::judge::again;
use super::load::Loaded;
use super::row::{self, Fault, Row};
use crate::error::AgreeError;

/// People's verdicts.
#[derive(Debug, Default)]
pub(super) struct Human {
    /// How many annotations there are, readable or not.
    pub annotations: u64,
    /// How many of them are about an item that a judge's verdict is used on.
    pub matched: u64,
    /// Those that are about nothing the judges looked at, or only about rows that were
    /// left out.
    pub unmatched: u64,
    /// Those of them that are about rows that were left out.
    pub left_out: u64,
    /// Those that cannot be read.
    pub refused: u64,
    /// Those about items that had an annotation already.
    pub duplicates: u64,
    /// What was not used, with its raw text.
    pub rejects: Vec<Reject>,
    /// The verdict on every item, by its number.
    verdicts: Vec<Option<bool>>,
}

impl Human {
    /// The verdict on an item.
    pub fn verdict(&self, item: u32) -> Option<bool> {
        self.verdicts.get(item as usize).copied().flatten()
    }
}

/// Reads annotations.
pub(super) fn read(files: &[JudgedFile], loaded: &Loaded) -> Result<Human, AgreeError> {
    let index = Index::new(loaded);
    let mut human = Human {
        verdicts: vec![None; loaded.items.len()],
        ..Human::default()
    };
    for file in files {
        let file_contents = contents(&file.path)?;
        let bytes = &file_contents.bytes;
        let lines = judica_data::names::has_lines(&file.name);
        let document = take_apart(&file.path, bytes, lines, document::ANNOTATED)?;
        // People's annotations were asked for, so a file without any is no annotation file.
        let document = document.map_err(|fault| {
            AgreeError::BadArtifact(format!("{}: {}", file.path.display(), fault.detail))
        })?;
        let source = index.named_source(&document, file);
        for span in document.rows {
            let raw = &bytes[span.start..span.end];
            human.annotations += 1;
            let used = row::read(raw);
            let used = used.and_then(|row| human.annotate(&row, source, &index, loaded));
            if let Err(fault) = used {
                human.count(&fault);
                human.rejects.push(Reject {
                    file: file.name.clone(),
                    line: span.line,
                    byte_offset: file_contents.offset + span.start as u64,
                    reason: fault.reason.into(),
                    detail: fault.detail,
                    raw: raw.into(),
                });
            }
        }
    }
    Ok(human)
}

impl Human {
    fn annotate(
        &mut self,
        row: &Row,
        source: Option<&str>,
        index: &Index,
        loaded: &Loaded,
    ) -> Result<(), Fault> {
        let named = row.source.as_deref().map(folder::dataset);
        let source = named.filter(|name| index.sources.contains(name)).or(source);
        let mut content = Vec::new();
        items::append_content(&mut content, row);
        let about = index
            .items
            .get(content.as_slice())
            .map_or(&[][..], Vec::as_slice);
        let about = about.iter().copied().filter(|&item| {
            let key = loaded.items.key(item);
            let same_id = match (key.id(), row.id.as_deref()) {
                (Some(ours), Some(theirs)) => ours == theirs,
                _ => true,
            };
            same_id && source.is_none_or(|source| source == key.source())
        });
        let about: Vec<u32> = about.collect();
        if about.is_empty() {
            let detail = "no judge looked at an item with this input, gold and prediction";
            return Err(Fault::new("unmatched_annotation", detail));
        }
        let rated = about.into_iter().filter(|&item| loaded.is_rated(item));
        let rated: Vec<u32> = rated.collect();
        if rated.is_empty() {
            let detail = "the item's rows were left out for every judge";
            return Err(Fault::new("annotation_of_left_out_row", detail));
        }
        let (mut new, mut same) = (false, true);
        for item in rated {
            let verdict = &mut self.verdicts[item as usize];
            new |= verdict.is_none();
            same &= *verdict.get_or_insert(row.correct) == row.correct;
        }
        if !new {
            return Err(again(same, "further up"));
        }
        self.matched += 1;
        Ok(())
    }

    fn count(&mut self, fault: &Fault) {
        match fault.reason {
            "duplicate_row" | "conflicting_row" => self.duplicates += 1,
            "unmatched_annotation" => self.unmatched += 1,
            "annotation_of_left_out_row" => {
                self.unmatched += 1;
                self.left_out += 1;
            }
            _ => self.refused += 1,
        }
    }
}

/// Items by what they are about.
struct Index<'a> {
    items: HashMap<&'a [u8], Vec<u32>>,
    sources: BTreeSet<&'a str>,
}

impl<'a> Index<'a> {
    fn new(loaded: &'a Loaded) -> Self {
        let mut items: HashMap<&[u8], Vec<u32>> = HashMap::new();
        let mut sources = BTreeSet::new();
        for (item, key) in loaded.items.iter() {
            items.entry(key.content()).or_default().push(item);
            sources.insert(key.source());
        }
        Self { items, sources }
    }

    /// The data set that a file is about, if the judges looked at it. A file in the
    /// folder of people's verdicts is named like its data set.
    fn named_source(&self, document: &Document, file: &JudgedFile) -> Option<&'a str> {
        let own_name = file.judge.as_ref().map(|_| file.stem.as_str());
        let names = [
            document.source_file.as_deref().map(folder::dataset),
            document.run_name.as_deref().map(folder::dataset),
            own_name,
        ];
        let known = |name| self.sources.get(name).copied();
        names.into_iter().flatten().find_map(known)
    }
}
