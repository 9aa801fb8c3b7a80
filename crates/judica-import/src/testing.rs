//! What tests of all harnesses do: write files, and say in a line what was found in a log.

use std::path::{Path, PathBuf};

use judica_run::family::Input;

use crate::log::{Check, Found, Log, Own, Sample};

/// Files with these names and contents, as inputs.
pub fn files(folder: &Path, files: &[(&str, &str)]) -> Vec<Input> {
    let write = |(name, text): &(&str, &str)| -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    files
        .iter()
        .map(|file| Input::given("log", &write(file)))
        .collect()
}

/// Every sample in a line, `dataset item epoch subject scorer=value …`, and every refusal.
pub fn found(log: &mut dyn Log) -> Vec<String> {
    let mut lines = Vec::new();
    log.samples(&mut |found| {
        lines.push(match found {
            Found::Sample(sample) => line(&sample),
            Found::Refused(refused) => format!("refused {} {}", refused.line, refused.reason),
        });
        Ok(true)
    })
    .expect("read");
    lines
}

fn line(sample: &Sample) -> String {
    let mut line = format!(
        "{} {} {} {}",
        sample.dataset, sample.item, sample.epoch, sample.subject
    );
    for score in &sample.scores {
        line.push_str(&format!(" {}=", score.scorer));
        match (score.value, &score.logged) {
            (Some(value), _) => line.push_str(&value.to_string()),
            (None, Some(logged)) => line.push_str(logged),
            (None, None) => line.push('-'),
        }
    }
    if let Some(error) = &sample.error {
        line.push_str(&format!(" error: {error}"));
    }
    line
}

/// The texts of every sample: input, target, output; then usage and other columns.
pub fn texts(log: &mut dyn Log) -> Vec<String> {
    let mut lines = Vec::new();
    log.samples(&mut |found| {
        if let Found::Sample(sample) = found {
            let texts = [&sample.input, &sample.target, &sample.output];
            let texts = texts.map(|text| text.as_deref().unwrap_or("-"));
            let usage = [
                sample.latency_ms,
                sample.tokens_in,
                sample.tokens_out,
                sample.usd,
            ];
            let usage = usage.map(|used| used.map_or("-".to_owned(), |used| used.to_string()));
            let mut line = format!("{} [{}]", texts.join(" | "), usage.join(" "));
            for (name, own) in &sample.own {
                let value = match own {
                    Own::Boolean(value) => value.to_string(),
                    Own::Number(value) => value.to_string(),
                    Own::Text(value) => value.to_string(),
                };
                line.push_str(&format!(" {name}={value}"));
            }
            lines.push(line);
        }
        Ok(true)
    })
    .expect("read");
    lines
}

/// Every aggregate in a line, after the samples were read: `scorer group metric verdict`, and
/// why, or both numbers where they differ.
pub fn checks(log: &mut dyn Log) -> Vec<String> {
    found(log);
    let all = log.aggregates().expect("computed");
    let line = |aggregate: &crate::log::Aggregate| {
        let group = aggregate.group.as_deref().unwrap_or("-");
        let head = format!("{} {group} {}", aggregate.scorer, aggregate.metric);
        match aggregate.verdict {
            Check::Equal => format!("{head} equal"),
            Check::Different => format!("{head} {:?} {:?}", aggregate.logged, aggregate.recomputed),
            Check::Unchecked => format!("{head}: {}", aggregate.why.as_deref().unwrap_or("")),
        }
    };
    all.iter().map(line).collect()
}
