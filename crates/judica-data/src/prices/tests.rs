use super::*;
use proptest::prelude::*;

fn yaml(text: &str) -> Result<PriceList, String> {
    PriceList::parse(Path::new("m.yaml"), text).map_err(|error| error.to_string())
}

fn price(input: Option<f64>, output: Option<f64>, gpu: Option<f64>) -> ModelPrice {
    ModelPrice {
        price_input_per_1k: input,
        price_output_per_1k: output,
        gpu_hour_usd: gpu,
    }
}

fn of(list: &PriceList, model: &str) -> Option<ModelPrice> {
    list.of(model).unwrap().copied()
}

#[test]
fn a_general_file_of_models_gives_its_prices() {
    let list = yaml(
        "# configuration\n\
         defaults: {seed: 1}\n\
         models:\n\
         \x20 qwen-3b:\n\
         \x20   name: \"Qwen/Qwen2.5-3B-Instruct\"\n\
         \x20   short_name: qwen\n\
         \x20   max_tokens: 512\n\
         \x20   load_in_4bit: false\n\
         \x20   target_modules: [q_proj, k_proj]\n\
         \x20   gpu_hour_usd: 2\n\
         \x20 gpt-4o:\n\
         \x20   provider: azure\n\
         \x20   price_input_per_1k: 0.0025\n\
         \x20   price_output_per_1k: 1e-2\n\
         \x20   gpu_hour_usd: null\n\
         \x20 bare:\n",
    )
    .unwrap();
    assert_eq!(
        list.names().collect::<Vec<_>>(),
        ["bare", "gpt-4o", "qwen-3b"]
    );
    let qwen = Some(price(None, None, Some(2.0)));
    for name in ["qwen-3b", "qwen", "Qwen/Qwen2.5-3B-Instruct"] {
        assert_eq!(of(&list, name), qwen, "{name}");
    }
    assert_eq!(
        of(&list, "gpt-4o"),
        Some(price(Some(0.0025), Some(0.01), None))
    );
    assert_eq!(of(&list, "bare"), Some(ModelPrice::default()));
    assert_eq!(of(&list, "gpt4o"), None);
    assert_eq!(list.nearest("gpt4o"), Some("gpt-4o"));
    assert_eq!(list.notes(), [""; 0]);
}

