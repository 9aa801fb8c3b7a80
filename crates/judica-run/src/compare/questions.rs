//! Whether items of one name were one question: some programs call items by their position,
//! and then a test that is inserted gives all that follow the name of another.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use judica_data::fingerprint::fingerprint;
use judica_data::work_error::WorkError;
use judica_model::table::grouped;

use super::pairs::Pairs;
use super::sides::{DOCUMENT, Side};
use crate::layout::head;

/// Columns that tell questions apart, the more certain first: a harness's hash of its
/// document, the text itself.
const TELLING: [&str; 2] = [DOCUMENT, head::TEXTS[0]];
/// So many pairs are looked at: questions that moved have moved for most items.
const LOOKED_AT: usize = 1000;

/// What is to be said of pairs whose questions are not the same.
pub fn note(pairs: &Pairs, a: &Side, b: &Side) -> Result<Option<String>, WorkError> {
    // Within one run an item is one question, whatever its subjects were given to read.
    if std::ptr::eq(a.loaded.run, b.loaded.run) {
        return Ok(None);
    }
    let [of_a, of_b] = [a.loaded.run.records()?, b.loaded.run.records()?];
    let both = |name: &&str| of_a.columns().contains(name) && of_b.columns().contains(name);
    let Some(column) = TELLING.into_iter().find(both) else {
        return Ok(None);
    };
    let prints = |at: usize, side: &Side| {
        let rows = pairs.rows(at, None).take(LOOKED_AT);
        prints(side, column, &rows.collect::<Vec<_>>())
    };
    let [of_a, of_b] = [prints(0, a)?, prints(1, b)?];
    let told = of_a.iter().zip(&of_b);
    let told: Vec<bool> = told.filter_map(|(a, b)| Some((*a)? != (*b)?)).collect();
    let other = told.iter().filter(|other| **other).count();
    if other == 0 {
        return Ok(None);
    }
    Ok(Some(format!(
        "{} of {}{} paired items have another `{column}` in {} than in {}: {}",
        grouped(other as u64),
        if pairs.len() > LOOKED_AT {
            "the first "
        } else {
            ""
        },
        grouped(told.len() as u64),
        a.run_name(),
        b.run_name(),
        match column == TELLING[0] {
            true => "they are other questions under one name",
            false =>
                "either prompts were changed, or items that are named by their position have \
                 moved and are other questions under one name",
        }
    )))
}

/// What the records at these rows say in a column; none where it is null.
fn prints(side: &Side, column: &str, rows: &[u32]) -> Result<Vec<Option<u64>>, WorkError> {
    let mut places: Vec<(u64, usize)> = (rows.iter().map(|row| u64::from(*row))).zip(0..).collect();
    places.sort_unstable();
    let wanted: Vec<u64> = places.iter().map(|(place, _)| *place).collect();
    let mut found = vec![None; rows.len()];
    let mut places = places.iter();
    for batch in side.loaded.run.records()?.rows(&[column], &wanted)? {
        let texts = batch.column(0).as_string_opt::<i32>();
        for row in 0..batch.num_rows() {
            if let (Some((_, at)), Some(texts)) = (places.next(), texts) {
                found[*at] = texts
                    .is_valid(row)
                    .then(|| fingerprint(texts.value(row).as_bytes()));
            }
        }
    }
    Ok(found)
}
