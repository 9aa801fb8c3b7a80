//! Same options, same bytes; and nothing that is added changes what was there.

mod support;

use judica_synth::{Domain, SynthOptions, write_confidence};
use support::{options, outputs, rows, samples};

#[test]
fn same_options_same_bytes() {
    for domain in Domain::ALL {
        let options = options(200, 6, 42);
        assert_eq!(samples(domain, &options), samples(domain, &options));
        assert_eq!(outputs(domain, &options), outputs(domain, &options));
    }
}

#[test]
fn another_seed_is_another_data_set() {
    for domain in Domain::ALL {
        assert_ne!(
            samples(domain, &options(20, 1, 1)),
            samples(domain, &options(20, 1, 2))
        );
    }
}

/// FNV-1a, so that a change of a single byte on any platform fails the test below.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// These numbers change only when the data sets are meant to: update them then, and say
/// so in the changelog.
#[test]
fn bytes_are_the_same_on_every_platform() {
    let options = options(300, 10, 7);
    let print = |domain| {
        [
            fingerprint(&samples(domain, &options)),
            fingerprint(&outputs(domain, &options)),
        ]
    };
    assert_eq!(
        print(Domain::Flight),
        [11_423_094_989_553_818_159, 5_381_933_488_187_313_895],
        "flight"
    );
    assert_eq!(
        print(Domain::Battery),
        [16_835_508_173_169_738_526, 7_022_393_548_841_125_533],
        "battery"
    );
}

#[test]
fn more_models_leave_the_first_ones_alone() {
    for domain in Domain::ALL {
        let few = outputs(domain, &options(60, 3, 9));
        let many = outputs(domain, &options(60, 12, 9));
        assert!(many.starts_with(&few));
    }
}

#[test]
fn more_samples_or_fewer_tasks_change_no_reply() {
    for domain in Domain::ALL {
        let replies = |options: &SynthOptions| {
            rows(&outputs(domain, options))
                .into_iter()
                .map(|row| {
                    let key = format!("{} {}", row["model_name"], row["sample_id"]);
                    (key, row["raw_response_text"].clone())
                })
                .collect::<std::collections::BTreeMap<_, _>>()
        };
        let small = replies(&options(60, 5, 3));
        let large = replies(&options(90, 5, 3));
        assert!(small.iter().all(|(key, text)| large.get(key) == Some(text)));

        let last = domain.tasks().last().map(|task| (*task).to_owned());
        let subset = replies(&SynthOptions {
            tasks: last.into_iter().collect(),
            ..options(20, 5, 3)
        });
        assert_eq!(subset.len(), 100);
        assert!(
            subset
                .iter()
                .all(|(key, text)| large.get(key) == Some(text))
        );
    }
}

#[test]
fn confidence_is_a_list_in_the_shape_of_the_inputs() {
    let text = |models| {
        let mut out = Vec::new();
        write_confidence(Domain::Flight, &options(0, models, 1), &mut out).expect("a vector");
        String::from_utf8(out).expect("UTF-8")
    };
    let list: serde_json::Value = serde_json::from_str(&text(7)).expect("JSON");
    assert_eq!(text(7), text(7));
    assert_eq!(list.as_array().map(Vec::len), Some(7));
    assert_eq!(list[5]["model_name"], "accurate-2");
    for task in ["S1_score", "M1_score", "M3_score"] {
        let score = list[0]["confidence_m"][task].as_f64().expect("a number");
        assert!((0.0..=100.0).contains(&score));
    }
    assert!(list[0]["calculation_source"].is_string());
    assert!(list[0]["version"].is_string());
    assert!(list[0]["metadata"].is_object());
    assert_eq!(text(0), "[]\n");
}
