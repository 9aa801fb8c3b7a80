//! A document as what a data set is about: its text is asked about, what it says is the truth,
//! and what a model makes of it is its reply.

use std::marker::PhantomData;

use serde_json::{Value, json};

use crate::breakage::{Habit, Provider, WORDS_FOR_VALUES, draw_habit};
use crate::personality::{Kind, Model, PERSONALITIES, Personality};
use crate::reply::{Words, Wrapping, wrap};
use crate::rng::{Stream, model_stream, truth_stream};
use crate::source::{Next, Source, Task};
use crate::text::json as as_json;

/// Something to read, of which the right answer is known.
pub(crate) trait Document: 'static {
    /// Number of the domain in the random key, so that domains never share numbers.
    const DOMAIN: u64;
    /// The one task of the domain.
    const TASKS: &'static [Task];
    /// What models say around their answers.
    const WORDS: Words;

    /// The next document.
    fn draw(rng: &mut Stream) -> Self;

    /// What a reader sees: all that the right answer says, and no more.
    fn text(&self) -> String;

    /// The right answer, which breaks no rule of the protocol.
    fn answer(&self) -> Value;

    /// Takes one thing for another, or leaves it out. The answer still has the right kinds,
    /// and seldom anything that makes it ineligible.
    fn misread(&mut self, rng: &mut Stream);

    /// An answer that says more than the document does, or says it in words that nobody
    /// asked for.
    fn invent(self, rng: &mut Stream) -> Value;

    /// The same answer as the protocol accepts it, too.
    fn respell(rng: &mut Stream, answer: &mut Value);
}

/// How models answer about documents, in the order of [`PERSONALITIES`].
const OF_DOCUMENTS: [Personality; PERSONALITIES.len()] = [
    Personality {
        name: PERSONALITIES[0].name,
        describe: "Reads nearly everything right, and writes clean JSON.",
    },
    Personality {
        name: PERSONALITIES[1].name,
        describe: "Valid JSON that misreads values and leaves some out: low recall; one or two \
                   replies carry instructions to the evaluator.",
    },
    Personality {
        name: PERSONALITIES[2].name,
        describe: "Says more than it was told: values where there are none, extra keys, names \
                   in another case, placeholders, needless calls: low precision.",
    },
    Personality {
        name: PERSONALITIES[3].name,
        describe: "Good values in bad form: missing keys, nulls, words, NaN, wrong shapes, \
                   truncated JSON, and harmless prose, code fences and other spellings.",
    },
    PERSONALITIES[4],
];

/// The domain of a kind of document.
pub(crate) struct Documents<D>(PhantomData<D>);

impl<D> Documents<D> {
    pub(crate) const NEW: Self = Documents(PhantomData);
}

impl<D: Document> Source for Documents<D> {
    fn domain(&self) -> u64 {
        D::DOMAIN
    }

    fn tasks(&self) -> &'static [Task] {
        D::TASKS
    }

    fn personalities(&self) -> &'static [Personality; PERSONALITIES.len()] {
        &OF_DOCUMENTS
    }

    fn samples(&self, seed: u64, task: usize) -> Next {
        let mut rng = truth_stream(seed, D::DOMAIN, task);
        let question = D::TASKS[task].question;
        Box::new(move |_, out| {
            let document = D::draw(&mut rng);
            let context = json!({"question": question, "document": document.text()});
            out.extend_from_slice(b"\"context\":");
            as_json(out, &context, false);
            out.extend_from_slice(b",\"gold\":");
            as_json(out, &document.answer(), false);
        })
    }

    fn replies(&self, seed: u64, model: Model, task: usize) -> Next {
        let mut truth = truth_stream(seed, D::DOMAIN, task);
        let mut rng = model_stream(seed, D::DOMAIN, model.index, task);
        let mut provider = Provider::default();
        Box::new(move |index, out| {
            // The truth is drawn even where nobody answers: the next sample is the next one.
            let document = D::draw(&mut truth);
            match reply(model, &mut rng, &mut provider, document, index) {
                Ok(reply) => reply.write(out, &D::WORDS),
                Err(text) => out.extend_from_slice(text.as_bytes()),
            }
        })
    }
}

