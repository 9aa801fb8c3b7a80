use super::*;

const KEY: &str = "sk-hunter2";

fn local() -> Endpoint {
    Endpoint::openai("http://localhost:1/v1", "m", Some(Secret::new(KEY))).unwrap()
}

#[test]
fn keys_stand_where_each_kind_wants_them_and_nowhere_else() {
    let openai = local();
    assert_eq!(openai.headers()["authorization"], "Bearer sk-hunter2");
    let azure =
        Endpoint::azure("https://h", "d", Some("2024-10-21"), Some(Secret::new(KEY))).unwrap();
    assert_eq!(azure.headers()["api-key"], KEY);
    assert!(azure.headers().get("authorization").is_none());
    for endpoint in [openai, azure] {
        let shown = format!(
            "{endpoint:?} {} {}",
            endpoint.identity(),
            endpoint.address()
        );
        assert!(!shown.contains("hunter2"), "{shown}");
        let echoed = endpoint.without_secrets("sk-hunter2, Bearer sk-hunter2");
        assert!(!echoed.contains("hunter2"), "{echoed}");
    }
}

#[test]
fn a_key_may_be_absent_or_empty() {
    for key in [None, Some(Secret::new(" \n"))] {
        let endpoint = Endpoint::openai("http://localhost:1", "m", key).unwrap();
        assert!(endpoint.headers().is_empty());
    }
}

#[test]
fn the_identity_changes_with_what_can_change_an_answer_and_with_nothing_else() {
    let identity = local().identity().to_owned();
    assert_eq!(
        identity,
        r#"{"kind":"openai","url":"http://localhost:1/v1/chat/completions","model":"m","headers":[]}"#
    );
    let other_key = Endpoint::openai("http://localhost:1/v1/", "m", None).unwrap();
    assert_eq!(other_key.identity(), identity);
    let model = Endpoint::openai("http://localhost:1/v1", "n", None).unwrap();
    assert_ne!(model.identity(), identity);
    let versions =
        ["1", "2"].map(|version| Endpoint::azure("https://h", "m", Some(version), None).unwrap());
    assert_ne!(versions[0].identity(), versions[1].identity());
}

#[test]
fn keys_that_cannot_be_sent_and_models_without_a_name_are_refused() {
    let error = Endpoint::openai("http://h", "m", Some(Secret::new("a\nsecret"))).unwrap_err();
    assert_eq!(error, EndpointError::BadKey);
    assert!(Endpoint::openai("http://h", "", None).is_err());
}

#[test]
fn loopback_is_known_in_all_its_forms() {
    for (host, loopback) in [
        ("localhost", true),
        ("LOCALHOST", true),
        ("a.localhost", true),
        ("localhost.", true),
        ("127.0.0.1", true),
        ("127.9.9.9", true),
        ("[::1]", true),
        ("[::ffff:127.0.0.1]", true),
        ("localhost.example.com", false),
        ("10.0.0.1", false),
        ("[::2]", false),
    ] {
        let endpoint =
            Endpoint::openai(&format!("http://{host}:1/v1"), "m", Some(Secret::new("k"))).unwrap();
        assert_eq!(endpoint.is_loopback(), loopback, "{host}");
        assert_eq!(endpoint.sends_key_in_clear(), !loopback, "{host}");
    }
}
