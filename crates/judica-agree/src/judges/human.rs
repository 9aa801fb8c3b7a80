//! What people said about the same items.
//!
//! An annotation is about the items with its input, gold and prediction; of one data set,
//! where its file names one that the judges looked at; with its id, where both have one.
//! Several annotations of one item are several people's: `annotations` reads the rows,
//! `people` knows who says what.

use std::collections::{BTreeSet, HashMap};

use judica_data::rejects::Reject;
use judica_data::source::InputDigest;
use judica_data::work_error::WorkError;

use super::annotations::{Annotated, each_row};
use super::folder::{self, JudgedFile};
use super::judge::again;
use super::load::Loaded;
use super::people::People;
use super::row::{Fault, Row, RowDoor};
use super::{JudgesRequest, gold, items};

/// People's verdicts.
#[derive(Debug, Default)]
pub(super) struct Human {
    /// How many annotations there are, readable or not.
    pub annotations: u64,
    /// Those that are about nothing the judges looked at, or only about rows that were
    /// left out.
    pub unmatched: u64,
    /// Those of them that are about rows that were left out.
    pub left_out: u64,
    /// Those that cannot be read.
    pub refused: u64,
    /// Those about items that the same person had annotated already.
    pub duplicates: u64,
    /// What was not used, with its raw text.
    pub rejects: Vec<Reject>,
    /// The digests of the files, for a run.
    pub digests: Vec<InputDigest>,
    /// Who says what.
    pub people: People,
    /// The reference on every item, by its number.
    reference: Vec<Option<bool>>,
}

impl Human {
    /// What people together say about an item.
    pub fn verdict(&self, item: u32) -> Option<bool> {
        self.reference.get(item as usize).copied().flatten()
    }
}

/// Reads annotations. `own` says that every file holds one person's, who is called like
/// the file, where rows name nobody.
pub(super) fn read(
    files: &[JudgedFile],
    own: bool,
    request: &JudgesRequest,
    loaded: &Loaded,
    door: &RowDoor,
) -> Result<Human, WorkError> {
    let index = Index::new(loaded);
    let mut human = Human {
        people: People::new(loaded.items.len()),
        ..Human::default()
    };
    let names = own.then(|| own_names(files));
    for (at, file) in files.iter().enumerate() {
        let whose = names.as_ref().map(|names| names[at].as_str());
        let digest = each_row(file, request.run.is_some(), door, |about, place, row| {
            human.annotations += 1;
            let source = index.named_source(about, file);
            let whose = about.rater.as_deref().or(whose);
            let used = row.and_then(|row| human.annotate(&row, source, whose, &index, loaded));
            if let Err(fault) = used {
                human.count(&fault);
                human.rejects.push(Reject {
                    file: file.given.clone(),
                    line: place.line,
                    byte_offset: place.offset,
                    reason: fault.reason.into(),
                    detail: fault.detail,
                    raw: place.raw,
                });
            }
        })?;
        human.digests.push(digest);
    }
    human.reference = human
        .people
        .reference(request.human_reference, request.prior);
    Ok(human)
}

/// The files' names without folders and extensions, each once.
fn own_names(files: &[JudgedFile]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(files.len());
    for file in files {
        let numbered = (2..).map(|n| format!("{}_{n}", file.stem));
        let mut free = std::iter::once(file.stem.clone()).chain(numbered);
        names.extend(free.find(|name| !names.contains(name)));
    }
    names
}

impl Human {
    fn annotate(
        &mut self,
        row: &Row,
        source: Option<&str>,
        whose: Option<&str>,
        index: &Index,
        loaded: &Loaded,
    ) -> Result<(), Fault> {
        let Some(correct) = row.correct else {
            let detail = "the row says that its verdict was declined";
            return Err(Fault::new("missing_verdict", detail));
        };
        let named = row.source.as_deref().map(folder::dataset);
        let source = named.filter(|name| index.sources.contains(name)).or(source);
        let about = index.about(row).iter().copied().filter(|&item| {
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
        let who = row.rater.as_deref().or(whose);
        let (mut new, mut same) = (false, true);
        for item in rated {
            match self.people.record(item, who, correct) {
                Ok(()) => new = true,
                Err(before) => same &= before == correct,
            }
        }
        if new {
            Ok(())
        } else {
            Err(again(same, "further up, by the same person"))
        }
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
    /// Items with several golds, as if they had the first only: some files keep no more.
    with_first_gold: HashMap<Vec<u8>, Vec<u32>>,
    sources: BTreeSet<&'a str>,
}

impl<'a> Index<'a> {
    fn new(loaded: &'a Loaded) -> Self {
        let mut found = Self {
            items: HashMap::new(),
            with_first_gold: HashMap::new(),
            sources: BTreeSet::new(),
        };
        for (item, key) in loaded.items.iter() {
            found.items.entry(key.content()).or_default().push(item);
            found.sources.insert(key.source());
            if let Some(all) = key.gold()
                && gold::first(all) != all
            {
                let content = content(key.input(), Some(gold::first(all)), key.prediction());
                found.with_first_gold.entry(content).or_default().push(item);
            }
        }
        found
    }

    /// The items that a row is about.
    fn about(&self, row: &Row) -> &[u32] {
        let (asked, gold, prediction) = (&row.input, row.gold.as_deref(), &row.prediction);
        let content = content(asked, gold, prediction.as_deref());
        let items = self.items.get(content.as_slice());
        let items = items.or_else(|| self.with_first_gold.get(&content));
        items.map_or(&[], Vec::as_slice)
    }

    /// The data set that a file is about, if the judges looked at it. A file in the
    /// folder of people's verdicts is named like its data set.
    fn named_source(&self, about: &Annotated, file: &JudgedFile) -> Option<&'a str> {
        let own_name = file.judge.as_ref().map(|_| file.stem.as_str());
        let names = [
            about.source_file.as_deref().map(folder::dataset),
            about.run_name.as_deref().map(folder::dataset),
            own_name,
        ];
        let known = |name| self.sources.get(name).copied();
        names.into_iter().flatten().find_map(known)
    }
}

fn content(input: &str, gold: Option<&str>, prediction: Option<&str>) -> Vec<u8> {
    let mut content = Vec::new();
    for part in [Some(input), gold, prediction] {
        items::append(&mut content, part);
    }
    content
}
