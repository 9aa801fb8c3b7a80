//! Whole runs over files.

use super::*;
use crate::details;
use crate::eval_json::{EvalContext, EvalDocument};
use judica_data::rejects::{Reject, read_rejects};
use judica_run::family::Input;
use serde_json::{Value, json};
use tempfile::TempDir;

mod input;
mod naive;
mod random;
mod samples;
mod worked;

struct Run {
    folder: TempDir,
    request: ScoreRequest,
}

/// An input in a role that nobody asks for.
fn given(path: &Path) -> Input {
    Input::given("", path)
}

impl Run {
    fn new(episodes: &[u8], predictions: &[u8]) -> Run {
        Run::named("e.jsonl", episodes, "p.jsonl", predictions)
    }

    fn named(e: &str, episodes: &[u8], p: &str, predictions: &[u8]) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at(e), episodes).unwrap();
        std::fs::write(at(p), predictions).unwrap();
        let request = ScoreRequest {
            columns: Vec::new(),
            episodes: given(&at(e)),
            predictions: Some(given(&at(p))),
            mode: Mode::Coord,
            milestones: None,
            screen: None,
            details: Some(at("details.jsonl")),
            rejects: at("out/rejects.jsonl"),
            strict: false,
            context: EvalContext::default(),
            run: None,
            threads: 2,
        };
        Run { folder, request }
    }

    fn score(&self) -> Result<ScoreOutcome, WorkError> {
        let hooks = Hooks {
            progress: &|_| {},
            interrupted: &AtomicBool::new(false),
        };
        let outcome = score(&self.request, &hooks);
        if let Ok(outcome) = &outcome {
            for rows in [outcome.episode_rows, outcome.prediction_rows] {
                assert_eq!(rows.inputs, rows.records + rows.rejects);
            }
            let kept = outcome.episode_rows.rejects + outcome.prediction_rows.rejects;
            assert_eq!(self.rejects().len() as u64, kept);
            assert_eq!(outcome.episode_rows.records, outcome.metrics.num_episodes);
        }
        outcome
    }

    fn rejects(&self) -> Vec<Reject> {
        match read_rejects(&self.request.rejects) {
            Ok(rejects) => rejects.map(Result::unwrap).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// File, line and reason of each reject.
    fn refused(&self) -> Vec<(String, u64, String)> {
        let short = |reject: &Reject| {
            let name = Path::new(&reject.file).file_name().unwrap();
            let name = name.to_string_lossy().into_owned();
            (name, reject.line, reject.reason.to_string())
        };
        self.rejects().iter().map(short).collect()
    }

    fn details(&self) -> Vec<details::EpisodeDetail> {
        let path = self.request.details.as_deref().unwrap();
        details::read(path).unwrap().map(Result::unwrap).collect()
    }

    fn details_bytes(&self) -> Vec<u8> {
        std::fs::read(self.request.details.as_deref().unwrap()).unwrap()
    }
}

fn document(outcome: &ScoreOutcome) -> EvalDocument {
    EvalDocument::scored(EvalContext::default(), outcome)
}

const EPISODES: &str = r#"{"episode_id":"a","goal":"log in","steps":[{"action":{"type":"click","x":0.5,"y":0.5,"bbox":[0.4,0.4,0.6,0.6]}},{"action":{"type":"done"}}]}
{"episode_id":"b","steps":[{"action":{"type":"type","text":"x"}},{"action":{"type":"done"}}]}
"#;
const PREDICTIONS: &str = r#"{"episode_id":"b","steps":[{"action":{"type":"type"}},{"action":{"type":"done"},"state":{"success":true}}]}
{"episode_id":"a","step_index":1,"action":{"type":"wait"}}
{"episode_id":"a","step_index":0,"action":{"type":"click","x":0.5,"y":0.59375}}
"#;
