use super::*;
use proptest::prelude::*;

fn compare(gold: &str, prediction: &str) -> Matched {
    Atl.compare(&Gold::one(gold), prediction)
}

fn several(gold: &[&str], prediction: &str) -> Matched {
    let gold = gold.iter().map(|formula| formula.to_string()).collect();
    Atl.compare(&Gold::list(gold), prediction)
}

#[test]
fn the_normal_form() {
    for (text, form) in [
        ("<<User>>F p", "<<user>>fp"),
        ("p ∧ q ∨ ¬r → s", "p&&q||!r->s"),
        ("p ⇒ q ↔ r ⇔ s", "p->q<->r<->s"),
        ("p and q OR r And s", "p&&q||r&&s"),
        ("(p)and(q)", "(p)&&(q)"),
        ("and", "&&"),
        ("pand q", "pandq"),
        ("p_and_q", "p_and_q"),
        ("band or android", "band||android"),
        ("p and_q or2", "pand_qor2"),
        ("p éand q andé", "péandqandé"),
        ("p an d q", "pandq"),
        // The contract's list is complete: other spellings stay.
        ("p & q | ~r => s <=> not t", "p&q|~r=>s<=>nott"),
        (" \t\r\n\u{a0}\u{2003}p\u{85}", "p"),
        ("ΑΣ ∧ Ä", "ας&&ä"),
        ("", ""),
    ] {
        assert_eq!(normal_form(text), form, "{text}");
    }
}

#[test]
fn text_first_then_structure() {
    for (gold, prediction, matched) in [
        ("<<User>>F p", "<<User>>F p", Matched::Exact),
        ("<<User>>F p", " <<user>> f p\n", Matched::Exact),
        ("<<A>>G(p ∧ q)", "<<A>>G(p and q)", Matched::Exact),
        ("<<A>>G(p && q)", "<<A>>G(q ∧ (p))", Matched::Structural),
        ("<<A>>F p", "(<<A>>F(p))", Matched::Structural),
        ("p -> q", "p => q", Matched::Structural),
        ("p -> q", "q -> p", Matched::No),
        (
            "<<Cobot>>(cycle_running U stop_requested)",
            "<<Robot>>(running_cycle U stop_requested)",
            Matched::No,
        ),
        // Equal as text although neither is a formula.
        ("p &&", "P ∧", Matched::Exact),
        ("p &&", "(p &&)", Matched::No),
        ("p", "", Matched::No),
        ("", "p", Matched::No),
        ("", " ", Matched::Exact),
        ("p && q", "The formula is p && q", Matched::No),
    ] {
        assert_eq!(compare(gold, prediction), matched, "{gold} {prediction}");
        let reason = Atl.reasoning(matched);
        assert_eq!(reason.is_some(), matched.is_match());
    }
}

#[test]
fn several_formulas_are_all_required_in_any_order() {
    let gold = ["<<A>>F p", "<<B>>G(q && r)", "<<A>>F p"];
    for (prediction, matched) in [
        ("<<A>>F p\n<<A>>Fp\n<<B>>G(q and r)", Matched::Exact),
        (
            "\n<<B>>G(q ∧ r)\r\n\r\n<<a>>F p\n<<A>>F p\n\n",
            Matched::Exact,
        ),
        ("<<B>>G(r && q)\n<<A>>F p\n<<A>>F(p)", Matched::Structural),
        ("<<A>>F p\n<<B>>G(q && r)", Matched::No),
        ("<<A>>F p\n<<B>>G(q && r)\n<<B>>G(q && r)", Matched::No),
        ("<<A>>F p\n<<A>>F p\n<<A>>F p\n<<B>>G(q && r)", Matched::No),
        ("<<A>>F p <<A>>F p <<B>>G(q && r)", Matched::No),
        ("- <<A>>F p\n- <<A>>F p\n- <<B>>G(q && r)", Matched::No),
        ("", Matched::No),
    ] {
        assert_eq!(several(&gold, prediction), matched, "{prediction}");
    }
    // Two formulas are not one whose name is both.
    assert_eq!(several(&["p", "q"], "pq"), Matched::No);
    assert_eq!(several(&[], " \n"), Matched::Exact);
}

#[test]
fn a_list_of_one_may_be_wrapped() {
    assert_eq!(several(&["p && q", ""], "p &&\n  q"), Matched::Exact);
    assert_eq!(several(&["p && q"], "(q &&\n  p)"), Matched::Structural);
}

#[test]
fn one_text_of_several_lines_is_several_formulas_or_a_wrapped_one() {
    let gold = "<<A>>F p\n<<B>>G(q && r)\n";
    assert_eq!(compare(gold, "<<B>>G(q&&r)\n<<A>>F p"), Matched::Exact);
    assert_eq!(
        compare(gold, "<<B>>G(r&&q)\n\n<<A>>F p"),
        Matched::Structural
    );
    assert_eq!(compare(gold, "<<A>>F p"), Matched::No);
    let wrapped = "p -> q &&\nr";
    assert_eq!(compare(wrapped, "p -> q && r"), Matched::Exact);
    assert_eq!(compare(wrapped, "p -> (r && q)"), Matched::Structural);
    assert_eq!(compare(wrapped, "r\np -> q &&"), Matched::No);
}

#[test]
fn hostile_texts_are_refused_in_time() {
    for part in ["(", "!", "<<", "and ", "p\n", "(\n", "é"] {
        let text = part.repeat(1_000_000 / part.len());
        assert_eq!(compare("p && q", &text), Matched::No);
        assert_eq!(compare(&text, "p && q"), Matched::No);
        assert_eq!(several(&["p", "q"], &text), Matched::No);
        assert_eq!(compare(&text, &format!("{text} ")), Matched::Exact);
    }
}

proptest! {
    #[test]
    fn the_form_is_that_of_a_plain_definition(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "p", "Q", "and", "OR", "or", "_", "1", " ", "\n", "∧", "¬", "⇔", "(", ")", "&", "É", "a",
            ]),
            0..12,
        ),
    ) {
        let text = parts.concat();
        // Words and the rest in turn, each replaced on its own.
        let mut words = vec![String::new()];
        for character in text.chars() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let last = words.last_mut().unwrap();
            match last.chars().last() {
                Some(before) if is_word(before) && is_word(character) => last.push(character),
                _ => words.push(character.to_string()),
            }
        }
        let expected: String = words
            .iter()
            .map(|word| match word.to_lowercase().as_str() {
                "and" | "∧" => "&&".to_owned(),
                "or" => "||".to_owned(),
                "¬" => "!".to_owned(),
                "⇔" => "<->".to_owned(),
                other => other.trim().to_owned(),
            })
            .collect();
        prop_assert_eq!(normal_form(&text), expected);
    }

    #[test]
    fn the_form_is_stable_and_equal_where_no_word_is_torn(
        parts in prop::collection::vec("[A-Z]?[p-z_]{1,3}|and|or|[()∧→¬!&|<>]", 0..10),
    ) {
        // Operators between the words, so that no new word comes from two.
        let text = parts.join(" ∨ ");
        let form = normal_form(&text);
        prop_assert_eq!(normal_form(&form), form.clone());
        prop_assert_eq!(compare(&text, &form), Matched::Exact);
    }

    #[test]
    fn any_text_equals_itself(text in "\\PC{0,20}", other in "\\PC{0,20}") {
        prop_assert_eq!(compare(&text, &text), Matched::Exact);
        prop_assert_eq!(compare(&text, &other), compare(&other, &text));
    }
}
