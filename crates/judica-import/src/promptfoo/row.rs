//! One row: what one prompt with its provider came to on one test.

use std::borrow::Cow;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::raw::{Object, Raw};

/// `failureReason` of an error.
const ERROR: u32 = 2;

/// What is needed of a row.
pub(super) struct Row<'a> {
    pub test: u32,
    pub prompt: u32,
    /// Equal for equal items: description, variables, assertions and threshold of the test.
    pub item: u128,
    pub score: Raw<'a>,
    pub success: Raw<'a>,
    pub named: Object<'a>,
    pub grading: Object<'a>,
    pub error: Option<Cow<'a, str>>,
    pub latency: Raw<'a>,
    pub cost: Raw<'a>,
    pub input: Raw<'a>,
    pub target: Raw<'a>,
    pub metadata: Raw<'a>,
    pub output: Raw<'a>,
    tokens: Raw<'a>,
    provider: Raw<'a>,
    labelled: Raw<'a>,
}

impl<'a> Row<'a> {
    /// A row of `results.results`, or of a file of lines.
    pub fn read(raw: Raw<'a>) -> Result<Self, String> {
        let row = raw.members();
        let number = |key: &str| {
            let number = row.get(key).count();
            number.ok_or_else(|| format!("{key} is {}, not a number of a row", row.get(key).json()))
        };
        let (test, prompt) = (number("testIdx")?, number("promptIdx")?);
        let (case, response) = (row.get("testCase").members(), row.get("response").members());
        let mut read = Self::common(&row, &case, row.get("vars"));
        (read.test, read.prompt) = (test, prompt);
        read.success = row.get("success");
        read.input = row.get("prompt").at(&["raw"]);
        read.output = response.get("output");
        read.provider = row.get("provider");
        read.labelled = row.get("prompt");
        Ok(read)
    }

    /// What rows and outputs of a table have alike.
    fn common(row: &Object<'a>, case: &Object<'a>, vars: Raw<'a>) -> Self {
        let grading = row.get("gradingResult");
        let failed = match row.get("failureReason").count() {
            Some(reason) => reason == ERROR,
            // Older files do not say it; an assertion that failed has been graded.
            None => !row.get("error").is_null() && grading.is_null(),
        };
        let error = failed.then(|| row.get("error").shown().unwrap_or("error".into()));
        Row {
            test: 0,
            prompt: 0,
            item: item(case, vars),
            score: row.get("score"),
            success: Raw::NULL,
            named: row.get("namedScores").members(),
            grading: grading.members(),
            error,
            latency: row.get("latencyMs"),
            cost: row.get("cost"),
            input: Raw::NULL,
            target: case.get("assert"),
            metadata: case.get("metadata"),
            output: Raw::NULL,
            tokens: row.get("tokenUsage"),
            provider: Raw::NULL,
            labelled: Raw::NULL,
        }
    }

    /// What its prompt with its provider is called.
    pub fn subject(&self) -> String {
        subject(self.provider, self.labelled)
    }

    /// The tokens that were used.
    pub fn usage(&self) -> Object<'a> {
        self.tokens.members()
    }
}

/// The rows of one test in a table of version 2.
pub(super) fn outputs<'a>(raw: Raw<'a>, place: u64) -> Vec<Row<'a>> {
    let row = raw.members();
    let case = row.get("test").members();
    // Older tables do not number their tests, which stand in order.
    let test = row.get("testIdx").count();
    let test = test.unwrap_or_else(|| place.saturating_sub(1).try_into().unwrap_or(u32::MAX));
    let outputs = row.get("outputs").elements().into_iter().zip(0..);
    outputs
        .map(|(output, prompt)| {
            let output = output.members();
            let mut read = Row::common(&output, &case, row.get("vars"));
            (read.test, read.prompt) = (test, prompt);
            read.success = output.get("pass");
            read.input = output.get("prompt");
            read.output = output.get("text");
            read.provider = output.get("provider");
            read
        })
        .collect()
}

/// A fingerprint of what makes an item.
fn item(case: &Object, vars: Raw) -> u128 {
    let own = case.get("vars");
    let vars = if own.is_null() { vars } else { own };
    let mut hash = SipHasher13::new();
    for part in [
        case.get("description"),
        vars,
        case.get("assert"),
        case.get("threshold"),
    ] {
        hash.write_u128(part.fingerprint());
    }
    hash.finish128().as_u128()
}

/// `provider / prompt label`.
pub(super) fn subject(provider: Raw, prompt: Raw) -> String {
    let given = |raw: Raw| {
        raw.text()
            .filter(|text| !text.is_empty())
            .map(Cow::into_owned)
    };
    let part = |raw: Raw, keys: [&str; 2]| {
        let named = keys.into_iter().find_map(|key| given(raw.at(&[key])));
        given(raw).or(named).unwrap_or_else(|| "unknown".to_owned())
    };
    let (provider, prompt) = (
        part(provider, ["label", "id"]),
        part(prompt, ["label", "raw"]),
    );
    format!("{provider} / {prompt}")
}
