//! Runs to look at: of every kind, of nobody, and of somebody who means harm.

use serde_json::{Value, json};

use crate::cases::{CASES, server};
use crate::support::{Place, flight};

/// What an output, a name or an id may hold.
pub const HOSTILE: &str = "</script><script>document.title='x'</script></textarea></title>\
    <img src=x onerror=\"document.title='x'\"><svg onload=\"document.title='x'\">\
    <a href=\"javascript:document.title='x'\">click</a><style>*{display:none}</style>\
    <base href=//evil.example><meta http-equiv=refresh content=\"0;url=//evil.example\">\
    --><![CDATA[' onmouseover='document.title=1' \" autofocus onfocus=\"document.title=1\
    \u{202e}turned\u{2066}\u{1b}[31mred\u{1b}]0;title\u{7}\u{0}\u{9b}\u{ad}{{7*7}}&lt;&amp;%3Cscript%3E\r\n";

/// A name of a megabyte.
pub fn huge(of: &str) -> String {
    format!("{HOSTILE}{}{of}", "n".repeat(1 << 20))
}

/// A place and what to open in it.
pub struct Kind {
    pub name: &'static str,
    pub place: Place,
    /// The arguments of `judica view`.
    pub view: &'static str,
}

/// How many kinds of runs there are.
pub const KINDS: usize = 4 + CASES.len();

/// One of every kind of run; most beside a twin that does worse.
pub fn kind(at: usize) -> Kind {
    match at {
        0 => demo(),
        1 => weather(),
        2 => import(),
        3 => screens(),
        at => twins(at - 4),
    }
}

/// All of them.
pub fn every_kind() -> impl Iterator<Item = Kind> {
    (0..KINDS).map(kind)
}

/// What `judica demo` leaves, with fewer samples.
pub fn demo() -> Kind {
    let place = Place::new();
    place.judica("demo --out demo --samples 40").exits(0);
    Kind {
        name: "demo",
        place,
        view: "demo/run",
    }
}

/// A file of the documentation's examples.
fn example(place: &Place, name: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let bytes = std::fs::read(folder.join(name)).expect("an example");
    place.write(name, bytes);
}

/// A run with rejects, records without gold, and undefined values.
pub fn weather() -> Kind {
    let place = Place::new();
    for name in ["weather.toml", "samples.jsonl", "outputs.jsonl"] {
        example(&place, &format!("weather/{name}"));
    }
    let command = "eval --protocol weather/weather.toml --samples weather/samples.jsonl \
         --outputs weather/outputs.jsonl --out run";
    place.judica(command).exits(0);
    Kind {
        name: "weather",
        place,
        view: "run",
    }
}

/// A log of another harness, with texts, an error and a sample that failed.
fn import() -> Kind {
    let place = Place::new();
    let event = |id: &str, kind: &str, data: Value| {
        json!({"run_id": "r", "event_id": 0, "sample_id": id, "type": kind, "data": data})
            .to_string()
    };
    let mut lines = vec![
        json!({"spec": {"completion_fns": ["dummy"], "eval_name": "fx.dev.v0", "base_eval": "fx"}})
            .to_string(),
    ];
    for at in 0..12 {
        let id = format!("fx.{at}");
        let said = if at % 4 == 1 { "b" } else { "a" };
        lines.extend([
            event(
                &id,
                "sampling",
                json!({"prompt": format!("ask {at}"), "sampled": [said]}),
            ),
            event(
                &id,
                "match",
                json!({"correct": said == "a", "expected": "a", "picked": said, "sampled": said}),
            ),
        ]);
    }
    lines.push(event(
        "fx.99",
        "error",
        json!({"type": "ValueError", "message": "boom"}),
    ));
    place.write_lines("log.jsonl", &lines);
    place.judica("import log.jsonl --run run").exits(0);
    Kind {
        name: "import",
        place,
        view: "run",
    }
}

