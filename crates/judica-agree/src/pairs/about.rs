//! What a line says about its answer beside what validators said of it: whose it is, to
//! which question of which data set, what it cost.

use std::borrow::Cow;

use judica_data::json::number::people_number;
use judica_data::rejects::Refusal;
use judica_data::rows::{bad_epoch, whole_epoch};
use judica_run::options::RunOptions;

use super::seen::{Fingerprint, fingerprint};
use super::text::Text;

/// Whose answer it is where nobody says.
const NOBODY: &str = "answers";

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Whose answer it is.
    Subject,
    /// The data set.
    Dataset,
    /// Which repeat of the question.
    Epoch,
    /// What the question stands or falls with.
    Cluster,
    /// What was asked.
    Question,
    /// How long the answer took.
    Latency,
    /// Tokens of the question.
    TokensIn,
    /// Tokens of the answer.
    TokensOut,
    /// What it cost.
    Usd,
}

const FIELDS: usize = 9;

/// The keys, in quotes; of several for one field an earlier one counts.
pub(super) const KEYS: [(&[u8], Field); 15] = [
    (b"\"model\"", Field::Subject),
    (b"\"model_name\"", Field::Subject),
    (b"\"model_short\"", Field::Subject),
    (b"\"run_name\"", Field::Subject),
    (b"\"author\"", Field::Subject),
    (b"\"backend\"", Field::Subject),
    (b"\"dataset\"", Field::Dataset),
    (b"\"epoch\"", Field::Epoch),
    (b"\"cluster\"", Field::Cluster),
    (b"\"question\"", Field::Question),
    (b"\"latency_ms\"", Field::Latency),
    (b"\"tokens_in\"", Field::TokensIn),
    (b"\"tokens_out\"", Field::TokensOut),
    (b"\"usd\"", Field::Usd),
    (b"\"query\"", Field::Question),
];

/// The place of a key among [`KEYS`].
pub(super) fn position(key: &[u8]) -> Option<usize> {
    let same = |(quoted, _): &(&[u8], Field)| quoted.get(1..quoted.len() - 1) == Some(key);
    KEYS.iter().position(same)
}

/// What a line says about its answer.
#[derive(Debug, Default, Clone)]
pub struct About<'a> {
    texts: [Text<'a>; FIELDS],
    /// The keys they come from.
    keys: [u8; FIELDS],
}

