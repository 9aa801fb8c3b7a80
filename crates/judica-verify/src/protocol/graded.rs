//! Levels of rules, and rules that adjust them, checked and compiled.

use judica_model::nearest::nearest;
use toml::Spanned;

use super::Protocol;
use super::file::{LevelEntry, RuleEntry};
use super::levels::{Adjusting, Change, Grade, Level, Levels};
use super::place::{Place, did_you_mean};
use super::rule::Rule;

/// A rule notes in one word of bits which others adjusted it.
const MOST_ADJUSTING: usize = u32::BITS as usize;

/// The levels of a rule, if it has any; tells of all that is wrong with them.
pub(super) fn levels(place: &Place, entry: &RuleEntry) -> Option<Levels> {
    let Some(given) = &entry.levels else {
        if let Some(otherwise) = &entry.otherwise {
            place.tell(otherwise.span(), "`else` belongs to `levels`", None);
        }
        if let Some(severity) = &entry.severity {
            let help = "thresholds are named after theirs: warning_above, critical_above";
            let message = "`severity` belongs to `levels`";
            place.tell(severity.span(), message, Some(help.to_owned()));
        }
        return None;
    };
    if fails_otherwise(entry) {
        let message = "a rule has `levels`, or thresholds and conditions that fail, not both";
        place.tell(given.span(), message, None);
    }
    if entry.value.is_none() {
        place.tell(given.span(), "a rule with levels needs a `value`", None);
    }
    if given.get_ref().is_empty() {
        let help = "levels = [{ below = 1, score = 1.0 }]".to_owned();
        place.tell(given.span(), "there are no levels", Some(help));
    }
    let mut levels: Vec<Level> = Vec::new();
    for level in given.get_ref() {
        if let Some(level) = one(place, entry, level, levels.last()) {
            levels.push(level);
        }
    }
    let Some(otherwise) = &entry.otherwise else {
        let help = "say what counts beyond the last: else = { score = 0.0 }".to_owned();
        place.tell(given.span(), "levels need an `else`", Some(help));
        return None;
    };
    if otherwise.get_ref().below.is_some() || otherwise.get_ref().upto.is_some() {
        let message = "`else` has no bound: it is what counts beyond the levels";
        place.tell(otherwise.span(), message, None);
    }
    let otherwise = grade(place, entry, otherwise);
    Some(Levels { levels, otherwise })
}

/// Whether a rule gives anything that fails besides levels.
pub(super) fn fails_otherwise(entry: &RuleEntry) -> bool {
    entry.warning_above.is_some()
        || entry.critical_above.is_some()
        || entry.warning_below.is_some()
        || entry.critical_below.is_some()
        || entry.warning_if.is_some()
        || entry.critical_if.is_some()
}

fn one(
    place: &Place,
    rule: &RuleEntry,
    entry: &Spanned<LevelEntry>,
    before: Option<&Level>,
) -> Option<Level> {
    let grade = grade(place, rule, entry);
    let (bound, upto) = match (entry.get_ref().below, entry.get_ref().upto) {
        (Some(bound), None) => (bound, false),
        (None, Some(bound)) => (bound, true),
        (given, _) => {
            let message = match given {
                Some(_) => "a level has `below` or `upto`, not both",
                None => "a level needs a bound: `below` or `upto`",
            };
            place.tell(entry.span(), message, None);
            return None;
        }
    };
    if !bound.is_finite() {
        let message = "the bound of a level must be a finite number";
        place.tell(entry.span(), message, None);
        return None;
    }
    // A level that ends where the one before does still has that one value, if that is its.
    let reached = before
        .is_none_or(|before| bound > before.bound || bound == before.bound && upto && !before.upto);
    if !reached {
        let message = "this level is never reached: bounds must rise from level to level";
        place.tell(entry.span(), message, None);
    }
    Some(Level { bound, upto, grade })
}

