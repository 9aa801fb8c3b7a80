//! How replies go wrong apart from their numbers: bad form, and no answer at all.

use crate::reply::{Form, Slot, WORDS, Wrapping};
use crate::rng::Stream;

/// What a provider says instead of an answer. Each has a keyword of the protocol files.
pub(crate) const PROVIDER_ERRORS: [&str; 6] = [
    "Rate limit exceeded, please retry",
    "HTTP error 503: service unavailable",
    "API error: quota exceeded for this minute",
    "Request failed with status code 429",
    "Internal server error",
    "Error: connection timeout after 60 s",
];

/// Words in the place of numbers, as JSON.
pub(crate) const WORDS_FOR_VALUES: [&str; 5] = [
    "\"N/A\"",
    "\"unknown\"",
    "\"about the same\"",
    "\"--\"",
    "\"\"",
];

/// A way to answer in bad form.
#[derive(Clone, Copy)]
pub(crate) enum Habit {
    Missing,
    Null,
    Word,
    NotANumber,
    WrongShape,
    Truncated,
    Refusal,
    Quoted,
    Fenced,
    Prose,
}

/// How often each habit shows, in percent. The first seven (43 %) make a record
/// ineligible, the last three must not; what is left is clean.
const HABITS: [(f64, Habit); 10] = [
    (10.0, Habit::Missing),
    (7.0, Habit::Null),
    (7.0, Habit::Word),
    (5.0, Habit::NotANumber),
    (5.0, Habit::WrongShape),
    (6.0, Habit::Truncated),
    (3.0, Habit::Refusal),
    (10.0, Habit::Quoted),
    (14.0, Habit::Fenced),
    (12.0, Habit::Prose),
];

/// What a format-breaking model does to its next reply.
pub(crate) fn draw_habit(rng: &mut Stream, scale: f64) -> Option<Habit> {
    // A larger scale makes a model break more often, up to half of its replies.
    let mut draw = rng.between(0.0, 100.0) / scale;
    HABITS.iter().find_map(|&(percent, habit)| {
        draw -= percent;
        (draw < 0.0).then_some(habit)
    })
}

/// The form of a format-breaking model's next reply, or the text it says instead.
pub(crate) fn break_form<const N: usize>(
    rng: &mut Stream,
    steps: usize,
    scale: f64,
) -> Result<Form<N>, &'static str> {
    let mut form = Form::clean(rng);
    let Some(habit) = draw_habit(rng, scale) else {
        return Ok(form);
    };
    form.element = rng.below(steps);
    match habit {
        Habit::Missing => spoil(&mut form, rng, 4, Slot::Missing),
        Habit::Null => spoil(&mut form, rng, 3, Slot::Literal("null")),
        Habit::Word => {
            let word = WORDS_FOR_VALUES[rng.below(WORDS_FOR_VALUES.len())];
            spoil(&mut form, rng, 2, Slot::Literal(word));
        }
        Habit::NotANumber => {
            let value = ["NaN", "Infinity", "-Infinity"][rng.below(3)];
            spoil(&mut form, rng, 2, Slot::Literal(value));
        }
        Habit::WrongShape => spoil(&mut form, rng, 3, Slot::WrongShape),
        Habit::Truncated => form.cut = Some(rng.between(0.2, 0.95)),
        Habit::Refusal => return Err(WORDS.refusals[rng.below(WORDS.refusals.len())]),
        Habit::Quoted if rng.chance(0.5) => form.slots = [Slot::Quoted; N],
        Habit::Quoted => spoil(&mut form, rng, 4, Slot::Quoted),
        Habit::Fenced => form.wrapping = Wrapping::Fenced,
        Habit::Prose => form.wrapping = Wrapping::Prose,
    }
    Ok(form)
}

/// Puts `slot` into one to `most` fields.
fn spoil<const N: usize>(form: &mut Form<N>, rng: &mut Stream, most: u32, slot: Slot) {
    for _ in 0..rng.count(1, most) {
        form.slots[rng.below(N)] = slot;
    }
}

/// The provider of a rate-limited model: errors come in short runs, a third in all.
#[derive(Default)]
pub(crate) struct Provider {
    failing: bool,
}

impl Provider {
    /// The error that comes instead of the next answer, if one does.
    pub(crate) fn error(&mut self, rng: &mut Stream) -> Option<&'static str> {
        // Stationary share of a two-state chain: 0.3 / (0.3 + 0.6) = 1/3.
        self.failing = rng.chance(if self.failing { 0.4 } else { 0.3 });
        self.failing
            .then(|| PROVIDER_ERRORS[rng.below(PROVIDER_ERRORS.len())])
    }
}
