//! Every kind of file: what `look` says it is, and the command that it prints runs as it is.
//! `docs/data.md` has the same table.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::flight::{calm, output, sample};
use crate::support::{JUDICA, Place};

/// A file or folder, what it is, and the first command that fits.
const KINDS: [(&str, &str, &str); 35] = [
    (
        "answers.jsonl",
        "predictions with their gold",
        "judica match --predictions answers.jsonl",
    ),
    (
        "labels.csv",
        "predictions with their gold",
        "judica match --predictions labels.csv --item question_id --gold label --prediction pred",
    ),
    (
        "models.csv",
        "predictions with their gold, wide: 2 subjects",
        "judica match --predictions models.csv --item question_id --gold label \
         --prediction llama3 --prediction gpt4",
    ),
    (
        "turns.tsv",
        "predictions with their gold",
        "judica match --predictions turns.tsv --item question_id,turn --gold answer \
         --prediction response",
    ),
    (
        "predictions",
        "a folder with 3 files of predictions",
        "judica match --predictions predictions",
    ),
    (
        "ratings.csv",
        "ratings, one on each row",
        "judica agree ratings --input ratings.csv --level ordinal",
    ),
    (
        "winners.csv",
        "ratings, one on each row",
        "judica agree ratings --input winners.csv --item question_id --value winner \
         --level nominal",
    ),
    (
        "answers_rated.csv",
        "ratings, one on each row",
        "judica agree ratings --input answers_rated.csv --item item,model \
         --level nominal",
    ),
    (
        "annotators.csv",
        "ratings, wide: 3 raters",
        "judica agree ratings --input annotators.csv --item nr --rater-columns ann,bob,cem \
         --level nominal",
    ),
    (
        "pairs.jsonl",
        "pairs of validators",
        "judica agree pairs --pairs pairs.jsonl",
    ),
    (
        "sides/scholar.jsonl",
        "the judgments of one validator",
        "judica agree pairs --scholar sides/scholar.jsonl --auditor sides/auditor.jsonl",
    ),
    (
        "agreement/judges",
        "a folder of judges",
        "judica agree judges --eval-dir agreement/judges --out agreement.json",
    ),
    (
        "agreement/judges/aspen/doors.json",
        "a judged data set",
        "judica agree judges --eval-dir agreement/judges --out agreement.json",
    ),
    (
        "agreement/human.json",
        "what people say about predictions",
        "judica agree judges --eval-dir agreement/judges --human agreement/human.json \
         --out agreement.json",
    ),
    (
        "episodes/episodes.jsonl",
        "recorded episodes",
        "judica episodes --episodes episodes/episodes.jsonl --predictions episodes/base.jsonl \
         --mode coord --config-path config.yaml --backend agent --out eval.json",
    ),
    (
        "episodes/tuned.jsonl",
        "what an agent did in episodes",
        "judica episodes --episodes episodes/episodes.jsonl --predictions episodes/tuned.jsonl \
         --mode coord --config-path config.yaml --backend agent --out eval.json",
    ),
    (
        "steps.jsonl",
        "stored samples of episodes",
        "judica episodes --episodes steps.jsonl --mode som --config-path config.yaml \
         --backend agent --out eval.json",
    ),
    (
        "made/details.jsonl",
        "details of episodes",
        "judica plot --strip made/details.jsonl --out steps.svg",
    ),
    (
        "made/eval.json",
        "an eval file of `judica episodes`",
        "judica schema validate made/eval.json",
    ),
    (
        "weather/samples.jsonl",
        "samples of a protocol",
        "judica eval --protocol weather/weather.toml --samples weather/samples.jsonl \
         --outputs weather/outputs.jsonl --out a-run",
    ),
    (
        "weather/outputs.jsonl",
        "what models answered, for a protocol",
        "judica eval --protocol weather/weather.toml --samples weather/samples.jsonl \
         --outputs weather/outputs.jsonl --out a-run",
    ),
    (
        "weather",
        "a folder of several things",
        "judica eval --protocol weather/weather.toml --samples weather/samples.jsonl \
         --outputs weather/outputs.jsonl --out a-run",
    ),
    (
        "schema/samples.csv",
        "samples of a protocol",
        "judica eval --protocol schema/ticket.toml --samples schema/samples.csv \
         --outputs schema/outputs.csv --out a-run",
    ),
    (
        "flight/samples.jsonl",
        "samples of a protocol",
        "judica eval --protocol flight --samples flight/samples.jsonl \
         --outputs flight/outputs.jsonl --out a-run",
    ),
    (
        "weather/weather.toml",
        "the protocol `weather`",
        "judica rules --protocol weather/weather.toml",
    ),
    (
        "golden/queries.json",
        "golden queries",
        "judica gate golden --golden golden/queries.json --outputs golden/runs",
    ),
    (
        "golden/runs",
        "a folder with 2 runs of an agent",
        "judica gate golden --golden golden/queries.json --outputs golden/runs",
    ),
    (
        "gated/gates.toml",
        "a gates file",
        "judica gate check --report gated/report.json --gates gated/gates.toml",
    ),
    (
        "prices/models.yaml",
        "prices of 4 models",
        "judica efficiency --predictions prices/predictions --prices prices/models.yaml",
    ),
    (
        "scores.tsv",
        "scores of items, measured by another tool",
        "judica import scores.tsv --as table --run a-run --item doc --subject model \
         --metric accuracy,f1",
    ),
    (
        "log.jsonl",
        "a log of OpenAI evals",
        "judica import log.jsonl --run a-run",
    ),
    (
        "made/run",
        "a run of `judica match`",
        "judica show made/run",
    ),
    (
        "made/pieces",
        "an unfinished run of `judica match`: 2 of 2 pieces",
        "judica finish made/pieces",
    ),
    (
        "made/records.parquet",
        "records of a run",
        "judica import made/records.parquet --as table --item item --subject subject \
         --metric score --run a-run",
    ),
    (
        "made/run/report.json",
        "the report of `judica match`",
        "judica gate init --report made/run/report.json --out gates.toml",
    ),
];

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| format!("{row}\n")).collect()
}