/// An agent's episodes, those of the documentation.
fn screens() -> Kind {
    let place = Place::new();
    for name in ["episodes.jsonl", "base.jsonl", "tuned.jsonl"] {
        example(&place, &format!("episodes/{name}"));
    }
    for name in ["base", "tuned"] {
        place
            .judica(&format!(
                "episodes --episodes episodes/episodes.jsonl --predictions episodes/{name}.jsonl \
                 --mode coord --config-path c.yaml --backend agent --run {name}"
            ))
            .exits(0);
    }
    Kind {
        name: "screens",
        place,
        view: "base tuned",
    }
}

/// A run of a command, and its worse twin.
fn twins(at: usize) -> Kind {
    let (place, server, case) = (Place::new(), server(), &CASES[at]);
    for (twin, folder) in [(true, "b"), (false, "a")] {
        (case.inputs)(&place, twin);
        let ran = case.run(&place, &server, folder, "");
        assert!(
            matches!(ran.code, 0 | 1),
            "{}: {}",
            case.command,
            ran.stderr
        );
    }
    Kind {
        name: case.command,
        place,
        view: "a b",
    }
}

/// Runs in which every name and text means harm.
pub fn hostile() -> Vec<Kind> {
    let of = |name: &'static str, fill: &dyn Fn(&Place)| {
        let place = Place::new();
        fill(&place);
        Kind {
            name,
            place,
            view: "run",
        }
    };
    vec![
        of("hostile answers", &|place| {
            let mut rows = Vec::new();
            for subject in ["m".to_owned(), HOSTILE.to_owned(), huge("s")] {
                for item in ["q1".to_owned(), format!("i{HOSTILE}"), huge("i")] {
                    let said = if item == "q1" {
                        "1".to_owned()
                    } else {
                        format!("{HOSTILE}{item}")
                    };
                    rows.push(json!({
                        "id": item, "model": subject, "dataset": format!("d{HOSTILE}"),
                        "input": huge("?"), "gold": "1", "prediction": said,
                    }));
                }
            }
            // And what cannot be used.
            rows.push(json!({"id": HOSTILE, "model": HOSTILE, "gold": {"a": HOSTILE}}));
            lines(place, "p.jsonl", &rows);
            place
                .judica("match --predictions p.jsonl --run run --keep-text")
                .exits(0);
        }),
        of("hostile evaluation", &|place| {
            let ids = [HOSTILE.to_owned(), "plain".to_owned(), huge("")];
            let samples: Vec<String> = ids.iter().map(|id| flight::sample(id, "S1")).collect();
            place.write_lines("s.jsonl", &samples);
            let mut outputs = Vec::new();
            for id in &ids {
                outputs.push(flight::answer(HOSTILE, id, HOSTILE));
                let state = flight::state(&[
                    ("Roll (deg)", json!(HOSTILE)),
                    ("Pitch (deg)", json!(1e300)),
                ]);
                outputs.push(flight::output(&huge("model"), id, &state));
            }
            place.write_lines("o.jsonl", &outputs);
            let command = "eval --protocol flight --samples s.jsonl --outputs o.jsonl --out run";
            place.judica(&format!("{command} --keep-text")).exits(0);
        }),
        of("hostile raters", &|place| {
            let mut rows = Vec::new();
            for at in 0..6 {
                for rater in ["ann".to_owned(), HOSTILE.to_owned(), huge("rater")] {
                    let value = if at == 2 {
                        format!("{HOSTILE}{rater}")
                    } else {
                        format!("v{}", at % 2)
                    };
                    rows.push(
                        json!({"item": format!("{at}{HOSTILE}"), "rater": rater, "value": value}),
                    );
                }
            }
            lines(place, "r.jsonl", &rows);
            place
                .judica("agree ratings --input r.jsonl --level nominal --run run --resamples 20")
                .exits(0);
        }),
        of("hostile pairs", &|place| {
            let label = |label: &str| json!({"label": label, "reason": HOSTILE});
            let row = |at: usize| {
                json!({"qid": format!("{at}{HOSTILE}"), "model": HOSTILE, "question": HOSTILE,
                    "scholar": label("VALID"), "auditor": label(if at == 3 { "REJECT" } else { "VALID" })})
            };
            lines(place, "p.jsonl", &(0..8).map(row).collect::<Vec<_>>());
            let ran = place
                .judica("agree pairs --pairs p.jsonl --run run --resamples 20 --allow-undefined");
            assert!(matches!(ran.code, 0 | 1), "{}", ran.stderr);
        }),
        of("hostile episodes", &|place| {
            let row = |at: usize, kind: &str| {
                json!({"episode_id": format!("{at}{HOSTILE}"), "goal": HOSTILE, "steps": [
                    {"action": {"type": kind, "x": 0.5, "y": 0.5, "text": HOSTILE}, "observation": {"screenshot_path": "../../etc/passwd"}},
                    {"action": {"type": "type", "text": huge("typed")}},
                ]})
            };
            lines(place, "e.jsonl", &[row(0, "click"), row(1, "click")]);
            lines(place, "p.jsonl", &[row(0, "click"), row(1, "scroll")]);
            let mut command = place.command("episodes --episodes e.jsonl --predictions p.jsonl --mode coord --config-path c --run run");
            command.args(["--backend", &HOSTILE.replace('\0', "")]);
            crate::support::ran(command).exits(0);
        }),
        of("hostile reports", &|place| {
            (CASES[1].inputs)(place, false);
            CASES[1].run(place, &server(), "run", "").exits(0);
            poison(place);
        }),
    ]
}

