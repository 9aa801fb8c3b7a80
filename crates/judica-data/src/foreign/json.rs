//! JSON that is laid out otherwise than as rows, or that another command wrote.

use super::marks::pandas;
use super::{Kind, Reads};
use crate::json::{ScanError, Scanner, ValueKind};

/// Deep enough for whatever is looked at.
const DEPTH: usize = 128;

const BY_COLUMNS: Kind = Kind {
    what: "a pandas frame by columns, as `to_json` writes it unless told otherwise",
    advice: pandas!("read_json('IN')"),
};
const BY_INDEX: Kind = Kind {
    what: "a pandas frame by index",
    advice: pandas!("read_json('IN', orient='index')"),
};
const SPLIT: Kind = Kind {
    what: "a pandas frame, split into columns, index and data",
    advice: pandas!("read_json('IN', orient='split')"),
};
const TABLE: Kind = Kind {
    what: "a pandas frame with its table schema",
    advice: pandas!("read_json('IN', orient='table')"),
};
const VALUES: Kind = Kind {
    what: "a list of lists, without the names of columns",
    advice: "Write each row as an object: in pandas, df.to_json('OUT', orient='records', \
             lines=True)",
};

const JUDGED: Kind = ours("a judged data set of `judica judge`");

/// Documents by keys that all stand at their top.
const DOCUMENTS: [(&[&str], Kind); 19] = [
    (&["version", "status", "eval"], log("a log of Inspect")),
    (&["evalId", "results"], log("an output of promptfoo")),
    (
        &["results", "configs", "n-shot"],
        log("results of lm-evaluation-harness"),
    ),
    (&["testRunData"], log("a test run of DeepEval")),
    (
        &["schema_version", "leaderboard"],
        ours("the summary of a run of `judica eval`"),
    ),
    (
        &["schema_version", "command", "judica_version"],
        ours("the manifest of a run folder"),
    ),
    (
        &["sample_id", "model_name", "evidence_pack"],
        ours("records of a run of `judica eval`"),
    ),
    (
        &["file", "line", "byte_offset", "reason"],
        Kind {
            what: "rows that judica refused before (rejects.jsonl)",
            advice: "What was refused stands under `raw`; mend it where it came from.",
        },
    ),
    (
        &["percent_agreement", "kappa", "abstain_rate"],
        ours("the report of `judica agree pairs`"),
    ),
    (
        &["eval_dir", "judges", "pairwise"],
        ours("the report of `judica agree judges`"),
    ),
    (
        &["level", "krippendorff_alpha"],
        ours("the report of `judica agree ratings`"),
    ),
    (
        &["normalizer", "n_examples", "files"],
        ours("the report of `judica match`"),
    ),
    (&["judges", "cache"], ours("the report of `judica judge`")),
    (
        &["rankings", "pareto"],
        ours("the report of `judica efficiency`"),
    ),
    (
        &["config_path", "backend", "metrics"],
        ours("an eval file of `judica episodes`"),
    ),
    (
        &["schema_version", "gates"],
        ours("the report of `judica gate`"),
    ),
    (&["judge_model", "detailed_results"], JUDGED),
    (
        &["cells", "nbformat"],
        Kind {
            what: "a Jupyter notebook",
            advice: "The rows are needed, as JSON lines.",
        },
    ),
    (
        &["$schema", "properties"],
        Kind {
            what: "a JSON Schema",
            advice: "The rows are needed, not what they look like.",
        },
    ),
];

const fn ours(what: &'static str) -> Kind {
    Kind {
        what,
        advice: "Another command reads it; this one needs its inputs. See `judica help`.",
    }
}

const fn log(what: &'static str) -> Kind {
    Kind {
        what,
        advice: "Make a run of it: judica import IN --run DIR",
    }
}

/// What begins like this, if it is JSON.
pub(super) fn kind_of(start: &[u8], rows: Reads) -> Option<Kind> {
    let mut scanner = Scanner::new(start, 0);
    match scanner.kind().ok()? {
        ValueKind::Object => object(start).filter(|kind| *kind != JUDGED || rows != Reads::Judged),
        ValueKind::Array => {
            scanner.expect(b'[').ok()?;
            let first = scanner.kind().ok()?;
            (first == ValueKind::Array).then_some(VALUES)
        }
        _ => None,
    }
}

fn object(start: &[u8]) -> Option<Kind> {
    let top = top_of(start);
    let (name, kind, inner) = top.first()?;
    let is_number = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    let inner_is_number = inner.as_deref().is_some_and(is_number);
    match (name.as_str(), kind) {
        ("columns" | "index" | "data", ValueKind::Array) if has(&top, &["columns"]) => {
            return Some(SPLIT);
        }
        ("schema", ValueKind::Object) if inner.as_deref() == Some("fields") => {
            return Some(TABLE);
        }
        (_, ValueKind::Object) if inner_is_number => return Some(BY_COLUMNS),
        (name, ValueKind::Object) if is_number(name) => return Some(BY_INDEX),
        _ => {}
    }
    let found = DOCUMENTS.iter().find(|(keys, _)| has(&top, keys));
    found.map(|(_, kind)| *kind)
}

/// A key at the top of an object, what stands under it, and the first key of that.
type Member = (String, ValueKind, Option<String>);

fn has(top: &[Member], keys: &[&str]) -> bool {
    keys.iter()
        .all(|key| top.iter().any(|(name, ..)| name == key))
}

/// The keys at the top of an object, as far as it is there.
fn top_of(start: &[u8]) -> Vec<Member> {
    let mut top = Vec::new();
    let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
    let mut scanner = Scanner::new(start, 0);
    // Mostly the text is cut off somewhere: what came before is what counts.
    let _: Result<(), ScanError> = scanner.members(|key, scanner| {
        let kind = scanner.kind()?;
        let mut inner = None;
        if kind == ValueKind::Object {
            let mut inside = Scanner::new(start, scanner.pos);
            let _: Result<(), ScanError> = inside.members(|key, inside| {
                inner.get_or_insert_with(|| text(key));
                // The first is enough.
                Err(ScanError::Syntax(inside.pos))
            });
        }
        top.push((text(key), kind, inner));
        scanner.skip_value(1, DEPTH)
    });
    top
}
