//! Whatever the data, the size and the font: text stays inside and on nothing.

use judica_model::chart::{
    BarChart, BarSeries, Forest, ForestRow, Mark, Reliability, ReliabilityBin, Scatter,
    ScatterPoint, StepState, Strip, StripRow, Tone,
};
use judica_model::heatmap::{HeatCell, HeatMap};
use proptest::prelude::*;

use super::canvas::{Anchor, Pen, Point, Shape};
use super::font::width;
use super::look::{Look, Theme};
use super::palette::Colour;
use super::{Figure, bars, forest, heatmap, reliability, scatter, strip};

/// The corners of the ink of a text, a hair smaller so that neighbours may touch.
fn corners((x, y): Point, text: &str, pen: &Pen) -> Vec<Point> {
    let wide = width(text, pen.face, pen.size);
    let from = match pen.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -wide / 2.0,
        Anchor::End => -wide,
    };
    let (sine, cosine) = pen.turn.to_radians().sin_cos();
    let (left, right) = (from + 0.4, (from + wide - 0.4).max(from + 0.4));
    let (up, down) = (0.7 * pen.size, 0.1 * pen.size);
    [(left, up), (right, up), (right, -down), (left, -down)]
        .map(|(along, over)| {
            (
                x + along * cosine - over * sine,
                y - along * sine - over * cosine,
            )
        })
        .to_vec()
}

/// Whether a line can be drawn between two convex shapes.
fn apart(a: &[Point], b: &[Point]) -> bool {
    let edges = |of: &[Point]| -> Vec<Point> {
        let next = of.iter().cycle().skip(1);
        of.iter()
            .zip(next)
            .map(|(p, q)| (p.1 - q.1, q.0 - p.0))
            .collect()
    };
    let extent = |of: &[Point], way: Point| {
        let along = of.iter().map(|p| p.0 * way.0 + p.1 * way.1);
        along.fold((f64::MAX, f64::MIN), |(lo, hi), at| {
            (lo.min(at), hi.max(at))
        })
    };
    edges(a).into_iter().chain(edges(b)).any(|way| {
        let ((a_lo, a_hi), (b_lo, b_hi)) = (extent(a, way), extent(b, way));
        a_hi <= b_lo || b_hi <= a_lo
    })
}

/// What is wrong with the layout of a figure. `marks`: whether names may not lie on lines and
/// points, either.
fn problem(figure: &Figure, marks: bool) -> Option<String> {
    let (wide, high) = (figure.width / figure.scale, figure.height / figure.scale);
    let mut texts: Vec<(&str, Vec<Point>)> = Vec::new();
    for shape in &figure.shapes {
        let Shape::Text { at, text, pen } = shape else {
            continue;
        };
        let corners = corners(*at, text, pen);
        if corners
            .iter()
            .any(|(x, y)| !((-0.5..=wide + 0.5).contains(x) && (-0.5..=high + 0.5).contains(y)))
        {
            return Some(format!("{text:?} is outside {wide} x {high}: {corners:?}"));
        }
        if let Some((other, _)) = texts.iter().find(|(_, other)| !apart(other, &corners)) {
            return Some(format!("{text:?} lies on {other:?}: {corners:?}"));
        }
        texts.push((text, corners));
    }
    if !marks {
        return None;
    }
    for shape in &figure.shapes {
        let inks: Vec<Vec<Point>> = match shape {
            Shape::Lines {
                lines,
                stroke: Colour::Ink | Colour::Series(_),
                width,
                ..
                // Not the axes, whose labels stand beside them.
            } if *width > 1.1 => lines.iter().flat_map(|line| line.windows(2)).map(<[_]>::to_vec).collect(),
            Shape::Circle { at, radius, .. } => {
                let (x, y, r) = (at.0, at.1, *radius * 0.8);
                vec![vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]]
            }
            _ => continue,
        };
        for ink in inks {
            if let Some((text, _)) = texts.iter().find(|(_, text)| !apart(text, &ink)) {
                return Some(format!("{text:?} lies on a mark: {ink:?}"));
            }
        }
    }
    None
}

/// A figure, and whether its names may not lie on marks.
fn check(figure: &Figure, look: &Look, marks: bool) -> Result<(), TestCaseError> {
    let found = problem(figure, marks);
    prop_assert!(found.is_none(), "{:?} {look:?}", found);
    let [width, height] = figure.size();
    prop_assert!(look.width.is_none_or(|asked| asked <= width), "{look:?}");
    prop_assert!(look.height.is_none_or(|asked| asked <= height), "{look:?}");
    // Where there is plenty of room, it is what was asked for.
    let plenty = |asked: Option<u32>, got: u32| {
        asked.is_none_or(|asked| f64::from(asked) < 1600.0 * look.scale().max(1.0) || asked == got)
    };
    prop_assert!(plenty(look.width, width), "{look:?} {width}");
    prop_assert!(plenty(look.height, height), "{look:?} {height}");
    roxmltree::Document::parse(&figure.inline_svg("a-")).expect("well-formed");
    Ok(())
}