fn lines(place: &Place, name: &str, rows: &[Value]) {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    place.write_lines(name, &lines);
}

/// Writes harm into what the program itself wrote.
fn poison(place: &Place) {
    for name in ["report.json", "tables.json"] {
        let mut value = place.json(&format!("run/{name}"));
        texts(&mut value, &|text| *text = format!("{text}{HOSTILE}"));
        replace(place, name, value.to_string().as_bytes());
    }
    let mut manifest = place.json("run/manifest.json");
    for key in ["command", "judica_version", "created_at"] {
        manifest[key] = json!(format!(
            "{}{HOSTILE}",
            manifest[key].as_str().expect("text")
        ));
    }
    texts(&mut manifest["inputs"], &|text| text.push_str(HOSTILE));
    texts(&mut manifest["options"], &|text| text.push_str(HOSTILE));
    manifest["counts"] = json!({"inputs": u64::MAX, "used": 0, "rejects": u64::MAX, "records": u64::MAX,
        "rejects_by_reason": {HOSTILE: u64::MAX, huge("reason"): 1}});
    manifest["metrics"][0]["unit"] = json!(HOSTILE);
    manifest["trace"] = json!({HOSTILE: HOSTILE});
    place.write("run/manifest.json", manifest.to_string());
}

/// Changes every text of a document but the words that decide how it is read.
fn texts(value: &mut Value, change: &dyn Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values.iter_mut().for_each(|value| texts(value, change)),
        Value::Object(map) => {
            let plain = |key: &String| !matches!(key.as_str(), "align" | "schema_version");
            let values = map.iter_mut().filter(|(key, _)| plain(key));
            values.for_each(|(_, value)| texts(value, change));
        }
        _ => {}
    }
}

/// Puts other bytes into a file of the run, so that its manifest does not mind.
pub fn replace(place: &Place, name: &str, bytes: &[u8]) {
    place.write(&format!("run/{name}"), bytes);
    let mut manifest = place.json("run/manifest.json");
    manifest["files"][name]["bytes"] = json!(bytes.len());
    place.write("run/manifest.json", manifest.to_string());
}

/// A run without a record, which no command leaves.
pub fn empty() -> Kind {
    let place = Place::new();
    (CASES[1].inputs)(&place, false);
    CASES[1].run(&place, &server(), "run", "").exits(0);
    let records = std::fs::File::open(place.path("run/records.parquet")).expect("records");
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(records);
    let schema = reader.expect("a reader").schema().clone();
    let mut bytes = Vec::new();
    let writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, schema, None);
    writer.expect("a writer").close().expect("an end");
    replace(&place, "records.parquet", &bytes);
    let mut manifest = place.json("run/manifest.json");
    manifest["counts"] =
        json!({"inputs": 0, "used": 0, "rejects": 0, "records": 0, "rejects_by_reason": {}});
    place.write("run/manifest.json", manifest.to_string());
    Kind {
        name: "empty",
        place,
        view: "run",
    }
}