#[test]
fn every_shape_in_every_format_reads_alike() {
    let files = [
        (
            "a.yaml",
            "models:\n- {name: a, price_input_per_1k: 1}\n- name: b\n  gpu_hour_usd: 0.5\n",
        ),
        (
            "a.yml",
            "a: {price_input_per_1k: 1.0}\nb: {gpu_hour_usd: .5}\n",
        ),
        (
            "a.yaml",
            "\u{feff}models: {a: {price_input_per_1k: 1}, b: {gpu_hour_usd: 5e-1}}",
        ),
        (
            "a.toml",
            "[models.a]\nprice_input_per_1k = 1\n[models.b]\ngpu_hour_usd = 0.5\n",
        ),
        (
            "a.TOML",
            "[[models]]\nname = 'a'\nprice_input_per_1k = 1_0e-1\n[[models]]\nname = 'b'\ngpu_hour_usd = 5e-1",
        ),
        (
            "a.toml",
            "a = {price_input_per_1k = 0x1}\n[b]\ngpu_hour_usd = 0.5",
        ),
        (
            "a.json",
            r#"{"models": {"a": {"price_input_per_1k": 1}, "b": {"gpu_hour_usd": 0.5}}}"#,
        ),
        ("a.json", r#"[]"#),
        (
            "a.json",
            r#"{"a": {"price_input_per_1k": 1, "x": [{"y": null}]}, "b": {"gpu_hour_usd": 0.5}}"#,
        ),
    ];
    for (name, text) in files {
        let text = text.trim_start_matches('\u{feff}');
        let read = PriceList::parse(Path::new(name), text);
        if text == "[]" {
            assert!(read.is_err());
            continue;
        }
        let list = read.unwrap();
        assert_eq!(of(&list, "a"), Some(price(Some(1.0), None, None)), "{text}");
        assert_eq!(of(&list, "b"), Some(price(None, None, Some(0.5))), "{text}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, expected) in [
        (
            "models:\n  a:\n    price_inputs_per_1k: 1\n",
            "m.yaml: line 3: model `a`: unknown key `price_inputs_per_1k` \
             (did you mean `price_input_per_1k`?)",
        ),
        (
            "a:\n  x: 1\n  gpu_hour_usd: -1\n",
            "m.yaml: line 3: model `a`: `gpu_hour_usd` is -1, a number of dollars from 0 up is needed",
        ),
        (
            "a: {price_output_per_1k: .inf}",
            "m.yaml: line 1: model `a`: `price_output_per_1k` is inf, a number of dollars from 0 up is needed",
        ),
        (
            "a: {price_output_per_1k: .nan}",
            "m.yaml: line 1: model `a`: `price_output_per_1k` is NaN, a number of dollars from 0 up is needed",
        ),
        (
            "a: {price_output_per_1k: \"0.1\"}",
            "m.yaml: line 1: model `a`: `price_output_per_1k` is text, a number of dollars from 0 up is needed",
        ),
        (
            "models:\n- name: a\n- name: b\n- name: a\n",
            "m.yaml: line 4: there are two models called `a`",
        ),
        (
            "models:\n- {gpu_hour_usd: 1}\n",
            "m.yaml: line 2: a model without a `name`",
        ),
        (
            "a: 1\n",
            "m.yaml: line 1: model `a` is a number, a mapping is needed",
        ),
        (
            "models: 7",
            "m.yaml: line 1: `models` is a number, a mapping or a list of models is needed",
        ),
        ("models: {}", "m.yaml: there are no models in it"),
        ("models:\n", "m.yaml: there are no models in it"),
        (
            "- a",
            "m.yaml: line 1: models and their prices are needed, found a list",
        ),
    ] {
        assert_eq!(yaml(text).unwrap_err(), expected, "{text}");
    }
    let parse = |name: &str, text| {
        PriceList::parse(Path::new(name), text)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        parse("m.toml", "# prices\n[models.a]\n\ngpu_hours_usd = 1\n"),
        "m.toml: line 4: model `a`: unknown key `gpu_hours_usd` (did you mean `gpu_hour_usd`?)"
    );
    let twice = parse("m.toml", "[a]\nx = 1\n[a]\n");
    assert!(twice.starts_with("m.toml: line 3: not TOML: "), "{twice}");
    let json = r#"{"a": {"gpu_hour_usd": 1}, "a": {}}"#;
    assert_eq!(
        parse("m.json", json),
        "m.json: there are two models called `a`"
    );
    let json = r#"{"a": {"gpu_hour_usd": 1, "gpu_hour_usd": 2}}"#;
    assert_eq!(
        parse("m.json", json),
        "m.json: model `a`: `gpu_hour_usd` stands there twice"
    );
}

#[test]
fn text_that_is_no_such_file_says_where() {
    for (name, text) in [
        ("m.yaml", ""),
        ("m.yaml", "a: [1"),
        ("m.yaml", "a:\n  b: 1\n a: 2"),
        ("m.yaml", "a: {gpu_hour_usd: 1}\na: {gpu_hour_usd: 1}"),
        ("m.yaml", "a: &x [*x]"),
        ("m.json", ""),
        ("m.json", "{\"a\": {\"gpu_hour_usd\": 1e999}}"),
        ("m.toml", "a = "),
        ("m.toml", ""),
    ] {
        let error = PriceList::parse(Path::new(name), text)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(name) && !error.contains('\n'), "{error}");
    }
    let deep = "[".repeat(100_000);
    for name in ["m.yaml", "m.json", "m.toml"] {
        assert!(PriceList::parse(Path::new(name), &deep).is_err());
        assert!(PriceList::parse(Path::new(name), &format!("a = {deep}")).is_err());
    }
}

#[test]
fn misspellings_are_told_from_other_prices() {
    for (key, meant) in [
        ("Price_Input_Per_1K", "price_input_per_1k"),
        ("price_input_per_1m", "price_input_per_1k"),
        ("price_input_1k", "price_input_per_1k"),
        ("price_ouptut_per_1k", "price_output_per_1k"),
        ("input_price_per_1k", "price_input_per_1k"),
        ("price-output-per-1k", "price_output_per_1k"),
        ("gpu_hour", "gpu_hour_usd"),
        ("gpu_usd_hour", "gpu_hour_usd"),
    ] {
        let error = yaml(&format!("a: {{{key}: 1}}")).unwrap_err();
        assert!(
            error.contains(&format!("did you mean `{meant}`")),
            "{error}"
        );
    }
    let list =
        yaml("a: {price_cached_per_1k: 1, provider: x, max_tokens: 5, gpu_count: 2}").unwrap();
    assert_eq!(
        list.notes(),
        ["model `a`: `price_cached_per_1k` is no price that is known here and was passed over"]
    );
}

#[test]
fn one_name_for_several_prices_is_refused_when_it_is_asked_for() {
    let list = yaml(
        "base: {name: org/m, gpu_hour_usd: 1}\n\
         tuned: {name: org/m, gpu_hour_usd: 2}\n\
         x: {name: org/n, gpu_hour_usd: 1}\n\
         y: {name: org/n, gpu_hour_usd: 1}\n",
    )
    .unwrap();
    assert_eq!(
        list.of("org/m").unwrap_err().to_string(),
        "m.yaml: `org/m` may be any of base, tuned, which have different prices"
    );
    assert_eq!(of(&list, "org/n"), Some(price(None, None, Some(1.0))));
}

#[test]
fn files_are_read_as_they_lie_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.yaml");
    assert!(
        PriceList::open(&path)
            .unwrap_err()
            .to_string()
            .ends_with("no such file")
    );
    std::fs::write(&path, b"\xef\xbb\xbfa: {gpu_hour_usd: 1}\r\n").unwrap();
    assert_eq!(
        of(&PriceList::open(&path).unwrap(), "a"),
        Some(price(None, None, Some(1.0)))
    );
    std::fs::write(&path, b"a: \xff").unwrap();
    assert!(
        PriceList::open(&path)
            .unwrap_err()
            .to_string()
            .ends_with("not UTF-8 (at byte 3)")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_text_is_a_list_or_a_complaint(text in "[a-z:{}\\[\\]\\-,&* \"'\n=.0-9]{0,60}") {
        for name in ["m.yaml", "m.toml", "m.json"] {
            if let Err(error) = PriceList::parse(Path::new(name), &text) {
                prop_assert!(error.to_string().starts_with(name));
            }
        }
    }

    #[test]
    fn a_price_comes_back_bit_for_bit(price in 0.0f64..1e6) {
        for (name, text) in [
            ("m.yaml", format!("a: {{gpu_hour_usd: {price:?}}}")),
            ("m.toml", format!("a = {{gpu_hour_usd = {price:?}}}")),
            ("m.json", format!("{{\"a\": {{\"gpu_hour_usd\": {price:?}}}}}")),
        ] {
            let list = PriceList::parse(Path::new(name), &text).unwrap();
            prop_assert_eq!(list.of("a").unwrap().unwrap().gpu_hour_usd, Some(price));
        }
    }
}
