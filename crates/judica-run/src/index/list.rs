//! Pages of a list, and what stands beside a record in it.

use std::collections::BinaryHeap;
use std::ops::Range;

use judica_data::parallel::parallel_map;
use judica_data::work_error::WorkError;
use serde::Serialize;

use super::Index;
use super::facets::Facet;
use super::filter::Filter;
use super::rows::Row;

/// Fewer rows are gone through by one thread.
const FEW_ROWS: usize = if cfg!(test) { 4 } else { 1 << 16 };

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<'i> {
    /// Records in the whole list.
    pub total: u64,
    /// How many of them stand before the first of this page.
    pub before: u64,
    /// The page's.
    pub rows: Vec<Row<'i>>,
    /// What the next page is to be asked `after`, if there is one.
    pub next: Option<u64>,
    /// What records are counted by, each under all other conditions.
    pub facets: Vec<Facet<'i>>,
}

/// What stands beside a record in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Neighbours {
    /// The place of the record in the list, from 1, if it is in it.
    pub rank: Option<u64>,
    /// The record before it, or before its place.
    pub previous: Option<u64>,
    /// The one behind.
    pub next: Option<u64>,
    /// Records in the whole list.
    pub total: u64,
}

/// A place in an order: what is ordered by, then the row.
type Place = (u64, usize);

/// How many listed rows stand before a place, and the places beside it.
type Beside = (u64, Option<Place>, Option<Place>);

/// Rows before a row, and from it on.
fn split(rows: Range<usize>, at: usize) -> (Range<usize>, Range<usize>) {
    let at = at.clamp(rows.start, rows.end);
    (rows.start..at, at..rows.end)
}

/// A number that orders as its value does; no value comes last either way.
fn order(value: f64, descending: bool) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    // Zero is zero, whatever its sign.
    let bits = (value + 0.0).to_bits();
    // All bits of a negative number turn round, of others the first.
    let ascending = bits ^ ((bits as i64 >> 63) as u64 | 1 << 63);
    // Neither is ever the number of no value: those bits would be of a NaN.
    if descending { !ascending } else { ascending }
}

impl Index {
    /// Goes through all rows on all threads.
    pub(super) fn scan<R: Send>(&self, part: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        let rows = self.kind_of.len();
        let share = rows.div_ceil(self.threads.max(1)).max(FEW_ROWS);
        let starts = (0..rows).step_by(share);
        let ranges: Vec<Range<usize>> =
            starts.map(|start| start..rows.min(start + share)).collect();
        parallel_map(&ranges, self.threads, |range| part(range.clone()))
    }

    /// How many records a list has.
    pub fn total(&self, filter: &Filter) -> u64 {
        let counts = filter.counts(self).iter().zip(&filter.misfits);
        counts
            .filter(|(_, misfit)| **misfit == 0)
            .map(|(count, _)| count)
            .sum()
    }

