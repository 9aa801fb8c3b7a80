//! The score log: what went in comes out, in order, from memory and from disk.

use judica_model::record::Adjudication;

use super::*;
use crate::evaluate::RecordRow;
use crate::outputs::InChunk;
use crate::response::ParseOutcome;
use crate::score::ScoreRow;

/// A record of which only the scores matter.
pub fn scored(task: u32, model: u32, sample: u32, passed: bool, total: f64) -> RecordRow {
    let scores = ScoreRow {
        passed,
        availability: total,
        constraint: total,
        error: total,
        total,
        mae: total,
        rmse: total,
        compared: 1,
        gating_failures: u32::from(!passed),
    };
    RecordRow {
        model,
        batch_model: model,
        sample,
        task,
        line: 1,
        place: InChunk {
            start: 0,
            length: 0,
            hash: 0,
        },
        beside: None,
        outcome: ParseOutcome::Direct,
        present: 19,
        adjudication: if passed {
            Adjudication::Eligible
        } else {
            Adjudication::Ineligible
        },
        scores,
        reasons: Vec::new(),
        atoms_at: 0,
        atoms: 0,
        values_at: 0,
    }
}

fn totals(log: &ScoreLog, keys: &[GroupKey]) -> Vec<(u32, f64)> {
    let mut seen = Vec::new();
    log.replay(keys, &mut |entry| seen.push((entry.sample, entry.total)))
        .expect("replayed");
    seen
}

/// Adds records that stand by their samples.
pub fn add(log: &mut ScoreLog, evaluated: &Evaluated) -> io::Result<()> {
    log.add(evaluated, &StringArray::new_null(evaluated.records.len()))
}

/// A group, and a sample with its total.
type Entry = (GroupKey, (u32, f64));

/// Three groups of 128, 129 and 400 entries, interleaved, in chunks of 50.
fn filled(folder: &std::path::Path, room: usize) -> (ScoreLog, Vec<Entry>) {
    let sizes: [(GroupKey, u32); 3] = [((0, 0), 128), ((0, 1), 129), ((2, 1), 400)];
    let mut input = Vec::new();
    for sample in 0..400 {
        for (key, size) in sizes {
            if sample < size {
                input.push((key, (sample, f64::from(sample * 3 + key.0 + key.1) / 7.0)));
            }
        }
    }
    let mut log = ScoreLog::holding(folder.to_owned(), room);
    for chunk in input.chunks(50) {
        let rows = chunk
            .iter()
            .map(|((task, model), (sample, total))| scored(*task, *model, *sample, true, *total));
        let evaluated = Evaluated {
            records: rows.collect(),
            ..Evaluated::default()
        };
        add(&mut log, &evaluated).expect("added");
    }
    (log, input)
}

#[test]
fn every_group_comes_back_in_input_order_across_blocks() {
    // All on disk, one group partly in memory, all in memory.
    (0..6).for_each(every_group_comes_back);
}

fn every_group_comes_back(room: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, input) = filled(folder.path(), room);
    let of = |key: GroupKey| -> Vec<(u32, f64)> {
        input
            .iter()
            .filter(|(group, _)| *group == key)
            .map(|(_, entry)| *entry)
            .collect()
    };
    for key in [(0, 0), (0, 1), (2, 1)] {
        assert_eq!(totals(&log, &[key]), of(key), "{key:?}");
        assert_eq!(log.count(&[key]), of(key).len());
        // Again, and through a selection.
        let keys = [key];
        let selection = log.select(&keys).expect("selected");
        assert_eq!(selection.count(), of(key).len());
        for _ in 0..2 {
            let mut seen = Vec::new();
            selection
                .replay(&mut |_, entry| seen.push((entry.sample, entry.total)))
                .expect("replayed");
            assert_eq!(seen, of(key));
        }
    }
    // Several groups: one after the other, in the order they are asked for.
    let both = [of((2, 1)), of((0, 0))].concat();
    assert_eq!(totals(&log, &[(2, 1), (0, 0)]), both);
    assert_eq!(log.count(&[(2, 1), (0, 0)]), 528);
    // A group nobody is in has nothing.
    assert_eq!(
        (totals(&log, &[(1, 1)]).len(), log.count(&[(1, 1)])),
        (0, 0)
    );
}

#[test]
fn the_log_leaves_no_file_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_log, _) = filled(folder.path(), 1);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("readable").count(),
        0
    );
}

#[test]
fn a_missing_folder_is_no_matter_until_a_block_is_full() {
    let mut log = ScoreLog::new("/no/such/folder".into());
    let records = |range: std::ops::Range<u32>| Evaluated {
        records: range
            .map(|sample| scored(0, 0, sample, true, 1.0))
            .collect(),
        ..Evaluated::default()
    };
    assert!(add(&mut log, &records(0..127)).is_ok());
    assert_eq!(log.count(&[(0, 0)]), 127);
    assert!(add(&mut log, &records(127..128)).is_err());
}

#[test]
fn samples_with_a_record_that_can_count_are_marked() {
    let mut log = ScoreLog::new(std::env::temp_dir());
    let records = vec![
        scored(0, 0, 4, true, 1.0),
        scored(0, 1, 1, false, f64::NAN),
        scored(0, 1, 5, true, f64::NAN),
    ];
    let evaluated = Evaluated {
        records,
        ..Evaluated::default()
    };
    add(&mut log, &evaluated).expect("added");
    assert_eq!(log.answered(), [false, true, false, false, true, false]);
}
