//! `judica calibrate --fit`: what the gold suggests that fields should look like, as the
//! `[[field]]` sections of the protocol with the settings that follow from it.

use std::collections::BTreeMap;
use std::fmt::Write;

use judica_data::work_error::WorkError;
use judica_stats::quantile::quantiles;
use serde::Serialize;
use toml::Spanned;

use super::{CalibrateRequest, Calibration, load_gold};
use crate::evidence::Known;
use crate::gold::{GoldProblem, GoldReport};
use crate::moment;
use crate::protocol::file::{FieldEntry, ProtocolFile};
use crate::protocol::form::Form;
use crate::protocol::{Field, FieldKind, JumpReference, Protocol, Shape};
use crate::render::plain_number;
use crate::samples::Samples;
use crate::value::Value;

/// Texts of so few different values may be an enumeration.
const FEW: usize = 12;
/// If each of them comes up so often on average.
const OFTEN: usize = 5;

/// How far settings go beyond what was seen.
#[derive(Debug, Clone, Copy)]
pub struct FitOptions {
    /// This share of the values, on either side, may lie outside.
    pub quantile: f64,
    /// Then this share of the width is added, on either side.
    pub margin: f64,
}

/// What was seen of a field.
#[derive(Default)]
struct Seen {
    numbers: Vec<f64>,
    changes: Vec<f64>,
    lengths: Vec<f64>,
    counts: Vec<f64>,
    texts: BTreeMap<String, u64>,
    nulls: u64,
}

/// The `[[field]]` sections that the gold suggests.
pub fn fit(request: &CalibrateRequest, options: FitOptions) -> Result<String, WorkError> {
    let protocol = &request.protocol;
    let (calibration, samples) = load_gold(&without_bounds(request))?;
    let seen = look(protocol, &samples);
    if calibration.with_gold == 0 {
        let why = nothing(&calibration);
        return Err(WorkError::BadInput(why));
    }
    let source = protocol.source.as_str();
    let file: ProtocolFile =
        toml::from_str(source).map_err(|error| WorkError::BadInput(error.to_string()))?;
    let percent = plain_number(100.0 * options.quantile);
    let margin = plain_number(100.0 * options.margin);
    let mut out = format!(
        "# What the gold of {} samples suggests for protocol {}, in place of its [[field]] sections.\n\
         # Bounds are the {percent} % and {} % quantiles, moved out by {margin} % of what lies between them\n\
         # and rounded outwards. They say what was seen, not what is possible: read them before use.\n",
        calibration.with_gold,
        protocol.name,
        plain_number(100.0 - 100.0 * options.quantile),
    );
    for ((field, entry), seen) in protocol.fields.iter().zip(file.fields).zip(seen) {
        let mut fitting = Fitting {
            field,
            options,
            comments: Vec::new(),
        };
        fitting.say_unusable(&calibration.gold);
        out.push('\n');
        out.push_str(&fitting.section(entry, seen)?);
    }
    Ok(out)
}

/// The same request with a protocol that takes gold which does not fit its bounds: they are
/// what is to be learnt.
fn without_bounds(request: &CalibrateRequest) -> CalibrateRequest {
    let mut request = request.clone();
    for field in &mut request.protocol.fields {
        if let Some(list) = &mut field.list {
            list.items = [None; 2];
            field.limit = None;
        }
        match &mut field.form {
            Form::Text(form) => form.length = [None; 2],
            Form::Date(form) => (form.earliest, form.latest) = (None, None),
            _ => {}
        }
    }
    request
}

fn nothing(calibration: &Calibration) -> String {
    calibration
        .nothing_checked()
        .unwrap_or_else(|| "no gold can be used, so nothing can be learnt from it".to_owned())
}

