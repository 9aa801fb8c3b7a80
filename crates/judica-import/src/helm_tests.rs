use super::*;
use crate::testing::{checks, files as written, found, texts};

fn log(files: &[(&str, &str)]) -> (tempfile::TempDir, Helm) {
    let (folder, log) = opened(files);
    (folder, log.expect("opened"))
}

fn opened(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Helm, WorkError>) {
    let folder = tempfile::tempdir().expect("folder");
    let log = Helm::open(&written(folder.path(), files));
    (folder, log)
}

const RUN: &str = r#"{"name": "mmlu:subject=x", "adapter_spec": {"method": "m", "model": "org/model"}, "metric_specs": []}"#;
const TYPOS: &str =
    r#"{"name": "typos", "robustness": true, "fairness": false, "computed_on": "perturbed"}"#;

fn stat(name: &str, context: &str, values: &[f64]) -> String {
    let (n, sum) = (values.len() as f64, values.iter().sum::<f64>());
    let mean = match values.is_empty() {
        true => String::new(),
        false => format!(r#", "mean": {}"#, sum / n),
    };
    format!(
        r#"{{"name": {{"name": "{name}", "split": "test"{context}}}, "count": {n}, "sum": {sum}{mean}}}"#
    )
}

fn instance(id: &str, trial: u32, perturbation: &str, stats: &[String]) -> String {
    let stats = stats.join(", ");
    format!(
        r#"{{"instance_id": "{id}", {perturbation}"train_trial_index": {trial}, "stats": [{stats}]}}"#
    )
}

fn state(id: &str, trial: u32, perturbation: &str, result: &str) -> String {
    format!(
        r#"{{"instance": {{"input": {{"text": "i"}}, "references": [{{"output": {{"text": "no"}}, "tags": []}}, {{"output": {{"text": "yes"}}, "tags": ["correct"]}}], "id": "{id}"{perturbation}}}, "train_trial_index": {trial}, "request": {{"prompt": "ask {id}"}}, "result": {{{result}}}}}"#
    )
}

const GOOD: &str =
    r#""success": true, "completions": [{"text": " A", "logprob": NaN}], "request_time": 0.5"#;
const BAD: &str = r#""success": false, "error": "429", "completions": []"#;

fn list(elements: &[String]) -> String {
    format!("[{}]", elements.join(", "))
}

#[test]
fn two_files_are_joined_by_instance_trial_and_perturbation() {
    let perturbed = format!(r#""perturbation": {TYPOS}, "#);
    let context = format!(r#", "perturbation": {TYPOS}"#);
    let em = |values: &[f64]| stat("em", "", values);
    let instances = list(&[
        instance(
            "id1",
            0,
            "",
            &[em(&[1.0]), stat("num_prompt_tokens", "", &[7.0])],
        ),
        // Another metric of the same instance, with one of a name that is known.
        instance("id1", 0, "", &[stat("f1", "", &[0.5]), em(&[1.0])]),
        instance("id1", 1, "", &[em(&[0.0]), stat("f1", "", &[])]),
        instance("id1", 0, &perturbed, &[stat("em", &context, &[0.25])]),
        instance("id2", 0, "", &[em(&[0.0])]),
        instance(
            "id3",
            0,
            "",
            &[
                em(&[1.0]),
                stat("logprob", "", &[-2.0]),
                stat("num_perplexity_tokens", "", &[4.0]),
                stat("exact_match", "", &[1.0]),
            ],
        ),
    ]);
    let states = [
        state("id1", 0, &format!(r#", "perturbation": {TYPOS}"#), GOOD),
        state("id1", 0, "", GOOD),
        state("id1", 0, "", GOOD),
        state("id1", 1, "", GOOD),
        state("id2", 0, "", BAD),
        state("id4", 0, "", GOOD),
    ];
    let states = format!(
        r#"{{"adapter_spec": {{}}, "request_states": {}}}"#,
        list(&states)
    );
    let named = |name: &str, context: &str, mean: f64, count: u32| {
        format!(
            r#"{{"name": {{"name": "{name}", "split": "test"{context}}}, "count": {count}, "mean": {mean}}}"#
        )
    };
    let worst = TYPOS.replace("perturbed", "worst");
    let stats = list(&[
        // Trial 0: id1, id2, id3 are 1, 0, 1, what stands twice once; trial 1: 0.
        named("em", "", 1.0 / 3.0, 2),
        named("f1", "", 0.6, 1),
        named("em", &format!(r#", "perturbation": {TYPOS}"#), 0.25, 1),
        named("em", &format!(r#", "perturbation": {worst}"#), 0.25, 1),
        named("perplexity", "", 0.5f64.exp(), 1),
        named("bits_per_byte", "", 0.5, 1),
        named("nothing", "", 0.0, 0),
    ]);
    let (_folder, mut log) = log(&[
        (SPEC, RUN),
        (STATS, &stats),
        (INSTANCES, &instances),
        (STATE, &states),
    ]);
    let dataset = "mmlu:subject=x";
    assert_eq!(
        found(&mut log),
        [
            format!("{dataset} id1~typos 1 org/model em=0.25"),
            format!("{dataset} id1 1 org/model f1=0.5 em=1 num_prompt_tokens=7"),
            format!("{dataset} id1 2 org/model f1=- em=0"),
            format!("{dataset} id2 1 org/model error: 429"),
            format!("{dataset} id4 1 org/model"),
            format!(
                "{dataset} id3 1 org/model exact_match=1 em=1 logprob=-2 num_perplexity_tokens=4"
            ),
        ]
    );
    assert_eq!(texts(&mut log)[1], "ask id1 | yes |  A [500 7 - -]");
    assert_eq!(
        checks(&mut log),
        [
            "em test mean equal",
            "f1 test mean Some(0.6) Some(0.5)",
            "em test typos perturbed mean equal",
            "em test typos worst mean: derived from several perturbations",
            "perplexity test mean equal",
            "bits_per_byte test mean: no instance has it",
        ]
    );
    assert_eq!(log.about().status, "success");
}

#[test]
fn perturbations_of_one_name_are_told_apart() {
    let named = |class: &str| format!(r#"{{"name": "gender", "target_class": "{class}"}}"#);
    let em = || vec![stat("em", "", &[1.0])];
    let of = |id: &str, class: &str| {
        instance(
            id,
            0,
            &format!(r#""perturbation": {}, "#, named(class)),
            &em(),
        )
    };
    let instances = list(&[of("a", "x"), of("a", "y"), of("b", "y"), of("b", "x")]);
    let ask = |class: &str| {
        let perturbation = format!(r#", "perturbation": {}"#, named(class));
        state("b", 0, &perturbation, GOOD)
    };
    let states = format!(r#"{{"request_states": [{}]}}"#, ask("y"));
    let (_folder, mut first) = log(&[(SPEC, RUN), (INSTANCES, &instances), (STATE, &states)]);
    let items_of = |log: &mut Helm| -> Vec<String> {
        let lines = found(log);
        let items = lines.iter().filter_map(|line| line.split(' ').nth(1));
        items.map(str::to_owned).collect()
    };
    let items = items_of(&mut first);
    assert_eq!(items, ["b~gender#2", "a~gender", "a~gender#2", "b~gender"]);
    // The same where they stand in the texts alone, behind those that have numbers.
    let asked = ["z", "y", "z", "x"].map(ask);
    let states = format!(r#"{{"request_states": {}}}"#, list(&asked));
    for (numbers, items) in [
        ("[]".to_owned(), ["b~gender", "b~gender#2", "b~gender#3"]),
        (
            list(&[of("b", "x")]),
            ["b~gender#2", "b~gender#3", "b~gender"],
        ),
    ] {
        let (_folder, mut log) = log(&[(SPEC, RUN), (INSTANCES, &numbers), (STATE, &states)]);
        assert_eq!(items_of(&mut log), items);
        assert_eq!(items_of(&mut log), items);
    }
}

#[test]
fn files_may_be_missing_or_broken() {
    let one = instance("a", 0, "", &[stat("em", "", &[1.0])]);
    let (_folder, mut alone) = log(&[(INSTANCES, &list(std::slice::from_ref(&one)))]);
    assert_eq!(found(&mut alone), ["helm a 1 unknown em=1"]);
    assert_eq!(
        alone.about().status,
        "no run_spec.json, no stats.json, no scenario_state.json"
    );
    let broken = format!("[{one}, {{\"instance_id\": null}}, {one}]");
    let stats = list(&[stat("em", "", &[1.0])]);
    let (_folder, mut odd) = log(&[(SPEC, RUN), (STATS, &stats), (INSTANCES, &broken)]);
    let lines = found(&mut odd);
    assert_eq!(lines[0], "refused 2 missing_field");
    // The third row says what the first does: it is shown again, to be refused.
    assert_eq!(lines[1..], ["mmlu:subject=x a 1 org/model em=1"; 2]);
    assert_eq!(
        checks(&mut odd),
        ["em test mean: 1 instances could not be read"]
    );
    let whole = [
        (SPEC, RUN),
        (STATS, &stats),
        (INSTANCES, &broken),
        (STATE, r#"{"request_states": []}"#),
    ];
    for at in 0..whole.len() {
        let mut files = whole;
        files[at].1 = &files[at].1[..files[at].1.len() - 2];
        let (_folder, cut) = opened(&files);
        let why = cut.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            why.contains(files[at].0) && why.contains("ends within"),
            "{why}"
        );
    }
    let (_folder, mut texts_only) = log(&[
        (SPEC, RUN),
        (
            STATE,
            &format!(r#"{{"request_states": [{}]}}"#, state("a", 0, "", GOOD)),
        ),
    ]);
    assert_eq!(found(&mut texts_only), ["mmlu:subject=x a 1 org/model"]);
}

#[test]
fn several_right_references_are_a_list_and_old_ones_are_bare() {
    let raw = |text: &'static str| Raw::read(text.as_bytes()).expect("JSON");
    let two = raw(
        r#"[{"output": {"text": "a\""}, "tags": ["correct"]}, {"output": "b", "tags": ["x", "correct"]}]"#,
    );
    assert_eq!(correct(two).as_deref(), Some(r#"["a\"","b"]"#));
    assert_eq!(
        correct(raw(r#"[{"output": "b", "tags": ["correct"]}]"#)).as_deref(),
        Some("b")
    );
    assert_eq!(correct(Raw::NULL), None);
}
