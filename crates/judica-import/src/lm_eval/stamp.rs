//! The names of files: `samples_{task}_{stamp}.jsonl`. A task may hold `_`, so names are cut
//! at the stamp.

/// How a stamp looks, a 0 for each digit; a fraction of a second may follow.
const STAMP: &[u8] = b"0000-00-00T00-00-00";

/// What stands before the stamp in a file name, and the stamp; none of a name without one.
pub(super) fn cut(name: &str) -> Option<(&str, &str)> {
    let name = name
        .strip_suffix(".gz")
        .or(name.strip_suffix(".zst"))
        .unwrap_or(name);
    let name = name
        .strip_suffix(".jsonl")
        .or_else(|| name.strip_suffix(".json"))?;
    let (before, stamp) = name.rsplit_once('_')?;
    let (whole, rest) = stamp.as_bytes().split_at_checked(STAMP.len())?;
    let alike = whole.iter().zip(STAMP).all(|(found, mark)| match mark {
        b'0' => found.is_ascii_digit(),
        mark => found == mark,
    });
    let fraction = match rest {
        [] => true,
        [b'.', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    (alike && fraction).then_some((before, stamp))
}

/// The task whose samples a file of this name holds.
pub(super) fn task_of(name: &str) -> Option<&str> {
    cut(name)?.0.strip_prefix("samples_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_the_stamp() {
        let stamp = "2026-11-15T21-29-09.710859";
        let name = format!("samples_mmlu_high_school_2026_{stamp}.jsonl");
        assert_eq!(cut(&name), Some(("samples_mmlu_high_school_2026", stamp)));
        assert_eq!(task_of(&name), Some("mmlu_high_school_2026"));
        assert_eq!(task_of("samples_x_2026-11-15T21-29-09.json.gz"), Some("x"));
        assert_eq!(
            cut(&format!("my_results_{stamp}.json")),
            Some(("my_results", stamp))
        );
        assert_eq!(task_of(&format!("results_{stamp}.json")), None);
        for name in [
            "results.json",
            "samples_x_2026-11-15.jsonl",
            "a_2026-11-15T21-29-09.x.json",
        ] {
            assert_eq!(cut(name), None, "{name}");
        }
    }
}