fn grade(place: &Place, rule: &RuleEntry, entry: &Spanned<LevelEntry>) -> Grade {
    let LevelEntry {
        score, severity, ..
    } = entry.get_ref();
    if !(0.0..=1.0).contains(score) {
        let message = format!("a score lies between 0 and 1, not at {score}");
        place.tell(entry.span(), message, None);
    }
    let of_rule = rule.severity.as_ref().map(|severity| *severity.get_ref());
    match severity.or(of_rule) {
        Some(named) => Grade::new(*score, named),
        None => Grade::of_score(*score),
    }
}

/// What a rule does to another's score; tells of what makes no sense together.
pub(super) fn change(place: &Place, entry: &RuleEntry) -> Option<Change> {
    if entry.adjusts.is_none() {
        for (key, given) in [("subtract", &entry.subtract), ("cap", &entry.cap)] {
            if let Some(given) = given {
                let message = format!("`{key}` changes the score of another rule");
                let help = "name it: adjusts = \"<rule>\"".to_owned();
                place.tell(given.span(), message, Some(help));
            }
        }
        return None;
    }
    let id = entry.id.span();
    if entry.levels.is_some() || entry.value.is_some() || fails_otherwise(entry) {
        let message = "a rule that adjusts another leaves no atom of its own: it has a `when`, and no value, levels or thresholds";
        place.tell(id.clone(), message, None);
    }
    if entry.when.is_none() {
        let message = "a rule that adjusts another needs a `when`";
        place.tell(id.clone(), message, None);
    }
    let (given, change) = match (&entry.subtract, &entry.cap) {
        (Some(by), None) => (by, Change::Subtract(*by.get_ref())),
        (None, Some(most)) => (most, Change::Cap(*most.get_ref())),
        (both, _) => {
            let message = match both {
                Some(_) => "a rule adjusts by `subtract` or by `cap`, not both",
                None => "a rule that adjusts another says how: `subtract` or `cap`",
            };
            place.tell(id, message, None);
            return None;
        }
    };
    if !(0.0..=1.0).contains(given.get_ref()) {
        let message = format!(
            "scores lie between 0 and 1, and {} does not",
            given.get_ref()
        );
        place.tell(given.span(), message, None);
    }
    Some(change)
}

/// Hands rules that adjust to those whose scores they change.
pub(super) fn attach(
    place: &Place,
    entries: &[RuleEntry],
    rules: &mut [Rule],
    adjusting: Vec<(&RuleEntry, Adjusting)>,
) {
    for (entry, adjusting) in adjusting {
        let Some(target) = &entry.adjusts else {
            continue;
        };
        let name = |rule: &RuleEntry| format!("{}.{}", rule.family.get_ref(), rule.id.get_ref());
        let wanted = Protocol::canonical_rule_name(target.get_ref());
        // A bare name is of the same family first.
        let near = format!("{}.{wanted}", entry.family.get_ref());
        let found = [target.get_ref().as_str(), wanted, &near]
            .into_iter()
            .find_map(|wanted| entries.iter().find(|rule| name(rule) == *wanted))
            .or_else(|| {
                entries
                    .iter()
                    .find(|rule| rule.id.get_ref().as_str() == wanted)
            });
        let Some(found) = found else {
            let names: Vec<String> = entries.iter().map(name).collect();
            let ids = entries.iter().map(|rule| rule.id.get_ref().as_str());
            let names = names.iter().map(String::as_str).chain(ids);
            let message = format!("no rule is called `{wanted}`");
            let help = nearest(wanted, names).map(did_you_mean);
            place.tell(target.span(), message, help);
            continue;
        };
        if found.levels.is_none() {
            let message = format!(
                "rule `{}` has no levels, so no score to adjust",
                name(found)
            );
            place.tell(target.span(), message, None);
        } else if found.each != entry.each {
            let message = "a rule per field adjusts a rule per field, one per step one per step";
            place.tell(target.span(), message, None);
        }
        let found = name(found);
        if let Some(rule) = rules.iter_mut().find(|rule| rule.name == found) {
            if rule.adjusted_by.len() == MOST_ADJUSTING {
                let message = format!("at most {MOST_ADJUSTING} rules can adjust one");
                place.tell(target.span(), message, None);
            }
            rule.adjusted_by.push(adjusting);
        }
    }
}

#[cfg(test)]
#[path = "graded_tests.rs"]
pub(crate) mod tests;
