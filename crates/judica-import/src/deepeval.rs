//! DeepEval: a test run, as `.latest_test_run.json` has it in `testRunData`, or by itself.
//!
//! A metric that failed has an error and no score: its column is empty, and the record names
//! the error beside what other metrics gave.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use judica_data::work_error::WorkError;
use judica_model::run::Direction;
use judica_run::family::Input;

use crate::log::{About, Aggregate, Found, Harness, Log, Own, Place, Sample, Score, Take};
use crate::open::{Candidate, Format, one_file, only};
use crate::raw::{Object, Raw};
use crate::survey::no_way;
use crate::walk::{self, Want};

/// Where a trace has spans, whose metrics count in the sums, too.
const SPANS: [&str; 5] = [
    "agentSpans",
    "toolSpans",
    "retrieverSpans",
    "llmSpans",
    "baseSpans",
];

/// How its logs are told and opened.
pub const FORMAT: Format = Format {
    harness: Harness::DeepEval,
    recognise,
    files: one_file,
    open: |files, _| Ok(Box::new(DeepEval::open(files)?)),
};

fn recognise(candidate: &Candidate) -> bool {
    candidate.mentions(&["\"testRunData\""])
        || candidate.mentions(&["\"testCases\"", "\"metricsData\""])
        || candidate.mentions(&["\"testCases\"", "\"actualOutput\""])
}

/// A log: one file.
pub struct DeepEval {
    about: About,
    /// How many notes there are before cases are looked at.
    notes: usize,
    file: Input,
    dataset: String,
    subject: String,
    /// Whether there are cases of one turn; then those of several get a name of their own.
    single: bool,
    logged: Vec<Logged>,
    tests: [Option<f64>; 2],
    sums: Sums,
}

/// What the file says of a metric.
struct Logged {
    metric: String,
    mean: Option<f64>,
    counts: [Option<f64>; 3],
}

/// What the cases say.
#[derive(Default)]
struct Sums {
    metrics: BTreeMap<String, Sum>,
    passed: u64,
    failed: u64,
    refused: u64,
}

#[derive(Default)]
struct Sum {
    scores: f64,
    scored: u64,
    passes: u64,
    errors: u64,
    /// Whether some score passed above the threshold or failed below it, and whether some did
    /// the other way round.
    ways: [bool; 2],
}

impl Sum {
    /// What a score beside its threshold says of which way is better; one that is the
    /// threshold itself says nothing.
    fn way(&mut self, score: f64, threshold: Option<f64>, passed: bool) {
        let order = threshold.and_then(|threshold| score.partial_cmp(&threshold));
        if let Some(order @ (Ordering::Less | Ordering::Greater)) = order {
            let is_higher = (order == Ordering::Greater) == passed;
            self.ways[usize::from(!is_higher)] = true;
        }
    }
}

/// The keys of a run, without what it is wrapped in.
fn inner(keys: &str) -> &str {
    match keys {
        "testRunData" => "",
        _ => keys.strip_prefix("testRunData.").unwrap_or(keys),
    }
}

impl DeepEval {
    /// Opens a file.
    pub fn open(files: &[Input]) -> Result<Self, WorkError> {
        let file = only(files)?;
        let mut log = DeepEval {
            about: About::of(Harness::DeepEval),
            notes: 0,
            file: file.clone(),
            dataset: "default".to_owned(),
            subject: "unknown".to_owned(),
            single: false,
            logged: Vec::new(),
            tests: [None; 2],
            sums: Sums::default(),
        };
        let want = |keys: &str| match inner(keys) {
            "" => Want::Into,
            "testFile" | "hyperparameters" | "metricsScores" | "testPassed" | "testFailed" => {
                Want::Take
            }
            "testCases" => Want::Each,
            _ => Want::Skip,
        };
        walk::document(file, &want, &mut |part| {
            let Ok(value) = part.value else {
                return Ok(());
            };
            match inner(part.path) {
                "testFile" => {
                    if let Some(name) = value.text().filter(|name| !name.is_empty()) {
                        log.dataset = name.into_owned();
                    }
                }
                "hyperparameters" => {
                    if let Some(model) = value.at(&["model"]).shown() {
                        log.subject = model.into_owned();
                    }
                }
                "metricsScores" => {
                    log.logged = value.elements().into_iter().map(Logged::read).collect();
                }
                "testPassed" => log.tests[0] = value.finite(),
                "testFailed" => log.tests[1] = value.finite(),
                _ => log.single |= part.place > 0,
            }
            Ok(())
        })?;
        if log.subject == "unknown" {
            let why = "hyperparameters name no model; the subject is called unknown";
            log.about.notes.push(why.to_owned());
        }
        log.notes = log.about.notes.len();
        Ok(log)
    }

