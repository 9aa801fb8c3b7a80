use proptest::prelude::*;
use serde_json::json;

use crate::outputs::{Batch, Output, OutputReader};
use crate::test_responses::samples;
use crate::test_support::{Bench, good, lines_file};
use judica_data::chunks::ChunkReader;

/// What became of each line, in words.
fn said(bench: &Bench, lines: &[String]) -> Vec<String> {
    let file = lines_file(lines);
    let mut reader = ChunkReader::new(&[file.path().to_owned()], 8 << 20).unwrap();
    let chunk = reader.next_chunk().unwrap().unwrap();
    let batch = OutputReader::new(bench.context()).read(&chunk);
    let taken = (0..batch.outputs.len()).map(|index| of_output(bench, &batch, index));
    let refused = batch.refused.iter();
    let refused = refused.map(|refused| format!("{:?}", refused.refusal));
    taken.chain(refused).collect()
}

fn of_output(bench: &Bench, batch: &Batch, index: usize) -> String {
    let output: &Output = &batch.outputs[index];
    let fields = bench.protocol.fields.len();
    let width = fields * bench.protocol.tasks[output.task as usize].horizon;
    let numbers = batch.known(output, width).numbers.iter();
    let bits: Vec<u64> = numbers.map(|number| number.to_bits()).collect();
    format!(
        "{} {} {} {:?} {:?} {:?} {} {:?} {:?} {bits:?}",
        batch.models[output.model as usize],
        output.sample,
        output.task,
        output.outcome,
        batch
            .beside_of(output.beside)
            .map(|beside| (beside.epoch, beside.usage)),
        batch.cluster(output.beside),
        output.place.hash,
        batch.states_of(index, fields),
        batch.texts_of(index),
    )
}

/// How many of the lines after the first are read by shape.
fn by_shape(bench: &Bench, lines: &[String]) -> usize {
    let file = lines_file(lines);
    let mut reader = ChunkReader::new(&[file.path().to_owned()], 8 << 20).unwrap();
    let chunk = reader.next_chunk().unwrap().unwrap();
    let mut reader = OutputReader::new(bench.context());
    let mut records = chunk.records();
    let mut batch = Batch::default();
    let first = records.next().unwrap();
    reader.read_line(&first, 0, &mut batch).unwrap();
    reader.learn_shape(first.bytes, &batch);
    let taken = records.filter(|record| reader.take_by_shape(record, 0, &mut batch));
    taken.count()
}

/// A line whose answer holds these tokens for some fields, in this company.
fn line(task: &str, tokens: &[String], company: usize, ids: usize) -> String {
    let mut answer: Vec<String> = good(task)
        .into_iter()
        .zip(0..)
        .map(|((name, value), at)| {
            let value = tokens.get(at).cloned().unwrap_or(value.to_string());
            format!("{}: {value}", json!(name))
        })
        .collect();
    if company == 5 {
        answer.push("\"note\": {\"why\": [1, \"\\u00e9\"]}".to_owned());
    }
    let object = format!("{{\n {}}}", answer.join(",\n "));
    let text = match company {
        1 => format!("So:\n```json\n{object}\n```\nDone."),
        2 => format!("The {{answer}} is {object}, I think \u{1f6e9}"),
        3 => format!("  {object}\t"),
        _ => object.clone(),
    };
    let id = ["a", "b", "no such", "f \u{1f6e9} \"quoted\""][ids % 4];
    let id = if task == "M3" { "e" } else { id };
    match company {
        4 => format!(
            "{{\"latency_ms\": {}, \"cluster\": \"c{ids}\", \"meta\": {{\"x\": [{ids}, \"\u{e9}\"]}}, \"id\": {}, \"model\": \"m\", \"response\": {object}}} ",
            tokens.first().map_or("1", |token| token),
            json!(id)
        ),
        _ => json!({"model_name": format!("m{}", ids / 4), "sample_id": id, "when": format!("{ids}\u{e9}"), "task_id": null, "raw_response_text": text})
            .to_string(),
    }
}

fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| n.to_string()),
        8 => (-20_000f64..20_000.0).prop_map(|n| format!("{n:.3}")),
        1 => prop::sample::select(vec![
            "1e999", "NaN", "-Infinity", "null", "true", "\"5\"", "01", "1.", "-", "[1,2,3]", "[1,2]", "[1, 2 ,3]",
            "{}", "1e5", "-0.0", "123456789012345678901234567890", "0.1234567890123456789",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_quick_way_says_what_the_long_way_says(
        lines in prop::collection::vec(
            (prop::bool::weighted(0.15), prop::collection::vec(token(), 0..4), 0usize..6, 0usize..8), 1..24),
    ) {
        let bench = Bench::flight(&samples());
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(array, tokens, company, ids)| line(if array { "M3" } else { "S1" }, &tokens, company, ids))
            .collect();
        let together = said(&bench, &lines);
        let mut apart: Vec<String> = lines.iter().flat_map(|line| said(&bench, std::slice::from_ref(line))).collect();
        apart.sort();
        let mut sorted = together;
        sorted.sort();
        prop_assert_eq!(sorted, apart);
    }
}

#[test]
fn lines_that_differ_in_values_are_read_by_shape() {
    let bench = Bench::flight(&samples());
    let number = |n: f64| vec![n.to_string()];
    for company in 0..6 {
        let lines = [1.5, -2.0, 3e10].map(|n| line("S1", &number(n), company, 0));
        let known = if company == 4 { 1 } else { 2 };
        assert_eq!(by_shape(&bench, &lines[..known + 1]), known, "{}", lines[0]);
    }
    let arrays = ["[1,2,3]", "[4.5,-6,7]"].map(|list| line("M3", &[list.to_owned()], 0, 0));
    assert_eq!(by_shape(&bench, &arrays), 1);
}

#[test]
fn what_is_no_finite_number_goes_the_long_way() {
    let bench = Bench::flight(&samples());
    let first = line("S1", &[], 0, 0);
    for odd in ["NaN", "1e999", "\"5\"", "null", "01", "5,\"x\":1"] {
        let lines = [first.clone(), line("S1", &[odd.to_owned()], 0, 0)];
        assert_eq!(by_shape(&bench, &lines), 0, "{odd}");
    }
}
