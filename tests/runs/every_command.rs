//! What run.md promises of every run, whichever command made it.

use judica_run::layout::head_fields;
use judica_run::open::Run;
use serde_json::Value;

use crate::runs::cases::{CASES, Case, server};
use crate::support::{Place, Ran};

/// A command ends well; gates of its own may fail.
#[track_caller]
fn made(ran: Ran) -> Ran {
    assert!(
        matches!(ran.code, 0 | 1),
        "\nstdout: {}\nstderr: {}",
        ran.stdout,
        ran.stderr
    );
    ran
}

/// A run `a`, a twin `b` that does worse, in one place. The inputs left are those of `a`.
fn two_runs(case: &Case) -> Place {
    let (place, server) = (Place::new(), server());
    (case.inputs)(&place, true);
    made(case.run(&place, &server, "b", ""));
    (case.inputs)(&place, false);
    made(case.run(&place, &server, "a", ""));
    place
}

fn subject(place: &Place, case: &Case) -> String {
    let run = Run::open(&place.path("a")).expect("a run");
    let values = judica_run::values::values(&run, &judica_stats::clusters::Intervals::default())
        .expect("values");
    let subjects: Vec<String> = values.iter().filter_map(|of| of.subject.clone()).collect();
    assert!(!subjects.is_empty(), "{}: nobody", case.command);
    if !case.subject.is_empty() {
        assert!(
            subjects.iter().any(|name| name == case.subject),
            "{subjects:?}"
        );
    }
    subjects[0].clone()
}

fn item(place: &Place, case: &Case) -> String {
    if !case.item.is_empty() {
        return case.item.to_owned();
    }
    let line = place.judica("export a --format jsonl").exits(0).stdout;
    let first: Value = serde_json::from_str(line.lines().next().expect("a record")).expect("JSON");
    first["item"].as_str().expect("an item").to_owned()
}

fn with_each(check: impl Fn(&Case)) {
    for case in &CASES {
        // Which command it was is said if it fails.
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(case)));
        assert!(failed.is_ok(), "judica {}", case.command);
    }
}

#[test]
fn the_folder_is_as_promised() {
    with_each(|case| {
        let place = two_runs(case);
        let manifest = place.json("a/manifest.json");
        assert_eq!(manifest["schema_version"], "judica.run/2");
        assert_eq!(manifest["command"], case.command);
        let counts = &manifest["counts"];
        let count = |key: &str| {
            counts[key]
                .as_u64()
                .unwrap_or_else(|| panic!("{key}: {counts}"))
        };
        assert_eq!(count("inputs"), count("used") + count("rejects"));
        assert!(count("records") > 0 && counts["rejects_by_reason"].is_object());
        for input in manifest["inputs"].as_array().expect("inputs") {
            assert_eq!(input["sha256"].as_str().map(str::len), Some(64), "{input}");
        }
        let files = manifest["files"].as_object().expect("files");
        for name in ["records.parquet", "report.json"] {
            assert_eq!(files[name]["reproducible"], true, "{name}");
        }
        for (name, entry) in files {
            let length = place.read(&format!("a/{name}")).len() as u64;
            assert_eq!(entry["bytes"], length, "{name}");
        }
        let metrics = manifest["metrics"].as_array().expect("metrics");
        let primary = metrics.iter().filter(|spec| spec["primary"] == true);
        assert_eq!(primary.count(), 1, "{}: {metrics:?}", case.command);
        let run = Run::open(&place.path("a")).expect("a run");
        let records = run.records().expect("records");
        assert_eq!(records.len(), count("records"));
        let head = head_fields();
        let names: Vec<&str> = head.iter().map(|field| field.name().as_str()).collect();
        assert_eq!(&records.columns()[..names.len()], names, "{}", case.command);
        for spec in metrics {
            for column in [&spec["above"], &spec["below"]] {
                if let Some(column) = column.as_str() {
                    assert!(records.columns().contains(&column), "{column}");
                }
            }
        }
    });
}

