use judica_model::evidence::Severity;
use proptest::prelude::*;

use super::*;
use crate::protocol::builtin;
use crate::protocol::load::parse;

/// A protocol of three fields and these rules.
fn protocol(limits: [[f64; 2]; 2], rules: &str) -> Protocol {
    parse(&source(limits, rules), "tiny.toml").unwrap_or_else(|errors| panic!("{errors}"))
}

fn source([a, b]: [[f64; 2]; 2], rules: &str) -> String {
    format!(
        r#"[protocol]
name = "tiny"
version = "1"
[[field]]
name = "A"
alias = "a"
limit = {a:?}
jump = 1
[[field]]
name = "B"
alias = "b"
limit = {b:?}
[[field]]
name = "C"
alias = "c"
[[task]]
name = "one"
shape = "scalar"
[[family]]
name = "f"
{rules}
[scores]
weights = {{ availability = 0.2, constraint_satisfaction = 0.3, conditional_error = 0.5 }}
mae_weight = 0.6
rmse_weight = 0.4
mae_curve = [[0, 100], [1, 0]]
rmse_curve = [[0, 100], [1, 0]]
"#
    )
}

fn rule(id: &str, keys: &str) -> String {
    format!("[[rule]]\nfamily = \"f\"\nid = \"{id}\"\nmessage = \"\"\n{keys}\n")
}

/// What is found of the first rule, for a in [0, 10], b in [-5, 5] and any c.
fn found(keys: &str) -> Option<(Oddity, String)> {
    let rules = rule("r", keys) + &rule("all", "warning_if = \"a + b + c > 0\"");
    let lint = lint(&protocol([[0.0, 10.0], [-5.0, 5.0]], &rules));
    let of_rule = |finding: &&Finding| finding.rule.as_deref() == Some("f.r");
    let found = lint.findings.iter().find(of_rule);
    found.map(|finding| (finding.kind, finding.reason.clone()))
}

#[track_caller]
fn odd(keys: &str, kind: Oddity, reason: &str) {
    let Some(found) = found(keys) else {
        panic!("nothing is found of {keys}")
    };
    assert_eq!(found.0, kind, "{keys}: {}", found.1);
    assert!(found.1.contains(reason), "{keys}: {}", found.1);
}

#[test]
fn rules_that_can_never_fail_or_pass() {
    use Oddity::*;
    odd(
        "value = \"a\"\nwarning_above = 10\ncritical_below = 0",
        NeverFails,
        "with a in [0, 10]: the value is [0, 10]; it fails above 10; it fails below 0",
    );
    odd(
        "value = \"abs(a - b)\"\nwarning_above = 15",
        NeverFails,
        "the value is [0, 15]; it fails above 15",
    );
    odd(
        "value = \"a\"\nwarning_above = -0.001",
        NeverPasses,
        "the value is [0, 10]; it fails above -0.001",
    );
    odd(
        "critical_if = \"a < 0 or b > 5\"",
        NeverFails,
        "`critical_if` never holds",
    );
    odd(
        "warning_if = \"a >= 0\"",
        NeverPasses,
        "`warning_if` always holds",
    );
    odd(
        "value = \"sqrt(-1 - a)\"\nwarning_above = 5",
        NeverPasses,
        "undefined",
    );
    odd(
        "when = \"a > 10\"\nvalue = \"b\"\nwarning_above = 0",
        NeverApplies,
        "`when` never holds: a > 10",
    );
    odd(
        "shapes = [\"array\"]\nvalue = \"b\"\nwarning_above = 0",
        NeverApplies,
        "no task",
    );
    odd(
        "each = \"field\"\nvalue = \"max_change\"\nwarning_above = 0",
        NeverApplies,
        "steps",
    );
}