/// Gathers the values of all fields.
fn look(protocol: &Protocol, samples: &Samples) -> Vec<Seen> {
    let mut seen: Vec<Seen> = protocol.fields.iter().map(|_| Seen::default()).collect();
    let fields = protocol.fields.len();
    let mut last = vec![vec![f64::NAN; fields]; protocol.tasks.len()];
    for sample in samples.iter() {
        let Some(gold) = samples.gold(protocol, sample) else {
            continue;
        };
        let task = &protocol.tasks[sample.task as usize];
        let state = samples.current_state(protocol, sample);
        for (position, (field, seen)) in protocol.fields.iter().zip(&mut seen).enumerate() {
            let places = position * task.horizon..(position + 1) * task.horizon;
            for place in places.clone() {
                seen.take(field, &gold, place);
            }
            let before = match (task.shape, protocol.jump_reference) {
                (Shape::Array, _) => f64::NAN,
                (Shape::Scalar, JumpReference::CurrentState) => {
                    state.map_or(f64::NAN, |state| state.numbers[position])
                }
                (Shape::Scalar, JumpReference::PreviousOutput) => {
                    let now = gold.numbers[position];
                    let last = &mut last[sample.task as usize][position];
                    match now.is_nan() {
                        true => f64::NAN,
                        false => std::mem::replace(last, now),
                    }
                }
            };
            let numbers = &gold.numbers[places];
            let steps = std::iter::once(&before).chain(numbers).zip(numbers);
            if field.is_number() {
                let changes = steps.map(|(before, after)| field.distance(*after, *before));
                seen.changes
                    .extend(changes.filter(|change| change.is_finite()));
            }
        }
    }
    seen
}

impl Seen {
    fn take(&mut self, field: &Field, gold: &Known, place: usize) {
        let value = gold.values.get(place).unwrap_or(&Value::Nothing);
        match value {
            Value::List(items) => {
                self.counts.push(items.len() as f64);
                // Only what stands in objects may be null; else no element can be.
                let of_objects = field.list.as_ref().is_some_and(|list| list.of_objects);
                items
                    .iter()
                    .filter(|item| of_objects || !item.is_null())
                    .for_each(|item| self.one(field, item.number(), item));
            }
            value => self.one(field, gold.numbers[place], value),
        }
    }

    fn one(&mut self, field: &Field, number: f64, value: &Value) {
        match value {
            Value::Null => self.nulls += 1,
            Value::Text(text) => {
                self.lengths.push(text.chars().count() as f64);
                // Of what is no enumeration nobody needs to know all.
                if self.texts.len() <= FEW || matches!(field.form, Form::Enum(_)) {
                    *self.texts.entry(text.to_string()).or_default() += 1;
                }
            }
            _ if number.is_finite() => self.numbers.push(number),
            _ => {}
        }
    }
}

/// One field on its way to its section.
struct Fitting<'a> {
    field: &'a Field,
    options: FitOptions,
    comments: Vec<String>,
}

#[derive(Serialize)]
struct Section {
    field: [FieldEntry; 1],
}

