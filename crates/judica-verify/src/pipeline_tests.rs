//! The result does not depend on how the input is cut or who works on it.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::test_responses::{line, lines, samples};
use crate::test_support::{Bench, good, lines_file, output, tables};

/// A record without its place, which depends on how lines are put into files.
fn placeless(line: &str) -> String {
    let (before, after) = line.split_once(",\"input_file\":").expect("a place");
    let (_, after) = after.split_once(",\"protocol_result\":").expect("more");
    format!("{before},\"protocol_result\":{after}")
}

fn rendered(bench: &Bench, run: &crate::test_support::Run) -> Vec<String> {
    let lines = bench.render(run);
    lines.iter().map(|line| placeless(line)).collect()
}

/// Keeps everything that comes out.
#[derive(Default)]
struct Collect {
    lines: Vec<String>,
    rejects: Vec<(u64, u64, String, String, Vec<u8>)>,
    states: Vec<SummaryState>,
    inputs: u64,
    rows: usize,
    stored: usize,
}

impl Sink for Collect {
    fn take(&mut self, result: &mut ChunkResult) -> Result<(), WorkError> {
        let text = String::from_utf8(result.lines.clone().unwrap_or_default()).expect("UTF-8");
        self.lines.extend(text.lines().map(placeless));
        self.rows += result.evaluated.records.len();
        self.inputs += result.inputs;
        self.states.push(result.state.clone());
        self.rejects.extend(result.rejects.drain(..).map(|reject| {
            (
                reject.line,
                reject.byte_offset,
                reject.reason.to_string(),
                reject.detail,
                reject.raw.kept().to_vec(),
            )
        }));
        Ok(())
    }

    fn put(&mut self, groups: RowGroups) -> Result<(), WorkError> {
        self.stored += groups.records.rows();
        Ok(())
    }
}

fn evaluate(
    bench: &Bench,
    files: &[&[String]],
    chunk_bytes: usize,
    threads: usize,
    strict: bool,
) -> Result<(Collect, Vec<Box<str>>), WorkError> {
    let files: Vec<_> = files.iter().map(|lines| lines_file(lines)).collect();
    let paths: Vec<_> = files.iter().map(|file| file.path().to_owned()).collect();
    let names: Vec<String> = (0..files.len())
        .map(|number| format!("file{number}"))
        .collect();
    let (tables, renderer) = (tables(bench), bench.renderer());
    let shared = Shared {
        context: bench.context(),
        checks: &bench.checks,
        files: &names,
        tables: &tables,
        renderer: Some(&renderer),
        strict,
        part: None,
        programs: None,
        read: &|_| (),
        interrupted: &AtomicBool::new(false),
    };
    let mut sink = Collect::default();
    let models = run(
        &shared,
        &mut ChunkReader::new(&paths, chunk_bytes)?,
        &mut sink,
        threads,
    )?;
    Ok((sink, models))
}

fn merged<'a>(states: impl Iterator<Item = &'a SummaryState>) -> SummaryState {
    let mut all = SummaryState::default();
    states.for_each(|state| all.merge(state));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn cuts_and_threads_do_not_show(lines in lines(60)) {
        let bench = Bench::flight(&samples());
        let (whole, models) = evaluate(&bench, &[&lines], 16 << 20, 1, false).expect("evaluated");
        prop_assert_eq!(&whole.lines, &rendered(&bench, &bench.run(&lines)));
        let blank = lines.iter().filter(|line| line.trim().is_empty()).count();
        prop_assert_eq!(whole.rows + whole.rejects.len() + blank, lines.len());
        prop_assert_eq!(whole.inputs as usize, whole.rows + whole.rejects.len());
        prop_assert_eq!(whole.stored, whole.rows);
        let expected = merged(whole.states.iter());
        for (chunk_bytes, threads) in [(1, 1), (1, 4), (700, 3), (5000, 2), (16 << 20, 8)] {
            let (cut, names) = evaluate(&bench, &[&lines], chunk_bytes, threads, false).expect("evaluated");
            prop_assert_eq!(&cut.lines, &whole.lines);
            prop_assert_eq!(&cut.rejects, &whole.rejects);
            prop_assert_eq!(&names, &models);
            // Any order of merging gives the whole.
            prop_assert_eq!(&merged(cut.states.iter()), &expected);
            prop_assert_eq!(&merged(cut.states.iter().rev()), &expected);
            let (even, odd): (Vec<_>, Vec<_>) = cut.states.iter().enumerate().partition(|(at, _)| at % 2 == 0);
            let halves = [merged(odd.into_iter().map(|(_, state)| state)), merged(even.into_iter().map(|(_, state)| state))];
            prop_assert_eq!(&merged(halves.iter()), &expected);
        }
    }

    /// However the lines of several models are interleaved, each model's records are
    /// what they are alone.
    #[test]
    fn models_do_not_influence_each_other(lines in prop::collection::vec(line(), 0..40), order in prop::collection::vec(any::<u32>(), 40)) {
        let bench = Bench::flight(&samples());
        let model = |line: &str| serde_json::from_str::<Value>(line).map(|value| value["model_name"].to_string()).unwrap_or_default();
        let of = |name: &str, lines: &[String]| lines.iter().filter(|line| model(line) == name).cloned().collect::<Vec<_>>();
        let mut names: Vec<String> = lines.iter().map(|line| model(line)).collect();
        names.sort_by_key(|name| order[name.len() % order.len()]);
        names.dedup();
        let mixed = rendered(&bench, &bench.run(&lines));
        // Model after model.
        let blocks: Vec<String> = names.iter().flat_map(|name| of(name, &lines)).collect();
        let blocked = rendered(&bench, &bench.run(&blocks));
        // Interleaved anew, each model's own lines in their order.
        let mut queues: Vec<std::collections::VecDeque<String>> = names.iter().map(|name| of(name, &lines).into()).collect();
        let mut shuffled = Vec::new();
        for pick in &order {
            queues.retain(|queue| !queue.is_empty());
            if !queues.is_empty() {
                let at = *pick as usize % queues.len();
                shuffled.extend(queues[at].pop_front());
            }
        }
        let reshuffled = rendered(&bench, &bench.run(&shuffled));
        for name in &names {
            let alone = rendered(&bench, &bench.run(&of(name, &lines)));
            prop_assert_eq!(&of(name, &mixed), &alone);
            prop_assert_eq!(&of(name, &blocked), &alone);
            prop_assert_eq!(&of(name, &reshuffled), &alone);
        }
    }
}