/// An answer and its form.
struct Reply {
    answer: Value,
    pretty: bool,
    wrapping: Wrapping,
    cut: Option<f64>,
}

/// Stands in an answer for what JSON cannot say.
const NOT_A_NUMBER: &str = "\u{1}NaN";

impl Reply {
    fn write(&self, out: &mut Vec<u8>, words: &Words) {
        wrap(out, words, self.wrapping, self.cut, |out| {
            let mut text = Vec::new();
            as_json(&mut text, &self.answer, self.pretty);
            let text = String::from_utf8_lossy(&text).replace("\"\\u0001NaN\"", "NaN");
            out.extend_from_slice(text.as_bytes());
        });
    }
}

/// What a model says of a document, or the text it says instead.
fn reply<D: Document>(
    model: Model,
    rng: &mut Stream,
    provider: &mut Provider,
    mut document: D,
    index: u32,
) -> Result<Reply, &'static str> {
    let pretty = rng.chance(0.1);
    let clean = |answer| Reply {
        answer,
        pretty,
        wrapping: Wrapping::Bare,
        cut: None,
    };
    let slips = |rng: &mut Stream, document: &mut D, chance: f64| {
        if rng.chance(chance * model.scale) {
            document.misread(rng);
        }
    };
    match model.kind {
        Kind::Accurate => slips(rng, &mut document, 0.03),
        Kind::Noisy => {
            for chance in [0.5, 0.3, 0.1] {
                slips(rng, &mut document, chance);
            }
            let mut reply = clean(document.answer());
            // Two replies that talk to the judge, as in every domain.
            if matches!(index, 2 | 3) {
                reply.wrapping = Wrapping::Injection;
            }
            return Ok(reply);
        }
        Kind::Unsafe => {
            let answer = match rng.chance(0.85) {
                true => document.invent(rng),
                false => document.answer(),
            };
            return Ok(clean(answer));
        }
        Kind::FormatBreaking => {
            slips(rng, &mut document, 0.06);
            return break_reply::<D>(rng, clean(document.answer()), model.scale);
        }
        Kind::RateLimited => {
            slips(rng, &mut document, 0.05);
            if let Some(error) = provider.error(rng) {
                return Err(error);
            }
        }
    }
    Ok(clean(document.answer()))
}

/// A reply in a form that is bad, or at least not the plain one.
fn break_reply<D: Document>(
    rng: &mut Stream,
    mut reply: Reply,
    scale: f64,
) -> Result<Reply, &'static str> {
    let Some(habit) = draw_habit(rng, scale) else {
        return Ok(reply);
    };
    let answer = &mut reply.answer;
    match habit {
        Habit::Missing => {
            let key = one_key(rng, answer);
            answer.as_object_mut().map(|keys| keys.shift_remove(&key));
        }
        Habit::Null => *one_of(rng, answer) = Value::Null,
        Habit::Word => {
            let word = WORDS_FOR_VALUES[rng.below(WORDS_FOR_VALUES.len())];
            *one_of(rng, answer) = json!(word.trim_matches('"'));
        }
        Habit::NotANumber => *one_of(rng, answer) = json!(NOT_A_NUMBER),
        Habit::WrongShape => {
            let value = one_of(rng, answer);
            *value = match value.take() {
                Value::Array(items) => items.into_iter().next().unwrap_or(json!("none")),
                other => json!([other]),
            };
        }
        Habit::Truncated => reply.cut = Some(rng.between(0.2, 0.95)),
        Habit::Refusal => return Err(D::WORDS.refusals[rng.below(D::WORDS.refusals.len())]),
        Habit::Quoted => D::respell(rng, answer),
        Habit::Fenced => reply.wrapping = Wrapping::Fenced,
        Habit::Prose => reply.wrapping = Wrapping::Prose,
    }
    Ok(reply)
}

/// One of the keys of an answer.
fn one_key(rng: &mut Stream, answer: &Value) -> String {
    let mut keys = answer.as_object().into_iter().flat_map(|keys| keys.keys());
    let at = rng.below(keys.clone().count());
    keys.nth(at).cloned().unwrap_or_default()
}

/// One of the values of an answer.
fn one_of<'a>(rng: &mut Stream, answer: &'a mut Value) -> &'a mut Value {
    let key = one_key(rng, answer);
    &mut answer[key]
}
