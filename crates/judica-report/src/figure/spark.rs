//! Tiny charts for cells of a table on a page: SVG elements as strings, without names, styles
//! or letters.
//!
//! They are drawn in the colour of the text around them (`currentColor`), so that they follow
//! the page's theme, and what they show stands in their `aria-label`. A page may restyle them
//! by class: `spark` is the element, `spark-axis` the line behind, `spark-interval` the
//! interval, `spark-point` the value, `spark-limit` the limit, `spark-forbidden` what lies
//! beyond it, `spark-beyond` a value that does.

use std::fmt::Write;

use super::label::{escaped, shortened};
use super::look::Theme;
use super::palette::VERMILION;
use super::svg::short;

const WIDE: f64 = 120.0;
const HIGH: f64 = 16.0;
/// Room at both ends for half of a mark.
const END: f64 = 5.0;
const MIDDLE: f64 = HIGH / 2.0;
/// Nobody listens to a longer name.
const LONGEST_NAME: usize = 120;

/// A value with its interval, on an axis that all cells of a column share. An end beyond the
/// axis is drawn at its end; a value that is no number leaves an empty axis.
pub fn interval(name: &str, value: f64, ci: Option<[f64; 2]>, axis: [f64; 2]) -> String {
    let said = ci.map_or(String::new(), |[lo, hi]| format!(" [{lo}, {hi}]"));
    let mut body = line("spark-axis", [END, WIDE - END], 1.0, 0.3);
    let x = |value: f64| place(value, axis);
    if let Some([Some(lo), Some(hi)]) = ci.map(|ends| ends.map(x)) {
        body += &line("spark-interval", [lo, hi], 3.0, 0.55);
    }
    if let Some(x) = x(value) {
        let x = short(x);
        let _ = write!(
            body,
            "<circle class=\"spark-point\" cx=\"{x}\" cy=\"{MIDDLE}\" r=\"3.5\" \
             fill=\"currentColor\"/>"
        );
    }
    element(
        &format!("{}: {value}{said}", shortened(name, LONGEST_NAME)),
        &body,
    )
}

/// What was observed against its limit. `beyond` is what was found, and says on which side of
/// the limit nothing may lie; a point there is red and a diamond, else a plain disc.
pub fn against_limit(name: &str, observed: f64, limit: f64, beyond: bool) -> String {
    // Both with room around, so that neither stands at an end.
    let (lo, hi) = (observed.min(limit), observed.max(limit));
    let room = ((hi - lo) / 2.0)
        .max(limit.abs() / 10.0)
        .max(f64::MIN_POSITIVE);
    let axis = [lo - room, hi + room];
    let red = VERMILION.on(Theme::Light);
    let mut body = line("spark-axis", [END, WIDE - END], 1.0, 0.3);
    if let Some(x) = place(limit, axis) {
        // At the limit itself nothing says which side is meant.
        if observed != limit {
            let above = (observed > limit) == beyond;
            let side = if above { [x, WIDE - END] } else { [END, x] };
            body += &line("spark-forbidden", side, 4.0, 0.25);
        }
        let x = short(x);
        let _ = write!(
            body,
            "<line class=\"spark-limit\" x1=\"{x}\" y1=\"1\" x2=\"{x}\" y2=\"15\" \
             stroke=\"currentColor\" stroke-width=\"2\"/>"
        );
    }
    if let Some(x) = place(observed, axis) {
        let _ = match beyond {
            true => write!(
                body,
                "<path class=\"spark-beyond\" d=\"M{} 8L{} 3L{} 8L{} 13Z\" fill=\"{red}\"/>",
                short(x - 5.0),
                short(x),
                short(x + 5.0),
                short(x)
            ),
            false => write!(
                body,
                "<circle class=\"spark-point\" cx=\"{}\" cy=\"{MIDDLE}\" r=\"4\" \
                 fill=\"currentColor\"/>",
                short(x)
            ),
        };
    }
    let verdict = if beyond { "beyond" } else { "within" };
    let name = shortened(name, LONGEST_NAME);
    element(
        &format!("{name}: {observed}, {verdict} the limit {limit}"),
        &body,
    )
}

/// Where a value stands, at the end of the axis if it lies beyond.
fn place(value: f64, [lo, hi]: [f64; 2]) -> Option<f64> {
    let share = ((value - lo) / (hi - lo)).clamp(0.0, 1.0);
    share
        .is_finite()
        .then_some(END + share * (WIDE - 2.0 * END))
}

fn line(class: &str, [from, to]: [f64; 2], width: f64, opacity: f64) -> String {
    let [from, to] = [from, to].map(short);
    format!(
        "<line class=\"{class}\" x1=\"{from}\" y1=\"{MIDDLE}\" x2=\"{to}\" y2=\"{MIDDLE}\" \
         stroke=\"currentColor\" stroke-width=\"{width}\" stroke-opacity=\"{opacity}\"/>"
    )
}

fn element(label: &str, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"spark\" width=\"{WIDE}\" \
         height=\"{HIGH}\" viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" aria-label=\"{}\">{body}</svg>",
        escaped(label)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parsed(svg: &str) -> roxmltree::Document<'_> {
        let document = roxmltree::Document::parse(svg).expect("well-formed");
        let nodes = document.descendants();
        let mut named = nodes.flat_map(|node| node.attributes());
        assert!(named.all(|attribute| !["style", "id"].contains(&attribute.name())));
        document
    }

    #[test]
    fn an_interval_is_drawn_on_the_axis_that_all_cells_share() {
        let svg = interval("<a> & \"b\"\u{202e}", 0.5, Some([0.25, 2.0]), [0.0, 1.0]);
        let document = parsed(&svg);
        let label = document.root_element().attribute("aria-label");
        assert_eq!(label, Some("<a> & \"b\"\\u{202e}: 0.5 [0.25, 2]"));
        assert!(svg.contains("cx=\"60\"") && svg.contains("x1=\"32.5\" y1=\"8\" x2=\"115\""));
        for odd in [f64::NAN, f64::INFINITY, -1e308] {
            parsed(&interval("x", odd, Some([odd, odd]), [0.0, 1.0]));
            parsed(&interval("x", 1.0, None, [odd, odd]));
        }
        assert!(!interval("x", f64::NAN, None, [0.0, 1.0]).contains("<circle"));
    }

    #[test]
    fn beyond_a_limit_is_red_and_of_another_shape() {
        let over = against_limit("speed", 12.0, 10.0, true);
        assert!(
            over.contains("spark-beyond") && over.contains("#d55e00"),
            "{over}"
        );
        assert!(over.contains("speed: 12, beyond the limit 10"));
        let within = against_limit("speed", 8.0, 10.0, false);
        assert!(within.contains("<circle") && !within.contains("spark-beyond"));
        // What may not be reached lies above the limit in both.
        for svg in [&over, &within] {
            assert!(svg.contains("class=\"spark-forbidden\"") && svg.contains("x2=\"115\""));
        }
        let at = against_limit("speed", 10.0, 10.0, false);
        assert!(!at.contains("spark-forbidden"), "{at}");
        for odd in [f64::NAN, f64::INFINITY, 0.0, 1e308, -1e308] {
            parsed(&against_limit("x", odd, 0.0, true));
            parsed(&against_limit("x", 0.0, odd, false));
        }
    }
}