/// Many answers of two models to `count` S1 samples, some 1.2 kB each.
fn many(count: usize) -> (Bench, Vec<String>) {
    let samples: Vec<Value> = (0..count)
        .map(|n| crate::test_support::sample(&format!("s{n}"), "S1"))
        .collect();
    let answers = (0..count).flat_map(|n| {
        ["m", "n"].map(|model| {
            output(
                model,
                &format!("s{n}"),
                Value::Object(good("S1")).to_string(),
            )
        })
    });
    (Bench::flight(&samples), answers.collect())
}

#[test]
fn small_chunks_are_many_and_the_jump_reaches_across_them() {
    let (bench, lines) = many(30);
    let (cut, _) = evaluate(&bench, &[&lines], 1, 4, false).expect("evaluated");
    assert!(cut.states.len() > 5, "{} chunks", cut.states.len());
    let whole = merged(cut.states.iter());
    for model in 0..2 {
        // 30 records each; all but the first have 19 jumps.
        let counts = &whole.groups[&(0, model)];
        assert_eq!((counts.total, counts.families[3].atoms), (30, 29 * 19));
    }
}

#[test]
fn files_are_one_input_after_another() {
    let (bench, lines) = many(6);
    let (first, second) = lines.split_at(5);
    let (whole, _) = evaluate(&bench, &[&lines], 1 << 20, 1, false).expect("evaluated");
    let (split, _) = evaluate(&bench, &[first, second], 1 << 20, 3, false).expect("evaluated");
    assert_eq!(split.lines, whole.lines);
    // The same file twice: every second answer is a duplicate, and lines count anew.
    let (twice, _) = evaluate(&bench, &[&lines, &lines], 1 << 20, 2, false).expect("evaluated");
    assert_eq!(
        (twice.rows, twice.rejects.len(), twice.inputs),
        (12, 12, 24)
    );
    assert!(
        twice
            .rejects
            .iter()
            .zip(1..)
            .all(|(reject, line)| reject.0 == line && reject.2 == "duplicate_output")
    );
}

#[test]
fn rejects_are_lossless() {
    let (bench, mut lines) = many(2);
    lines.insert(1, "{\"broken\": \u{e9}".to_owned());
    let (out, _) = evaluate(&bench, &[&lines], 1, 2, false).expect("evaluated");
    let expected_offset = lines[0].len() as u64 + 1;
    assert_eq!(out.rejects.len(), 1);
    let (line, offset, reason, _, raw) = &out.rejects[0];
    assert_eq!(
        (*line, *offset, reason.as_str()),
        (2, expected_offset, "malformed_json")
    );
    assert_eq!(raw, lines[1].as_bytes());
}

#[test]
fn a_strict_run_names_the_first_bad_line_on_any_number_of_threads() {
    let (bench, mut lines) = many(30);
    for at in [57, 41, 20, 33] {
        lines[at] = "broken".to_owned();
    }
    for threads in [1, 2, 8] {
        for _ in 0..5 {
            let Err(WorkError::Refused { line, reason, .. }) =
                evaluate(&bench, &[&lines], 1, threads, true)
            else {
                panic!("a strict run went through")
            };
            assert_eq!((line, reason), (21, "malformed_json"));
        }
    }
    let (_, good) = many(30);
    assert!(evaluate(&bench, &[&good], 1, 2, true).is_ok());
}

#[test]
fn an_empty_input_has_no_records_and_no_models() {
    let (bench, _) = many(1);
    let (out, models) = evaluate(&bench, &[&[]], 1, 4, false).expect("evaluated");
    assert_eq!((out.rows, out.inputs, models.len()), (0, 0, 0));
}
