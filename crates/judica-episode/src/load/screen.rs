//! Coordinates: checked, and brought into 0–1 where they are pixels.
//!
//! A point with a value above 1 cannot be in 0–1, so it is in pixels. One that lies in 0–1
//! is taken as it is, also where a size is given: recorded episodes in 0–1 may be compared
//! with predictions in pixels. (The price: of a screen in pixels, the four pixels of the
//! very corner.) An area may reach over the edge of the screen, by as much as the screen
//! is large; with a value beyond that it is in pixels.
//!
//! Without the size of the screen, a recorded point in pixels is refused. A predicted one
//! is what the model said: a point far outside.

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use crate::action::{Area, Point, on_screen};

/// How far an area in 0–1 may reach.
const FAR: f64 = 2.0;

/// Beyond this a number is no place, and the square of a distance no number.
const NOWHERE: f64 = 1e100;

/// The size of a screen in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Screen {
    width: u32,
    height: u32,
}

impl From<Screen> for String {
    fn from(Screen { width, height }: Screen) -> String {
        format!("{width}x{height}")
    }
}

impl TryFrom<String> for Screen {
    type Error = String;

    fn try_from(text: String) -> Result<Screen, String> {
        Screen::parse(&text).ok_or_else(|| "a size in pixels is needed, e.g. 1920x1080".to_owned())
    }
}

impl Screen {
    /// A screen of this size; `None` if it has no area.
    pub fn new(width: u32, height: u32) -> Option<Screen> {
        (width > 0 && height > 0).then_some(Screen { width, height })
    }

    /// Reads `1920x1080`.
    pub fn parse(text: &str) -> Option<Screen> {
        let (width, height) = text.split_once(['x', 'X'])?;
        let size = |digits: &str| digits.trim().parse().ok();
        Screen::new(size(width)?, size(height)?)
    }

    fn size(self, axis: usize) -> f64 {
        f64::from([self.width, self.height][axis % 2])
    }

    /// Pixels, x and y in turn, as shares of the screen.
    fn shares<const N: usize>(self, mut values: [f64; N]) -> [f64; N] {
        for (axis, value) in values.iter_mut().enumerate() {
            *value /= self.size(axis);
        }
        values
    }
}

/// Whether a point can only be in pixels.
pub fn point_in_pixels(values: Point) -> bool {
    values.iter().any(|value| value.abs() > 1.0)
}

/// Where a point is, on the screen or not.
fn place(values: Point, screen: Option<Screen>) -> Point {
    match screen {
        Some(screen) if point_in_pixels(values) => screen.shares(values),
        _ => values,
    }
}

/// A recorded point, which must be on the screen. `names` are its keys or positions.
pub fn point(values: Point, names: [&str; 2], screen: Option<Screen>) -> Result<Point, Fault> {
    let point = place(values, screen);
    match (0..2).find(|&at| !on_screen([point[at], 0.0])) {
        None => Ok(point),
        Some(at) => Err(outside(values[at], at, screen).under(names[at].as_bytes())),
    }
}

/// A recorded point that is in 0–1 by its very name, and never in pixels.
pub fn normalised(values: Point, names: [&str; 2]) -> Result<Point, Fault> {
    match (0..2).find(|&at| !on_screen([values[at], 0.0])) {
        None => Ok(values),
        Some(at) => {
            let detail = format!("{} is outside 0–1", values[at]);
            Err(Fault::new("out_of_range", detail).under(names[at].as_bytes()))
        }
    }
}

/// A predicted point, wherever it is.
pub fn predicted(values: Point, names: [&str; 2], screen: Option<Screen>) -> Result<Point, Fault> {
    match (0..2).find(|&at| values[at].abs() > NOWHERE) {
        None => Ok(place(values, screen)),
        Some(at) => {
            let fault = Fault::new("not_a_number", "so far away there is no place");
            Err(fault.under(names[at].as_bytes()))
        }
    }
}

#[cold]
fn outside(value: f64, axis: usize, screen: Option<Screen>) -> Fault {
    let detail = match screen {
        _ if value < 0.0 => format!("{value} is negative, expected a coordinate in 0–1"),
        Some(screen) => format!("{value} is beyond the screen's {}", screen.size(axis)),
        None => format!(
            "{value} is outside 0–1; if it is in pixels, the size of the screen is needed \
             (--screen WIDTHxHEIGHT)"
        ),
    };
    Fault::new("out_of_range", detail)
}

/// Whether the numbers of an area can be shares of the screen.
fn are_shares(values: Area) -> bool {
    values.iter().all(|value| value.abs() <= FAR)
}

/// Brings an area into shares of the screen; `None` if it is in pixels and the size of the
/// screen is not known.
fn shares(values: Area, screen: Option<Screen>) -> Option<Area> {
    if are_shares(values) {
        return Some(values);
    }
    screen.map(|screen| screen.shares(values))
}

/// The area of `[x0, y0, x1, y1]`; `None` if it is in pixels that nobody can place.
pub fn corners(values: Area, screen: Option<Screen>) -> Result<Option<Area>, Fault> {
    for (low, axis) in [(0, "x"), (1, "y")] {
        if values[low] > values[low + 2] {
            let (first, second) = (values[low], values[low + 2]);
            return Err(swapped(format!(
                "the corners are swapped: {axis}0 is {first}, {axis}1 is {second}; expected \
                 [left, top, right, bottom]"
            )));
        }
    }
    Ok(shares(values, screen))
}

