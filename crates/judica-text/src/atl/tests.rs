use super::Formula;

fn same(a: &str, b: &str) -> bool {
    match (Formula::parse(a), Formula::parse(b)) {
        (Some(a), Some(b)) => {
            let equal = a == b;
            assert_eq!(equal, b == a);
            assert!(!equal || a.fingerprint() == b.fingerprint());
            equal
        }
        _ => false,
    }
}

#[track_caller]
fn assert_same(pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert!(same(a, b), "{a} and {b}");
    }
}

/// Different, although both are formulas.
#[track_caller]
fn assert_different(pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert!(same(a, a), "{a}");
        assert!(same(b, b), "{b}");
        assert!(!same(a, b), "{a} and {b}");
    }
}

#[test]
fn parentheses_that_change_nothing() {
    assert_same(&[
        ("p", "((p))"),
        ("<<A>>F p", "(<<A>>(F(p)))"),
        ("<<A>>(p U q)", "<<A>>((p) U (q))"),
        ("!p && q", "(!p) && q"),
        ("F p U q", "(F p) U q"),
        ("<<A>>F p && q", "(<<A>>F p) && q"),
        ("p U q && r", "(p U q) && r"),
        ("p && q || r && s", "(p && q) || (r && s)"),
        ("p || q -> r", "(p || q) -> r"),
        ("p -> q -> r", "p -> (q -> r)"),
        ("p -> q <-> r", "(p -> q) <-> r"),
        ("! <<A>> X ! p", "!(<<A>>(X(!(p))))"),
        ("p <-> <<A>>q U r", "p <-> (<<A>>q U r)"),
    ]);
}

#[test]
fn operands_of_one_and_or_or() {
    assert_same(&[
        ("p && q", "q && p"),
        ("a && (b && c)", "(c && a) && b"),
        ("a || b || (c || d)", "d || c || b || a"),
        ("<<A>>G(p && (q || r))", "<<A>>G((r || q) && p)"),
        ("p && p && q", "p && q && p"),
        ("(p -> q) && F r", "F r && (p -> q)"),
    ]);
}

#[test]
fn what_changes_an_operator_its_scope_or_a_coalition() {
    assert_different(&[
        ("p && q", "p || q"),
        ("F p", "G p"),
        ("p U q", "p W q"),
        ("p U q", "p R q"),
        ("p U q", "q U p"),
        ("p -> q", "q -> p"),
        ("p -> q", "p <-> q"),
        ("p <-> q", "q <-> p"),
        ("(p -> q) -> r", "p -> q -> r"),
        ("p && (q || r)", "p && q || r"),
        ("!(p && q)", "!p && q"),
        ("<<A>>F p && q", "<<A>>F(p && q)"),
        ("<<A>>F(p) || q", "<<A>>(F p || q)"),
        ("<<A>>F p", "<<B>>F p"),
        ("<<A>>F p", "<<A,B>>F p"),
        ("<<A,B>>F p", "<<B,A>>F p"),
        ("<<A>>F p", "<<>>F p"),
        ("<<A>>F p", "[[A]]F p"),
        ("<<A>>F p", "F p"),
        ("<<A>>F p", "F <<A>> p"),
        ("<<AB>>p", "<<A B>>p"),
        ("<<A>>F p", "<<A>>F q"),
        ("p && p", "p"),
        ("p && p && q", "p && q && q"),
        ("!!p", "p"),
        ("p -> q", "!p || q"),
        ("F F p", "F p"),
        ("(p U q) U r", "p U (q U r)"),
    ]);
}

#[test]
fn groupings_that_authors_disagree_about_are_not_assumed() {
    assert_different(&[
        ("p U q U r", "p U (q U r)"),
        ("p U q U r", "(p U q) U r"),
        ("p <-> q <-> r", "p <-> (q <-> r)"),
        ("p <-> q <-> r", "(p <-> q) <-> r"),
        ("<<A>>p U q", "<<A>>(p U q)"),
        ("<<A>>p U q", "(<<A>>p) U q"),
        ("!<<A>>F p U q", "(!<<A>>F p) U q"),
        ("<<A>>p U <<B>>q U r", "<<A>>p U (<<B>>q) U r"),
        ("<<A>>p U <<B>>q U r", "(<<A>>p) U <<B>>q U r"),
        ("!x = 3", "!(x = 3)"),
    ]);
    assert_same(&[
        ("<<A>>(p || r) U q", "<<A>>(r || p) U (q)"),
        ("a && p U q U r", "(p U q U r) && a"),
        ("!x = 3 && p", "p && (!x=3)"),
        ("F x = 3", "F (x = 3)"),
        ("p U <<A>>q", "p U (<<A>>q)"),
    ]);
    assert!(Formula::parse("p U q R r").is_none());
    assert!(Formula::parse("p U (q R r)").is_some());
}