    /// So many records of a list, from its beginning or where the question goes on.
    pub fn page(&self, filter: &Filter, rows: usize) -> Result<Page<'_>, WorkError> {
        let (before, mut first) = match &filter.sort {
            None => self.first_rows(filter, rows + 1),
            Some((values, descending)) => {
                let values = values.of(self);
                self.first_places(filter, rows + 1, |row| {
                    (order(values[row], *descending), row)
                })
            }
        };
        let more = first.len() > rows;
        first.truncate(rows);
        Ok(Page {
            total: self.total(filter),
            before,
            next: first.last().copied().filter(|_| more),
            rows: self.shown(&first, filter.shown(self))?,
            facets: self.facets(filter),
        })
    }

    /// How many listed rows stand before a page, and its rows, in the order of the run.
    fn first_rows(&self, filter: &Filter, most: usize) -> (u64, Vec<u64>) {
        let start = filter.query().after.map_or(0, |row| row as usize + 1);
        let parts = self.scan(|rows| {
            let (earlier, later) = split(rows, start);
            let mut before = 0;
            filter.each_listed(self, earlier, |_| before += 1);
            let first = later.filter(|row| filter.lists(self, *row)).take(most);
            (before, first.map(|row| row as u64).collect::<Vec<u64>>())
        });
        let before = parts.iter().map(|(before, _)| before).sum();
        let first = parts.into_iter().flat_map(|(_, first)| first);
        (before, first.take(most).collect())
    }

    /// The same in another order.
    fn first_places(
        &self,
        filter: &Filter,
        most: usize,
        place: impl Fn(usize) -> Place + Sync,
    ) -> (u64, Vec<u64>) {
        let after = filter.query().after.map(|row| place(row as usize));
        let parts = self.scan(|rows| {
            let mut before = 0;
            // The last of the first on top.
            let mut first: BinaryHeap<Place> = BinaryHeap::new();
            let mut last = (u64::MAX, usize::MAX);
            filter.each_listed(self, rows, |row| {
                let place = place(row);
                // Half of all rows may stand before: counted without a jump that nobody foresees.
                let earlier = after.is_some_and(|after| place <= after);
                before += u64::from(earlier);
                if !earlier & (place < last) {
                    first.push(place);
                    if first.len() > most {
                        first.pop();
                    }
                    if let (true, Some(top)) = (first.len() == most, first.peek()) {
                        last = *top;
                    }
                }
            });
            (before, first)
        });
        let before = parts.iter().map(|(before, _)| before).sum();
        let mut first: Vec<Place> = parts.into_iter().flat_map(|(_, first)| first).collect();
        first.sort_unstable();
        first.truncate(most);
        (
            before,
            first.into_iter().map(|(_, row)| row as u64).collect(),
        )
    }

    /// What stands beside a record in a list.
    pub fn neighbours(&self, filter: &Filter, row: u64) -> Neighbours {
        let total = self.total(filter);
        let Some(own) = usize::try_from(row).ok().filter(|_| row < self.len()) else {
            return Neighbours {
                rank: None,
                previous: None,
                next: None,
                total,
            };
        };
        let parts = match &filter.sort {
            None => self.scan(|rows| self.beside_row(filter, rows, own)),
            Some((values, descending)) => {
                let values = values.of(self);
                let place = |row: usize| (order(values[row], *descending), row);
                self.scan(|rows| self.beside_place(filter, rows, place(own), place))
            }
        };
        let before: u64 = parts.iter().map(|(before, ..)| before).sum();
        let previous = parts.iter().filter_map(|(_, previous, _)| *previous).max();
        let next = parts.iter().filter_map(|(.., next)| *next).min();
        Neighbours {
            rank: filter.lists(self, own).then_some(before + 1),
            previous: previous.map(|(_, row)| row as u64),
            next: next.map(|(_, row)| row as u64),
            total,
        }
    }

    fn beside_row(&self, filter: &Filter, rows: Range<usize>, own: usize) -> Beside {
        let (earlier, later) = split(rows, own);
        let mut before = 0;
        filter.each_listed(self, earlier.clone(), |_| before += 1);
        let listed = |row: &usize| filter.lists(self, *row);
        let previous = earlier.rev().find(listed);
        let next = later.skip_while(|row| *row == own).find(listed);
        let place = |row| (0, row);
        (before, previous.map(place), next.map(place))
    }

    fn beside_place(
        &self,
        filter: &Filter,
        rows: Range<usize>,
        own: Place,
        place: impl Fn(usize) -> Place,
    ) -> Beside {
        let mut before = 0;
        // Rows come in order, so that of equal values the last before is the nearest.
        let (mut previous, mut next): (Option<Place>, Option<Place>) = (None, None);
        let (mut low, mut high) = (0, u64::MAX);
        filter.each_listed(self, rows, |row| {
            let place = place(row);
            let earlier = place < own;
            before += u64::from(earlier);
            if earlier & (place.0 >= low) {
                (low, previous) = (place.0, Some(place));
            } else if (place > own) & ((place.0 < high) | next.is_none()) {
                (high, next) = (place.0, Some(place));
            }
        });
        (before, previous, next)
    }

    /// The rows of a whole list, in its order.
    pub fn rows(&self, filter: &Filter) -> Vec<u64> {
        let rows = self.scan(|rows| {
            let mut listed = Vec::new();
            filter.each_listed(self, rows, |row| listed.push(row as u64));
            listed
        });
        let mut rows = rows.concat();
        if let Some((values, descending)) = &filter.sort {
            let values = values.of(self);
            rows.sort_by_key(|row| order(values[*row as usize], *descending));
        }
        rows
    }
}
