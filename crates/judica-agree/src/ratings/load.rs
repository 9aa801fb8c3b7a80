//! Rows become cells; what cannot is refused, row by row.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use judica_data::chunks::RawRecord;
use judica_data::rejects::{Refusal, Reject};
use judica_data::rows::Value;
use judica_data::work_error::WorkError;
use rustc_hash::FxHashMap;

use super::Hooks;
use super::cells::{Cells, MOST_RATINGS};
use super::columns::Part;
use super::names::Names;
use super::record::FirstRow;
use super::scale::{NoCode, Scale};
use super::value::Field;
use crate::refusals::{Example, Refusals};

/// A row as it stands in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) file: &'a str,
    pub(super) record: &'a RawRecord<'a>,
}

/// What a row says beside its rating.
pub(super) struct About<'a> {
    /// Which repeat of the item.
    pub(super) epoch: i32,
    /// What the item stands or falls with.
    pub(super) cluster: Option<Value<'a>>,
    /// Milliseconds, tokens in and out, price.
    pub(super) usage: [Option<f64>; 4],
}

/// What helps where the rows are about different things after all.
const TOGETHER: &str = "--item A,B,… names an item by several columns together";

/// What stands between an item's name and the number of its repeat. A name that has it itself is
/// written with its repeat, also if that is the first.
const REPEAT: char = '\0';

/// The name of an item, and which repeat of it is meant.
pub(super) fn item_and_epoch(name: &str) -> (&str, i32) {
    match name.rsplit_once(REPEAT) {
        Some((name, epoch)) => (name, epoch.parse().unwrap_or(1)),
        None => (name, 1),
    }
}

/// All rows of all files.
pub(super) struct Loader<'a, 'h> {
    pub(super) hooks: &'a mut Hooks<'h>,
    strict: bool,
    pub(super) scale: Scale,
    pub(super) items: Names,
    /// Where each item was first named, if that is wanted.
    pub(super) first_rows: Option<Vec<FirstRow>>,
    /// What items stand or fall with, where rows say so; where they do not say the same, the
    /// first by name, so that the order of rows does not matter.
    pub(super) named_clusters: FxHashMap<u32, Box<str>>,
    /// The items whose rows do not say the same.
    pub(super) contradicted_clusters: BTreeSet<u32>,
    /// Whether an item was rated more than once.
    repeats: bool,
    /// The number of the file that is read.
    pub(super) file: u32,
    pub(super) raters: Names,
    pub(super) cells: Cells,
    /// Rows read.
    pub(super) rows: u64,
    /// Rows that became a rating.
    pub(super) ratings: u64,
    /// Rows that say that there is no rating.
    pub(super) missing: u64,
    /// Rows that could not be used.
    pub(super) refusals: Refusals,
    /// Scratch memory for names.
    buffer: String,
}

/// Why a row is not taken.
enum NotTaken {
    /// This row cannot be used.
    Row(&'static str, String),
    /// Nothing can be measured.
    All(String),
}

impl<'a, 'h> Loader<'a, 'h> {
    pub(super) fn new(scale: Scale, strict: bool, placed: bool, hooks: &'a mut Hooks<'h>) -> Self {
        Loader {
            hooks,
            strict,
            scale,
            items: Names::default(),
            first_rows: placed.then(Vec::new),
            named_clusters: FxHashMap::default(),
            contradicted_clusters: BTreeSet::new(),
            repeats: false,
            file: 0,
            raters: Names::default(),
            cells: Cells::default(),
            rows: 0,
            ratings: 0,
            missing: 0,
            refusals: Refusals::default(),
            buffer: String::new(),
        }
    }

    /// Rows that were used.
    pub(super) fn used(&self) -> u64 {
        self.ratings + self.missing
    }

    /// Takes one row: item, rater, value.
    #[inline]
    pub(super) fn row(
        &mut self,
        fields: [Field; 3],
        place: Place,
        about: &About,
    ) -> Result<(), WorkError> {
        match self.take(fields, &place, about) {
            Ok(()) => {
                self.rows += 1;
                Ok(())
            }
            Err(NotTaken::Row(reason, detail)) => self.refuse(place, Refusal::new(reason, detail)),
            Err(NotTaken::All(why)) => Err(WorkError::BadInput(format!(
                "{}:{}: {why}",
                place.file, place.record.line
            ))),
        }
    }