#[test]
fn thresholds_in_the_wrong_order() {
    use Oddity::*;
    odd(
        "value = \"a\"\nwarning_above = \"20 + b\"\ncritical_above = \"9 + b\"",
        ThresholdOrder,
        "critical_above is [4, 14], but warning_above [15, 25]: no warning shows",
    );
    odd(
        "value = \"a\"\nwarning_above = 3\nwarning_below = 4",
        ThresholdOrder,
        "it fails above 3 and below 4: every value does one or the other",
    );
}

#[test]
fn what_may_happen_is_not_claimed_away() {
    for keys in [
        "value = \"a\"\nwarning_above = 9.999",
        "value = \"a\"\nwarning_above = 3\nwarning_below = 3",
        "value = \"c\"\nwarning_above = 1e300",
        // What cannot be computed fails.
        "value = \"a / b\"\nwarning_above = 1e300",
        "value = \"sqrt(b)\"\nwarning_above = 100",
        "value = \"ln(b)\"\nwarning_above = 100",
        "value = \"a\"\nwarning_above = \"100 / b\"",
        "value = \"c * c * 0\"\nwarning_above = 1",
        // What is null is in no interval.
        "when = \"is_null(a)\"\ncritical_if = \"not (a < 100)\"",
        "when = \"a < 20 or is_null(a)\"\ncritical_if = \"a < 100\"",
    ] {
        assert_eq!(found(keys), None, "{keys}");
    }
}

#[test]
fn rules_that_say_what_another_says() {
    let pair = |first: &str, second: &str| {
        let rules = rule("x", first) + &rule("y", second);
        let lint = lint(&protocol([[0.0, 10.0], [-5.0, 5.0]], &rules));
        let found = lint
            .findings
            .into_iter()
            .filter(|found| found.field.is_none());
        let found = found.map(|found| (found.kind, found.rule.unwrap_or_default()));
        found.collect::<Vec<_>>()
    };
    let (x, y) = ("f.x".to_owned(), "f.y".to_owned());
    let limit = "value = \"a-b\"\nwarning_above = 3";
    assert_eq!(
        pair(limit, "value = \"a - b\"\nwarning_above = 3.0"),
        [(Oddity::DuplicateRule, y.clone())]
    );
    assert_eq!(
        pair("value = \"a - b\"\nwarning_above = 4", limit),
        [(Oddity::ShadowedRule, x.clone())]
    );
    assert_eq!(
        pair(
            limit,
            "when = \"a > 1\"\nvalue = \"a-b\"\nwarning_above = 3"
        ),
        [(Oddity::ShadowedRule, y)]
    );
    // Later in the warning, but earlier in what is critical; another value; another side.
    assert_eq!(pair(limit, "value = \"a-b\"\ncritical_above = 4"), []);
    assert_eq!(pair(limit, "value = \"b-a\"\nwarning_above = 3"), []);
    assert_eq!(pair(limit, "value = \"a-b\"\nwarning_below = -3"), []);
    // It needs more than the other, which then leaves no atom.
    for more in ["c > 3", "c > gold.a"] {
        let more = format!("{limit}\nwarning_if = \"{more}\"");
        assert_eq!(pair(limit, &more), []);
    }
}

#[test]
fn white_space_within_text_tells_one_rule_from_another() {
    let findings = |first: &str, second: &str| {
        let rule = |id: &str, text: &str| rule(id, &format!("critical_if = \"{text}\""));
        let source = source([[0.0, 10.0]; 2], &(rule("x", first) + &rule("y", second)));
        let source = source.replace("alias = \"c\"", "alias = \"c\"\nkind = \"text\"");
        lint(&parse(&source, "tiny.toml").expect("a protocol"))
            .findings
            .len()
    };
    assert_eq!(findings("c == 'a b'", "c == 'ab'"), 0);
    assert_eq!(findings("c == 'a b'", "c=='a b'"), 1);
}

