//! ATL and ATL* formulas: by spelling first, then by structure.

mod spelling;

use super::lines::{Sides, lines};
use super::{Matched, Normalizer};
use crate::atl::Formula;
use crate::gold::Gold;
use spelling::normal_form;

/// White space removed, operator symbols and the words `and` and `or` in ASCII, lower
/// case; where that is not equal, structure: see [`crate::atl`].
#[derive(Debug, Clone, Copy)]
pub struct Atl;

impl Normalizer for Atl {
    fn name(&self) -> &'static str {
        "atl"
    }

    fn compare(&self, gold: &Gold, prediction: &str) -> Matched {
        match Sides::of(gold, prediction) {
            Sides::Whole(gold, prediction) => whole(gold, prediction),
            Sides::Lines(gold, prediction) => paired(&gold, &prediction),
        }
    }

    fn normalized(&self, text: &str) -> Option<String> {
        Some(normal_form(text))
    }
}

fn whole(gold: &str, prediction: &str) -> Matched {
    if gold == prediction || normal_form(gold) == normal_form(prediction) {
        return Matched::Exact;
    }
    // Several lines may be several formulas or one that was wrapped. They are several
    // only if each can stand for itself.
    if memchr::memchr(b'\n', gold.trim().as_bytes()).is_some() {
        let gold = lines(gold);
        if gold.iter().all(|line| Formula::parse(line).is_some()) {
            let matched = paired(&gold, &lines(prediction));
            if matched.is_match() {
                return matched;
            }
        }
    }
    let Some(gold) = Formula::parse(gold) else {
        return Matched::No;
    };
    match Formula::parse(prediction) {
        Some(prediction) if prediction == gold => Matched::Structural,
        _ => Matched::No,
    }
}

/// Pairs up lines: equal normal forms first, what is left by structure.
fn paired(gold: &[&str], prediction: &[&str]) -> Matched {
    if gold.len() != prediction.len() {
        return Matched::No;
    }
    let (gold, prediction) = unequal(by_form(gold), by_form(prediction));
    if gold.is_empty() {
        return Matched::Exact;
    }
    match (by_fingerprint(&gold), by_fingerprint(&prediction)) {
        (Some(gold), Some(prediction)) if gold == prediction => Matched::Structural,
        _ => Matched::No,
    }
}

/// Lines in the order of their normal forms.
fn by_form<'a>(lines: &[&'a str]) -> Vec<(String, &'a str)> {
    let mut forms: Vec<_> = lines
        .iter()
        .map(|line| (normal_form(line), *line))
        .collect();
    forms.sort_unstable();
    forms
}

/// What is left of two lists in order when equal forms are taken out, one for one.
fn unequal<'a>(
    left: Vec<(String, &'a str)>,
    right: Vec<(String, &'a str)>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
    let mut right = right.into_iter().peekable();
    for (form, line) in left {
        while let Some((_, other)) = right.next_if(|(other, _)| *other < form) {
            only_right.push(other);
        }
        if right.next_if(|(other, _)| *other == form).is_none() {
            only_left.push(line);
        }
    }
    only_right.extend(right.map(|(_, other)| other));
    (only_left, only_right)
}

/// The lines as formulas, equal ones side by side; `None` if one is no formula.
fn by_fingerprint(lines: &[&str]) -> Option<Vec<Formula>> {
    let formulas = lines.iter().map(|line| Formula::parse(line));
    let mut formulas = formulas.collect::<Option<Vec<Formula>>>()?;
    formulas.sort_by_key(Formula::fingerprint);
    Some(formulas)
}

#[cfg(test)]
#[path = "atl_tests.rs"]
mod tests;
