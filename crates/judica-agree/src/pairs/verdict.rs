//! A pair of judgments becomes a verdict: counted, refused, or both looked at and decided.

use std::borrow::Cow;

pub use judica_data::rejects::Refusal;
use judica_model::text::quoted;

use super::arbitrate::Decision;
use super::label::Label;
use super::line::{BadLine, Evidence, Keys, Line, Side};
use super::policy::Policy;
use super::text::Text;

/// The refusal of a line about a question that an earlier line was about.
pub fn duplicate(line: &[u8], keys: &Keys) -> Refusal {
    let line = Line::read(line, keys).unwrap_or_default();
    let name = line.qid.name().unwrap_or_default();
    let name = String::from_utf8_lossy(&name);
    Refusal::new("duplicate_qid", format!("{name:?} was seen before"))
}

impl From<BadLine> for Refusal {
    fn from(bad: BadLine) -> Self {
        match bad {
            BadLine::Malformed(at) => Refusal::new(
                "malformed_json",
                format!("not JSON from byte {at} of the line"),
            ),
            BadLine::TooDeep => Refusal::new("malformed_json", "nested too deeply"),
            BadLine::NotAnObject => Refusal::new("not_an_object", "an object is needed"),
        }
    }
}

/// Two judgments of the same answer.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'p, 'a> {
    /// The first validator's.
    pub scholar: &'p Side<'a>,
    /// The second validator's.
    pub auditor: &'p Side<'a>,
    /// Evidence that stands beside both, if any does.
    pub shared: Option<&'p Evidence<'a>>,
}

/// What became of a pair.
#[derive(Debug)]
pub struct Judgment<'a> {
    /// Both labels as they were given; `None` if one is not text.
    pub given: Option<[Cow<'a, [u8]>; 2]>,
    /// Both labels, if both are in the label space: then the pair is counted.
    pub labels: Option<[Label; 2]>,
    /// How it is decided.
    pub decision: Decision,
    /// Why it is not counted.
    pub refusal: Option<Refusal>,
}

impl Judgment<'_> {
    /// The verdict on a pair that enters the measurement.
    pub fn counted(labels: [Label; 2], decision: Decision) -> Self {
        Judgment {
            given: None,
            labels: Some(labels),
            decision,
            refusal: None,
        }
    }

    /// Whether the validators gave different labels, known or not.
    pub fn differs(&self) -> bool {
        match (self.labels, &self.given) {
            (Some([scholar, auditor]), _) => scholar != auditor,
            (None, Some([scholar, auditor])) => scholar != auditor,
            (None, None) => false,
        }
    }
}

/// The pair of a merged line.
pub fn pair_of<'p, 'a>(line: &'p Line<'a>, keys: &Keys) -> Result<Pair<'p, 'a>, Refusal> {
    let side = |name: &str, side: &'p Option<Side<'a>>| match side {
        None => Err(Refusal::new("missing_side", format!("no `{name}`"))),
        Some(side) if side.not_an_object => Err(Refusal::new(
            "wrong_type",
            format!("`{name}` must be an object with a `label`"),
        )),
        Some(side) => Ok(side),
    };
    Ok(Pair {
        scholar: side(&keys.raters[0], &line.scholar)?,
        auditor: side(&keys.raters[1], &line.auditor)?,
        shared: Some(&line.own.evidence),
    })
}

impl<'p, 'a> Pair<'p, 'a> {
    /// All evidence of the pair.
    pub fn evidence(&self) -> impl Iterator<Item = &'p Evidence<'a>> + Clone {
        let own = [&self.scholar.evidence, &self.auditor.evidence];
        self.shared.into_iter().chain(own)
    }

