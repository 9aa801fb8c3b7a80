use std::fs;

use serde_json::{Value, json};

use super::super::ask::{Question, Reply};
use super::super::options::ReviewRecords;
use super::super::stored::reviews_of;
use super::super::test_support::Script;
use super::super::{Review, ReviewStatus};
use super::*;
use crate::eval::{EvalRequest, Hooks, InputFile, evaluate};
use crate::family::FAMILY;
use crate::options::{Options, RunTrace};
use crate::test_support::{FLIGHT, lines_file, output, sample, state};
use judica_model::run::RunRecord;
use judica_run::reproduce::{Reproduction, reproduce};

static NEVER: AtomicBool = AtomicBool::new(false);
static QUIET: Hooks = Hooks {
    progress: &|_| (),
    read: &|_| (),
    interrupted: &NEVER,
};
const SAMPLES: usize = 140;

/// A place with inputs: two models, one of them failing on each sample.
struct Setting {
    folder: tempfile::TempDir,
    samples: tempfile::NamedTempFile,
    outputs: tempfile::NamedTempFile,
}

impl Setting {
    fn new() -> Self {
        let ids: Vec<String> = (0..SAMPLES).map(|n| format!("s{n}")).collect();
        let samples: Vec<String> = ids.iter().map(|id| sample(id, "S1").to_string()).collect();
        let calm = ids
            .iter()
            .map(|id| output("calm", id, Value::Object(state("S1", &[]))));
        let bad = Value::Object(state("S1", &[("baro_alt", json!(9000))]));
        let wild = ids.iter().map(|id| output("wild", id, bad.clone()));
        Setting {
            folder: tempfile::tempdir().unwrap(),
            samples: lines_file(&samples),
            outputs: lines_file(&calm.chain(wild).collect::<Vec<_>>()),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn request(&self, jsonl: bool) -> EvalRequest {
        EvalRequest {
            protocol: FLIGHT.clone(),
            protocol_given: "flight".to_owned(),
            samples: vec![InputFile::new(self.samples.path())],
            outputs: vec![InputFile::new(self.outputs.path())],
            confidence: None,
            out: self.path().join("run"),
            options: Options {
                jsonl,
                ..Options::default()
            },
            allow_commands: false,
            threads: 2,
            created_at: "2025-01-19T10:30:00Z".to_owned(),
        }
    }

    /// Evaluates and reviews.
    fn review(
        &self,
        jsonl: bool,
        which: ReviewRecords,
        limit: u64,
        agent: &LlmAgent,
    ) -> ReviewOutcome {
        let mut request = self.request(jsonl);
        request.options.review = Some(agent.options(which, limit));
        evaluate(&request, &QUIET).unwrap();
        review_run(&request.out, agent, QUIET.interrupted).unwrap()
    }

    fn reviews(&self) -> Vec<Review> {
        let text = fs::read_to_string(self.path().join("run").join(REVIEWS)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// Makes a run again.
fn again(run: &Path) -> Result<Reproduction, WorkError> {
    reproduce(&[&FAMILY], run, None, false, 1, &NEVER)
}

/// A review of a failing record that cites the first failure it is shown.
fn honest(question: &Question) -> Reply {
    let failed = question.user.split_once("{\"id\":\"");
    let id = failed.and_then(|(_, rest)| rest.split_once('"'));
    let id = id.map_or("EVID_001", |(id, _)| id);
    let text = json!({
        "checklist": [],
        "attribution": [{"reason": "The altitudes contradict each other.", "evidence_ids": [id]}],
        "narrative": format!("{id} decides."),
        "adjudication": "ineligible",
    });
    Reply::Said {
        text: text.to_string(),
        cut: false,
    }
}

#[test]
fn failed_records_are_reviewed_in_their_order_with_either_format() {
    let setting = Setting::new();
    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    let mut files = Vec::new();
    for jsonl in [false, true] {
        let outcome = setting.review(jsonl, ReviewRecords::Failed, 10_000, &agent);
        let n = SAMPLES as u64;
        let expected = ReviewCounts {
            candidates: n,
            chosen: n,
            accepted: n,
            ..ReviewCounts::default()
        };
        assert_eq!(outcome.counts, expected);
        let reviews = setting.reviews();
        let ids: Vec<String> = reviews.iter().map(|r| r.sample_id.clone()).collect();
        assert_eq!(
            ids,
            (0..SAMPLES).map(|n| format!("s{n}")).collect::<Vec<_>>()
        );
        assert!(reviews.iter().all(|review| review.model_name == "wild"));
        files.push(fs::read(setting.path().join("run").join(REVIEWS)).unwrap());
    }
    assert_eq!(files[0], files[1]);
}

#[test]
fn a_larger_limit_keeps_what_was_chosen_and_spreads_over_models() {
    let setting = Setting::new();
    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    let mut before: Vec<(String, String)> = Vec::new();
    for limit in [0, 1, 20, 100] {
        let outcome = setting.review(false, ReviewRecords::All, limit, &agent);
        assert_eq!(outcome.counts.candidates, 2 * SAMPLES as u64);
        assert_eq!(outcome.counts.left_out(), 2 * SAMPLES as u64 - limit);
        let reviews = setting.reviews();
        let now: Vec<_> = reviews
            .iter()
            .map(|r| (r.sample_id.clone(), r.model_name.clone()))
            .collect();
        assert_eq!(now.len() as u64, limit);
        assert!(before.iter().all(|name| now.contains(name)));
        before = now;
    }
    let calm = before.iter().filter(|(_, model)| model == "calm").count();
    assert!((20..=80).contains(&calm), "{calm}");
}

#[test]
fn nothing_else_depends_on_the_reviews() {
    let setting = Setting::new();
    let mut request = setting.request(true);
    evaluate(&request, &QUIET).unwrap();
    let read = |name: &str| fs::read_to_string(setting.path().join("run").join(name)).unwrap();
    let (records, summary) = (read("records.jsonl"), read("report.json"));
    let plain = read("manifest.json");
    assert!(!plain.contains("review"), "{plain}");

    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    setting.review(true, ReviewRecords::Failed, 7, &agent);
    assert_eq!(read("report.json"), summary);
    let named = read("records.jsonl").replace(
        r#""agent":"llm","model":"reviewer-1","temperature":0.0"#,
        r#""agent":"rule_based","model":null,"temperature":null"#,
    );
    assert_eq!(named, records);
    // A run without reviews in the same folder takes them away.
    request.options.review = None;
    evaluate(&request, &QUIET).unwrap();
    assert!(!setting.path().join("run").join(REVIEWS).exists());
    assert_eq!(read("manifest.json"), plain);
}

#[test]
fn an_end_in_the_middle_keeps_what_was_said() {
    let setting = Setting::new();
    let mut script = Script::new(honest);
    script.halt_after = BATCH + 4;
    let agent = LlmAgent::new(&FLIGHT, &script);
    let outcome = setting.review(false, ReviewRecords::All, 1000, &agent);
    assert_eq!(outcome.halt.unwrap().message, "the money is gone");
    assert_eq!(setting.reviews().len(), BATCH + 4);
    let counts = outcome.counts;
    assert_eq!(counts.not_asked as usize, 2 * SAMPLES - BATCH - 4);
    // Nobody can be talked into calm records' being ineligible.
    let calm = SAMPLES as u64;
    assert_eq!((counts.refused, counts.disagreements), (calm, calm));
    assert_eq!(counts.accepted, BATCH as u64 + 4 - calm);
    let trace: RunTrace = serde_json::from_value(outcome.manifest.trace.unwrap()).unwrap();
    let entry = trace.reviews.unwrap();
    assert_eq!(entry.stopped.as_deref(), Some("the money is gone"));
    assert_eq!(counts.unanswered(), counts.not_asked);
}

#[test]
fn a_reviewed_run_is_reproduced_without_asking() {
    let setting = Setting::new();
    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    setting.review(true, ReviewRecords::Failed, 7, &agent);
    let asked = script.asked.lock().unwrap().len();
    let run = setting.path().join("run");
    let made = again(&run).unwrap();
    assert_eq!(made.first_difference, None);
    assert!(made.identical);
    assert!(!made.compared.iter().any(|name| name == REVIEWS));
    assert!(
        made.notes
            .iter()
            .any(|note| note.contains("reviews.jsonl is not made again"))
    );
    assert_eq!(script.asked.lock().unwrap().len(), asked);
    // Changed words are noticed all the same.
    let path = run.join(REVIEWS);
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace("decides", "Decides");
    fs::write(&path, text).unwrap();
    let made = again(&run).unwrap();
    let difference = made.first_difference.unwrap();
    assert!(difference.contains("/trace/reviews/sha256"), "{difference}");
}

#[test]
fn an_agent_nobody_knows_is_not_reproduced() {
    let setting = Setting::new();
    evaluate(&setting.request(true), &QUIET).unwrap();
    let path = setting.path().join("run/manifest.json");
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace("rule_based", "oracle");
    fs::write(&path, text).unwrap();
    let error = again(&setting.path().join("run")).unwrap_err();
    assert!(error.to_string().contains("`oracle`"), "{error}");
}

#[test]
fn reviews_are_found_by_sample_and_model() {
    let setting = Setting::new();
    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    let find = |item: &str, subject: &str| {
        let run = Run::open(&setting.path().join("run"))?;
        let record = RunRecord {
            item,
            subject,
            epoch: 1,
            ..RunRecord::default()
        };
        reviews_of(&run, &record)
    };
    evaluate(&setting.request(false), &QUIET).unwrap();
    assert_eq!(find("s3", "wild").unwrap(), []);
    setting.review(false, ReviewRecords::All, 10_000, &agent);
    assert_eq!(
        find("s3", "wild").unwrap()[0].status,
        ReviewStatus::Accepted
    );
    assert_eq!(find("s3", "calm").unwrap()[0].status, ReviewStatus::Refused);
    assert_eq!(find("nobody", "wild").unwrap(), []);
    // Cut short, or not what it should be.
    let path = setting.path().join("run").join(REVIEWS);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 1]).unwrap();
    assert!(
        find("s3", "wild")
            .unwrap_err()
            .to_string()
            .contains("the run is damaged")
    );
    fs::write(&path, text.replacen('{', "[", 1)).unwrap();
    assert!(
        find("s3", "wild")
            .unwrap_err()
            .to_string()
            .contains("reviews.jsonl:1:")
    );
}

#[test]
fn a_run_without_a_reviewer_cannot_be_reviewed() {
    let setting = Setting::new();
    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    let request = setting.request(false);
    evaluate(&request, &QUIET).unwrap();
    let error = review_run(&request.out, &agent, QUIET.interrupted).unwrap_err();
    assert!(error.to_string().contains("names no reviewer"), "{error}");
}

#[test]
fn an_interruption_before_the_first_question_leaves_the_run_as_it_is() {
    let setting = Setting::new();
    let script = Script::new(honest);
    let agent = LlmAgent::new(&FLIGHT, &script);
    let mut request = setting.request(false);
    request.options.review = Some(agent.options(ReviewRecords::All, 1));
    evaluate(&request, &QUIET).unwrap();
    let before = fs::read(request.out.join(name::MANIFEST)).unwrap();
    let error = review_run(&request.out, &agent, &AtomicBool::new(true)).unwrap_err();
    assert!(matches!(error, WorkError::Interrupted));
    assert_eq!(fs::read(request.out.join(name::MANIFEST)).unwrap(), before);
    assert!(again(&request.out).unwrap().identical);
}