fn look() -> impl Strategy<Value = Look> {
    let side = || prop::option::of(100u32..2400);
    let font = prop::option::of(6.0..48.0);
    (side(), side(), font, any::<bool>()).prop_map(|(width, height, font_size, dark)| Look {
        width,
        height,
        font_size,
        theme: if dark { Theme::Dark } else { Theme::Light },
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "[a-zA-Z _-]{1,60}",
        "[模型\u{202e}<&>\"]{1,9}",
        Just("x".repeat(5000)),
        Just(String::new()),
    ]
}

fn names(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(name(), 0..most)
}

fn mark() -> impl Strategy<Value = Mark> {
    prop_oneof![
        name().prop_map(Mark::Missing),
        (0.0..1.0, 0.0..0.3, any::<u32>()).prop_map(|(value, half, n): (f64, f64, u32)| {
            Mark::Value {
                value,
                ci: Some([(value - half).max(0.0), (value + half).min(1.0)]),
                n: Some(n.into()),
            }
        }),
        (-1e6..1e6).prop_map(|value| Mark::Value {
            value,
            ci: None,
            n: None
        }),
    ]
}

fn bar_chart() -> impl Strategy<Value = BarChart> {
    let series = (name(), prop::collection::vec(mark(), 0..4));
    (name(), names(4), prop::collection::vec(series, 0..14)).prop_map(|(title, groups, series)| {
        let series = series.into_iter();
        let series = series.map(|(label, marks)| BarSeries { label, marks });
        BarChart::new(&title, groups, series.collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bars_and_forests_of_anything(chart in bar_chart(), look in look()) {
        check(&bars::draw(&chart, &look), &look, true)?;
        check(&forest::draw(&chart.forest(), &look), &look, false)?;
    }

    #[test]
    fn differences_of_anything(
        rows in prop::collection::vec((name(), mark(), name()), 0..9),
        caption in names(3),
        title in name(),
        look in look(),
    ) {
        let rows = rows.into_iter().map(|(label, mark, words)| ForestRow {
            heading: None,
            label,
            mark,
            tone: Tone::Bad,
            words,
        });
        let chart = Forest {
            title,
            value_axis: "b - a".to_owned(),
            rows: rows.collect(),
            differences: true,
            margin: Some(-0.1),
            caption,
        };
        check(&forest::draw(&chart, &look), &look, false)?;
    }

    #[test]
    fn points_of_anything(
        points in prop::collection::vec((name(), 0.0..9.0, 0.0..1.0, 0.0..0.2, any::<bool>()), 0..30),
        log_x in any::<bool>(),
        caption in names(2),
        title in name(),
        look in look(),
    ) {
        let points = points.into_iter().map(|(label, x, y, half, on_frontier)| ScatterPoint {
            label,
            x,
            y,
            y_ci: Some([y - half, y + half]),
            on_frontier,
        });
        let chart = Scatter {
            title,
            x_axis: "cost".to_owned(),
            y_axis: "accuracy".to_owned(),
            log_x,
            points: points.collect(),
            left_out: vec![("x".to_owned(), "no price".to_owned())],
            caption,
        };
        check(&scatter::draw(&chart, &look), &look, true)?;
    }

    #[test]
    fn heat_maps_of_anything(
        names in names(20),
        values in prop::collection::vec(-1.0..1.0, 20),
        scale in name(),
        title in name(),
        look in look(),
    ) {
        let mut map = HeatMap::new(title, scale, names);
        for (at, value) in values.into_iter().enumerate() {
            map.set(at % 5, at, HeatCell::Value(value));
        }
        check(&heatmap::draw(&map, &look), &look, false)?;
    }

    #[test]
    fn strips_of_anything(
        rows in prop::collection::vec((name(), 0usize..60), 0..30),
        left_out in 0u64..9,
        title in name(),
        look in look(),
    ) {
        let rows = rows.into_iter().map(|(label, steps)| StripRow {
            label,
            steps: vec![StepState::Missed; steps],
        });
        let strip = Strip { title, rows: rows.collect(), left_out };
        check(&strip::draw(&strip, &look), &look, false)?;
    }

    #[test]
    fn curves_of_anything(
        rows in prop::collection::vec(any::<u32>(), 0..10),
        title in name(),
        caption in names(3),
        look in look(),
    ) {
        let bins = rows.into_iter().enumerate().map(|(at, rows)| {
            let confidence = at as f64 / 10.0 + 0.05;
            ReliabilityBin {
                between: [confidence - 0.05, confidence + 0.05],
                rows: rows.into(),
                confidence,
                share: 1.0 - confidence,
                ci: None,
            }
        });
        let chart = Reliability { title, bins: bins.collect(), caption };
        check(&reliability::draw(&chart, &look), &look, false)?;
    }
}

#[test]
fn shapes_that_touch_and_shapes_that_do_not() {
    let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
    assert!(!apart(&square, &[(1.0, -1.0), (1.0, 3.0)]));
    assert!(apart(&square, &[(3.0, -1.0), (3.0, 3.0)]));
    assert!(apart(&square, &[(0.0, 3.0), (5.0, 1.0)]));
}
