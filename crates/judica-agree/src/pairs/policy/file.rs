//! A policy file: TOML in, a policy out, every mistake named with its place.

use std::ops::Range;

use judica_data::toml_file::{Entry, Place, Problem, Text, did_you_mean};
use toml::de::DeTable;

use super::flaw::problem;
use super::{Policy, Rater};
use crate::pairs::arbitrate::{Condition, Decisions, Outcome, Rule};
use crate::pairs::label::{Label, LabelSpec};
use crate::pairs::line::{Keys, is_taken, table_names};

/// The version of the format that is understood here.
const VERSION: f64 = 1.0;
/// More of anything, and nobody reads the policy or its matrix any more.
const MOST: usize = 64;
/// What conditions ask for besides what raters say.
const ASKED: [&str; 3] = ["flagged", "out_of_scope", "agree"];
/// Keys that stand beside raters' names in what is written.
const WRITTEN: [&str; 4] = ["qid", "final", "why", "counted"];

/// Mistakes as they are met, so that all are told.
struct Reader<'a> {
    place: &'a Place<'a>,
    problems: Vec<Problem>,
}

/// Reads a policy.
pub(super) fn parse(place: &Place) -> Result<Policy, Vec<Problem>> {
    let root = DeTable::parse(place.source()).map_err(|error| {
        let span = error.span().unwrap_or_default();
        vec![place.problem(span, error.message(), None)]
    })?;
    let whole = Entry::new(place, root.get_ref(), 0..0, "policy");
    let mut reader = Reader {
        place,
        problems: Vec::new(),
    };
    let known = ["version", "hard_flags", "rater", "label", "rule"];
    reader.problems.extend(whole.unknown_keys(&known));
    reader.version(&whole);
    let flags = reader.flags(&whole);
    let raters = reader.raters(&whole);
    let labels = reader.labels(&whole);
    let (rules, spans) = reader.rules(&whole, raters.as_ref(), &labels);
    // What is wrong with rules together can be told only of rules that are each well written.
    let (true, Some(raters)) = (reader.problems.is_empty(), raters) else {
        return Err(reader.problems);
    };
    let decisions = Decisions::of(&rules, labels.len()).map_err(|flaws| {
        let told = flaws.iter();
        told.map(|flaw| problem(place, flaw, &rules, &spans, &raters, &labels))
            .collect::<Vec<_>>()
    })?;
    let keys = Keys::new(raters.each_ref().map(|rater| rater.key.as_str()), &flags);
    let spellings = labels.iter().enumerate().flat_map(|(at, label)| {
        let all = std::iter::once(&label.name).chain(&label.aliases);
        all.map(move |text| (text.as_bytes().into(), Label(at as u8)))
    });
    Ok(Policy {
        spellings: spellings.collect(),
        raters,
        rules,
        decisions,
        keys,
        labels,
    })
}

