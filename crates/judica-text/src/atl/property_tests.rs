//! Equality of formulas against a slow definition of it, on generated formulas.

use super::Formula;
use proptest::prelude::*;

/// A formula as a plain tree.
#[derive(Debug, Clone)]
enum Ast {
    Atom(&'static str),
    Prefix(&'static str, Box<Ast>),
    Infix(&'static str, Vec<Ast>),
}

const PREFIXES: [&str; 8] = ["!", "X ", "F ", "G ", "<<A>>", "<<A,B>>", "<<>>", "[[B]]"];
const CHAINS: [&str; 2] = ["&&", "||"];
const PAIRS: [&str; 5] = ["U", "W", "R", "->", "<->"];

fn any_formula() -> impl Strategy<Value = Ast> {
    let leaf = prop::sample::select(vec!["p", "q", "at(x,y)", "n > 3"]).prop_map(Ast::Atom);
    leaf.prop_recursive(4, 16, 3, |inner| {
        let prefix = prop::sample::select(PREFIXES.to_vec());
        let chain = prop::sample::select(CHAINS.to_vec());
        let pair = prop::sample::select(PAIRS.to_vec());
        prop_oneof![
            (prefix, inner.clone()).prop_map(|(sign, operand)| Ast::Prefix(sign, operand.into())),
            (chain, prop::collection::vec(inner.clone(), 2..4))
                .prop_map(|(sign, operands)| Ast::Infix(sign, operands)),
            (pair, prop::collection::vec(inner, 2))
                .prop_map(|(sign, operands)| Ast::Infix(sign, operands)),
        ]
    })
}

/// The definition: chains flattened and sorted, everything in parentheses.
fn canonical(ast: &Ast) -> String {
    match ast {
        Ast::Atom(name) => name.to_string(),
        Ast::Prefix(sign, operand) => format!("{sign}({})", canonical(operand)),
        Ast::Infix(sign, operands) => {
            let mut texts = Vec::new();
            for operand in operands {
                flatten(sign, operand, &mut texts);
            }
            if CHAINS.contains(sign) {
                texts.sort();
            }
            format!("({})", texts.join(&format!(") {sign} (")))
        }
    }
}

fn flatten(sign: &str, ast: &Ast, out: &mut Vec<String>) {
    match ast {
        Ast::Infix(inner, operands) if *inner == sign && CHAINS.contains(&sign) => {
            operands
                .iter()
                .for_each(|operand| flatten(sign, operand, out));
        }
        _ => out.push(canonical(ast)),
    }
}

/// Answers to yes-or-no questions, over and over.
struct Choices<'a>(std::iter::Cycle<std::slice::Iter<'a, bool>>);

impl Choices<'_> {
    fn yes(&mut self) -> bool {
        self.0.next().copied().unwrap_or(false)
    }
}

/// The formula as somebody might write it: parentheses where they are needed and here and
/// there where not, operands of a chain turned round, other spaces.
fn written(ast: &Ast, choices: &mut Choices<'_>) -> String {
    let text = match ast {
        Ast::Atom(name) => name.to_string(),
        Ast::Prefix(sign, operand) => {
            let bare = match **operand {
                Ast::Atom(_) => *sign != "!",
                Ast::Prefix(..) => true,
                Ast::Infix(..) => false,
            };
            let text = written(operand, choices);
            if bare && choices.yes() {
                format!("{sign}{text}")
            } else {
                format!("{sign}({text})")
            }
        }
        Ast::Infix(sign, operands) => {
            let mut texts: Vec<String> = operands
                .iter()
                .enumerate()
                .map(|(at, operand)| {
                    let text = written(operand, choices);
                    if needs_no_parentheses(sign, operand, at) && choices.yes() {
                        text
                    } else {
                        format!("({text})")
                    }
                })
                .collect();
            if CHAINS.contains(sign) && choices.yes() {
                texts.reverse();
            }
            texts.join(&format!(" {sign} "))
        }
    };
    if choices.yes() && choices.yes() {
        format!("( {text})")
    } else {
        text
    }
}

fn needs_no_parentheses(around: &str, operand: &Ast, at: usize) -> bool {
    let tightness = |sign: &str| match sign {
        "<->" => 0,
        "->" => 1,
        "||" => 2,
        "&&" => 3,
        _ => 4,
    };
    match operand {
        Ast::Atom(_) => true,
        // Before an until it might be torn apart.
        Ast::Prefix(..) => tightness(around) < 4,
        Ast::Infix(sign, _) => {
            tightness(sign) > tightness(around)
                || (*sign == around && (CHAINS.contains(sign) || (*sign == "->" && at == 1)))
        }
    }
}

/// Replaces the operator, or the operands' order, of the `at`-th node.
fn changed(ast: &Ast, at: &mut usize) -> Ast {
    let here = *at == 0;
    *at = at.wrapping_sub(1);
    let other = |sign: &&'static str, table: &[&'static str]| {
        let place = table.iter().position(|entry| entry == sign).unwrap_or(0);
        table[(place + 1) % table.len()]
    };
    match ast {
        Ast::Atom("p") if here => Ast::Atom("q"),
        Ast::Atom(_) if here => Ast::Atom("p"),
        Ast::Atom(name) => Ast::Atom(name),
        Ast::Prefix(sign, operand) if here => Ast::Prefix(other(sign, &PREFIXES), operand.clone()),
        Ast::Prefix(sign, operand) => Ast::Prefix(sign, changed(operand, at).into()),
        Ast::Infix(sign, operands) if here => {
            let table: &[_] = if CHAINS.contains(sign) {
                &CHAINS
            } else {
                &PAIRS
            };
            Ast::Infix(other(sign, table), operands.clone())
        }
        Ast::Infix(sign, operands) => {
            let operands = operands
                .iter()
                .map(|operand| changed(operand, at))
                .collect();
            Ast::Infix(sign, operands)
        }
    }
}

