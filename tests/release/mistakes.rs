//! Whatever is wrong with a config is named with its place: exit code 2, and nothing is run.

use crate::release::data::{AGREE, GOLDEN, config, place};

#[track_caller]
fn refuses(config: &str, words: &[&str]) {
    let place = place(10, &[]);
    place.write("release.toml", config);
    let ran = place
        .judica("release --out o.json --markdown o.md")
        .exits(2);
    let ran = ran.complains(words);
    assert_eq!(ran.stdout, "");
    for name in ["o.json", "o.md", "release", "kept", "out"] {
        assert!(!place.path(name).exists(), "{name} was written");
    }
}

#[test]
fn the_whole() {
    refuses("", &["release.toml:1:1", "version"]);
    refuses("version = 1\n", &["release.toml:1:1", "name"]);
    refuses(
        "version = 2\nname = \"x\"\n",
        &["release.toml:1:1", "version 2"],
    );
    refuses("version = \"1\"\nname = \"x\"\n", &["release.toml:1:11"]);
    refuses(&config(&[]), &["release.toml:1:1", "at least one [[step]]"]);
    let gateless = "name = \"x\"\nrun = \"rules --protocol flight\"";
    refuses(
        &config(&[gateless]),
        &["release.toml:1:1", "no step holds a gate", "`gates`"],
    );
    refuses(
        "version = 1\nname = \"x\"\nsteps = []\n",
        &["release.toml:3:1", "steps"],
    );
    refuses("version = 1\nname = x\n", &["release.toml:2:8"]);
    refuses(
        "version = 1\nname = \"x\"\nstep = 3\n",
        &["release.toml:3:8"],
    );
}

#[test]
fn one_step() {
    let second = |lines: &str| config(&[AGREE, lines]);
    for (step, words) in [
        ("run = \"eval\"", &["release.toml:8:1", "name"][..]),
        ("name = \"x\"", &["release.toml:8:1", "run"]),
        (
            "name = \"x\"\nrun = \"\"",
            &["release.toml:8:1", "`x` runs nothing"],
        ),
        (
            "name = \" \"\nrun = \"eval\"",
            &["release.toml:8:1", "needs a name"],
        ),
        ("name = \"x\"\nrun = 3", &["release.toml:10:7"]),
        (
            "name = \"x\"\nrun = \"eval\"\ngate = \"g\"",
            &["release.toml:11:1", "gate"],
        ),
        (
            "name = \"x\"\nrun = \"judica eval\"",
            &["release.toml:8:1", "without the program's name"],
        ),
        (
            "name = \"x\"\nrun = \"release --config x\"",
            &["release.toml:8:1", "cannot run a release"],
        ),
        (
            "name = \"x\"\nrun = \"--max-line 1MiB release --config x\"",
            &["release.toml:8:1", "cannot run a release"],
        ),
        (
            "name = \"x\"\nrun = \"eval\"\nbaseline = \"b.json\"",
            &["release.toml:8:1", "baseline but no gates"],
        ),
        (
            "name = \"agreement\"\nrun = \"eval\"",
            &["release.toml:8:1", "`agreement` was there before"],
        ),
        (
            "name = \"x\"\nrun = \"eval\"\nreport = \"release/agreement.json\"",
            &["release.toml:8:1", "another step's report"],
        ),
    ] {
        refuses(&second(step), words);
    }
}

#[test]
fn names_that_would_share_a_report_are_refused() {
    let steps = [
        "name = \"a b\"\nrun = \"eval\"",
        "name = \"a-b\"\nrun = \"eval\"",
    ];
    refuses(&config(&steps), &["release.toml:8:1", "release/a-b.json"]);
}

#[test]
fn a_config_that_is_missing() {
    let place = place(10, &[GOLDEN]);
    place
        .judica("release --config none.toml")
        .exits(3)
        .complains(&["none.toml"]);
}

#[test]
fn a_config_that_is_no_text() {
    let place = place(10, &[GOLDEN]);
    place.write("release.toml", b"version = 1\nname = \"\xff\"\n");
    place
        .judica("release")
        .exits(2)
        .complains(&["release.toml", "UTF-8"]);
}
