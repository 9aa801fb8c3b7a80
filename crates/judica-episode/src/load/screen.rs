//! Coordinates: checked, and brought into 0–1 where they are pixels.
//!
//! A point or an area with a value above 1 cannot be in 0–1, so it is in pixels; without
//! the size of the screen it is refused. One that lies in 0–1 is taken as it is, also
//! where a size is given: recorded episodes in 0–1 may be compared with predictions in
//! pixels. (The price: of a screen in pixels, the four pixels of the very corner.)

use super::fault::Fault;
use crate::action::{Area, Point};

/// How far beyond 1 a sum of two numbers in 0–1 may be for being rounded.
const ROUNDING: f64 = 1e-9;

/// The size of a screen in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    width: u32,
    height: u32,
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
}

/// Whether all values lie in 0–1.
pub fn in_range(values: &[f64]) -> bool {
    values.iter().all(|value| (0.0..=1.0).contains(value))
}

/// Brings values, x and y in turn, into 0–1. `names` are their keys or positions.
pub fn normalise<const N: usize>(
    values: [f64; N],
    names: [&str; N],
    screen: Option<Screen>,
) -> Result<[f64; N], Fault> {
    if in_range(&values) {
        return Ok(values);
    }
    let pixels = values.iter().any(|&value| value > 1.0);
    let mut scaled = values;
    if let Some(screen) = screen.filter(|_| pixels) {
        for (axis, value) in scaled.iter_mut().enumerate() {
            *value /= screen.size(axis);
        }
    }
    match (0..N).find(|&at| !in_range(&scaled[at..=at])) {
        None => Ok(scaled),
        Some(at) => Err(outside(values[at], at, screen).under(names[at].as_bytes())),
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

/// The point of `[x, y]` under these names.
pub fn point(values: Point, names: [&str; 2], screen: Option<Screen>) -> Result<Point, Fault> {
    normalise(values, names, screen)
}

/// The area of `[x0, y0, x1, y1]`.
pub fn corners(values: Area, screen: Option<Screen>) -> Result<Area, Fault> {
    let area = normalise(values, ["0", "1", "2", "3"], screen)?;
    for (low, axis) in [(0, "x"), (1, "y")] {
        if area[low] > area[low + 2] {
            let (first, second) = (values[low], values[low + 2]);
            return Err(swapped(format!(
                "the corners are swapped: {axis}0 is {first}, {axis}1 is {second}; expected \
                 [left, top, right, bottom]"
            )));
        }
    }
    Ok(area)
}

/// The area of `{x, y, width, height}`.
pub fn bounds(values: Area, screen: Option<Screen>) -> Result<Area, Fault> {
    let names = ["x", "y", "width", "height"];
    for (value, name) in values.iter().zip(names).skip(2) {
        if *value < 0.0 {
            let fault = swapped(format!("{value} is negative: the corners are swapped"));
            return Err(fault.under(name.as_bytes()));
        }
    }
    let [x, y, width, height] = normalise(values, names, screen)?;
    let [right, bottom] = [x + width, y + height];
    for (end, name) in [(right, "width"), (bottom, "height")] {
        if end > 1.0 + ROUNDING {
            let detail = "reaches beyond the screen, expected it to end at 1 at most";
            return Err(Fault::new("out_of_range", detail).under(name.as_bytes()));
        }
    }
    Ok([x, y, right, bottom])
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
    fn points() {
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
        assert!(
            refused(point([1001.0, 5.0], names, HD))
                .1
                .starts_with("/x: 1001")
        );
        assert!(
            refused(point([-0.1, 0.5], names, None))
                .1
                .contains("negative")
        );
        assert!(
            refused(point([-3.0, 5.0], names, HD))
                .1
                .contains("negative")
        );
    }

    #[test]
    fn areas() {
        assert_eq!(
            corners([0.1, 0.2, 0.1, 0.4], None),
            Ok([0.1, 0.2, 0.1, 0.4])
        );
        assert_eq!(
            corners([100.0, 50.0, 500.0, 100.0], HD),
            Ok([0.1, 0.1, 0.5, 0.2])
        );
        assert_eq!(
            refused(corners([0.5, 0.2, 0.1, 0.4], None)).0,
            "swapped_bbox"
        );
        assert_eq!(
            refused(corners([0.1, 0.5, 0.2, 0.4], None)).0,
            "swapped_bbox"
        );
        assert!(
            refused(corners([0.1, 0.5, 0.2, 1.4], None))
                .1
                .starts_with("/3: ")
        );
        assert_eq!(
            bounds([0.25, 0.5, 0.25, 0.5], None),
            Ok([0.25, 0.5, 0.5, 1.0])
        );
        assert_eq!(
            bounds([100.0, 50.0, 400.0, 50.0], HD),
            Ok([0.1, 0.1, 0.5, 0.2])
        );
        // 0.7 + 0.30000000000000004 is a little more than 1.
        assert!(bounds([0.7, 0.0, 0.30000000000000004, 1.0], None).is_ok());
        assert_eq!(
            refused(bounds([0.7, 0.0, 0.5, 1.0], None)).0,
            "out_of_range"
        );
        assert_eq!(
            refused(bounds([0.7, 0.0, -0.5, 1.0], None)).0,
            "swapped_bbox"
        );
    }
}