    #[inline]
    fn take(
        &mut self,
        [item, rater, value]: [Field; 3],
        place: &Place,
        about: &About,
    ) -> Result<(), NotTaken> {
        // Both are looked at before either is counted.
        check_name(item, Part::Item, &mut self.buffer)?;
        check_name(rater, Part::Rater, &mut self.buffer)?;
        let name = item.name(&mut self.buffer).unwrap_or_default();
        self.repeats |= about.epoch != 1;
        let item = match about.epoch {
            1 if !name.contains(REPEAT) => self.items.number(name),
            epoch => self.items.number(&format!("{name}{REPEAT}{epoch}")),
        };
        if let Some(cluster) = about.cluster.and_then(|cluster| cluster.name()) {
            self.name_cluster(item, cluster);
        }
        if let Some(rows) = &mut self.first_rows
            && rows.len() == item as usize
        {
            rows.push(FirstRow::new(self.file, place, about));
        }
        let rater = self
            .raters
            .number(rater.name(&mut self.buffer).unwrap_or_default());
        match value {
            Field::Absent => return Err(no_name(value, Part::Value)),
            // The cell stays open: a rating may come later.
            Field::Empty => {
                self.missing += 1;
                return Ok(());
            }
            _ => {}
        }
        let code = match self.scale.code(value, &mut self.buffer) {
            Ok(code) => code,
            Err(NoCode::Refused(reason, detail)) => return Err(NotTaken::Row(reason, detail)),
            Err(NoCode::NeedsOrder) => {
                let text = value.name(&mut self.buffer).unwrap_or_default();
                return Err(NotTaken::All(format!(
                    "`{text}` is not a number, so the values have no order of their own; \
                     give it with --order, lowest first"
                )));
            }
        };
        match self.cells.place(item, rater, code) {
            Ok(()) if self.cells.len() > MOST_RATINGS => Err(NotTaken::All(format!(
                "more than {MOST_RATINGS} ratings; measure fewer items or raters at a time"
            ))),
            Ok(()) => {
                self.ratings += 1;
                Ok(())
            }
            Err(before) => Err(self.rated_before(item, rater, before, code)),
        }
    }

    fn name_cluster(&mut self, item: u32, cluster: Cow<str>) {
        match self.named_clusters.entry(item) {
            Entry::Vacant(unnamed) => {
                unnamed.insert(cluster.into());
            }
            Entry::Occupied(named) if **named.get() == *cluster => {}
            Entry::Occupied(mut named) => {
                self.contradicted_clusters.insert(item);
                if *cluster < **named.get() {
                    named.insert(cluster.into());
                }
            }
        }
    }

    #[cold]
    fn rated_before(&self, item: u32, rater: u32, before: u32, now: u32) -> NotTaken {
        let (item, _) = item_and_epoch(self.items.name(item));
        let rater = self.raters.name(rater);
        let first = self.scale.label(before);
        if self.scale.same(before, now) {
            let detail = format!("`{rater}` rated `{item}` before, as `{first}` too; {TOGETHER}");
            return NotTaken::Row("duplicate_rating", detail);
        }
        let second = self.scale.label(now);
        let detail =
            format!("`{rater}` rated `{item}` before, as `{first}` and not `{second}`; {TOGETHER}");
        NotTaken::Row("conflicting_rating", detail)
    }

    /// The cluster of each item: the one that is named, else that of all its repeats. `None`
    /// where each is one of its own.
    pub(super) fn clusters(&self) -> Option<Vec<u32>> {
        if !self.repeats && self.named_clusters.is_empty() {
            return None;
        }
        let mut numbers: FxHashMap<(bool, &str), u32> = FxHashMap::default();
        let cluster = |item: u32| {
            let key = match self.named_clusters.get(&item) {
                Some(cluster) => (true, &**cluster),
                None => (false, item_and_epoch(self.items.name(item)).0),
            };
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        };
        let clusters: Vec<u32> = (0..self.items.len() as u32).map(cluster).collect();
        (numbers.len() < clusters.len()).then_some(clusters)
    }

    /// No more rows will come: what only finds names and values goes.
    pub(super) fn close(&mut self) {
        self.items.close();
        self.raters.close();
        self.scale.close();
    }

    /// Counts and passes on a row that cannot be used.
    #[cold]
    pub(super) fn refuse(&mut self, place: Place, refusal: Refusal) -> Result<(), WorkError> {
        let Refusal { reason, detail } = refusal;
        self.rows += 1;
        let file = place.file.to_owned();
        let line = place.record.line;
        if self.strict {
            return Err(WorkError::Refused {
                file,
                line,
                reason,
                detail,
            });
        }
        self.refusals.count(reason, || Example {
            file: file.clone(),
            line,
            detail: detail.clone(),
        });
        (self.hooks.reject)(&Reject {
            file,
            line,
            byte_offset: place.record.offset,
            reason: reason.into(),
            detail,
            raw: place.record.raw(),
        })
    }
}

/// Fails if a field cannot be a name.
#[inline]
fn check_name(field: Field, part: Part, buffer: &mut String) -> Result<(), NotTaken> {
    match field {
        Field::Text(_) => Ok(()),
        _ if field.name(buffer).is_some() => Ok(()),
        _ => Err(no_name(field, part)),
    }
}

#[cold]
fn no_name(field: Field, part: Part) -> NotTaken {
    let name = part.name();
    if let Field::Nested(what) = field {
        let detail = format!("the {name} is {what}, and should be text or a number");
        return NotTaken::Row("wrong_type", detail);
    }
    let (reason, what) = match part {
        Part::Item => ("missing_item", "does not say what was rated"),
        Part::Rater => ("missing_rater", "does not say who rated it"),
        Part::Value => ("missing_value", "has no value, not even an empty one"),
    };
    NotTaken::Row(reason, format!("the row {what}"))
}