    fn sample<'a>(&'a self, place: u64, case: &Object<'a>, several: bool) -> Sample<'a> {
        let order = case.get("order").shown();
        let order = order.unwrap_or_else(|| (place - 1).to_string().into());
        let item = match several && self.single {
            true => Cow::Owned(format!("conversation {order}")),
            false => order,
        };
        let (input, target, output) = match several {
            true => ("scenario", "expectedOutcome", "turns"),
            false => ("input", "expectedOutput", "actualOutput"),
        };
        let mut scores: Vec<Score> = Vec::new();
        let mut errors = Vec::new();
        for metric in case.get("metricsData").elements() {
            let metric = metric.members();
            let name = metric.get("name").shown().unwrap_or("metric".into());
            let name = free(name, &scores);
            let error = metric.get("error").shown();
            errors.extend(error.iter().map(|error| format!("{name}: {error}")));
            let reason = metric.get("reason").shown();
            scores.push(Score {
                explanation: error.or(reason),
                ..Score::of(name, metric.get("score"))
            });
        }
        let mut own = case.get("metadata").metadata();
        let success = case.get("success").boolean();
        own.extend(success.map(|success| ("success".into(), Own::Boolean(success))));
        let scored = scores.iter().any(|score| score.value.is_some());
        Sample {
            dataset: Cow::Borrowed(&self.dataset),
            item,
            epoch: 1,
            subject: Cow::Borrowed(&self.subject),
            input: case.get(input).shown(),
            target: case.get(target).shown(),
            output: case.get(output).shown(),
            scores,
            // A case that nothing was measured of is called a success, too.
            passed: success.filter(|_| scored),
            error: (!errors.is_empty()).then(|| errors.join("; ").into()),
            latency_ms: case
                .get("completionTime")
                .finite()
                .map(|seconds| seconds * 1000.0),
            tokens_in: case.get("inputTokenCount").finite(),
            tokens_out: case.get("outputTokenCount").finite(),
            usd: case.get("tokenCost").finite(),
            own,
            place: Place {
                file: Cow::Borrowed(&self.file.name),
                line: place,
                ..Place::default()
            },
        }
    }
}

/// What a metric is called beside others of its case: of those called alike, or like what one
/// of them is called already, each later one gets a number.
fn free<'a>(name: Cow<'a, str>, scores: &[Score]) -> Cow<'a, str> {
    let is_free = |name: &str| scores.iter().all(|score| score.scorer != name);
    if is_free(&name) {
        return name;
    }
    let mut numbered = (2..).map(|number| format!("{name}#{number}"));
    let found = numbered.find(|name| is_free(name));
    found.map_or(name, Cow::Owned)
}

impl Logged {
    fn read(raw: Raw) -> Self {
        let said = raw.members();
        let scores: Vec<f64> = said
            .get("scores")
            .elements()
            .into_iter()
            .filter_map(Raw::number)
            .collect();
        Logged {
            metric: said.get("metric").shown().unwrap_or_default().into_owned(),
            mean: Some(scores.iter().sum::<f64>() / scores.len() as f64).filter(|m| m.is_finite()),
            counts: ["passes", "fails", "errors"].map(|key| said.get(key).finite()),
        }
    }
}

impl Sums {
    fn add(&mut self, case: &Object) {
        match case.get("success").boolean() {
            Some(true) => self.passed += 1,
            Some(false) => self.failed += 1,
            None => {}
        }
        self.metrics(case.get("metricsData"));
        let trace = case.get("trace").members();
        for span in SPANS.iter().flat_map(|spans| trace.get(spans).elements()) {
            self.metrics(span.at(&["metricsData"]));
        }
    }

    fn metrics(&mut self, metrics: Raw) {
        for metric in metrics.elements() {
            let metric = metric.members();
            let name = metric.get("name").shown().unwrap_or_default();
            let sum = self.metrics.entry(name.into_owned()).or_default();
            match (
                metric.get("score").number(),
                metric.get("success").boolean(),
            ) {
                (Some(score), Some(passed)) => {
                    sum.scores += score;
                    sum.scored += 1;
                    sum.passes += u64::from(passed);
                    sum.way(score, metric.get("threshold").number(), passed);
                }
                // What is neither passed nor failed is an error.
                _ => sum.errors += 1,
            }
        }
    }
}

impl Log for DeepEval {
    fn about(&self) -> &About {
        &self.about
    }