impl Fitting<'_> {
    fn section(mut self, mut entry: FieldEntry, seen: Seen) -> Result<String, WorkError> {
        if seen.nulls > 0 {
            self.say(format!("{} times null", seen.nulls));
            entry.nullable = Some(nowhere(true));
        }
        if let Some([least, most]) = self.counts("items", &seen.counts) {
            entry.min_items = Some(nowhere(least));
            entry.max_items = Some(nowhere(most));
        }
        match &self.field.form {
            Form::Number { .. } => self.number(&mut entry, seen),
            Form::Text(_) => self.text(&mut entry, seen),
            Form::Enum(known) => {
                let never = known
                    .values
                    .iter()
                    .filter(|name| !seen.texts.contains_key(*name));
                let never: Vec<&str> = never.map(String::as_str).collect();
                if !never.is_empty() {
                    self.say(format!("never the answer: {}", never.join(", ")));
                }
            }
            Form::Boolean { .. } => {
                let yes = seen.numbers.iter().filter(|number| **number == 1.0).count();
                self.say(format!("{yes} of {} are true", seen.numbers.len()));
            }
            Form::Date(form) => {
                let with_time = form.with_time;
                if let Some([lo, hi]) = self.bounds("dates", &seen.numbers, |moment| {
                    moment::shown(moment, with_time)
                }) {
                    let [first, last] = moment::WRITABLE;
                    let day =
                        |moment: f64| nowhere(moment::shown(moment.clamp(first, last), with_time));
                    let whole = if with_time { 1.0 } else { moment::DAY };
                    entry.earliest = Some(day((lo / whole).floor() * whole));
                    entry.latest = Some(day((hi / whole).ceil() * whole));
                }
            }
            Form::Object(_) => self.say("an object: its schema says what it holds".to_owned()),
        }
        let text = toml::to_string(&Section { field: [entry] })
            .map_err(|error| WorkError::BadInput(error.to_string()))?;
        let comments: String = self
            .comments
            .iter()
            .map(|line| format!("# {}\n", line.replace(char::is_control, " ")))
            .collect();
        // What says nothing is left out.
        let defaults = ["unit = \"\"", "kind = \"linear\"", "required = true"];
        let lines = text.lines().filter(|line| !defaults.contains(line));
        let mut section = String::new();
        lines.for_each(|line| {
            let _ = writeln!(section, "{line}");
        });
        Ok(format!("{comments}{section}"))
    }

    /// Says of which gold nothing was learnt.
    fn say_unusable(&mut self, gold: &GoldReport) {
        let ours = |problem: &&GoldProblem| problem.field.as_ref() == Some(&self.field.name);
        let told = gold.problems.iter().filter(ours).map(GoldProblem::words);
        self.comments
            .extend(told.map(|what| format!("not learnt from: {what}")));
    }

    fn say(&mut self, what: String) {
        self.comments.push(what);
    }

    fn number(&mut self, entry: &mut FieldEntry, seen: Seen) {
        let within = |lo: f64, hi: f64| seen.numbers.iter().all(|n| (lo..=hi).contains(n));
        // The limit that stands there already, if the gold keeps it.
        let own = self.field.limit.filter(|[lo, hi]| within(*lo, *hi));
        if self.field.kind == FieldKind::Angle && !seen.numbers.is_empty() {
            let circle = [[0.0, 360.0], [-180.0, 180.0]];
            let fits = circle.into_iter().find(|[lo, hi]| within(*lo, *hi));
            self.say(format!("limit: {} directions", seen.numbers.len()));
            entry.limit = fits.or(own).map(nowhere);
        } else if let Some([lo, hi]) = self.bounds("values", &seen.numbers, plain_number) {
            let [lo, hi] = match self.field.kind {
                FieldKind::Integer => [lo.floor(), hi.ceil()],
                _ => outwards([lo, hi], hi - lo),
            };
            let [lo, hi] = [lo, hi].map(finite);
            // What was never negative is not made so by a margin.
            let lo = if within(0.0, f64::INFINITY) {
                lo.max(0.0)
            } else {
                lo
            };
            match lo < hi {
                true => entry.limit = Some(nowhere([lo, hi])),
                false => {
                    entry.limit = own.map(nowhere);
                    let which = if own.is_some() { "as it was" } else { "none" };
                    self.say(format!("limit: {which} without a margin, as all are alike"));
                }
            }
        }
        if self.field.is_number() && !seen.changes.is_empty() {
            let mut changes = seen.changes;
            let n = changes.len();
            let largest = quantiles(&mut changes, &[1.0 - self.options.quantile, 1.0]);
            let Some(&[usual, largest]) = largest.as_deref() else {
                return;
            };
            let [usual, largest] = [usual, largest].map(plain_number);
            self.say(format!(
                "jump: {n} changes of at most {largest}, quantile {usual}"
            ));
            let usual = quantiles(&mut changes, &[1.0 - self.options.quantile]);
            let jump = usual
                .and_then(|usual| usual.first().copied())
                .unwrap_or(0.0);
            let jump = jump * (1.0 + self.options.margin);
            let [_, jump] = outwards([jump, jump], jump);
            if jump > 0.0 {
                entry.jump = Some(nowhere(finite(jump)));
            }
        }
    }

    fn text(&mut self, entry: &mut FieldEntry, seen: Seen) {
        if let Some([least, most]) = self.counts("characters", &seen.lengths) {
            entry.min_length = Some(nowhere(least));
            entry.max_length = Some(nowhere(most));
        }
        let times = seen.lengths.len();
        if (1..=FEW).contains(&seen.texts.len()) && times >= OFTEN * seen.texts.len() {
            let words: Vec<String> = seen.texts.keys().map(|text| escaped(text)).collect();
            self.say(format!(
                "only {} different ones: perhaps kind = \"enum\" (then without lengths, pattern and compare) and",
                words.len()
            ));
            self.say(format!("values = [{}]", words.join(", ")));
        }
    }

    /// Quantiles moved out by the margin, and a comment about them.
    fn bounds(
        &mut self,
        what: &str,
        values: &[f64],
        shown: impl Fn(f64) -> String,
    ) -> Option<[f64; 2]> {
        let FitOptions { quantile, margin } = self.options;
        let mut values = values.to_vec();
        let found = quantiles(&mut values, &[0.0, quantile, 1.0 - quantile, 1.0])?;
        let &[min, lo, hi, max] = found.as_slice() else {
            return None;
        };
        self.say(format!(
            "{} {what} from {} to {}, quantiles {} and {}",
            values.len(),
            shown(min),
            shown(max),
            shown(lo),
            shown(hi)
        ));
        let more = match hi > lo {
            _ if margin == 0.0 => 0.0,
            true => margin * (hi - lo),
            // One value says nothing about how far others may lie.
            false => lo.abs().max(1.0) * margin.max(0.1),
        };
        Some([lo - more, hi + more])
    }

    /// The same for what is counted.
    fn counts(&mut self, what: &str, counts: &[f64]) -> Option<[u32; 2]> {
        let [lo, hi] = self.bounds(what, counts, plain_number)?;
        // What always had something should have something.
        let least = f64::from(u8::from(counts.iter().all(|count| *count > 0.0)));
        Some([lo.floor().max(least) as u32, hi.ceil().max(1.0) as u32])
    }
}

