//! No command writes over, into or through what it reads, however the path is spelt.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use crate::help::listed;
use crate::support::Place;

/// What one command reads and writes. `IN` stands for the input that must survive.
struct Touches {
    command: &'static str,
    /// What must be said, with one input each.
    reads: &'static [&'static str],
    /// What must be said besides.
    besides: &'static str,
    /// Options that name a file to write, and a name that will do where one is required.
    writes: &'static [(&'static str, &'static str)],
    /// Options that name a folder to write to, with a file that it will hold.
    fills: &'static [(&'static str, &'static str)],
    /// How the input ends, where outputs must have a certain ending.
    ending: &'static str,
}

const JSON: &str = ".json";
/// An option that need not be given.
const FREE: &str = "";

/// What `--run` writes.
const RUN: [(&str, &str); 5] = [
    ("--run", "manifest.json"),
    ("--run", "records.parquet"),
    ("--run", "report.json"),
    ("--run", "tables.json"),
    ("--run", "rejects.jsonl"),
];

const COMMANDS: &[Touches] = &[
    Touches {
        command: "eval",
        reads: &[
            "--samples IN --outputs o --protocol flight",
            "--samples s --outputs IN --protocol flight",
            "--samples s --outputs o --confidence IN --protocol flight",
            "--samples s --outputs o --protocol IN",
            "--samples s --outputs o --protocol flight --prices IN",
            "--samples s --outputs o --protocol flight --ca-file IN",
        ],
        besides: "",
        writes: &[("--cache", FREE)],
        fills: &[
            ("--run", "manifest.json"),
            ("--out", "protocol.toml"),
            ("--run", "report.json"),
            ("--out", "records.parquet"),
            ("--out", "records.jsonl"),
            ("--out", "rejects.jsonl"),
            ("--out", "reviews.jsonl"),
        ],
        ending: JSON,
    },
    Touches {
        command: "export",
        reads: &["IN"],
        besides: "--format csv",
        writes: &[("--out", FREE)],
        fills: &[],
        ending: JSON,
    },
    Touches {
        command: "import",
        reads: &["IN"],
        besides: "--as inspect",
        writes: &[],
        fills: &RUN,
        ending: JSON,
    },
    Touches {
        command: "match",
        reads: &["--predictions IN"],
        besides: "--confidence p",
        writes: &[
            ("--out", FREE),
            ("--details", FREE),
            ("--figure", FREE),
            ("--rejects", FREE),
        ],
        fills: &RUN,
        ending: ".svg",
    },
    Touches {
        command: "judge",
        reads: &[
            "--predictions IN",
            "--predictions p --prompt IN",
            "--predictions p --prices IN",
            "--predictions p --ca-file IN",
        ],
        besides: "--model m",
        writes: &[("--rejects", FREE), ("--cache", FREE)],
        fills: &[
            ("--out", "judge_report.json"),
            ("--out", "rejects.jsonl"),
            ("--out", ".judica/replies.sqlite3"),
            ("--run", "manifest.json"),
            ("--run", "records.parquet"),
            ("--run", "replies.jsonl"),
            ("--run", "rejects.jsonl"),
            ("--run", ".judica/replies.sqlite3"),
        ],
        ending: JSON,
    },
    Touches {
        command: "efficiency",
        reads: &[
            "--predictions IN",
            "--predictions p --judged IN",
            "--predictions p --prices IN",
        ],
        besides: "",
        writes: &[("--rejects", FREE)],
        fills: &[
            ("--out", "efficiency_report.json"),
            ("--out", "efficiency_report.ipynb"),
            ("--out", "efficiency_cost.svg"),
            ("--out", "efficiency_latency.png"),
            ("--out", "rejects.jsonl"),
        ],
        ending: JSON,
    },
    Touches {
        command: "episodes",
        reads: &[
            "--episodes IN --predictions p",
            "--episodes e --predictions IN",
            "--episodes e --predictions p --milestones IN",
        ],
        besides: "--mode coord --backend b --config-path c",
        writes: &[
            ("--out", "r.json"),
            ("--details", FREE),
            ("--rejects", FREE),
        ],
        fills: &RUN,
        ending: JSON,
    },
    Touches {
        command: "schema migrate",
        reads: &["IN"],
        besides: "",
        writes: &[("--out", FREE)],
        fills: &[],
        ending: JSON,
    },
    Touches {
        command: "compare",
        reads: &["--files IN f", "--files f --details IN"],
        besides: "",
        writes: &[("--out", FREE), ("--forest", FREE)],
        fills: &[],
        ending: ".svg",
    },
    Touches {
        command: "report",
        reads: &["IN", "r --against IN"],
        besides: "",
        writes: &[("--html", "f.html")],
        fills: &[],
        ending: ".html",
    },
    Touches {
        command: "plan",
        reads: &["IN"],
        besides: "--difference 0.1",
        writes: &[("--out", FREE)],
        fills: &[],
        ending: JSON,
    },
    Touches {
        command: "plot",
        reads: &["IN", "--files IN", "--strip IN"],
        besides: "",
        writes: &[("--out", "f.png")],
        fills: &[],
        ending: ".svg",
    },
    Touches {
        command: "aggregate",
        reads: &["--files IN"],
        besides: "",
        writes: &[("--out", FREE)],
        fills: &[],
        ending: JSON,
    },
    Touches {
        command: "agree pairs",
        reads: &[
            "--pairs IN",
            "--scholar IN --auditor a",
            "--scholar s --auditor IN",
            "--pairs p --policy IN",
        ],
        besides: "",
        writes: &[
            ("--tsv", FREE),
            ("--arbitrated", FREE),
            ("--rejects", FREE),
            ("--out", FREE),
            ("--junit", FREE),
            ("--markdown", FREE),
        ],
        fills: &RUN,
        ending: JSON,
    },
    Touches {
        command: "agree judges",
        reads: &[
            "--eval-dir IN",
            "--eval-dir j --human IN",
            "--eval-dir j --prices IN",
        ],
        besides: "",
        writes: &[
            ("--out", "r.json"),
            ("--heatmap", FREE),
            ("--rejects", FREE),
        ],
        fills: &RUN,
        ending: ".svg",
    },
    Touches {
        command: "agree ratings",
        reads: &["--input IN"],
        besides: "--level nominal",
        writes: &[("--out", FREE), ("--heatmap", FREE), ("--rejects", FREE)],
        fills: &RUN,
        ending: ".svg",
    },
    Touches {
        command: "gate golden",
        reads: &[
            "--golden IN --outputs o",
            "--golden g --outputs IN",
            "--golden g --outputs o --gates IN",
            "--golden g --outputs o --gates x --baseline IN",
        ],
        besides: "",
        writes: &[("--out", FREE), ("--junit", FREE), ("--markdown", FREE)],
        fills: &RUN,
        ending: JSON,
    },
    Touches {
        command: "gate check",
        reads: &[
            "--report IN --gates g",
            "--report r --gates IN",
            "--report r --gates g --baseline IN",
        ],
        besides: "",
        writes: &[("--out", FREE), ("--junit", FREE), ("--markdown", FREE)],
        fills: &[],
        ending: JSON,
    },
    Touches {
        command: "gate init",
        reads: &["--report IN"],
        besides: "--force",
        writes: &[("--out", FREE)],
        fills: &[],
        ending: JSON,
    },
    Touches {
        command: "release",
        reads: &["--config IN"],
        besides: "",
        writes: &[("--out", FREE), ("--junit", FREE), ("--markdown", FREE)],
        fills: &[],
        ending: ".toml",
    },
];

