//! The kinds of models a data set is made of.

/// A kind of model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Personality {
    /// The name; models are called `<name>-1`, `<name>-2`, and so on.
    pub name: &'static str,
    /// How models of this kind answer, in one sentence.
    pub describe: &'static str,
}

/// Every personality, in the order in which models are made: a data set of five
/// models has one of each, a data set of seven has two accurate and two noisy ones.
pub const PERSONALITIES: [Personality; 5] = [
    Personality {
        name: "accurate",
        describe: "Tiny errors and clean JSON.",
    },
    Personality {
        name: "noisy",
        describe: "Valid JSON with wandering and random errors, some warnings and a few \
                   inconsistencies; one or two replies carry instructions to the evaluator.",
    },
    Personality {
        name: "unsafe",
        describe: "Accurate-looking, with episodes that no operator would allow: steep descents, \
                   stalls, over-banking, overheating, over-current.",
    },
    Personality {
        name: "format-breaking",
        describe: "Good numbers in bad form: missing fields, nulls, words, NaN, wrong shapes, \
                   truncated JSON, and harmless prose, code fences and numeric strings.",
    },
    Personality {
        name: "rate-limited",
        describe: "A good model behind a bad connection: a third of the answers are provider \
                   errors.",
    },
];

/// The personalities as the code tells them apart, in the order of [`PERSONALITIES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Accurate,
    Noisy,
    Unsafe,
    FormatBreaking,
    RateLimited,
}

const KINDS: [Kind; PERSONALITIES.len()] = [
    Kind::Accurate,
    Kind::Noisy,
    Kind::Unsafe,
    Kind::FormatBreaking,
    Kind::RateLimited,
];

/// One model: a personality and its number among its kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    /// Place in the data set, from 0.
    pub index: u32,
    pub kind: Kind,
    /// Sizes of mistakes are multiplied by this, so that models of a kind differ.
    pub scale: f64,
}

impl Model {
    pub(crate) fn new(index: u32) -> Self {
        let number = index / KINDS.len() as u32;
        Self {
            index,
            kind: KINDS[index as usize % KINDS.len()],
            // Cycles instead of growing: the hundredth noisy model is still only noisy.
            scale: 1.0 + 0.04 * f64::from(number % 4),
        }
    }

    pub(crate) fn name(&self) -> String {
        let number = self.index / KINDS.len() as u32 + 1;
        format!("{}-{number}", self.personality().name)
    }

    pub(crate) fn personality(&self) -> &'static Personality {
        &PERSONALITIES[self.kind as usize]
    }
}

/// The name of the model at `index` (from 0) of any data set.
///
/// ```
/// assert_eq!(judica_synth::model_name(0), "accurate-1");
/// assert_eq!(judica_synth::model_name(6), "noisy-2");
/// ```
pub fn model_name(index: u32) -> String {
    Model::new(index).name()
}