fn copied(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, to).expect("a copy");
        return;
    }
    for entry in fs::read_dir(from).expect("an example") {
        let name = entry.expect("an entry").file_name();
        copied(&from.join(&name), &to.join(&name));
    }
}

/// A file of each kind.
fn place() -> Place {
    let place = Place::new();
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    for (example, name) in [
        ("answers/predictions", "predictions"),
        ("agreement/ratings.csv", "ratings.csv"),
        ("agreement/judges", "agreement/judges"),
        ("agreement/human.json", "agreement/human.json"),
        ("episodes/episodes.jsonl", "episodes/episodes.jsonl"),
        ("episodes/base.jsonl", "episodes/base.jsonl"),
        ("episodes/tuned.jsonl", "episodes/tuned.jsonl"),
        ("weather", "weather"),
        ("schema", "schema"),
        ("answers/models.yaml", "prices/models.yaml"),
        ("answers/predictions", "prices/predictions"),
    ] {
        copied(&examples.join(example), &place.path(name));
    }
    let answers = [("q1", "a", "a"), ("q2", "b", "c")];
    let answers = answers.map(|(id, gold, prediction)| json!({"id": id, "gold": gold, "prediction": prediction, "input": "?"}));
    place.write("answers.jsonl", lines(answers));
    place.write(
        "labels.csv",
        "question_id,text,label,pred\n1,so,yes,yes\n2,no,no,yes\n3,oh,yes,no\n",
    );
    place.write(
        "models.csv",
        "question_id,question,label,llama3,gpt4\n1,is it,yes,yes,no\n2,was it,no,no,no\n\
         3,will it,yes,no,yes\n",
    );
    place.write(
        "turns.tsv",
        "question_id\tturn\tanswer\tresponse\n1\t1\t4\t4\n1\t2\t5\t4\n2\t1\t7\t7\n",
    );
    place.write(
        "winners.csv",
        "question_id;model_a;model_b;winner;judge\n1;x;y;model_a;ann\n1;x;y;tie;bob\n\
         2;x;y;model_b;ann\n2;x;y;model_b;bob\n",
    );
    place.write(
        "answers_rated.csv",
        "item,model,rater,label\n1,x,ann,good\n1,y,ann,bad\n1,x,bob,good\n1,y,bob,good\n\
         2,x,ann,bad\n2,y,ann,bad\n2,x,bob,bad\n2,y,bob,good\n",
    );
    place.write(
        "annotators.csv",
        "nr,sentence,ann,bob,cem\n1,good,pos,pos,neg\n2,bad,neg,neg,neg\n3,so,neu,pos,neg\n\
         4,well,pos,neu,pos\n",
    );
    let labels = ["VALID", "REJECT", "VALID", "REJECT"];
    let numbered = || labels.iter().enumerate();
    place.write(
        "pairs.jsonl",
        lines(numbered().map(|(n, label)| {
            let side = json!({"label": label, "reason": "so"});
            json!({"qid": format!("A{n}"), "scholar": side, "auditor": side})
        })),
    );
    for side in ["scholar", "auditor"] {
        let rows = numbered().map(|(n, label)| json!({"qid": format!("A{n}"), "label": label}));
        place.write(&format!("sides/{side}.jsonl"), lines(rows));
    }
    let action = json!({"type": "click", "element_index": 3});
    place.write(
        "steps.jsonl",
        lines([
            json!({"episode_id": "e", "step_index": 0, "pred_action": action,
            "ground_truth_action": action}),
        ]),
    );
    place.write("flight/samples.jsonl", sample("s1", "S1"));
    place.write("flight/outputs.jsonl", output("m", "s1", &calm("S1")));
    place.write(
        "golden/queries.json",
        json!([
            {"objective": "known", "required_evidence_ids": ["e1"], "evidence_sufficient": true},
            {"objective": "unknown", "required_evidence_ids": [], "evidence_sufficient": false},
        ])
        .to_string(),
    );
    let step = json!({"id": "s1", "manifest": {"sources": ["doc"]}});
    let evidence = json!({"id": "e1", "quote": "so", "provenance": {"url": "file:doc"}});
    let known = json!({"run_id": "a", "objective": "known", "stop_reason": "DONE",
        "claims": [{"id": "c1", "status": "verified", "evidence_ids": ["e1"]}],
        "evidence": [evidence], "steps": [step]});
    let unknown = json!({"run_id": "b", "objective": "unknown", "stop_reason": "NO_EVIDENCE",
        "claims": [{"id": "c1", "status": "open", "evidence_ids": []}], "evidence": [],
        "steps": [step]});
    place.write("golden/runs/a/output.json", known.to_string());
    place.write("golden/runs/b.json", unknown.to_string());
    place.write(
        "gated/gates.toml",
        "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"/n\"\nop = \">=\"\nthreshold = 1\n",
    );
    place.write(
        "gated/report.json",
        json!({"schema_version": "judica.match/1", "n": 2}).to_string(),
    );
    place.write(
        "scores.tsv",
        "doc\tmodel\taccuracy\tf1\nd1\ta\t1\t0.5\nd1\tb\t0\t0.25\nd2\ta\t1\t0.75\n",
    );
    let event = |n: u32, kind: &str, data: Value| {
        json!({"run_id": "r", "event_id": n, "sample_id": format!("s.{n}"), "type": kind,
            "data": data, "created_by": "", "created_at": "2026-01-01 00:00:00"})
    };
    place.write(
        "log.jsonl",
        lines([
            json!({"spec": {"completion_fns": ["dummy"], "eval_name": "x.dev.v0",
                "base_eval": "x", "split": "dev", "run_config": {}, "created_by": "",
                "run_id": "r", "created_at": "2026-01-01 00:00:00"}}),
            event(
                0,
                "match",
                json!({"correct": true, "expected": "a", "picked": "a",
                "sampled": "a", "options": ["a"]}),
            ),
            json!({"final_report": {"accuracy": 1.0}}),
        ]),
    );
    let protocol = place.judica("rules --from-schema schema/ticket.json");
    place.write("schema/ticket.toml", protocol.exits(0).stdout);
    fs::create_dir_all(place.path("made")).expect("a folder");
    for command in [
        "match --predictions answers.jsonl --run made/run",
        "match --predictions answers.jsonl --run made/pieces --part 1/2",
        "match --predictions answers.jsonl --run made/pieces --part 2/2",
        "export made/run --format parquet --out made/records.parquet",
        "episodes --episodes episodes/episodes.jsonl --predictions episodes/base.jsonl \
         --mode coord --config-path c --backend b --out made/eval.json \
         --details made/details.jsonl",
    ] {
        place.judica(command).exits(0);
    }
    place
}