/// The area of `{x, y, width, height}`; `None` if it is in pixels that nobody can place.
pub fn bounds(values: Area, screen: Option<Screen>) -> Result<Option<Area>, Fault> {
    for (value, name) in values.iter().zip(["x", "y", "width", "height"]).skip(2) {
        if *value < 0.0 {
            let fault = swapped(format!("{value} is negative: the corners are swapped"));
            return Err(fault.under(name.as_bytes()));
        }
    }
    // Added up in the unit that they are given in: the sum of shares of pixels may fall short of
    // a click on the edge.
    let [x, y, width, height] = values;
    let corners = [x, y, end(x, width), end(y, height)];
    Ok(match are_shares(values) {
        true => Some(corners),
        false => screen.map(|screen| screen.shares(corners)),
    })
}

/// Where a length ends. As doubles 0.7 and 0.1 are less than 0.8: what is 15 digits of a larger
/// number is that number, so that its edge belongs to an area.
fn end(begin: f64, length: f64) -> f64 {
    let sum = begin + length;
    let decimal = format!("{sum:.14e}").parse();
    decimal.map_or(sum, |decimal: f64| decimal.max(sum))
}

fn swapped(detail: String) -> Fault {
    Fault::new("swapped_bbox", detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HD: Option<Screen> = Some(Screen {
        width: 1000,
        height: 500,
    });

    fn refused<T: std::fmt::Debug>(result: Result<T, Fault>) -> (&'static str, String) {
        let refusal = result.unwrap_err().refusal();
        (refusal.reason, refusal.detail)
    }

    #[test]
    fn sizes() {
        assert_eq!(Screen::parse("1000x500"), HD);
        assert_eq!(Screen::parse(" 1000 X 500 "), HD);
        for bad in [
            "",
            "1000",
            "0x5",
            "5x0",
            "-1x5",
            "1.5x2",
            "1x2x3",
            "99999999999x1",
        ] {
            assert_eq!(Screen::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn recorded_points() {
        let names = ["x", "y"];
        assert_eq!(point([0.0, 1.0], names, None), Ok([0.0, 1.0]));
        assert_eq!(point([0.5, 0.5], names, HD), Ok([0.5, 0.5]));
        assert_eq!(point([250.0, 500.0], names, HD), Ok([0.25, 1.0]));
        assert_eq!(point([0.0, 500.0], names, HD), Ok([0.0, 1.0]));
        let (reason, detail) = refused(point([0.5, 340.0], names, None));
        assert_eq!(reason, "out_of_range");
        assert!(
            detail.starts_with("/y: 340") && detail.contains("--screen"),
            "{detail}"
        );
        for (values, screen, says) in [
            ([1001.0, 5.0], HD, "/x: 1001"),
            ([-0.1, 0.5], None, "/x: -0.1 is negative"),
            ([-3.0, 5.0], HD, "/x: -3 is negative"),
        ] {
            let (_, detail) = refused(point(values, names, screen));
            assert!(detail.starts_with(says), "{detail}");
        }
    }

    #[test]
    fn predicted_points_may_be_anywhere() {
        let names = ["x", "y"];
        for (values, screen, point) in [
            ([1.2, -0.1], None, [1.2, -0.1]),
            ([640.0, 0.5], None, [640.0, 0.5]),
            ([1200.0, -50.0], HD, [1.2, -0.1]),
            ([-300.0, 0.0], HD, [-0.3, 0.0]),
            ([-0.5, 0.5], HD, [-0.5, 0.5]),
            ([1e100, 0.0], None, [1e100, 0.0]),
        ] {
            assert_eq!(predicted(values, names, screen), Ok(point), "{values:?}");
        }
        let (_, detail) = refused(predicted([0.5, -1e101], names, None));
        assert!(detail.starts_with("/y: "), "{detail}");
    }

    #[test]
    fn areas() {
        let area = [0.1, 0.2, 0.1, 0.4];
        assert_eq!(corners(area, None), Ok(Some(area)));
        let pixels = [100.0, 50.0, 500.0, 100.0];
        assert_eq!(corners(pixels, HD), Ok(Some([0.1, 0.1, 0.5, 0.2])));
        assert_eq!(corners(pixels, None), Ok(None));
        for swapped in [[0.5, 0.2, 0.1, 0.4], [0.1, 0.5, 0.2, 0.4]] {
            assert_eq!(refused(corners(swapped, None)).0, "swapped_bbox");
        }
        let bounded = [0.25, 0.5, 0.25, 0.5];
        assert_eq!(bounds(bounded, None), Ok(Some([0.25, 0.5, 0.5, 1.0])));
        let pixels = [100.0, 50.0, 400.0, 50.0];
        assert_eq!(bounds(pixels, HD), Ok(Some([0.1, 0.1, 0.5, 0.2])));
        assert_eq!(bounds(pixels, None), Ok(None));
        // The edges are those of a click on them.
        let tenths = [0.7, 0.1, 0.1, 0.7];
        assert_eq!(bounds(tenths, None), Ok(Some([0.7, 0.1, 0.8, 0.8])));
        let pixels = [70.0, 10.0, 10.0, 20.0];
        let hundred = Screen::new(100, 100);
        assert_eq!(bounds(pixels, hundred), Ok(Some([0.7, 0.1, 0.8, 0.3])));
        let (reason, _) = refused(bounds([0.7, 0.0, -0.5, 1.0], None));
        assert_eq!(reason, "swapped_bbox");
    }

    #[test]
    fn areas_may_reach_over_the_edge() {
        for screen in [None, HD] {
            let over = [-0.02, 0.9, 0.3, 1.05];
            assert_eq!(corners(over, screen), Ok(Some(over)));
            assert_eq!(
                bounds([0.75, 0.0, 0.5, 1.0], screen),
                Ok(Some([0.75, 0.0, 1.25, 1.0]))
            );
        }
        let pixels = [-10.0, 450.0, 300.0, 525.0];
        assert_eq!(corners(pixels, HD), Ok(Some([-0.01, 0.9, 0.3, 1.05])));
    }
}