/// Commands that write no file, or read none.
const HARMLESS: &[&str] = &[
    "demo",
    "show",
    "view",
    "look",
    "rules",
    "lint",
    "explain",
    "calibrate",
    "reproduce",
    "finish",
    "efficiency gpu-cost",
    "schema print",
    "schema validate",
    "synth",
    "completions",
    "reference",
];

/// A place whose input can be reached in many ways, and the ways.
fn place(ending: &str) -> (Place, Vec<String>) {
    let place = Place::new();
    let input = format!("data/in{ending}");
    let absolute = place.write(&input, "what must survive");
    let at = |name: &str| place.path(name);
    symlink(&input, at(&format!("soft{ending}"))).unwrap();
    symlink(format!("soft{ending}"), at(&format!("softer{ending}"))).unwrap();
    symlink("data", at("way")).unwrap();
    fs::hard_link(&absolute, at(&format!("hard{ending}"))).unwrap();
    let spellings = vec![
        input.clone(),
        format!("./{input}"),
        format!("data/../{input}"),
        format!("soft{ending}"),
        format!("softer{ending}"),
        format!("hard{ending}"),
        format!("way/in{ending}"),
        absolute.display().to_string(),
    ];
    (place, spellings)
}

#[track_caller]
fn refused(place: &Place, line: &str) {
    let ran = place.judica(line).exits(2);
    let words = ["would overwrite", "which is read", "would write to"];
    assert!(
        words.iter().any(|word| ran.stderr.contains(word)),
        "{line}: {}",
        ran.stderr
    );
}

