//! What rows and documents are, by the keys that they have: the one table behind what is said
//! of files of which nothing could be used, and behind `judica look`.
//!
//! Names that readers look for by themselves are theirs ([`row_keys`]).

use super::Kind;
use crate::row_keys::{
    self, CORRECT, GOLD, GOLD_LISTS, INPUT, OUTPUT, PREDICTION, RATED, RATED_BY, RATER, RATING,
};

/// Names of which one must be there.
pub type Names = &'static [&'static str];

/// What has certain keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// For programs.
    pub name: &'static str,
    /// What it is, with its article.
    pub what: &'static str,
    /// Keys that it has.
    pub has: &'static [Names],
    /// Keys that it has not.
    pub lacks: &'static [Names],
    /// Whether it is said of a file of which nothing could be used: rows that some command
    /// reads may be those that were meant.
    pub told: bool,
    /// What to do about it, where no command reads it.
    pub advice: Option<&'static str>,
    /// Commands that read it. `IN` stands for the file, `<name>` for a file or folder beside
    /// it that is called so in this table, or for what the name says.
    pub commands: &'static [&'static str],
}

const ANOTHER: &str = "Another command reads it; this one needs its inputs. See `judica help`.";
const IMPORT: &str = "Make a run of it: judica import IN --run DIR";

const fn rows(
    name: &'static str,
    what: &'static str,
    has: &'static [Names],
    lacks: &'static [Names],
    commands: &'static [&'static str],
) -> Shape {
    Shape {
        name,
        what,
        has,
        lacks,
        told: false,
        advice: None,
        commands,
    }
}

const fn ours(
    name: &'static str,
    what: &'static str,
    has: &'static [Names],
    commands: &'static [&'static str],
) -> Shape {
    Shape {
        told: true,
        ..rows(name, what, has, &[], commands)
    }
}

const fn log(what: &'static str, has: &'static [Names]) -> Shape {
    Shape {
        advice: Some(IMPORT),
        ..ours("log", what, has, &["judica import IN --run a-run"])
    }
}

const fn other(what: &'static str, has: &'static [Names], advice: &'static str) -> Shape {
    Shape {
        advice: Some(advice),
        ..ours("other", what, has, &[])
    }
}

const REPORT: &[&str] = &["judica gate init --report IN --out gates.toml"];
const EPISODES: &str = "judica episodes --episodes IN --predictions <predictions of episodes> \
                        --mode <mode> --config-path config.yaml --backend agent --out eval.json";
const EPISODES_OF: &str = "judica episodes --episodes <episodes> --predictions IN --mode <mode> \
                           --config-path config.yaml --backend agent --out eval.json";
const EVAL: &str = "judica eval --protocol <protocol> --samples IN --outputs <outputs> --out a-run";
const EVAL_OF: &str =
    "judica eval --protocol <protocol> --samples <samples> --outputs IN --out a-run";
const RATED_ROWS: &str = "judica agree ratings --input IN --level <level>";

/// What a sample calls its task.
pub(super) const TASK: &str = "task_id";
/// Where samples hold the gold of all fields of a protocol.
pub(super) const FIELDS: [&str; 3] = ["gold", "next_second", "T+1"];
pub(super) const JUDGED: &str = "judged";
/// One gold, or several.
const ANY_GOLD: Names = &[
    GOLD_LISTS[0],
    GOLD_LISTS[1],
    GOLD_LISTS[2],
    GOLD[0],
    GOLD[1],
    GOLD[2],
    OUTPUT,
];

/// The same where the output is the prediction.
const ONE_GOLD: Names = &[
    GOLD_LISTS[0],
    GOLD_LISTS[1],
    GOLD_LISTS[2],
    GOLD[0],
    GOLD[1],
    GOLD[2],
];