fn parsed(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|| panic!("not read: {text}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_way_to_write_a_formula_is_that_formula(
        ast in any_formula(),
        ways in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..40), 3),
    ) {
        let definition = parsed(&canonical(&ast));
        for way in &ways {
            let text = written(&ast, &mut Choices(way.iter().cycle()));
            prop_assert_eq!(&parsed(&text), &definition, "{}", text);
            prop_assert_eq!(parsed(&text).fingerprint(), definition.fingerprint());
        }
    }

    #[test]
    fn equality_is_its_definition(a in any_formula(), b in any_formula(), at in 0usize..12) {
        let near = changed(&a, &mut { at });
        for other in [&b, &near] {
            let equal = parsed(&canonical(&a)) == parsed(&canonical(other));
            prop_assert_eq!(equal, canonical(&a) == canonical(other));
        }
    }

    #[test]
    fn another_scope_is_another_formula(a in any_formula(), b in any_formula(), sign in 0usize..8) {
        let prefix = PREFIXES[sign];
        let (a, b) = (canonical(&a), canonical(&b));
        prop_assert_ne!(
            parsed(&format!("{prefix}({a}) && ({b})")),
            parsed(&format!("{prefix}(({a}) && ({b}))"))
        );
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,30}") {
        let _ = Formula::parse(&text);
    }

    #[test]
    fn near_formulas_are_read_or_refused_and_equal_themselves(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "p", "q", "F", "U", "X", "Gp", "(", ")", "<<A>>", "<<", ">>", "[[", "&&", "|", "!",
                "->", "<->", "=", ">=", ",", " ", "-1", "not", "and", "next", "until", "⟨⟨", "□", "é",
            ]),
            0..12,
        ),
    ) {
        let text = parts.concat();
        if let Some(formula) = Formula::parse(&text) {
            prop_assert_eq!(&formula, &parsed(&text));
            prop_assert_eq!(&formula, &parsed(&format!("( {text} )")));
        }
    }
}