/// The commands that a screen shows, over however many lines.
fn commands(screen: &str) -> Vec<String> {
    let joined = screen.replace(" \\\n   ", "");
    let commands = joined.lines().filter_map(|line| line.strip_prefix("  "));
    let commands = commands.filter(|line| line.starts_with("judica "));
    commands.map(str::to_owned).collect()
}

/// What a person pastes into a shell.
fn pasted(place: &Place, command: &str) -> std::process::Output {
    let bin = Path::new(JUDICA).parent().expect("a folder");
    let line = format!("PATH='{}':\"$PATH\"; {command}", bin.display());
    Command::new("sh")
        .args(["-c", &line])
        .current_dir(place.path(""))
        .output()
        .expect("a shell")
}

#[test]
fn every_kind_is_told_and_its_command_runs() {
    let place = place();
    for (name, what, command) in KINDS {
        let ran = place.judica(&format!("look {name}")).exits(0);
        let said = ran.stdout.replace('\n', " ");
        assert!(said.starts_with(&format!("{name}: ")), "{said}");
        assert!(said.contains(what), "{name}: no `{what}` in {}", ran.stdout);
        let found = commands(&ran.stdout);
        assert_eq!(
            found.first().map(String::as_str),
            Some(command),
            "{}",
            ran.stdout
        );
        for line in ran.stdout.lines().filter(|line| !line.contains('/')) {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
        // Beside pieces and folders that are made, nothing may be left from before.
        let _ = fs::remove_dir_all(place.path("a-run"));
        let _ = fs::remove_file(place.path("gates.toml"));
        let output = pasted(&place, command);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{command}\n{said}");
    }
}

#[test]
fn the_report_says_the_same() {
    let place = place();
    for (name, what, command) in KINDS {
        let ran = place.judica(&format!("look {name} --json")).exits(0);
        let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(report["schema_version"], "judica.look/1");
        assert_eq!(report["usable"], true);
        let is = &report["is"][0];
        assert!(
            is["what"].as_str().is_some_and(|said| said.contains(what)),
            "{is}"
        );
        assert_eq!(is["commands"][0], command);
    }
}

#[test]
fn the_docs_have_the_same_table() {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let docs = fs::read_to_string(docs).expect("the page");
    let rows = docs.lines().filter(|line| line.starts_with("| `"));
    let table: Vec<&str> = rows.filter(|line| line.contains("| `judica ")).collect();
    for (name, _, command) in KINDS {
        let row = format!("| `{name}` |");
        let row = table.iter().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("no row of {name} in docs/data.md"));
        assert!(
            row.ends_with(&format!("| `{command}` |")),
            "{row}\nbut {command}"
        );
    }
    assert_eq!(table.len(), KINDS.len());
    let readme = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).expect("the page");
    let rows = readme
        .lines()
        .filter_map(|line| line.split_once(" | `judica "));
    let said: Vec<String> = rows
        .map(|(_, command)| format!("judica {}", command.trim_end_matches("` |")))
        .collect();
    assert!(said.len() > 5);
    for command in said {
        let known = KINDS.iter().any(|(_, _, known)| *known == command);
        assert!(known, "README.md: {command}");
    }
}