#[test]
fn the_bytes_do_not_depend_on_threads() {
    with_each(|case| {
        let (place, server) = (Place::new(), server());
        (case.inputs)(&place, false);
        // How long a server took is part of a judge's run; that it is made again from its
        // replies is shown below.
        if case.command == "judge" {
            return;
        }
        made(case.run(&place, &server, "one", "--threads 1"));
        made(case.run(&place, &server, "three", "--threads 3"));
        for (name, bytes) in place.files("one") {
            let other = place.read(&format!("three/{name}"));
            assert!(bytes == other, "{}: {name} differs", case.command);
        }
    });
}

#[test]
fn it_can_be_shown() {
    with_each(|case| {
        let place = two_runs(case);
        place
            .judica("show a")
            .exits(0)
            .says(&[case.metric, "inputs"]);
        let report: Value =
            serde_json::from_str(&place.judica("show a --json").exits(0).stdout).expect("JSON");
        assert_eq!(report, place.json("a/report.json"));
        let item = item(&place, case);
        let shown = |more: &str| {
            let mut command = place.command("show a");
            command.arg(&item).args(more.split_whitespace());
            crate::support::ran(command)
        };
        shown("").exits(0).says(&["verdict:", &item]);
        let record: Value = serde_json::from_str(
            shown("--json")
                .exits(0)
                .stdout
                .lines()
                .next()
                .expect("a line"),
        )
        .expect("JSON");
        assert!(record["input_file"].is_string() || record["input_file"].is_null());
        place
            .judica("show a no-such-item")
            .exits(2)
            .complains(&["no record of item `no-such-item`"]);
    });
}

#[test]
fn it_can_be_exported() {
    with_each(|case| {
        let place = two_runs(case);
        let records = place.json("a/manifest.json")["counts"]["records"].as_u64();
        let lines = place.judica("export a --format jsonl").exits(0).stdout;
        assert_eq!(Some(lines.lines().count() as u64), records);
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            assert!(
                record.get("input_line").is_some(),
                "{}: {line}",
                case.command
            );
        }
        let csv = place.judica("export a --format csv").exits(0).stdout;
        assert!(csv.starts_with("dataset,item,subject,epoch,"), "{csv:.200}");
        for format in ["markdown", "latex"] {
            let text = place
                .judica(&format!("export a --format {format}"))
                .exits(0)
                .stdout;
            assert!(!text.trim().is_empty(), "{}: {format}", case.command);
        }
        place
            .judica("export a --format parquet --out again.parquet")
            .exits(0);
        assert!(place.read("again.parquet") == place.read("a/records.parquet"));
    });
}

#[test]
fn it_is_made_again_byte_for_byte() {
    with_each(|case| {
        // The server is gone by then: replies are in the run.
        let place = two_runs(case);
        place
            .judica("reproduce a")
            .exits(0)
            .says(&["identical", "records.parquet"]);
        // Inputs that have changed are noticed.
        place
            .judica("reproduce b")
            .exits(3)
            .complains(&["has changed since the run"]);
    });
}

#[test]
fn it_can_be_compared_with_a_twin() {
    with_each(|case| {
        let place = two_runs(case);
        let arguments = format!("compare a b --metric {} --json", case.metric);
        let ran = place.judica(&arguments).exits(0);
        let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(report["schema_version"], "judica.compare/1");
        let row = &report["metrics"][0];
        assert_eq!(
            (&row["metric"], &row["primary"]),
            (&case.metric.into(), &true.into())
        );
        assert_eq!(row["verdict"], "worse", "{}: {row}", case.command);
        assert_eq!(row["dataset"], Value::Null);
        let (a, b) = (row["a"]["value"].as_f64(), row["b"]["value"].as_f64());
        let difference = row["difference"]["value"].as_f64();
        assert!((b.unwrap() - a.unwrap() - difference.unwrap()).abs() < 1e-12);
        let fails = format!("compare a b --metric {} --fail-if-worse", case.metric);
        place.judica(&fails).exits(1);
        place.judica("compare a a --fail-if-worse").exits(0);
    });
}