#[test]
fn no_file_takes_the_place_of_an_input() {
    for touches in COMMANDS {
        let (place, spellings) = place(touches.ending);
        let input = &spellings[0];
        for read in touches.reads {
            for (option, _) in touches.writes {
                for spelling in &spellings {
                    let needed: String = touches
                        .writes
                        .iter()
                        .filter(|(other, name)| other != option && *name != FREE)
                        .map(|(other, name)| format!(" {other} {name}"))
                        .collect();
                    let folder = match touches.fills.iter().any(|(fills, _)| *fills == "--out") {
                        false => "",
                        true => " --out elsewhere",
                    };
                    let line = format!(
                        "{} {} {}{needed}{folder} {option} {spelling}",
                        touches.command,
                        read.replace("IN", input),
                        touches.besides,
                    );
                    refused(&place, &line);
                    assert_eq!(place.text(input), "what must survive", "{line}");
                }
            }
        }
    }
}

#[test]
fn no_folder_takes_the_place_of_an_input() {
    for touches in COMMANDS {
        for (option, name) in touches.fills {
            for linked in [symlink_to, hard_link_to, moved_to] {
                let (place, _) = place(touches.ending);
                for read in touches.reads {
                    let target = place.path(&format!("run/{name}"));
                    fs::create_dir_all(target.parent().unwrap()).unwrap();
                    let _ = fs::remove_file(&target);
                    let input = linked(&place, &format!("data/in{}", touches.ending), &target);
                    let line = format!(
                        "{} {} {} {option} run",
                        touches.command,
                        read.replace("IN", &input),
                        touches.besides,
                    );
                    refused(&place, &line);
                    assert_eq!(place.text(&input), "what must survive", "{line}");
                }
            }
        }
    }
}

#[test]
fn no_input_is_a_folder_to_write_to() {
    for touches in COMMANDS {
        let (place, spellings) = place(touches.ending);
        let options: BTreeSet<&str> = touches.fills.iter().map(|(option, _)| *option).collect();
        for option in options {
            for spelling in &spellings {
                let line = format!(
                    "{} {} {} {option} {spelling}",
                    touches.command,
                    touches.reads[0].replace("IN", &spellings[0]),
                    touches.besides,
                );
                refused(&place, &line);
            }
        }
    }
}