    fn samples(&mut self, take: &mut Take) -> Result<(), WorkError> {
        let mut sums = Sums::default();
        let want = |keys: &str| match inner(keys) {
            "" => Want::Into,
            "testCases" | "conversationalTestCases" => Want::Each,
            _ => Want::Skip,
        };
        walk::document(&self.file, &want, &mut |part| {
            let several = part.path.ends_with("conversationalTestCases");
            let at = part.at();
            match part.value {
                Ok(raw) if part.place > 0 => {
                    let (case, text) = (raw.members(), || raw.kept());
                    let mut sample = self.sample(part.place, &case, several);
                    sample.place.offset = part.offset;
                    sample.place.raw = Some(&text);
                    if take(Found::Sample(Box::new(sample)))? {
                        sums.add(&case);
                    }
                    Ok(())
                }
                // A list that is missing has no cases.
                Ok(_) => Ok(()),
                Err(bad) => {
                    sums.refused += 1;
                    take(bad.found(&self.file.name, at)).map(drop)
                }
            }
        })?;
        self.sums = sums;
        let metrics = self.sums.metrics.iter();
        let both = metrics.filter(|(_, sum)| sum.ways == [true; 2]);
        let notes = both.map(|(name, _)| no_way(name, "thresholds and successes"));
        self.about.notes.truncate(self.notes);
        self.about.notes.extend(notes);
        Ok(())
    }

    /// A second metric of one name in a case has a number behind it.
    fn direction(&self, scorer: &str) -> Option<Direction> {
        let sum = |name: &str| self.sums.metrics.get(name);
        let alike = || sum(scorer.rsplit_once('#')?.0);
        match sum(scorer).or_else(alike)?.ways {
            [false, false] => None,
            [true, false] => Some(Direction::Higher),
            [false, true] => Some(Direction::Lower),
            [true, true] => Some(Direction::None),
        }
    }