#[test]
fn it_can_be_gated_by_metric_and_subject() {
    with_each(|case| {
        let place = two_runs(case);
        let subject = subject(&place, case);
        place.judica("gate init a --out g.toml").exits(0);
        assert!(
            place
                .text("g.toml")
                .contains(&format!("metric = \"{}\"", case.metric))
        );
        place
            .judica("gate check a --gates g.toml --baseline b")
            .exits(0);
        place
            .judica("gate check b --gates g.toml --baseline a")
            .exits(1);
        assert!(place.text("g.toml").contains("no_worse_than = "));
        // So few items cannot show a margin of 0.02.
        let gates = format!(
            "[[gate]]\nname = \"w\"\nmetric = \"{}\"\nsubject = \"{subject}\"\nno_worse_than = 1.0",
            case.metric
        );
        place.write("w.toml", format!("version = 1\n{gates}\n"));
        place
            .judica("gate check a --baseline b --gates w.toml")
            .exits(0);
        let gate = |op: &str| {
            format!(
                "version = 1\n[[gate]]\nname = \"g\"\nmetric = \"{}\"\nsubject = {subject:?}\n{op}\n",
                case.metric
            )
        };
        place.write(
            "holds.toml",
            gate("op = \"no_worse_than\"\nthreshold = 0.2"),
        );
        place
            .judica("gate check a --gates holds.toml --baseline b")
            .exits(0);
        place
            .judica("gate check b --gates holds.toml --baseline a")
            .exits(1);
        place.write("drop.toml", gate("op = \"no_significant_drop\""));
        place
            .judica("gate check b --gates drop.toml --baseline a")
            .exits(1)
            .says(&["paired on"]);
        place.write(
            "no.toml",
            gate("op = \">=\"\nthreshold = 0")
                .replace(&format!("subject = {subject:?}"), "subject = \"nobody\""),
        );
        place
            .judica("gate check a --gates no.toml")
            .exits(2)
            .complains(&["the run's subjects are"]);
    });
}

#[test]
fn it_can_be_drawn_beside_its_twin() {
    with_each(|case| {
        let place = two_runs(case);
        place
            .judica("plot a b --labels before after --out f.svg")
            .exits(0)
            .says(&["f.svg"]);
        let svg = place.text("f.svg");
        assert!(
            svg.contains("before") && svg.contains("after"),
            "both are in the legend"
        );
        let metric = case.metric.replace('_', " ");
        let bars = svg.matches("<title>").count();
        assert!(svg.contains(&metric) && bars > 2, "{bars} bars: {metric}");
        place
            .judica(&format!("plot a --metrics {} --out g.png", case.metric))
            .exits(0);
        place
            .judica("plot a b --labels before after --as forest --out k.svg")
            .exits(0);
        let forest = place.text("k.svg");
        let headings = forest.matches(&format!("aria-label=\"{metric}")).count();
        assert!(
            headings > 0 && forest.contains("aria-label=\"n = "),
            "{metric}"
        );
        place
            .judica("plot a --by dataset --out h.svg")
            .exits(2)
            .complains(&["data set"]);
        place
            .judica(&format!("plot a --metrics {}x --out i.svg", case.metric))
            .exits(2)
            .complains(&["did you mean", case.metric]);
    });
}

#[test]
fn a_run_of_one_data_set_stands_beside_one_of_two() {
    let place = Place::new();
    let rows = |dataset: &str| -> String {
        let row =
            |id| format!("{{\"id\":{id},\"dataset\":\"{dataset}\",\"gold\":1,\"prediction\":1}}\n");
        (0..5).map(row).collect()
    };
    place.write("one.jsonl", rows("x"));
    place.write("two.jsonl", rows("x") + &rows("y"));
    for name in ["one", "two"] {
        let line = format!("match -p {name}.jsonl --subject m --run {name}");
        place.judica(&line).exits(0);
    }
    let line = "plot one two --by dataset --metrics matched --out p.svg";
    place.judica(line).exits(0);
    let svg = place.text("p.svg");
    for (title, expected) in [("x, one: 1", 1), ("x, two: 1", 1), ("y, one: n/a", 1)] {
        let titles = svg.matches(&format!("<title>{title}")).count();
        assert_eq!(titles, expected, "{title}");
    }
}

#[test]
fn its_efficiency_can_be_told() {
    with_each(|case| {
        let place = two_runs(case);
        let ran = place.judica("efficiency a b --json").exits(0);
        let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(report["files"].as_array().map(Vec::len), Some(2));
        let accuracy = &report["models"][0]["accuracy"];
        assert!(accuracy.is_number(), "{report}");
    });
}