/// A file of a run that another command's takes the place of goes with it.
#[test]
fn no_file_of_a_run_that_is_replaced_is_read_or_written() {
    let place = Place::new();
    let row = r#"{"id": 1, "gold": "a", "prediction": "a"}"#;
    place.write("p.jsonl", row);
    place.judica("match --predictions p.jsonl --run r").exits(0);
    let manifest = place.text("r/manifest.json");
    let listed = "\"files\": {";
    assert!(manifest.contains(listed), "{manifest}");
    let entry = r#""records.jsonl": {"kind": "records", "bytes": 3, "reproducible": true},"#;
    place.write(
        "r/manifest.json",
        manifest.replace(listed, &format!("{listed}{entry}")),
    );
    for line in [
        "match --predictions r/records.jsonl --run r",
        "match --predictions r/records.jsonl --run ./r --part 1/1",
        "match --predictions p.jsonl --run r --details r/records.jsonl",
        "agree ratings --input r/records.jsonl --level nominal --run r",
        "import r/records.jsonl --as table --item id --metric x --run r",
    ] {
        place.write("r/records.jsonl", row);
        refused(&place, line);
        assert_eq!(place.text("r/records.jsonl"), row, "{line}");
    }
    // What is nobody else's goes.
    place.judica("match --predictions p.jsonl --run r").exits(0);
    assert!(!place.path("r/records.jsonl").exists());
}

/// Makes the name an input by another way; says by which name the input is given.
type Linked = fn(&Place, &str, &std::path::Path) -> String;

const _: [Linked; 3] = [symlink_to, hard_link_to, moved_to];

fn symlink_to(place: &Place, input: &str, target: &std::path::Path) -> String {
    symlink(place.path(input), target).unwrap();
    input.to_owned()
}

fn hard_link_to(place: &Place, input: &str, target: &std::path::Path) -> String {
    fs::hard_link(place.path(input), target).unwrap();
    input.to_owned()
}

fn moved_to(place: &Place, input: &str, target: &std::path::Path) -> String {
    fs::copy(place.path(input), target).unwrap();
    target.display().to_string()
}

/// A folder that is read gets no new files: the next run would read them.
#[test]
fn nothing_is_written_into_a_folder_that_is_read() {
    let (place, _) = place(JSON);
    place.write("out/m/x.json", "[]");
    fs::create_dir_all(place.path("linked/m")).unwrap();
    symlink("../../data/in.json", place.path("linked/m/in.json")).unwrap();
    for line in [
        "match --predictions data --out data/new.json",
        "match --predictions data --details way/new.jsonl",
        "match --predictions data --run data/run",
        "judge --predictions out/m/x.json --model m --out out",
        "judge --predictions data/in.json --model m --base-url http://127.0.0.1:9 --out linked",
        "judge --predictions data --model m --out data",
        "judge --predictions data --model m --out data/judged",
        "judge --predictions data --model m --run data/run",
        "efficiency --predictions data --out data",
        "efficiency --predictions data --out way/report",
        "agree judges --eval-dir data --out data/r.json",
        "aggregate --files data --out data/r.json",
        "gate golden --golden g.json --outputs data --report data/r.json",
        "export data --format csv --out data/records.csv",
        "eval --samples s --outputs data --protocol flight --out data/run",
    ] {
        refused(&place, line);
        assert_eq!(place.names("data"), ["in.json"], "{line}");
    }
}

/// What a folder holds may have another name elsewhere, or lie elsewhere itself.
#[test]
fn nothing_that_a_folder_holds_is_written_over() {
    let place = Place::new();
    let kept = "what must survive";
    place.write("data/in.json", kept);
    place.write("data/deep/manifests/in.json", kept);
    place.write("far.json", kept);
    symlink("../far.json", place.path("data/soft.json")).unwrap();
    for (file, link) in [
        ("in.json", "hard.json"),
        ("deep/manifests/in.json", "deep.json"),
    ] {
        fs::hard_link(place.path(&format!("data/{file}")), place.path(link)).unwrap();
    }
    for output in ["hard.json", "deep.json", "far.json"] {
        for line in [
            "match --predictions data --out",
            "match --predictions data --details",
            "match --predictions data --rejects",
            "efficiency --predictions data --out new --rejects",
            "agree judges --eval-dir data --out",
            "aggregate --files data --out",
            "gate golden --golden g.json --outputs data --report",
            "gate golden --golden g.json --outputs data --markdown",
            "export data --format csv --out",
            "judge --predictions data --no-llm --out new --rejects",
            "eval --samples s --outputs data --protocol flight --out new --cache",
        ] {
            refused(&place, &format!("{line} {output}"));
            assert_eq!(place.text(output), kept, "{line} {output}");
        }
    }
}

