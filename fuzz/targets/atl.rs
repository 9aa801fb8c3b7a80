//! Formulas of ATL: the laws of their equality.

use judica_text::atl::Formula;

/// Parentheses, blanks and the order of operands change nothing, a negation does.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some(formula) = Formula::parse(&text) else {
        return;
    };
    let read = |text: String| Formula::parse(&text).unwrap_or_else(|| panic!("{text:?}"));
    assert_eq!(formula, read(format!("({text})")));
    assert_eq!(formula, read(format!("\t{text} \n")));
    for operator in ["&&", "||"] {
        let left = read(format!("(p) {operator} ({text})"));
        assert_eq!(left, read(format!("({text}) {operator} p")));
        assert_ne!(left, formula);
        let three = read(format!("q {operator} ((p) {operator} ({text}))"));
        assert_eq!(three, read(format!("({text}) {operator} q {operator} p")));
    }
    assert_ne!(formula, read(format!("!({text})")));
    assert_ne!(
        read(format!("({text}) -> p")),
        read(format!("p -> !({text})"))
    );
}
