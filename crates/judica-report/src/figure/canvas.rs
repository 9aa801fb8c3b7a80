//! Shapes and text of a picture, and the SVG they become.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::font::{Face, Shaped, UNITS, outline, shape};
use super::label::escaped;
use super::palette::INK;
use crate::text::visible;

/// What the picture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// A file that a reader with fonts of their own may open.
    Vector,
    /// The same with all text in the reader's own font: names can be searched and copied.
    Text,
    /// Pixels: what the built-in font lacks can only be an empty box.
    Pixels,
}

/// Which point of a text its position names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    pub size: f64,
    pub face: Face,
    pub colour: &'static str,
    pub anchor: Anchor,
    /// Degrees, counter-clockwise.
    pub turn: f64,
}

impl Pen {
    /// Upright text of a size in the ordinary colour.
    pub fn new(size: f64) -> Self {
        Pen {
            size,
            face: Face::Regular,
            colour: INK,
            anchor: Anchor::Start,
            turn: 0.0,
        }
    }

    pub fn bold(self) -> Self {
        let face = Face::Bold;
        Pen { face, ..self }
    }

    pub fn colour(self, colour: &'static str) -> Self {
        Pen { colour, ..self }
    }

    pub fn anchor(self, anchor: Anchor) -> Self {
        Pen { anchor, ..self }
    }

    pub fn turn(self, turn: f64) -> Self {
        Pen { turn, ..self }
    }
}

/// A picture being drawn.
pub(crate) struct Canvas {
    body: String,
    /// Outlines that are used, each written once.
    used: BTreeSet<(Face, u32)>,
    medium: Medium,
}

/// Appends a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{
        let _ = writeln!($out, $($text)*);
    }};
}
pub(crate) use line;

impl Canvas {
    pub fn new(medium: Medium) -> Self {
        Canvas {
            body: String::new(),
            used: BTreeSet::new(),
            medium,
        }
    }

    /// Markup that only one figure needs, as it is.
    pub fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    /// Begins a group that says something when pointed at.
    pub fn open(&mut self, tooltip: &str) {
        line!(self.body, "<g><title>{}</title>", escaped(tooltip));
    }

    /// Ends it.
    pub fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: &str) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(short);
        line!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
        );
    }

    /// An empty box.
    pub fn frame(&mut self, x: f64, y: f64, width: f64, height: f64, stroke: &str) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(short);
        line!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"{stroke}\"/>"
        );
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str, width: f64) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(short);
        line!(
            self.body,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{stroke}\" \
             stroke-width=\"{}\"/>",
            short(width)
        );
    }

    /// A dashed line through points.
    pub fn dashed(&mut self, points: &[(f64, f64)], stroke: &str) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{},{}", short(*x), short(*y)))
            .collect();
        line!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.5\" \
             stroke-dasharray=\"6 4\"/>",
            points.join(" ")
        );
    }

    pub fn circle(&mut self, x: f64, y: f64, radius: f64, fill: &str, stroke: &str) {
        let [x, y, radius] = [x, y, radius].map(short);
        line!(
            self.body,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{stroke}\" \
             stroke-width=\"1.5\"/>"
        );
    }

    /// A vertical interval with caps.
    pub fn whisker(&mut self, x: f64, top: f64, bottom: f64, cap: f64) {
        self.line((x, top), (x, bottom), INK, 1.2);
        for y in [top, bottom] {
            self.line((x - cap, y), (x + cap, y), INK, 1.2);
        }
    }

    /// Text whose baseline goes through `y`.
    pub fn text(&mut self, x: f64, y: f64, text: &str, pen: Pen) {
        let text = visible(text);
        let shaped = shape(&text, pen.face);
        match self.medium {
            Medium::Vector if !shaped.complete => self.foreign_text(x, y, &text, pen),
            Medium::Text => self.foreign_text(x, y, &text, pen),
            Medium::Vector | Medium::Pixels => self.outlined_text(x, y, &text, &shaped, pen),
        }
    }

    fn outlined_text(&mut self, x: f64, y: f64, text: &str, shaped: &Shaped, pen: Pen) {
        let scale = pen.size / UNITS;
        let back = match pen.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => shaped.width / 2.0,
            Anchor::End => shaped.width,
        };
        let turn = if pen.turn == 0.0 {
            String::new()
        } else {
            format!(" rotate({})", short(-pen.turn))
        };
        line!(
            self.body,
            "<g role=\"text\" aria-label=\"{}\" fill=\"{}\" \
             transform=\"translate({} {}){turn} scale({scale:.6} -{scale:.6})\">",
            escaped(text),
            pen.colour,
            short(x),
            short(y)
        );
        let mut at = -back;
        for (glyph, character) in shaped.glyphs.iter().zip(text.chars()) {
            if !character.is_whitespace() {
                self.used.insert((pen.face, glyph.id));
                let letter = pen.face.letter();
                let _ = write!(
                    self.body,
                    "<use href=\"#{letter}{}\" x=\"{}\"/>",
                    glyph.id,
                    short(at)
                );
            }
            at += glyph.advance;
        }
        self.body.push_str("\n</g>\n");
    }

    /// Text in the reader's own font, above all for scripts that the built-in one lacks.
    fn foreign_text(&mut self, x: f64, y: f64, text: &str, pen: Pen) {
        let anchor = match pen.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = match pen.face {
            Face::Regular => "normal",
            Face::Bold => "bold",
        };
        let turned = pen.turn != 0.0;
        let [x, y, size, turn] = [x, y, pen.size, -pen.turn].map(short);
        let turn = if turned {
            format!(" transform=\"rotate({turn} {x} {y})\"")
        } else {
            String::new()
        };
        line!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"{size}\" \
             font-weight=\"{weight}\" text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{}</text>",
            pen.colour,
            escaped(text)
        );
    }

    /// The finished picture.
    pub fn finish(self, width: f64, height: f64, title: &str) -> String {
        let [width, height] = [width.ceil(), height.ceil()].map(short);
        let title = escaped(title);
        let mut out = String::with_capacity(self.body.len() + 4096);
        line!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">"
        );
        line!(out, "<title>{title}</title>");
        if !self.used.is_empty() {
            line!(out, "<defs>");
            for (face, id) in &self.used {
                let letter = face.letter();
                line!(
                    out,
                    "<path id=\"{letter}{id}\" d=\"{}\"/>",
                    outline(*face, *id)
                );
            }
            line!(out, "</defs>");
        }
        line!(
            out,
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        );
        out.push_str(&self.body);
        out.push_str("</svg>\n");
        out
    }
}

/// A coordinate with two decimals at most, which is more than any eye or printer resolves.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}