#[test]
fn two_outputs_are_two_files() {
    let (place, _) = place(JSON);
    symlink("later.json", place.path("link.json")).unwrap();
    for line in [
        "match --predictions data/in.json --out a.json --details ./a.json",
        "match --predictions data/in.json --out later.json --details link.json",
        "gate check --report data/in.json --gates g --junit x --markdown x",
    ] {
        refused(&place, line);
    }
}

/// Every command and every option that names a file is known to the table above.
#[test]
fn every_command_is_walked_over() {
    let place = Place::new();
    let mut found = BTreeSet::new();
    for command in subcommands(&place, "") {
        let below = subcommands(&place, &command);
        // `efficiency` is a command and has one.
        if below.is_empty() || command == "efficiency" {
            found.insert(command.clone());
        }
        found.extend(below.iter().map(|sub| format!("{command} {sub}")));
    }
    let known: BTreeSet<String> = COMMANDS
        .iter()
        .map(|touches| touches.command)
        .chain(HARMLESS.iter().copied())
        .map(str::to_owned)
        .collect();
    assert_eq!(found, known);
    for touches in COMMANDS {
        let help = place.judica(&format!("{} --help", touches.command)).stdout;
        for line in help.lines().map(str::trim) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let option = words.iter().find(|word| word.starts_with("--"));
            let value = words.iter().find(|word| word.starts_with('<'));
            let (Some(option), Some(value)) = (option, value) else {
                continue;
            };
            if !line.starts_with('-') || !(value.contains("FILE") || value.contains("DIR")) {
                continue;
            }
            let reads = touches.reads.iter().any(|read| {
                let words: Vec<&str> = read.split(' ').collect();
                words.windows(2).any(|pair| pair == [*option, "IN"])
            });
            let writes = touches.writes.iter().any(|(known, _)| known == option);
            let fills = touches.fills.iter().any(|(known, _)| known == option);
            assert!(
                reads || writes || fills,
                "{} {option} {value}: is it read or written?",
                touches.command
            );
        }
    }
}

/// The commands below one, or below the program itself, whose own stand in groups.
fn subcommands(place: &Place, command: &str) -> Vec<String> {
    let help = place.judica(&format!("{command} --help")).exits(0).stdout;
    let found = listed(&help).into_iter();
    let found = found.filter(|(heading, _)| command.is_empty() || heading == "Commands");
    let found = found.map(|(_, name)| name);
    found.filter(|name| name != "help").collect()
}

/// What is no plain file stays what it is.
#[test]
fn devices_pipes_and_links_are_written_to_and_stay() {
    let place = Place::new();
    let row = r#"{"id": 1, "input": "q", "gold": "a", "prediction": "a"}"#;
    place.write("p.jsonl", row);
    place
        .judica("match --predictions p.jsonl --out /dev/null")
        .exits(0);
    assert!(fs::metadata("/dev/null").unwrap().len() == 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());

    place.write("far/old.json", "old");
    symlink("far/old.json", place.path("link.json")).unwrap();
    place
        .judica("match --predictions p.jsonl --out link.json")
        .exits(0);
    assert!(
        fs::symlink_metadata(place.path("link.json"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(place.json("far/old.json")["n_examples"], 1);
    assert_eq!(place.names("far"), ["old.json"]);

    let pipe = place.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
    place
        .judica("match --predictions p.jsonl --out pipe")
        .exits(0);
    let report: serde_json::Value = serde_json::from_slice(&reader.join().unwrap()).unwrap();
    assert_eq!(report["n_examples"], 1);

    let bound = std::os::unix::net::UnixListener::bind(place.path("socket"));
    place
        .judica("match --predictions p.jsonl --out socket")
        .exits(2)
        .complains(&["socket"]);
    drop(bound);
    place
        .judica("match --predictions p.jsonl --out far")
        .exits(2)
        .complains(&["is a folder"]);
}
