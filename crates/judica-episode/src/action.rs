//! What an action is: its type, and what it is aimed at.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What the target of an action is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By where on the screen it is.
    Coord,
    /// By the index of a marked element ("Set of Marks").
    Som,
}

impl Mode {
    /// The name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Coord => "coord",
            Mode::Som => "som",
        }
    }

    /// Whether actions of this kind have a target that is compared.
    pub fn aims(self, kind: Kind) -> bool {
        match kind {
            Kind::Click | Kind::Drag => true,
            Kind::Type => self == Mode::Som,
            Kind::Other => false,
        }
    }
}

/// The types that have a target; all others are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `click`
    Click,
    /// `drag`
    Drag,
    /// `type`
    Type,
    /// Any other, known to somebody or not.
    Other,
}

impl Kind {
    /// The kind of a type's name.
    pub fn of(name: &str) -> Kind {
        match name {
            "click" => Kind::Click,
            "drag" => Kind::Drag,
            "type" => Kind::Type,
            _ => Kind::Other,
        }
    }
}

/// A point; on the screen if both lie in 0–1. Recorded ones do.
pub type Point = [f64; 2];

/// An area: left, top, right, bottom; each pair in order. It may reach over the edge of the
/// screen, which is 0–1.
pub type Area = [f64; 4];

/// An action, as far as the mode needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Action<'a> {
    /// The type, without white space around it and in lower case.
    pub name: Cow<'a, str>,
    /// What kind of type that is.
    pub kind: Kind,
    /// Where it is aimed at.
    pub point: Option<Point>,
    /// The area that counts as hit; read of recorded actions only.
    pub area: Option<Area>,
    /// The marked element.
    pub element: Option<Element<'a>>,
    /// What else was seen of a target that this mode does not compare.
    pub unused: Unused,
}

impl Action<'_> {
    /// Whether it has a target that the mode compares.
    pub fn has_target(&self, mode: Mode) -> bool {
        match mode {
            Mode::Coord => self.point.is_some() || self.area.is_some(),
            Mode::Som => self.element.is_some(),
        }
    }
}

/// Signs of a target that could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// Whether there is a target of the kind that the other mode compares.
    pub other_target: bool,
    /// Whether there is a target in pixels, and no size of the screen.
    pub in_pixels: bool,
    /// Where in a recorded step something stands that looks like a target, if it has none
    /// where one is looked for: a JSON pointer.
    pub elsewhere: Option<Box<str>>,
}

/// Which marked element: `3`, `3.0` and `"3"` are the same, and so are texts up to white
/// space around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element<'a> {
    /// A whole number.
    Index(i64),
    /// Any other name.
    Name(Cow<'a, str>),
}

impl std::fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Element::Index(index) => write!(f, "{index}"),
            Element::Name(name) => f.write_str(name),
        }
    }
}

/// Whether a point is on the screen.
pub fn on_screen(point: Point) -> bool {
    point.iter().all(|value| (0.0..=1.0).contains(value))
}

/// The distance between two points.
pub fn distance(a: Point, b: Point) -> f64 {
    // Nothing can overflow: what a prediction says beyond 1e100 is no place.
    let [dx, dy] = [a[0] - b[0], a[1] - b[1]];
    (dx * dx + dy * dy).sqrt()
}

/// Whether a point lies in an area, its edges included.
pub fn inside(point: Point, area: Area) -> bool {
    let [x, y] = point;
    area[0] <= x && x <= area[2] && area[1] <= y && y <= area[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_belong_to_an_area() {
        let area = [0.1, 0.2, 0.3, 0.4];
        for (point, within) in [
            ([0.1, 0.2], true),
            ([0.3, 0.4], true),
            ([0.2, 0.3], true),
            ([0.1 - f64::EPSILON, 0.2], false),
            ([0.3, 0.4 + f64::EPSILON], false),
        ] {
            assert_eq!(inside(point, area), within, "{point:?}");
        }
    }

    #[test]
    fn distance_of_three_four_five() {
        assert_eq!(distance([0.0, 0.0], [0.75, 1.0]), 1.25);
    }

    #[test]
    fn only_som_aims_when_typing() {
        assert!(Mode::Som.aims(Kind::Type) && !Mode::Coord.aims(Kind::Type));
        assert_eq!(Kind::of("double_click"), Kind::Other);
    }
}
