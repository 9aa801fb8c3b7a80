//! The rule language, through the protocol that a rule stands in.

use std::sync::{LazyLock, Once};

use judica_run::rows::{Rows, Scratch};
use judica_verify::lint::{Oddity, lint};
use judica_verify::memory::{Compiled, Defaults};
use judica_verify::protocol::load::parse;

use super::protocol::check_errors;

/// What rows hold, all of it within the limits.
static ROWS: LazyLock<[String; 3]> = LazyLock::new(|| {
    let row = |at: usize, values: &str| format!(r#"{{"id":"s{at}","response":{{{values}}}}}"#);
    [
        row(
            1,
            r#""a":1.5,"b":-2,"t":"some Text","d":"2024-02-29","l":[1,2,-3],"ok":true"#,
        ),
        row(
            2,
            r#""a":0,"b":100,"t":"","d":"1999-12-31","l":[],"ok":false"#,
        ),
        row(3, r#""a":-100,"b":7,"t":"é, 42","l":[100]"#),
    ]
});

fn protocol(rule: &str) -> String {
    format!(
        r#"protocol = {{ name = "fuzzed", version = "1" }}
task = [{{ name = "T", shape = "scalar" }}]
field = [
  {{ name = "a", limit = [-100, 100] }},
  {{ name = "b", limit = [-100, 100], required = false }},
  {{ name = "t", kind = "text", required = false }},
  {{ name = "d", kind = "date", required = false }},
  {{ name = "l", kind = "list", of = "linear", limit = [-100, 100], required = false }},
  {{ name = "ok", kind = "boolean", required = false }},
]
family = [{{ name = "f" }}]
rule = [{{ family = "f", id = "r", message = "no", {rule} }}]
[scores]
weights = {{ availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }}
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [10, 50], [100, 0]]
rmse_curve = [[0, 100], [20, 50], [200, 0]]
"#
    )
}

/// What an expression comes to in each row, and what is odd about it; nothing if it is refused.
fn evaluated(expression: &str, as_condition: bool) -> Option<(Vec<String>, Vec<Oddity>)> {
    let expression = toml::Value::String(expression.to_owned());
    let source = protocol(&match as_condition {
        true => format!("warning_if = {expression}"),
        false => format!("value = {expression}, warning_above = 0"),
    });
    let protocol = match parse(&source, "fuzzed") {
        Ok(protocol) => protocol,
        Err(errors) => {
            check_errors(&errors);
            return None;
        }
    };
    let odd = lint(&protocol).findings.into_iter();
    let odd = odd
        .filter(|finding| finding.rule.is_some())
        .map(|finding| finding.kind);
    let odd = odd.collect();
    let compiled = Compiled::new(protocol).expect("no program is called");
    let samples =
        [1, 2, 3].map(|at| format!(r#"{{"id":"s{at}","gold":{{"next_second":{{"a":1}}}}}}"#));
    let (samples, _) = compiled.samples(&samples, Some("T"));
    let defaults = Defaults {
        model: Some("m"),
        task: Some("T"),
    };
    let made = compiled
        .evaluate(&samples, &*ROWS, defaults)
        .expect("evaluated");
    assert_eq!(made.records.num_rows(), ROWS.len(), "{:?}", made.rejects);
    let (records, mut scratch) = (Rows::new(&made.records), Scratch::default());
    let records = (0..ROWS.len()).map(|at| {
        let record = records.get(at, &mut scratch);
        let of_rule = record
            .evidence
            .iter()
            .filter(|atom| atom.rule.ends_with("f.r"));
        of_rule.map(|atom| format!("{atom:?}")).collect::<String>()
    });
    Some((records.collect(), odd))
}

fn fails(told: &str) -> bool {
    told.contains("pass: false")
}

/// An expression means the same in parentheses and between blanks, and what `lint` proves of
/// it holds for values within the limits.
pub fn run(data: &[u8]) {
    static USABLE: Once = Once::new();
    USABLE.call_once(|| {
        assert!(evaluated("a + sum(l)", false).is_some() && evaluated("ok", true).is_some());
        // What never passes fails in every row, or nothing below could be found wrong.
        let (told, odd) = evaluated("a ^ .0", false).expect("an expression");
        assert!(odd.contains(&Oddity::NeverPasses) && told.iter().all(|told| fails(told)));
    });
    let expression = String::from_utf8_lossy(data);
    for as_condition in [false, true] {
        let Some((told, odd)) = evaluated(&expression, as_condition) else {
            continue;
        };
        if odd.contains(&Oddity::NeverFails) {
            assert!(!told.iter().any(|told| fails(told)), "{told:?}");
        }
        if odd.contains(&Oddity::NeverPasses) {
            assert!(
                told.iter().all(|told| told.is_empty() || fails(told)),
                "{told:?}"
            );
        }
        let blank = evaluated(&format!("  {expression}\t"), as_condition);
        assert_eq!(blank.as_ref(), Some(&(told, odd)));
        // A hundred parentheses are too many; fewer change nothing.
        if let Some(within) = evaluated(&format!("({expression})"), as_condition) {
            assert_eq!(Some(within), blank);
        }
    }
}
