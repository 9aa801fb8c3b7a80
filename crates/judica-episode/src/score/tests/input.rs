//! Inputs of every kind, good and bad: nothing is lost.

use super::*;

#[test]
fn everything_that_cannot_be_used_is_kept_and_named() {
    let episodes = br#"{"episode_id":"a","steps":[{"action":{"type":"click","x":0.5,"y":0.5}}]}
not json
{"episode_id":"a","steps":[]}
{"episode_id":"swapped","steps":[{"action":{"type":"click","bbox":[0.9,0.1,0.1,0.2]}}]}
{"episode_id":"broken","steps":[

{"episode_id":"lonely","steps":[{"action":{"type":"wait"}}]}
"#;
    let predictions = br#"{"episode_id":"a","steps":[{"action":{"type":"click","x":512,"y":384}}]}
{"episode_id":"nobody","steps":[]}
{"episode_id":"swapped","steps":[]}
{"episode_id":"broken","steps":[]}
{"steps":[]}
{"episode_id":"nobody","steps":[
"#;
    let run = Run::new(episodes, predictions);
    let outcome = run.score().unwrap();
    let expected = [
        ("p.jsonl", 5, "missing_episode_id"),
        ("e.jsonl", 2, "malformed_json"),
        ("e.jsonl", 3, "duplicate_episode"),
        ("e.jsonl", 4, "swapped_bbox"),
        ("e.jsonl", 5, "malformed_json"),
        ("p.jsonl", 2, "unknown_episode"),
        ("p.jsonl", 3, "refused_episode"),
        ("p.jsonl", 4, "refused_episode"),
        ("p.jsonl", 6, "malformed_json"),
    ];
    let expected = expected.map(|(file, line, why)| (file.to_owned(), line, why.to_owned()));
    assert_eq!(run.refused(), expected);
    let rejects = run.rejects();
    assert!(
        rejects[3].detail.starts_with("/steps/0/action/bbox: "),
        "{}",
        rejects[3].detail
    );
    // What a model did is a miss, and no reason to refuse its row.
    assert_eq!(outcome.counts.points_outside, 1);
    assert!(outcome.notes.iter().any(|note| note.contains("--screen")));
    assert_eq!(
        rejects[5].raw.kept(),
        br#"{"episode_id":"nobody","steps":[]}"#
    );
    let counts = outcome.counts;
    assert_eq!(
        (counts.episodes, counts.episodes_without_predictions),
        (2, 1)
    );
    assert_eq!(outcome.metrics.action_type_accuracy.value(), Some(0.5));
    // A run without anything to refuse takes the old file away.
    let mut clean = run;
    std::fs::write(&clean.request.episodes.path, EPISODES).unwrap();
    std::fs::write(
        &clean.request.predictions.as_ref().unwrap().path,
        PREDICTIONS,
    )
    .unwrap();
    clean.score().unwrap();
    assert!(!clean.request.rejects.exists());
    std::fs::write(&clean.request.episodes.path, episodes).unwrap();
    clean.request.strict = true;
    let error = clean.score().unwrap_err();
    assert_eq!(
        error.exit_code(),
        judica_model::exit_code::ExitCode::BadInput
    );
    assert!(
        error.to_string().contains("e.jsonl:2: malformed_json: "),
        "{error}"
    );
}

#[test]
fn nothing_at_all() {
    let run = Run::new(b"", b"\n");
    let error = run.score().unwrap_err();
    assert_eq!(
        error.exit_code(),
        judica_model::exit_code::ExitCode::BadInput
    );
    assert!(
        error.to_string().contains("e.jsonl: there is no row in it"),
        "{error}"
    );
    assert!(!run.request.details.as_ref().unwrap().exists());
}

#[test]
fn failures_name_the_file_and_leave_nothing() {
    let mut run = Run::new(EPISODES.as_bytes(), PREDICTIONS.as_bytes());
    let stop = AtomicBool::new(true);
    let hooks = Hooks {
        progress: &|_| {},
        interrupted: &stop,
    };
    assert!(matches!(
        score(&run.request, &hooks),
        Err(WorkError::Interrupted)
    ));
    assert!(!run.request.details.as_ref().unwrap().exists());
    run.request.predictions = Some(given(&run.folder.path().join("missing.jsonl")));
    let error = run.score().unwrap_err();
    assert!(
        error.to_string().contains("missing.jsonl: no such file"),
        "{error}"
    );
    assert_eq!(
        error.exit_code(),
        judica_model::exit_code::ExitCode::SystemError
    );
    run.request.predictions = Some(given(Path::new("-")));
    run.request.episodes = given(Path::new("-"));
    assert!(matches!(run.score(), Err(WorkError::BadInput(_))));
}

/// A gzip file that stores `bytes` as they are.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    let length = u16::try_from(bytes.len()).unwrap();
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(bytes);
    file.extend((!crc).to_le_bytes());
    file.extend(u32::from(length).to_le_bytes());
    file
}

#[test]
fn any_format_gives_the_same() {
    let plain = Run::new(EPISODES.as_bytes(), PREDICTIONS.as_bytes());
    let expected = plain.score().unwrap();
    let array = |lines: &str| {
        let rows: Vec<&str> = lines.lines().collect();
        format!("\u{feff}[\n{}\n]\n", rows.join(" ,\n\n  "))
    };
    let windows = |lines: &str| format!("\u{feff}{}", lines.replace('\n', "\r\n\r\n"));
    let (e, p) = (array(EPISODES), array(PREDICTIONS));
    for run in [
        Run::named("e.json", e.as_bytes(), "p.json", p.as_bytes()),
        Run::named(
            "e.json.gz",
            &gzip(e.as_bytes()),
            "p.json.gz",
            &gzip(p.as_bytes()),
        ),
        Run::new(&gzip(EPISODES.as_bytes()), &gzip(PREDICTIONS.as_bytes())),
        Run::new(
            windows(EPISODES).as_bytes(),
            windows(PREDICTIONS).as_bytes(),
        ),
    ] {
        let outcome = run.score().unwrap();
        assert_eq!(document(&outcome), document(&expected));
        assert_eq!(run.details_bytes(), plain.details_bytes());
    }
    // The places of what is refused are those of the file, whatever it is packed in.
    let bad = format!("{PREDICTIONS}{{\"episode_id\":\"c\",\"steps\":[]}}\n");
    for run in [
        Run::new(EPISODES.as_bytes(), bad.as_bytes()),
        Run::new(EPISODES.as_bytes(), &gzip(bad.as_bytes())),
    ] {
        run.score().unwrap();
        assert_eq!(
            run.refused(),
            [("p.jsonl".to_owned(), 4, "unknown_episode".to_owned())]
        );
        assert_eq!(run.rejects()[0].byte_offset, PREDICTIONS.len() as u64);
    }
}

#[test]
fn episodes_of_one_name_in_two_data_sets_are_two() {
    let of = |dataset: &str, action: &str| {
        let dataset = match dataset {
            "" => String::new(),
            _ => format!(r#""dataset":"{dataset}","#),
        };
        format!(r#"{{{dataset}"episode_id":"1","steps":[{{"action":{{"type":"{action}"}}}}]}}"#)
    };
    let both = [of("A", "a"), of("B", "b")].join("\n");
    let (a, bare) = (of("A", "a"), of("", "a"));
    let [one_is_twice, no_episode] = ["duplicate_episode", "unknown_episode"];
    for (episodes, predictions, matches, refused) in [
        (&both, &both, Some((2, 2)), vec![]),
        // Without a data set a row is of the first episode of its name, as ever.
        (
            &both,
            &bare,
            Some((1, 1)),
            vec![("e.jsonl", 2, one_is_twice)],
        ),
        (&a, &bare, Some((1, 1)), vec![]),
        (&bare, &a, Some((1, 1)), vec![]),
        (&a, &of("B", "a"), None, vec![("p.jsonl", 1, no_episode)]),
        (
            &bare,
            &both,
            None,
            vec![("p.jsonl", 1, no_episode), ("p.jsonl", 2, no_episode)],
        ),
        (
            &both,
            &[&both[..], &bare].join("\n"),
            Some((2, 2)),
            vec![("p.jsonl", 3, no_episode)],
        ),
    ] {
        let run = Run::new(episodes.as_bytes(), predictions.as_bytes());
        // Where no prediction can be used, that is an error.
        let counts = run.score().ok().map(|outcome| outcome.counts);
        let found = counts.map(|counts| (counts.episodes, counts.type_matches));
        assert_eq!(found, matches, "{episodes}\n{predictions}");
        let expected: Vec<_> = refused
            .into_iter()
            .map(|(file, line, why)| (file.to_owned(), line, why.to_owned()))
            .collect();
        assert_eq!(run.refused(), expected, "{episodes}\n{predictions}");
    }
}

#[test]
fn answers_of_a_second_model_are_refused_and_not_mixed_in() {
    let episodes =
        br#"{"episode_id":"1","steps":[{"action":{"type":"a"}},{"action":{"type":"b"}}]}"#;
    let predictions = br#"{"episode_id":"1","step_index":5,"action":{"type":"a"}}
{"model":"gpt","episode_id":"1","step_index":0,"action":{"type":"a"}}
{"model":"claude","episode_id":"1","step_index":0,"action":{"type":"wrong"}}
{"steps":[]}
{"model_name":"claude","episode_id":"1","step_index":1,"action":{"type":"b"}}
"#;
    let run = Run::new(episodes, predictions);
    let outcome = run.score().unwrap();
    assert_eq!(outcome.counts.type_matches, 1);
    let refused: Vec<(u64, String)> = run
        .refused()
        .into_iter()
        .map(|(_, line, why)| (line, why))
        .collect();
    let expected = [
        (3, "other_model"),
        (4, "missing_episode_id"),
        (5, "other_model"),
    ];
    assert_eq!(refused, expected.map(|(line, why)| (line, why.to_owned())));
    assert!(run.rejects()[0].detail.contains("\"gpt\""));
}
