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
const FEW_ROWS: usize = 1 << 16;

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
type Place = (u64, u64);

/// A number that orders as its value does; no value comes last either way.
fn order(value: f64, descending: bool) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    // Zero is zero, whatever its sign.
    let bits = (value + 0.0).to_bits();
    let ascending = match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    };
    // Neither is ever the number of no value: those bits would be of a NaN.
    if descending { !ascending } else { ascending }
}

/// What a part of the rows gives to a page.
#[derive(Default)]
struct Part {
    before: u64,
    first: BinaryHeap<Place>,
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
            None => self.first_rows(filter, rows + 1, |_| 0),
            Some((values, descending)) => {
                let values = values.of(self);
                self.first_rows(filter, rows + 1, |row| order(values[row], *descending))
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

    /// How many listed rows stand before the page, and the first rows of it.
    fn first_rows(
        &self,
        filter: &Filter,
        most: usize,
        order: impl Fn(usize) -> u64 + Sync,
    ) -> (u64, Vec<u64>) {
        let place = |row: usize| (order(row), row as u64);
        let after = filter.query().after.map(|row| place(row as usize));
        let parts = self.scan(|rows| {
            let mut part = Part::default();
            for row in rows {
                if !filter.lists(self, row) {
                    continue;
                }
                let place = place(row);
                if after.is_some_and(|after| place <= after) {
                    part.before += 1;
                } else if part.first.len() < most {
                    part.first.push(place);
                } else if let Some(mut last) = part.first.peek_mut()
                    && place < *last
                {
                    *last = place;
                }
            }
            part
        });
        let before = parts.iter().map(|part| part.before).sum();
        let mut first: Vec<Place> = parts.into_iter().flat_map(|part| part.first).collect();
        first.sort_unstable();
        first.truncate(most);
        (before, first.into_iter().map(|(_, row)| row).collect())
    }

    /// What stands beside a record in a list.
    pub fn neighbours(&self, filter: &Filter, row: u64) -> Neighbours {
        match &filter.sort {
            None => self.beside(filter, row, |_| 0),
            Some((values, descending)) => {
                let values = values.of(self);
                self.beside(filter, row, |row| order(values[row], *descending))
            }
        }
    }

    fn beside(&self, filter: &Filter, row: u64, order: impl Fn(usize) -> u64 + Sync) -> Neighbours {
        let total = self.total(filter);
        let Some(own) = usize::try_from(row).ok().filter(|_| row < self.len()) else {
            return Neighbours {
                rank: None,
                previous: None,
                next: None,
                total,
            };
        };
        let place = |row: usize| (order(row), row as u64);
        let own_place = place(own);
        let parts = self.scan(|rows| {
            let mut before = 0_u64;
            let (mut previous, mut next) = (None, None);
            for row in rows.filter(|row| filter.lists(self, *row)) {
                let place = place(row);
                if place < own_place {
                    before += 1;
                    previous = previous.max(Some(place));
                } else if place > own_place && next.is_none_or(|next| place < next) {
                    next = Some(place);
                }
            }
            (before, previous, next)
        });
        let before: u64 = parts.iter().map(|(before, ..)| before).sum();
        let previous = parts.iter().filter_map(|(_, previous, _)| *previous).max();
        let next = parts.iter().filter_map(|(.., next)| *next).min();
        Neighbours {
            rank: filter.lists(self, own).then_some(before + 1),
            previous: previous.map(|(_, row)| row),
            next: next.map(|(_, row)| row),
            total,
        }
    }

    /// The rows of a whole list, in its order.
    pub fn rows(&self, filter: &Filter) -> Vec<u64> {
        let rows = self.scan(|rows| {
            let rows = rows.filter(|row| filter.lists(self, *row));
            rows.map(|row| row as u64).collect::<Vec<u64>>()
        });
        let mut rows = rows.concat();
        if let Some((values, descending)) = &filter.sort {
            let values = values.of(self);
            rows.sort_by_key(|row| order(values[*row as usize], *descending));
        }
        rows
    }
}