/// All shapes; the first that fits counts.
pub static SHAPES: [Shape; 39] = [
    log("a log of Inspect", &[&["version"], &["status"], &["eval"]]),
    log("an output of promptfoo", &[&["evalId"], &["results"]]),
    log(
        "results of lm-evaluation-harness",
        &[&["results"], &["configs"], &["n-shot"]],
    ),
    log("a test run of DeepEval", &[&["testRunData"]]),
    ours(
        "report",
        "the summary of a run of `judica eval`",
        &[&["schema_version"], &["leaderboard"]],
        REPORT,
    ),
    ours(
        "manifest",
        "the manifest of a run folder",
        &[&["schema_version"], &["command"], &["judica_version"]],
        &["judica show <folder>"],
    ),
    ours(
        "records",
        "records of a run of `judica eval`",
        &[&["sample_id"], &["model_name"], &["evidence_pack"]],
        &[],
    ),
    other(
        "rows that judica refused before (rejects.jsonl)",
        &[&["file"], &["line"], &["byte_offset"], &["reason"]],
        "What was refused stands under `raw`; mend it where it came from.",
    ),
    ours(
        "report",
        "the report of `judica agree pairs`",
        &[&["percent_agreement"], &["kappa"], &["abstain_rate"]],
        REPORT,
    ),
    ours(
        "report",
        "the report of `judica agree judges`",
        &[&["eval_dir"], &["judges"], &["pairwise"]],
        REPORT,
    ),
    ours(
        "report",
        "the report of `judica agree ratings`",
        &[&["level"], &["krippendorff_alpha"]],
        REPORT,
    ),
    ours(
        "report",
        "the report of `judica match`",
        &[&["normalizer"], &["n_examples"], &["files"]],
        REPORT,
    ),
    ours(
        "report",
        "the report of `judica judge`",
        &[&["judges"], &["cache"]],
        REPORT,
    ),
    ours(
        "report",
        "the report of `judica efficiency`",
        &[&["rankings"], &["pareto"]],
        REPORT,
    ),
    ours(
        "eval file",
        "an eval file of `judica episodes`",
        &[&["config_path"], &["backend"], &["metrics"]],
        &[
            "judica schema validate IN",
            "judica plot --files IN --out metrics.svg",
            "judica compare --files IN <eval file>",
        ],
    ),
    ours(
        "report",
        "the report of `judica gate`",
        &[&["schema_version"], &["gates"]],
        REPORT,
    ),
    ours(
        JUDGED,
        "a judged data set of `judica judge`",
        &[&["judge_model"], &["detailed_results"]],
        &["judica agree judges --eval-dir <judges> --out agreement.json"],
    ),
    other(
        "a Jupyter notebook",
        &[&["cells"], &["nbformat"]],
        "The rows are needed, as JSON lines.",
    ),
    other(
        "a JSON Schema",
        &[
            &["$schema", "required", "additionalProperties"],
            &["properties"],
        ],
        "The rows are needed, not what they look like; a protocol of it: judica rules \
         --from-schema IN",
    ),
    rows(
        "eval file",
        "metrics of episodes in an older shape",
        &[&["action_type_accuracy"]],
        &[&["episode_id"]],
        &["judica schema migrate IN --out eval.json"],
    ),
    rows(
        "details of episodes",
        "details of episodes (`judica episodes --details`)",
        &[&["episode_id"], &["type_matches"], &["n_steps"]],
        &[],
        &["judica plot --strip IN --out steps.svg"],
    ),
    rows(
        "samples of episodes",
        "stored samples of episodes: what was done and what was right",
        &[&["episode_id"], &["step_index"], &["ground_truth_action"]],
        &[],
        &[
            "judica episodes --episodes IN --mode <mode> --config-path config.yaml \
           --backend agent --out eval.json",
        ],
    ),
    rows(
        "episodes",
        "recorded episodes",
        &[
            &["episode_id"],
            &["steps"],
            &["goal", "instruction", "milestones"],
        ],
        &[],
        &[EPISODES],
    ),
    rows(
        "predictions of episodes",
        "what an agent did in episodes",
        &[
            &["episode_id"],
            &["steps", "step_index"],
            &["steps", "action", "pred_action", "action_type", "type"],
        ],
        &[&["ground_truth_action"]],
        &[EPISODES_OF],
    ),
    rows(
        "milestones",
        "milestones of episodes",
        &[&["name"], &["step_index"], &["type", "coord_threshold"]],
        &[],
        &[
            "judica episodes --episodes <episodes> --predictions <predictions of episodes> \
           --milestones IN --mode coord --config-path config.yaml --backend agent \
           --out eval.json",
        ],
    ),
    rows(
        "pairs",
        "pairs of validators",
        &[&["qid"], &["scholar"], &["auditor"]],
        &[],
        &["judica agree pairs --pairs IN"],
    ),
    rows(
        "verdicts",
        "the judgments of one validator",
        &[&["qid"], &["label"]],
        &[&["scholar"], &["auditor"], &RATED, &PREDICTION],
        &["judica agree pairs --scholar IN --auditor <verdicts>"],
    ),
    rows(
        "golden queries",
        "golden queries",
        &[
            &["objective"],
            &["required_evidence_ids"],
            &["evidence_sufficient"],
        ],
        &[],
        &["judica gate golden --golden IN --outputs <agent runs>"],
    ),
    rows(
        "agent run",
        "a run of an agent, for golden queries",
        &[
            &["run_id", "objective"],
            &["claims"],
            &["evidence", "steps"],
        ],
        &[],
        &["judica gate golden --golden <golden queries> --outputs <folder>"],
    ),
    rows(
        "outputs",
        "what models answered, for a protocol",
        &[
            &["model_name", "model"],
            &["raw_response_text", "response"],
            &["sample_id", "id"],
        ],
        &[&GOLD, &PREDICTION],
        &[EVAL_OF],
    ),
    rows(
        "samples",
        "samples of a protocol: questions and their gold",
        &[
            &["sample_id", "id"],
            &[TASK, "task"],
            &["context", "gold", "next_second", "T+1", "current_second"],
        ],
        &[&["model", "model_name", "response"], &PREDICTION],
        &[EVAL, "judica calibrate --protocol <protocol> --samples IN"],
    ),
    rows(
        "annotations",
        "what people say about predictions",
        &[ANY_GOLD, &PREDICTION, &CORRECT, &RATER],
        &[&["decision_method", "judge_model"]],
        &["judica agree judges --eval-dir <judges> --human IN --out agreement.json"],
    ),
    rows(
        "annotations",
        "what people say about predictions",
        &[&["annotations"], &["source_file"]],
        &[&["judge_model"]],
        &["judica agree judges --eval-dir <judges> --human IN --out agreement.json"],
    ),
    rows(
        JUDGED,
        "predictions that were judged",
        &[ANY_GOLD, &PREDICTION, &["correct"]],
        &[],
        &[
            "judica agree judges --eval-dir <judges> --out agreement.json",
            "judica match --predictions IN",
        ],
    ),
    rows(
        JUDGED,
        "predictions that were judged, without their gold",
        &[&INPUT, &PREDICTION, &["correct"]],
        &[],
        &["judica agree judges --eval-dir <judges> --out agreement.json"],
    ),
    rows(
        "records",
        "records of a run",
        &[
            &["dataset"],
            &["item"],
            &["subject"],
            &["epoch"],
            &["verdict"],
            &["score"],
        ],
        &[],
        &["judica import IN --as table --item item --subject subject --metric score --run a-run"],
    ),
    rows(
        "predictions",
        "predictions with their gold",
        &[ANY_GOLD, &PREDICTION],
        &[],
        &["judica match --predictions IN"],
    ),
    rows(
        "predictions",
        "predictions with their gold",
        &[ONE_GOLD, &[OUTPUT], &INPUT],
        &[],
        &["judica match --predictions IN"],
    ),
    rows(
        "ratings",
        "ratings, one on each row",
        &[&RATED, &RATED_BY, &RATING],
        &[],
        &[RATED_ROWS],
    ),
];

impl Shape {
    /// Whether it is what has these names.
    pub fn fits(&self, is_there: &dyn Fn(&str) -> bool) -> bool {
        let any = |names: &&Names| names.iter().any(|name| is_there(name));
        self.has.iter().all(|names| any(&names)) && !self.lacks.iter().any(|names| any(&names))
    }

    /// What is said of a file of which nothing could be used.
    pub(super) fn kind(&self) -> Kind {
        Kind {
            what: self.what,
            advice: self.advice.unwrap_or(ANOTHER),
        }
    }
}

/// All names that mean something to some reader, for columns whose capitals differ.
pub fn known_names() -> Vec<&'static str> {
    let shapes = SHAPES.iter().flat_map(|shape| shape.has);
    let mut names: Vec<&str> = shapes.copied().flatten().copied().collect();
    names.extend([row_keys::ID, row_keys::EPOCH, row_keys::DATASET]);
    names.extend(row_keys::SUBJECT);
    names.sort_unstable();
    names.dedup();
    names
}