    fn aggregates(&mut self) -> Result<Vec<Aggregate>, WorkError> {
        let refused = self.sums.refused;
        let check = |scorer: &str, metric: &str, logged: Option<f64>, again: Option<f64>| {
            if refused > 0 {
                let why = format!("{refused} test cases could not be read");
                return Aggregate::unchecked(scorer, None, metric, logged, &why);
            }
            Aggregate::checked(scorer, None, metric, logged, again)
        };
        let mut all = Vec::new();
        let none = Sum::default();
        for said in &self.logged {
            let sum = self.sums.metrics.get(&said.metric).unwrap_or(&none);
            let mean = Some(sum.scores / sum.scored as f64).filter(|mean| mean.is_finite());
            all.push(check(&said.metric, "scores", said.mean, mean));
            let counts = [sum.passes, sum.scored - sum.passes, sum.errors];
            let counts = ["passes", "fails", "errors"].into_iter().zip(counts);
            for ((key, count), logged) in counts.zip(said.counts) {
                all.push(check(&said.metric, key, logged, Some(count as f64)));
            }
        }
        let counts = [
            ("testPassed", self.sums.passed),
            ("testFailed", self.sums.failed),
        ];
        for ((key, count), logged) in counts.into_iter().zip(self.tests) {
            if logged.is_some() {
                all.push(check("success", key, logged, Some(count as f64)));
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{checks, files, found, texts};

    fn log(text: &str) -> (tempfile::TempDir, DeepEval) {
        let folder = tempfile::tempdir().expect("folder");
        let written = files(folder.path(), &[(".latest_test_run.json", text)]);
        let log = DeepEval::open(&written).expect("opened");
        (folder, log)
    }

    const RUN: &str = r#"{"testCases": [
        {"name": "a", "input": "q", "actualOutput": "out", "expectedOutput": "gold", "order": 4, "success": false, "tokenCost": 0.5, "completionTime": 1.5, "metadata": {"group": "g", "n": 2, "list": [], "none": null}, "metricsData": [
            {"name": "Length", "score": 0.5, "success": true, "reason": "short"}, {"name": "Exact", "success": false, "error": "ValueError: boom"}]},
        {"input": "r", "success": true, "metricsData": [{"name": "Length", "score": 1, "success": true}, {"name": "Exact", "score": NaN, "success": false}]},
        7],
      "conversationalTestCases": [{"order": 0, "scenario": "s", "turns": [], "metricsData": [{"name": "Length", "score": 0, "success": false}, {"name": "Length", "score": 1, "success": true}], "success": true}],
      "metricsScores": [{"metric": "Length", "scores": [0.5, 1, 0, 1], "passes": 3, "fails": 1, "errors": 0}, {"metric": "Exact", "scores": [NaN], "passes": 1, "fails": 1, "errors": 1}],
      "hyperparameters": {"model": "m"}, "testPassed": 2, "testFailed": 1, "testFile": "test_x.py"}"#;

    #[test]
    fn a_metric_that_failed_has_no_score() {
        for text in [RUN.to_owned(), format!("{{\"testRunData\": {RUN}}}")] {
            let (_folder, mut log) = log(&text);
            assert_eq!(
                found(&mut log),
                [
                    "test_x.py 4 1 m Length=0.5 Exact=- error: Exact: ValueError: boom",
                    "test_x.py 1 1 m Length=1 Exact=-",
                    "refused 3 not_an_object",
                    "test_x.py conversation 0 1 m Length=0 Length#2=1",
                ]
            );
            assert_eq!(
                texts(&mut log)[0],
                "q | gold | out [1500 - - 0.5] metadata.group=g metadata.n=2 success=false"
            );
        }
    }

    #[test]
    fn a_run_that_breaks_off_is_no_log() {
        for length in [1, RUN.len() / 2, RUN.len() - 1] {
            let folder = tempfile::tempdir().expect("folder");
            let written = files(folder.path(), &[("run.json", &RUN[..length])]);
            let why = DeepEval::open(&written)
                .err()
                .map(|error| error.to_string());
            let said = format!("ends within the document, after byte {length}");
            assert!(why.is_some_and(|why| why.contains(&said)));
        }
    }

    #[test]
    fn its_own_sums_are_held_against_the_cases() {
        let (_folder, mut whole) = log(&RUN.replace(",\n        7]", "]"));
        assert_eq!(
            checks(&mut whole),
            [
                "Length - scores equal",
                "Length - passes equal",
                "Length - fails equal",
                "Length - errors equal",
                "Exact - scores equal",
                "Exact - passes Some(1.0) Some(0.0)",
                "Exact - fails equal",
                "Exact - errors equal",
                "success - testPassed equal",
                "success - testFailed equal",
            ]
        );
        let (_folder, mut other) = log(RUN);
        assert!(checks(&mut other)[0].ends_with("1 test cases could not be read"));
    }

    #[test]
    fn no_two_metrics_of_a_case_share_a_name() {
        let metrics = ["x", "x#2", "x", "x"].map(|name| format!(r#"{{"name": "{name}"}}"#));
        let metrics = metrics.join(", ");
        let (_folder, mut log) = log(&format!(
            r#"{{"testCases": [{{"metricsData": [{metrics}]}}]}}"#
        ));
        assert_eq!(
            found(&mut log),
            ["default 0 1 unknown x=- x#2=- x#3=- x#4=-"]
        );
    }

    #[test]
    fn which_way_is_better_follows_from_threshold_and_success() {
        let case = |metrics: &str| format!(r#"{{"success": true, "metricsData": [{metrics}]}}"#);
        let metric = |name: &str, score: f64, success: bool| {
            format!(
                r#"{{"name": "{name}", "threshold": 0.5, "score": {score}, "success": {success}}}"#
            )
        };
        let (higher, lower) = (Some(Direction::Higher), Some(Direction::Lower));
        for (scores, expected) in [
            (vec![(0.7, true), (0.2, false), (0.5, false)], higher),
            (vec![(0.7, false), (0.5, true)], lower),
            (vec![(0.2, true)], lower),
            (vec![(0.7, true), (0.2, true)], Some(Direction::None)),
            (vec![(0.5, true), (0.5, false)], None),
        ] {
            let cases = scores.iter().map(|(score, success)| {
                let [one, two] = ["m", "m"].map(|name| metric(name, *score, *success));
                case(&format!("{one}, {two}"))
            });
            let cases = cases.collect::<Vec<_>>().join(", ");
            let text =
                format!(r#"{{"testCases": [{cases}], "hyperparameters": {{"model": "m"}}}}"#);
            let (_folder, mut log) = log(&text);
            for _ in 0..2 {
                found(&mut log);
                assert_eq!(["m", "m#2"].map(|name| log.direction(name)), [expected; 2]);
                let disputed = expected == Some(Direction::None);
                assert_eq!(log.about().notes.len(), usize::from(disputed));
            }
        }
    }

    #[test]
    fn without_a_model_the_subject_is_unknown() {
        let (_folder, mut log) = log(r#"{"testCases": [{"order": 0, "metricsData": null}]}"#);
        assert_eq!(found(&mut log), ["default 0 1 unknown"]);
        assert_eq!(log.about().notes.len(), 1);
        assert_eq!(checks(&mut log), [""; 0]);
    }
}
