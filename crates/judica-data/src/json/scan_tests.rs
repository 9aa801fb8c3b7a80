use super::*;
use proptest::prelude::*;

fn skip(text: &str, limit: usize) -> Result<usize, ScanError> {
    let mut scanner = Scanner::new(text.as_bytes(), 0);
    scanner.skip_value(0, limit).map(|()| scanner.pos)
}

#[test]
fn values_are_skipped_to_their_end() {
    for (text, end) in [
        ("{}", 2),
        (r#"{"a": [1, {"b": null}, "x\"]"]} tail"#, 31),
        ("[NaN, -Infinity, Infinity]", 26),
        ("[[],[],{}]", 10),
        ("  true", 6),
        (r#""\u00e9""#, 8),
    ] {
        assert_eq!(skip(text, 128), Ok(end), "{text}");
    }
}

#[test]
fn what_is_not_json_is_refused() {
    for text in [
        "",
        "{",
        "[1,]",
        "{\"a\":}",
        "{\"a\" 1}",
        "{,}",
        "[1 2]",
        "tru",
        "nul",
        "{'a':1}",
        "\"a\nb\"",
        "\"\\x\"",
        "{\"a\":1,}",
        "]",
        "-",
        "01",
    ] {
        // `01` stops after the zero that JSON cannot continue.
        assert!(skip(text, 128).is_err(), "{text:?}");
    }
}

#[test]
fn depth_is_counted_in_containers() {
    let nest = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert_eq!(skip(&nest(128), 128), Ok(256));
    assert_eq!(skip(&nest(129), 128), Err(ScanError::TooDeep(128)));
    assert!(skip(&"[".repeat(1_000_000), usize::MAX).is_err());
}

proptest! {
    #[test]
    fn starts_are_told_at_any_length(text: Vec<u8>, length in 0usize..70, flip in 0usize..70) {
        let mut start: Vec<u8> = text.iter().copied().cycle().take(length).collect();
        let mut text = text;
        text.extend_from_within(..);
        prop_assert_eq!(starts_with(&text, &start), text.starts_with(&start));
        if let Some(byte) = start.get_mut(flip) {
            *byte ^= 1;
        }
        prop_assert_eq!(starts_with(&text, &start), text.starts_with(&start));
        prop_assert_eq!(same_bytes(&text, &start), text == start);
        let as_long = text.get(..length).unwrap_or(&text);
        prop_assert_eq!(same_bytes(as_long, &start), as_long == start);
    }

    #[test]
    fn open_containers_are_a_stack(pushes in proptest::collection::vec(any::<bool>(), 0..300)) {
        let mut open = OpenContainers::default();
        pushes.iter().for_each(|&kind| open.push(kind));
        for &kind in pushes.iter().rev() {
            prop_assert_eq!(open.last(), Some(kind));
            open.pop();
        }
        prop_assert_eq!(open.last(), None);
    }

    #[test]
    fn agrees_with_serde_on_any_text(text in r#"[\[\]{},:"\\a1.e\-ntu ]{0,24}"#) {
        let ours = skip(&text, 128).is_ok_and(|end| text[end..].trim_matches([' ', '\n', '\r', '\t']).is_empty());
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(ours, theirs, "{}", text);
    }

    #[test]
    fn decoded_strings_equal_serde(text in "\\PC*") {
        let quoted = serde_json::to_string(&text).expect("a string serialises");
        let mut buffer = Vec::new();
        let raw = Scanner::new(quoted.as_bytes(), 0).string().expect("valid");
        prop_assert_eq!(raw.decode(&mut buffer), text.as_bytes());
        let mut fused = Vec::new();
        Scanner::new(quoted.as_bytes(), 0).string_into(&mut fused).expect("valid");
        prop_assert_eq!(fused, text.into_bytes());
    }
}

#[test]
fn of_a_long_string_a_beginning_is_kept_and_all_is_checked() {
    let read = |text: &str, most: usize| {
        let mut scanner = Scanner::new(text.as_bytes(), 0);
        let mut out = Vec::new();
        scanner.string_into_at_most(&mut out, most)?;
        Ok((String::from_utf8(out).unwrap(), scanner.pos))
    };
    let text = r#""aé\u00e9\n𝄞\ud834\udd1ez" x"#;
    let whole = read(text, usize::MAX).unwrap();
    assert_eq!(whole.0, "aéé\n𝄞𝄞z");
    for most in 0..20 {
        let (kept, end) = read(text, most).unwrap();
        assert_eq!(end, whole.1);
        assert!(whole.0.starts_with(&kept) && kept.len() <= most);
        // Of escapes, what may not fit is left out.
        assert!(kept == whole.0 || kept.len() + 4 > most, "{most}: {kept:?}");
        for broken in [
            r#""aaaaaaaaaaaaaaaaaaaaaaaaa\q""#,
            r#""aaaaaaaaaaaaaaaaaaaa"#,
        ] {
            assert!(read(broken, most).is_err(), "{broken}");
        }
    }
    let _: ScanError = read("7", 1).unwrap_err();
}