impl Reader<'_> {
    /// What was read, unless that is a mistake.
    fn take<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn wrong(&mut self, span: Range<usize>, message: impl AsRef<str>, help: Option<String>) {
        self.problems.push(self.place.problem(span, message, help));
    }

    fn version(&mut self, whole: &Entry) {
        match self.take(whole.number("version")).flatten() {
            Some((number, _)) if number == VERSION => {}
            Some((number, span)) => {
                let message =
                    format!("version {number} of policy files is not known here, only {VERSION}");
                self.wrong(span, message, None);
            }
            None if whole.first_key(|key| key == "version").is_some() => {}
            None => self.wrong(
                0..0,
                format!("a policy file begins with `version = {VERSION}`"),
                None,
            ),
        }
    }

    /// The tables under a key, if there are at least so many and not too many.
    fn entries<'a, 'i>(
        &mut self,
        whole: &Entry<'a, 'i>,
        key: &'static str,
        least: usize,
    ) -> Vec<Entry<'a, 'i>> {
        let Some(entries) = self.take(whole.tables(key)) else {
            return Vec::new();
        };
        if entries.len() < least {
            let message = format!(
                "there are {} [[{key}]] in this file, at least {least} needed",
                entries.len()
            );
            let help = "judica agree pairs --print-policy prints one to start from";
            let span = entries.last().map_or(0..0, Entry::span);
            self.wrong(span, message, Some(help.to_owned()));
        }
        if let Some(entry) = entries.get(MOST) {
            let message = format!("more than {MOST} [[{key}]] are too many");
            self.wrong(entry.span(), message, None);
        }
        entries
    }

    /// Tells of texts that stand twice.
    fn unique(&mut self, what: &str, texts: &[Text]) {
        for (at, (text, span)) in texts.iter().enumerate() {
            if texts[..at].iter().any(|(earlier, _)| earlier == text) {
                self.wrong(
                    span.clone(),
                    format!("there are two {what} `{}`", text.escape_debug()),
                    None,
                );
            }
        }
    }

    /// A name that can be a key, the name of a column and a word on the screen.
    fn name(&mut self, what: &str, (text, span): &Text) {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if !text.chars().all(plain) || !text.starts_with(char::is_alphabetic) {
            let message = format!("`{}` cannot be {what}", text.escape_debug());
            let help = "letters, digits, `_` and `-`, a letter first".to_owned();
            self.wrong(span.clone(), message, Some(help));
        }
    }

    /// A text that a line may hold as it stands.
    fn plain(&mut self, what: &str, (text, span): &Text) {
        let odd = |c: char| c.is_control() || c == '"' || c == '\\';
        if text.trim() != text || text.is_empty() || text.contains(odd) {
            let message = format!("`{}` cannot be {what}", text.escape_debug());
            let help = "text without quotes, backslashes, line ends, or blanks around it";
            self.wrong(span.clone(), message, Some(help.to_owned()));
        }
    }

    fn flags(&mut self, whole: &Entry) -> Vec<String> {
        let flags = self.take(whole.texts("hard_flags")).flatten();
        let flags = flags.unwrap_or_default();
        flags
            .iter()
            .for_each(|flag| self.plain("the key of a flag", flag));
        self.unique("flags", &flags);
        if let Some((_, span)) = flags.get(MOST) {
            self.wrong(
                span.clone(),
                format!("more than {MOST} flags are too many"),
                None,
            );
        }
        flags.into_iter().map(|(flag, _)| flag).collect()
    }

    fn raters(&mut self, whole: &Entry) -> Option<[Rater; 2]> {
        let entries = self.entries(whole, "rater", 2);
        if let Some(third) = entries.get(2) {
            let help = "judica agree ratings measures any number of raters".to_owned();
            self.wrong(third.span(), "pairs have two raters", Some(help));
        }
        let (mut raters, mut names, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries {
            self.problems.extend(entry.unknown_keys(&["name", "key"]));
            let name = entry.required("name", "what the rater is called", Entry::text);
            let key = self.take(entry.text("key")).flatten();
            let Some(name) = self.take(name) else {
                continue;
            };
            self.name("a rater's name", &name);
            if ASKED.contains(&name.0.as_str()) || WRITTEN.contains(&name.0.as_str()) {
                let message = format!("a rater cannot be called `{}`", name.0);
                let words = [&ASKED[..], &WRITTEN[..]].concat().join(", ");
                let help = format!("these words mean something else: {words}");
                self.wrong(name.1.clone(), message, Some(help));
            }
            if let Some(key) = &key {
                self.plain("a rater's key", key);
            }
            let key = key.unwrap_or_else(|| name.clone());
            if is_taken(&key.0) {
                let message = format!("`{}` of a line holds something else", key.0);
                self.wrong(key.1.clone(), message, None);
            }
            raters.push(Rater {
                name: name.0.clone(),
                key: key.0.clone(),
            });
            names.push(name);
            keys.push(key);
        }
        self.unique("raters called", &names);
        let [first, second] = <[Rater; 2]>::try_from(raters).ok()?;
        // Columns of tables are told whatever their capitals are.
        let [of_first, of_second] = [&first, &second].map(|rater| table_names(&rater.key).concat());
        let alike = |column: &&String| of_second.contains(column);
        if first.name != second.name
            && let Some(column) = of_first.iter().find(alike)
        {
            let message = format!("a column `{column}` of a table could be either rater's");
            self.wrong(keys[1].1.clone(), message, None);
        }
        Some([first, second])
    }

    fn labels(&mut self, whole: &Entry) -> Vec<LabelSpec> {
        let entries = self.entries(whole, "label", 2);
        let (mut labels, mut spellings) = (Vec::new(), Vec::new());
        for entry in entries {
            let name = entry.required("name", "what raters say", Entry::text);
            let Some(name) = self.take(name) else {
                continue;
            };
            let entry = entry.named(&name.0.escape_debug().to_string());
            let known = ["name", "aliases", "ships", "abstains", "refuses"];
            self.problems.extend(entry.unknown_keys(&known));
            let aliases = self.take(entry.texts("aliases")).flatten();
            let aliases = aliases.unwrap_or_default();
            let mut flag = |key| self.take(entry.flag(key)).flatten().unwrap_or(false);
            let label = LabelSpec {
                name: name.0.clone(),
                aliases: aliases.iter().map(|(alias, _)| alias.clone()).collect(),
                ships: flag("ships"),
                abstains: flag("abstains"),
                refuses: flag("refuses"),
            };
            if label.ships && label.abstains {
                let message = "who abstains ships nothing: `ships` or `abstains`";
                let problem = entry.problem(name.1.clone(), message, None);
                self.problems.push(problem);
            }
            labels.push(label);
            spellings.push(name);
            spellings.extend(aliases);
        }
        spellings
            .iter()
            .for_each(|spelling| self.plain("a label", spelling));
        self.unique("labels", &spellings);
        labels
    }

    fn rules(
        &mut self,
        whole: &Entry,
        raters: Option<&[Rater; 2]>,
        labels: &[LabelSpec],
    ) -> (Vec<Rule>, Vec<Range<usize>>) {
        let entries = self.entries(whole, "rule", 1);
        let (mut rules, mut names) = (Vec::new(), Vec::new());
        for entry in entries {
            let name = entry.required("why", "the reason it gives", Entry::text);
            let Some(name) = self.take(name) else {
                continue;
            };
            self.name("the name of a rule", &name);
            let entry = entry.named(&name.0.escape_debug().to_string());
            let known = ["why", "when", "unless", "final", "final_of"];
            self.problems.extend(entry.unknown_keys(&known));
            let [when, unless] =
                ["when", "unless"].map(|key| self.conditions(&entry, key, raters, labels));
            let outcome = self.outcome(&entry, raters, labels);
            if let Some(outcome) = outcome {
                rules.push(Rule {
                    why: name.0.clone(),
                    when,
                    unless,
                    outcome,
                });
            }
            names.push(name);
        }
        self.unique("rules called", &names);
        (rules, names.into_iter().map(|(_, span)| span).collect())
    }

    fn outcome(
        &mut self,
        entry: &Entry,
        raters: Option<&[Rater; 2]>,
        labels: &[LabelSpec],
    ) -> Option<Outcome> {
        let [label, rater] = ["final", "final_of"].map(|key| self.take(entry.text(key)));
        match (label?, rater?) {
            (Some(label), None) => self.label(entry, &label, labels).map(Outcome::Is),
            (None, Some((name, span))) => {
                let names = raters?.each_ref().map(|rater| rater.name.as_str());
                let found = names.iter().position(|known| *known == name);
                if found.is_none() {
                    let message = format!("unknown rater `{}`", name.escape_debug());
                    let help = did_you_mean(&name, &names);
                    self.problems
                        .push(entry.problem(span, &message, Some(help)));
                }
                found.map(Outcome::Of)
            }
            (given, _) => {
                let message = match given {
                    Some(_) => "`final` and `final_of` cannot stand together",
                    None => "`final` is missing: the label that the pair ends as",
                };
                let help = "`final` is a label, `final_of` the rater whose label it is".to_owned();
                let problem = entry.problem(entry.span(), message, Some(help));
                self.problems.push(problem);
                None
            }
        }
    }

    fn label(&mut self, entry: &Entry, (name, span): &Text, labels: &[LabelSpec]) -> Option<Label> {
        let found = labels.iter().position(|label| label.name == *name);
        if found.is_none() && !labels.is_empty() {
            let names: Vec<&str> = labels.iter().map(|label| label.name.as_str()).collect();
            let mut others = labels.iter().filter(|label| label.aliases.contains(name));
            let help = match others.next() {
                Some(label) => format!("rules name labels by their first name, `{}`", label.name),
                None => did_you_mean(name, &names),
            };
            let message = format!("unknown label `{}`", name.escape_debug());
            let problem = entry.problem(span.clone(), &message, Some(help));
            self.problems.push(problem);
        }
        found.map(|at| Label(at as u8))
    }

    fn conditions(
        &mut self,
        entry: &Entry,
        key: &str,
        raters: Option<&[Rater; 2]>,
        labels: &[LabelSpec],
    ) -> Vec<Condition> {
        let Some(asked) = self.take(entry.table(key)).flatten() else {
            return Vec::new();
        };
        if asked.keys().is_empty() {
            let message = format!("`{key}` asks for nothing: leave it out");
            let problem = entry.problem(asked.span(), &message, None);
            self.problems.push(problem);
        }
        let mut conditions = Vec::new();
        for (flag, condition) in ASKED.into_iter().zip([
            Condition::Flagged as fn(bool) -> Condition,
            Condition::OutOfScope,
            Condition::Agree,
        ]) {
            let flag = self.take(asked.flag(flag)).flatten();
            conditions.extend(flag.map(condition));
        }
        let Some(raters) = raters else {
            return conditions;
        };
        let names = raters.each_ref().map(|rater| rater.name.as_str());
        let known = [&names[..], &ASKED[..]].concat();
        self.problems.extend(asked.unknown_keys(&known));
        for (at, name) in names.into_iter().enumerate() {
            let Some(said) = self.take(asked.texts(name)).flatten() else {
                continue;
            };
            let said = said.iter();
            let said = said.filter_map(|label| self.label(entry, label, labels));
            conditions.push(Condition::Says(at, said.collect()));
        }
        conditions
    }
}