#[test]
fn spellings_of_one_operator() {
    assert_same(&[
        ("p ∧ q ∨ ¬r", "p && q || !r"),
        ("p and q OR not r", "p & q | ~r"),
        (r"p /\ q \/ r", "p && q || r"),
        ("p → q", "p ⇒ q"),
        ("p -> q", "p => q"),
        ("p implies q", "p ⟹ q"),
        ("p ↔ q", "p ⇔ q"),
        ("p iff q", "p <=> q"),
        ("⟨⟨A, B⟩⟩◇ p", "<<a,b>> F p"),
        ("⟪A⟫□○ p", "<<A>> G X p"),
        ("<<A>> eventually p", "<<A>>F p"),
        ("<<A>> always (p and next q)", "<<A>>G(X q && p)"),
        ("p until q", "p U q"),
        ("p releases q", "p R q"),
        ("F ⊤", "F True"),
        ("<<  >>G p", "<<>>G p"),
        ("<<User , Server>>G p", "<<user,server>>G P"),
    ]);
}

#[test]
fn letters_are_operators_or_parts_of_names() {
    assert_same(&[
        ("<<A>>Fp", "<<A>>F(p)"),
        ("GFp1", "G F p1"),
        ("GF(p)", "G(F(p))"),
        ("FG p_2 && q", "q && F(G p_2)"),
        ("<<U>>F x", "<<u>>F x"),
        ("Finished && q", "q && finished"),
        ("F release", "F(release)"),
        ("next && always", "always && next"),
    ]);
    assert_different(&[
        ("<<A>>Fstop", "<<A>>F stop"),
        ("f", "F f"),
        ("fp", "F p"),
        ("FP", "F P"),
        ("pandq", "p and q"),
        ("p_and_q", "p and q"),
    ]);
    for text in [
        "F", "p U", "U p", "p && X", "F U p", "f p", "A G p", "p u q", "p not q", "and",
    ] {
        assert!(Formula::parse(text).is_none(), "{text}");
    }
}

#[test]
fn atoms_may_have_arguments_and_comparisons() {
    assert_same(&[
        ("at(r1, Hall) && p", "p && at(R1,hall)"),
        ("near(at(x), y', 3.5)", "(NEAR(at(x),y',3.5))"),
        ("x >= 3 && y<-1", "(y < -1) && x>=3"),
        ("x ≠ y", "x != Y"),
        (
            "p() || door-open || room.lit",
            "room.lit || p() || door-open",
        ),
        ("dist(a,b) <= 2 -> q", "(dist(a, b) <= 2) -> q"),
        ("F(x > 3)", "F x > 3"),
    ]);
    assert_different(&[
        ("x >= 3", "x > 3"),
        ("x = 3", "x == 3"),
        ("at(a,b)", "at(b,a)"),
        ("p(x)", "p"),
        ("p(x)", "p(x,x)"),
        ("x < y", "y > x"),
    ]);
    for text in [
        "p(",
        "p(x",
        "p(x,)",
        "p(,x)",
        "p(x y)",
        "p(x && y)",
        "p((x))",
        "p (x)",
        "x >=",
        ">= 3",
        "1 < x < 3",
        "(x) > 3",
        "x + 1 > 2",
        "p(and)",
        "x > (y)",
    ] {
        assert!(Formula::parse(text).is_none(), "{text}");
    }
}

#[test]
fn what_is_no_formula_is_not_read() {
    for text in [
        "",
        " ",
        "()",
        "(",
        ")",
        "p)",
        "(p",
        "p q",
        "p && ",
        "&& p",
        "p &&& q",
        "p ! q",
        "<<A>>",
        "<<A",
        "<<A>F p",
        "<A>F p",
        "<<A,>>p",
        "<<,>>p",
        "<<A,,B>>p",
        "<<A and B>>p",
        "<<A&B>>p",
        "<<<<A>>>>p",
        "<<A.>>p",
        "[A]p",
        "[[A>>p",
        "p.",
        "\"p\"",
        "F p; G q",
        "p --> q",
        "G[0,5] p",
        "{p}",
        "p → ",
        "⟨A⟩p",
        "the robot wins",
        "p <<A>> q",
        "<<A>>F p\n<<B>>G q",
        "p\u{0}",
        "∀x",
        "p ==> q",
        "`p`",
        "$p$",
    ] {
        assert!(Formula::parse(text).is_none(), "{text:?}");
    }
}

#[test]
fn nesting_and_length_cost_no_stack_and_little_time() {
    for part in [
        "(", "!", "<<A>>", "F", "X ", "p && ", "p && (", "p U ", "p -> (", "p(", "next ",
    ] {
        // Without an end most of these are no formula; they must only be refused in time.
        let text = part.repeat(1_000_000 / part.len());
        let _ = Formula::parse(&text);
    }
    for (before, after) in [
        ("(", ")"),
        ("!", ""),
        ("p && (", ")"),
        ("(", ") || q"),
        ("q -> (", ")"),
        ("<<A>>(p U ", ")"),
    ] {
        let text = format!("{}p{}", before.repeat(50_000), after.repeat(50_000));
        assert!(same(&text, &format!("({text})")), "{before}");
    }
    let chain = |order: &mut dyn Iterator<Item = usize>| {
        order
            .map(|at| format!("p{at}"))
            .collect::<Vec<_>>()
            .join(" && ")
    };
    let (up, down) = (chain(&mut (0..50_000)), chain(&mut (0..50_000).rev()));
    assert!(same(&up, &down));
    assert!(!same(&up, &chain(&mut (1..50_001))));
    let long = "!".repeat(super::LONGEST);
    assert!(Formula::parse(&format!("{long}p")).is_none());
    assert!(Formula::parse(&format!("{}p", &long[1..])).is_some());
}