    /// Decides the pair.
    pub fn judge(&self, policy: &Policy) -> Judgment<'a> {
        let known = [known(self.scholar, policy), known(self.auditor, policy)];
        // Evidence may stand in several places; a flag or a citation out of scope in any
        // of them decides.
        let flagged = self
            .evidence()
            .any(|seen| seen.flagged || seen.bad_shape == Some("flags"));
        let decision = policy.decide(known, flagged, || self.in_scope());
        if let ([Some(scholar), Some(auditor)], None) = (known, self.bad_shape()) {
            return Judgment::counted([scholar, auditor], decision);
        }
        let (given, refusal) = self.refuse(known, policy);
        Judgment {
            given,
            labels: None,
            decision,
            refusal: Some(refusal),
        }
    }

    /// Whether every citation was retrieved: as it stands beside the citation, or else
    /// beside the pair. What cannot be read cannot be in scope.
    fn in_scope(&self) -> bool {
        let beside = self.shared.map(|seen| seen.retrieved).unwrap_or_default();
        self.evidence().all(|seen| {
            let retrieved = match seen.retrieved_text {
                Some(_) => seen.retrieved,
                None => beside,
            };
            seen.bad_shape.is_none() && seen.citations.all_among(retrieved)
        })
    }

    fn bad_shape(&self) -> Option<&'static str> {
        self.evidence().find_map(|seen| seen.bad_shape)
    }

    #[cold]
    fn refuse(
        &self,
        known: [Option<Label>; 2],
        policy: &Policy,
    ) -> (Option<[Cow<'a, [u8]>; 2]>, Refusal) {
        let [first, second] = policy.names();
        let sides = [(first, self.scholar), (second, self.auditor)];
        for ((name, side), known) in sides.iter().zip(known) {
            let problem = match side.label {
                _ if known.is_some() => continue,
                Text::Is(_) => continue,
                Text::Missing => ("missing_label", "has no label"),
                Text::Number(_) | Text::WrongType(_) => {
                    ("wrong_type", "has a label that is not text")
                }
            };
            return (
                None,
                Refusal::new(problem.0, format!("`{name}` {}", problem.1)),
            );
        }
        let given = sides.map(|(_, side)| text(side));
        if known.iter().all(Option::is_some) {
            let key = self.bad_shape().unwrap_or_default();
            let detail = format!("`{key}` does not hold what it should");
            return (Some(given), Refusal::new("bad_shape", detail));
        }
        let unknown: Vec<String> = sides
            .iter()
            .zip(&given)
            .zip(known)
            .filter(|(_, known)| known.is_none())
            .map(|(((name, _), text), _)| describe_unknown(name, text, policy))
            .collect();
        (
            Some(given),
            Refusal::new("unknown_label", unknown.join("; ")),
        )
    }
}

fn describe_unknown(side: &str, label: &[u8], policy: &Policy) -> String {
    // Long enough for any label anybody would mean, short enough for a report.
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(label);
    let shown = quoted(&text, SHOWN);
    match policy.meant(&text) {
        Some(meant) => format!("`{side}` says {shown}, not {meant:?}"),
        None => format!("`{side}` says {shown}, which is no label"),
    }
}

/// A label that is spelt as one of the policy's; a number, true and false are as they are
/// written, since columns of tables may hold them as such.
fn known(side: &Side, policy: &Policy) -> Option<Label> {
    match side.label {
        Text::Is(_) => policy.label(&side.label.decode()?),
        Text::Number(json) | Text::WrongType(json) => policy.label(json),
        Text::Missing => None,
    }
}

/// A label's text; empty if it is none.
fn text<'a>(side: &Side<'a>) -> Cow<'a, [u8]> {
    match side.label {
        Text::WrongType(json) => Cow::Borrowed(json),
        _ => side.label.decode().unwrap_or_default(),
    }
}

/// The question's name, escapes undone.
pub fn qid<'a>(line: &Line<'a>) -> Result<Cow<'a, [u8]>, Refusal> {
    line.qid.name().ok_or_else(|| match line.qid {
        Text::Missing => Refusal::new("missing_qid", "no `qid`"),
        _ => Refusal::new("wrong_type", "`qid` must be text or a number"),
    })
}
