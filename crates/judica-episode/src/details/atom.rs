//! An atom of evidence as it is written.

use std::fmt;

use judica_model::evidence::{Scope, Severity};
use serde::{Serialize, Serializer};

use crate::action::{Area, Element, Point};
use crate::load::fault::Fault;
use crate::score::step::HIT_RADIUS;

/// One atom, in the shape of [`judica_model::evidence::EvidenceAtom`]. It borrows all that
/// it cites: of a large run most atoms are written and never read.
#[derive(Serialize)]
pub(super) struct Atom<'a> {
    #[serde(serialize_with = "id")]
    pub id: usize,
    #[serde(rename = "type")]
    pub family: &'static str,
    pub rule: &'static str,
    pub field: Option<&'static str>,
    pub pass: bool,
    pub severity: Severity,
    pub scope: Scope,
    pub message: Message<'a>,
    pub meta: Meta<'a>,
}

#[derive(Serialize)]
pub(super) struct Meta<'a> {
    pub checker: &'static str,
    pub config_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    pub observed: Cited<'a>,
    pub limit: Cited<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub fields: &'static [&'static str],
}

/// What was observed, or what it was held against.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Cited<'a> {
    #[serde(serialize_with = "fault")]
    Unreadable(&'a Fault),
    Type(Option<&'a str>),
    #[serde(serialize_with = "element")]
    Element(Option<&'a Element<'a>>),
    Number(f64),
    Count(u64),
    Point(Option<Point>),
    Area(Option<Area>),
    Distance {
        error: f64,
        predicted: Option<Point>,
        target: Option<Point>,
    },
    Reached {
        type_match: Option<bool>,
        coord_error: Option<f64>,
    },
    Milestone {
        name: &'a str,
        #[serde(rename = "type")]
        action_type: &'a str,
        coord_threshold: Option<f64>,
    },
}

impl Cited<'_> {
    /// The number in it, if there is one.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Cited::Number(number) => Some(number),
            Cited::Count(count) => Some(count as f64),
            Cited::Distance { error, .. } => Some(error),
            Cited::Reached { coord_error, .. } => coord_error,
            Cited::Milestone {
                coord_threshold, ..
            } => coord_threshold,
            _ => None,
        }
    }
}

/// A sentence for people, rendered as it is written.
pub(super) enum Message<'a> {
    Missing(usize, &'a str),
    Unreadable(usize, &'a str, &'a Fault),
    Types(usize, &'a str, &'a str),
    Distance(usize, f64, bool),
    Box(usize, Option<Point>, bool),
    Elements(usize, &'a Element<'a>, Option<&'a Element<'a>>),
    Extra(u64),
    Milestone(&'a str, bool),
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Message::Missing(step, wanted) => {
                write!(
                    f,
                    "step {step}: {wanted} was expected, nothing was predicted"
                )
            }
            Message::Types(step, wanted, found) if wanted == found => {
                write!(f, "step {step}: {wanted}, as expected")
            }
            Message::Types(step, wanted, found) => {
                write!(
                    f,
                    "step {step}: {wanted} was expected, {found} was predicted"
                )
            }
            Message::Unreadable(step, wanted, fault) => write!(
                f,
                "step {step}: {wanted} was expected, what was predicted cannot be read: {fault}"
            ),
            Message::Distance(step, error, outside) => {
                let where_ = if outside { ", outside the screen" } else { "" };
                write!(
                    f,
                    "step {step}: {error:.4} from the target{where_}, a hit is below {HIT_RADIUS}"
                )
            }
            Message::Box(step, point, hit) => {
                let side = if hit { "inside" } else { "not inside" };
                match point {
                    Some([x, y]) => {
                        write!(
                            f,
                            "step {step}: ({x:.4}, {y:.4}) is {side} the bounding box"
                        )
                    }
                    None => write!(f, "step {step}: no coordinates, so {side} the bounding box"),
                }
            }
            Message::Elements(step, target, Some(named)) => {
                write!(
                    f,
                    "step {step}: element {target} was expected, {named} was named"
                )
            }
            Message::Elements(step, target, None) => {
                write!(
                    f,
                    "step {step}: element {target} was expected, none was named"
                )
            }
            Message::Extra(actions) => write!(f, "{actions} actions beyond the end"),
            Message::Milestone(name, true) => write!(f, "milestone {name:?} was reached"),
            Message::Milestone(name, false) => write!(f, "milestone {name:?} was not reached"),
        }
    }
}

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn id<S: Serializer>(number: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("EVID_{number:03}"))
}

fn fault<S: Serializer>(fault: &&Fault, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(fault)
}

fn element<S: Serializer>(element: &Option<&Element>, out: S) -> Result<S::Ok, S::Error> {
    match element {
        Some(element) => out.collect_str(element),
        None => out.serialize_none(),
    }
}
