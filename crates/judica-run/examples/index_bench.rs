//! How long a run's index takes to make and to ask, and how much memory: as `judica view` does.
//!
//! `cargo run --release -p judica-run --example index_bench -- RUN [THREADS]`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its figures are what it is for"
)]

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use judica_data::work_error::WorkError;
use judica_run::index::Index;
use judica_run::index::query::{Dimension, Query};
use judica_run::open::Run;

/// Records on a page.
const PAGE: usize = 50;
/// How often each question is asked.
const TIMES: usize = 20;

fn main() -> Result<(), WorkError> {
    let mut args = std::env::args().skip(1);
    let Some(folder) = args.next() else {
        eprintln!("usage: index_bench RUN [THREADS]");
        return Ok(());
    };
    let threads = args.next().and_then(|n| n.parse().ok()).unwrap_or(2);
    let start = now();
    let run = Run::open(Path::new(&folder))?;
    let index = Index::build(&run, threads, &|_| (), &AtomicBool::new(false))?;
    println!(
        "{} records, {threads} threads: index ready in {:.3} s, peak {}",
        index.len(),
        start.elapsed().as_secs_f64(),
        peak()
    );
    let filter = index.filter(&Query::default())?;
    let mut questions: Vec<Vec<(&str, String)>> = vec![vec![], vec![("sort", "-score".into())]];
    for facet in index.facets(&filter) {
        if let Some(most) = facet.counts.first() {
            questions.push(vec![(facet.dimension.name(), most.name.value.to_string())]);
        }
    }
    let subject = questions[2].clone();
    let sorted = [subject, vec![("sort", "score".into())]].concat();
    questions.push(sorted);
    let middle = (index.len() / 2).to_string();
    questions.push(vec![("after", middle.clone())]);
    questions.push(vec![("sort", "score".into()), ("after", middle)]);
    questions.push(vec![("metric", "score".into()), ("min", "50".into())]);
    for asked in &questions {
        ask(&index, asked)?;
    }
    let rows: Vec<u64> = (0..TIMES as u64)
        .map(|n| index.len() * n / TIMES as u64)
        .collect();
    let each = |what: &str, work: &dyn Fn(u64) -> Result<(), WorkError>| {
        let mut times = Vec::new();
        for row in &rows {
            let start = now();
            work(*row)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        told(what, &mut times);
        Ok::<(), WorkError>(())
    };
    each("a whole record", &|row| {
        index.record(row, &mut |record, _| {
            black_box(record.evidence.len());
            Ok(())
        })
    })?;
    each("its neighbours", &|row| {
        black_box(index.neighbours(&filter, row));
        Ok(())
    })?;
    each("all records of its item", &|row| {
        black_box(index.same_item(row)?);
        Ok(())
    })?;
    each("data sets and subjects, rules", &|_| {
        black_box((index.cross(), index.rules()));
        Ok(())
    })?;
    println!("peak {}; what follows may take more", peak());
    let metric = index.metrics().find(|spec| !spec.primary);
    if let Some(metric) = metric {
        ask(&index, &[("sort", format!("-{}", metric.name))])?;
    }
    if let Some(row) = index.row(index.len() / 2)? {
        ask(&index, &[("item", row.item)])?;
    }
    ask(&index, &[("item", "1".to_owned())])?;
    ask(
        &index,
        &[
            ("item", "42".to_owned()),
            (Dimension::Verdict.name(), "fail".to_owned()),
        ],
    )?;
    println!("peak {}", peak());
    Ok(())
}

/// Asks for a page, the first time apart from the others.
fn ask(index: &Index, pairs: &[(&str, String)]) -> Result<(), WorkError> {
    let query = Query::parse(pairs.iter().map(|(name, value)| (*name, value.as_str())));
    let query = query.map_err(|refused| WorkError::BadInput(refused.to_string()))?;
    let mut times = Vec::new();
    let mut total = 0;
    for _ in 0..TIMES {
        let start = now();
        total = index.page(&index.filter(&query)?, PAGE)?.total;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let first = times[0];
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let what = format!(
        "/records?{} ({total}), first {first:.1} ms",
        pairs.join("&")
    );
    told(&what, &mut times);
    Ok(())
}

fn told(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let (median, p95) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("{what}: median {median:.1} ms, p95 {p95:.1} ms");
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn now() -> Instant {
    Instant::now()
}

/// The most memory so far, where the system tells it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("not known").trim().to_owned()
}