impl<'a> About<'a> {
    /// Nothing.
    pub(super) const NOTHING: About<'static> = About {
        texts: [Text::Missing; FIELDS],
        keys: [0; FIELDS],
    };

    /// Takes the value of one of [`KEYS`].
    pub(super) fn set(&mut self, key: usize, text: Text<'a>) {
        let at = KEYS[key].1 as usize;
        let told = !matches!(self.texts[at], Text::Missing);
        let tells = !matches!(text, Text::Missing);
        let before = usize::from(self.keys[at]);
        if !told || before == key || before > key && tells {
            self.texts[at] = text;
            self.keys[at] = key as u8;
        }
    }

    /// Forgets what another line about the same repeat of the question does not say, too.
    pub(super) fn keep_common(&mut self, other: &About) {
        let both = self.texts.iter_mut().zip(&other.texts);
        for (at, (mine, theirs)) in both.enumerate() {
            if at != Field::Epoch as usize && mine.name() != theirs.name() {
                *mine = Text::Missing;
            }
        }
    }

    /// What is told, as text; blank text is none.
    pub fn text(&self, field: Field) -> Option<Cow<'a, str>> {
        Some(match self.bytes(field)? {
            Cow::Borrowed(text) => String::from_utf8_lossy(text),
            Cow::Owned(text) => Cow::Owned(String::from_utf8_lossy(&text).into_owned()),
        })
    }

    /// The same, told apart from every other.
    pub(super) fn bytes(&self, field: Field) -> Option<Cow<'a, [u8]>> {
        let text = self.texts[field as usize].name();
        text.filter(|text| !text.trim_ascii().is_empty())
    }

    /// What is told, as a number that can be of an answer.
    pub fn number(&self, field: Field) -> Option<f64> {
        let number: f64 = self.text(field)?.trim().parse().ok()?;
        Some(number).filter(|number| number.is_finite() && *number >= 0.0)
    }

    /// Which repeat of the question, from 1.
    pub fn epoch(&self) -> Result<i32, Refusal> {
        match self.texts[Field::Epoch as usize] {
            Text::WrongType(_) => Err(bad_epoch("neither a number nor text")),
            _ => self.text(Field::Epoch).map_or(Ok(1), |epoch| {
                let number = people_number(&epoch);
                number
                    .and_then(whole_epoch)
                    .ok_or_else(|| bad_epoch(&epoch))
            }),
        }
    }

    /// Whose answer it is.
    pub fn subject<'s>(&'s self, options: &'s RunOptions, file: &'s str) -> Cow<'s, str> {
        let own = self.text(Field::Subject).unwrap_or(Cow::Borrowed(NOBODY));
        match options.subject {
            Some(_) => Cow::Borrowed(options.subject(None, file)),
            None => own,
        }
    }

    /// The data set of its question.
    pub fn dataset<'s>(&'s self, options: &'s RunOptions, file: &'s str) -> Cow<'s, str> {
        match (&options.dataset, self.text(Field::Dataset)) {
            (None, Some(own)) => own,
            _ => Cow::Borrowed(options.dataset(None, file)),
        }
    }

    /// What tells the answer from all others: the question's name, and whose answer it is in
    /// which repeat and data set, as far as the line says so and the user does not.
    pub fn print(&self, name: &[u8], options: &RunOptions) -> Result<Fingerprint, Refusal> {
        let epoch = self.epoch()?;
        let told = |field, given: &Option<String>| match given {
            None => self.bytes(field).unwrap_or_default(),
            Some(_) => Cow::default(),
        };
        let subject = told(Field::Subject, &options.subject);
        let dataset = told(Field::Dataset, &options.dataset);
        if epoch == 1 && subject.is_empty() && dataset.is_empty() {
            return Ok(fingerprint(&[name]));
        }
        Ok(fingerprint(&[
            name,
            &subject,
            &dataset,
            &epoch.to_le_bytes(),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::line::Line;
    use crate::pairs::policy::Policy;

    fn keys() -> crate::pairs::line::Keys {
        Policy::built_in().unwrap().keys
    }

    #[test]
    fn an_answer_is_told_by_whose_it_is_and_which_repeat() {
        let open = RunOptions::default();
        let given = RunOptions {
            subject: Some("us".to_owned()),
            ..RunOptions::default()
        };
        let print = |line: &str, options: &RunOptions| {
            let line = Line::read(line.as_bytes(), &keys()).unwrap();
            line.about.print(b"q", options).map_err(|bad| bad.reason)
        };
        let plain = print("{}", &open);
        assert_eq!(plain, Ok(fingerprint(&[b"q"])));
        for same in [
            r#"{"epoch":1}"#,
            r#"{"epoch":1.0}"#,
            r#"{"model":" "}"#,
            r#"{"epoch":"1"}"#,
            r#"{"epoch":""}"#,
        ] {
            assert_eq!(print(same, &open), plain, "{same}");
        }
        let mut others = vec![plain];
        for other in [
            r#"{"epoch":2}"#,
            r#"{"model":"a"}"#,
            r#"{"dataset":"a"}"#,
            r#"{"model":"a","dataset":"b"}"#,
            r#"{"model":"b","dataset":"a"}"#,
        ] {
            let print = print(other, &open);
            assert!(!others.contains(&print), "{other}");
            others.push(print);
        }
        assert_eq!(print(r#"{"model":"a"}"#, &given), plain);
        for bad in [r#"{"epoch":0}"#, r#"{"epoch":1.5}"#, r#"{"epoch":[]}"#] {
            assert_eq!(print(bad, &open), Err("bad_epoch"), "{bad}");
        }
    }

    #[test]
    fn authors_have_the_names_they_have_everywhere() {
        let keys = KEYS.iter().filter(|(_, field)| *field == Field::Subject);
        let names: Vec<&[u8]> = keys.map(|(key, _)| &key[1..key.len() - 1]).collect();
        let everywhere = judica_data::row_keys::SUBJECT.map(str::as_bytes);
        assert_eq!(names, everywhere);
    }

    #[test]
    fn of_several_names_an_earlier_one_counts() {
        for line in [
            r#"{"model":"m","author":"a"}"#,
            r#"{"author":"a","model":"x","model":"m"}"#,
            r#"{"author":"m","model":null}"#,
        ] {
            let line = Line::read(line.as_bytes(), &keys()).unwrap();
            let options = RunOptions::default();
            assert_eq!(line.about.subject(&options, "f.jsonl"), "m");
            assert_eq!(line.about.dataset(&options, "d/f.jsonl.gz"), "f");
        }
        let line = Line::read(br#"{"usd":"0.5","latency_ms":-1}"#, &keys()).unwrap();
        assert_eq!(line.about.subject(&RunOptions::default(), "f"), "answers");
        assert_eq!(line.about.number(Field::Usd), Some(0.5));
        assert_eq!(line.about.number(Field::Latency), None);
    }
}