#[test]
fn fields_that_no_rule_reads_or_that_cannot_jump() {
    let lint = lint(&protocol(
        [[0.0, 1.0], [-5.0, 5.0]],
        &rule("r", "warning_if = \"b > 0\""),
    ));
    let found: Vec<_> = lint
        .findings
        .iter()
        .map(|found| (found.kind, found.field.as_deref().unwrap_or_default()))
        .collect();
    let wanted = [
        (Oddity::NeverFails, "A"),
        (Oddity::UnreadField, "A"),
        (Oddity::UnreadField, "C"),
    ];
    assert_eq!(found, wanted);
    assert_eq!(
        lint.findings[0].reason,
        "values in [0, 1] are at most 1 apart, and its jump is 1"
    );
}

/// The one finding is true: within the limits, GPS altitude is never below 0 or above 10000.
#[test]
fn the_protocols_that_are_shipped() {
    for (name, source) in builtin::PROTOCOLS {
        let lint = lint(&parse(source, name).expect("a protocol"));
        let found: Vec<_> = lint
            .findings
            .iter()
            .map(|found| (found.kind, found.rule.as_deref()))
            .collect();
        let expected: &[_] = match name {
            "flight" => &[(
                Oddity::NeverFails,
                Some("safety_constraint.extreme_altitude"),
            )],
            // The paper's rules are about a few of the 19; the others count in D2 and D5.
            "flight-dimensions" => &[(Oddity::UnreadField, None); 10],
            _ => &[],
        };
        assert_eq!(found, expected, "{name}: {:#?}", lint.findings);
    }
}

fn limit() -> impl Strategy<Value = [f64; 2]> {
    (-20_i32..20, 1_i32..30)
        .prop_map(|(low, width)| [f64::from(low) / 4.0, f64::from(low + width) / 4.0])
}

fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "a - b",
        "a * b",
        "a / b",
        "abs(a) + b ^ 2",
        "a ^ 3 - b",
        "sqrt(a) * b",
        "sin(a) + cos(b)",
        "hypot(a, b)",
        "arc(a * 90, b)",
        "max(a, b) - min(a, b)",
        "if a > b then a - b else b - a",
        "if a > 0 and b > 0 then ln(a) else -b",
        "exp(a) - clamp(b, 0, 1)",
        "round(a) / floor(b)",
        "degrees(atan2(a, b))",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// No value within the limits contradicts what is claimed.
    #[test]
    fn claims_hold(
        limits in [limit(), limit()],
        value in value(),
        bound in value(),
        computed: bool,
        threshold in -40_i32..40,
        above: bool,
        when in prop::sample::select(vec!["", "when = \"a > b\"", "when = \"a * b >= 1\""]),
        shares in prop::collection::vec((0.0..=1.0, 0.0..=1.0), 40),
    ) {
        let side = if above { "warning_above" } else { "warning_below" };
        let bound = if computed { format!("\"{bound}\"") } else { threshold.to_string() };
        let keys = format!("value = \"{value}\"\n{side} = {bound}\n{when}");
        let protocol = protocol(limits, &rule("r", &keys));
        let found = lint(&protocol).findings;
        let claimed = found.iter().find(|finding| finding.rule.is_some() && finding.field.is_none());
        let ends = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
        for (x, y) in ends.into_iter().chain(shares) {
            let at = |[low, high]: [f64; 2], share: f64| (low + (high - low) * share).min(high);
            let slots = [at(limits[0], x), at(limits[1], y), 0.0];
            let said = protocol.rules[0].check(&slots).map(|finding| finding.severity);
            let holds = match claimed.map(|finding| finding.kind) {
                Some(Oddity::NeverFails) => said.is_none_or(|severity| severity == Severity::Info),
                Some(Oddity::NeverPasses) => said.is_none_or(|severity| severity > Severity::Info),
                Some(Oddity::NeverApplies) => said.is_none(),
                _ => true,
            };
            prop_assert!(holds, "{keys} for {limits:?} at {slots:?}: {claimed:?}");
        }
    }
}
