//! A disk that fills up while a run is written.
//!
//! The disk is a small tmpfs in a mount namespace of its own, which needs no clean-up: it
//! goes with the shell that made it. Where namespaces or mounts are not permitted the
//! tests say so and pass.

use std::process::Command;

use crate::support::{JUDICA, Place, STAMP, TEMPORARY, note};

/// What came of a run on a small disk.
struct Small {
    code: i32,
    stderr: String,
    /// Names in the run folder afterwards.
    left: Vec<String>,
}

/// Runs the script on a tmpfs of `bytes`, mounted on the folder `disk` of the place.
fn on_small_disk(place: &Place, bytes: usize, script: &str) -> Option<Small> {
    let script = format!(
        "mkdir -p disk && mount -t tmpfs -o size={bytes} tmpfs disk || exit 77
         {script}
         echo $? > code
         ls -A disk/run > left"
    );
    // Root may mount as it is; others may in a user namespace, on some systems.
    for flags in [&["--mount"][..], &["--map-root-user", "--mount"][..]] {
        let output = Command::new("unshare")
            .args(flags)
            .args(["sh", "-c", &script])
            .current_dir(place.path("."))
            .env("JUDICA", JUDICA)
            .output();
        match output {
            Ok(output) if output.status.success() => {
                return Some(Small {
                    code: place.text("code").trim().parse().expect("a code"),
                    stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
                    left: place.text("left").lines().map(str::to_owned).collect(),
                });
            }
            _ => {}
        }
    }
    note("no mount permitted here, the disk-full test was skipped");
    None
}

fn data(samples: usize) -> Place {
    let place = Place::new();
    place
        .judica(&format!(
            "synth flight --samples {samples} --models 5 --seed 4 --out data"
        ))
        .exits(0);
    let mut outputs = place.text("data/outputs.jsonl");
    outputs.push_str("not json\n");
    place.write("o.jsonl", outputs);
    place
}

fn eval(records: &str) -> String {
    format!(
        "\"$JUDICA\" eval --protocol flight --samples data/samples.jsonl --outputs o.jsonl --out disk/run \
         --timestamp {STAMP} --records {records} > said"
    )
}

#[test]
fn a_full_disk_ends_the_run_and_leaves_nothing() {
    for (records, samples) in [("jsonl", 100), ("parquet", 1200), ("both", 100)] {
        let place = data(samples);
        let Some(small) = on_small_disk(&place, 1 << 20, &eval(records)) else {
            return;
        };
        assert_eq!(small.code, 3, "{records}: {}", small.stderr);
        assert!(small.stderr.contains("SYSTEM_ERROR"), "{}", small.stderr);
        assert!(!small.stderr.contains("panicked"), "{}", small.stderr);
        assert_eq!(small.left, Vec::<String>::new(), "{records}");
    }
}

#[test]
fn a_full_disk_is_called_that() {
    // Lines, table, rejects, and the scores that are set aside for the summary: each may
    // be the first to find no room.
    for (records, bytes) in [
        ("jsonl", 1 << 20),
        ("parquet", 256 << 10),
        ("none", 8 << 10),
        ("none", 64 << 10),
    ] {
        let place = data(300);
        let Some(small) = on_small_disk(&place, bytes, &eval(records)) else {
            return;
        };
        assert_eq!(small.code, 3, "{records} {bytes}: {}", small.stderr);
        assert!(
            small.stderr.contains("disk full"),
            "{records} {bytes}: {}",
            small.stderr
        );
        assert!(
            small.stderr.contains("disk/run"),
            "{records} {bytes}: {}",
            small.stderr
        );
    }
}

#[test]
fn rejects_that_fill_the_disk_end_the_run_too() {
    let place = data(3);
    place.write("o.jsonl", ("not json ".repeat(5000) + "\n").repeat(60));
    let Some(small) = on_small_disk(&place, 1 << 20, &eval("none")) else {
        return;
    };
    assert_eq!(small.code, 3, "{}", small.stderr);
    assert!(small.stderr.contains("disk full"), "{}", small.stderr);
    assert_eq!(small.left, Vec::<String>::new());
}

/// Runs with less and less room, so that each file in turn is the one that does not fit.
/// An earlier run stands in the folder: it must stay whole or be replaced whole.
fn earlier_run_survives(old: &str, new: &str) {
    const PAGE: usize = 4096;
    let place = data(10);
    place
        .judica(&format!(
            "eval --protocol flight --samples data/samples.jsonl --outputs data/outputs.jsonl --out first \
             --timestamp {STAMP} --records {old}"
        ))
        .exits(0);
    let sums = "(cd disk/run && sha256sum *)";
    let script = format!(
        "cp -r first disk/run && {sums} > before || exit 77
         {}
         code=$?
         {sums} > after
         (exit $code)",
        eval(new)
    );
    // Tells whether everything fitted, having checked what is left.
    let fits = |pages: usize| -> Option<bool> {
        let small = on_small_disk(&place, pages * PAGE, &script)?;
        let temporary: Vec<_> = small
            .left
            .iter()
            .filter(|name| name.ends_with(TEMPORARY))
            .collect();
        assert!(temporary.is_empty(), "{pages} pages: {temporary:?}");
        match small.code {
            0 => assert_ne!(place.text("after"), place.text("before"), "{pages} pages"),
            3 => assert_eq!(
                place.text("after"),
                place.text("before"),
                "{pages} pages: {}",
                small.stderr
            ),
            other => panic!("{pages} pages: exit {other}: {}", small.stderr),
        }
        Some(small.code == 0)
    };
    let first: usize = place
        .files("first")
        .values()
        .map(|bytes| bytes.len().div_ceil(PAGE))
        .sum();
    let (mut short, mut enough) = (first + 1, 4096);
    let (Some(false), Some(true)) = (fits(short), fits(enough)) else {
        // Not permitted here; had a mount worked, these two could not have come out otherwise.
        return assert!(
            fits(enough).is_none(),
            "16 MB were too little, or nothing was enough"
        );
    };
    while enough - short > 1 {
        let middle = (short + enough) / 2;
        match fits(middle) {
            Some(true) => enough = middle,
            _ => short = middle,
        }
    }
    // The last page, and each before it, was wanted by some file.
    for missing in 1..=16.min(enough - first - 1) {
        assert_eq!(fits(enough - missing), Some(false));
    }
}

#[test]
fn an_earlier_run_stays_whole_when_there_is_no_room_for_its_successor() {
    earlier_run_survives("jsonl", "jsonl");
}

#[test]
fn an_earlier_run_of_another_format_stays_whole_too() {
    earlier_run_survives("parquet", "jsonl");
}