/// The nearest number that a protocol can hold.
fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}

/// Rounded to two digits of the width, never inwards.
fn outwards([lo, hi]: [f64; 2], width: f64) -> [f64; 2] {
    if !(width > 0.0 && width.is_finite()) {
        return [lo, hi];
    }
    let digits = 1 - libm::log10(width).floor() as i32;
    // Dividing by a whole number leaves fewer stray digits than multiplying by a part.
    let round = |value: f64, by: fn(f64) -> f64| match digits {
        digits if digits > 300 => value,
        digits if digits >= 0 => by(value * 10f64.powi(digits)) / 10f64.powi(digits),
        digits => by(value / 10f64.powi(-digits)) * 10f64.powi(-digits),
    };
    [round(lo, f64::floor), round(hi, f64::ceil)]
}

fn nowhere<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

/// Text as TOML has it on one line: its escapes are those of JSON.
fn escaped(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

/// Text as TOML has it.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::outwards;

    #[test]
    fn bounds_are_rounded_outwards_to_two_digits_of_the_width() {
        for (given, rounded) in [
            ([3.27, 96.81], [3.0, 97.0]),
            ([-0.012345, 0.054321], [-0.013, 0.055]),
            ([101_234.0, 987_654.0], [100_000.0, 990_000.0]),
            ([1e-300, 2e-300], [1e-300, 2e-300]),
        ] {
            assert_eq!(outwards(given, given[1] - given[0]), rounded, "{given:?}");
        }
    }
}
