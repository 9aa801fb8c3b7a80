//! A figure as SVG.
//!
//! Colours and sizes are attributes, never styles, so that a page whose policy forbids inline
//! styles shows the figure as it is. The only names in it are those of the outlines of letters.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Figure;
use super::canvas::{Anchor, Pen, Point, Shape};
use super::font::{Dialect, Face, Shaped, UNITS, outline, shape as letters};
use super::label::escaped;
use super::palette::Colour;

/// Who reads the letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// Somebody with fonts of their own: scripts that the built-in font lacks stay text.
    Reader,
    /// Nobody: what the built-in font lacks can only be an empty box.
    Outlines,
}

/// Appends a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{
        let _ = writeln!($out, $($text)*);
    }};
}

/// The whole document; names in it begin with `prefix`.
pub(super) fn document(figure: &Figure, letters: Letters, prefix: &str) -> String {
    let mut writer = Writer {
        figure,
        letters,
        prefix: escaped(prefix),
        body: String::new(),
        used: BTreeSet::new(),
    };
    for shape in &figure.shapes {
        writer.shape(shape);
    }
    writer.finish()
}

struct Writer<'f> {
    figure: &'f Figure,
    letters: Letters,
    prefix: String,
    body: String,
    /// Outlines that are used, each written once.
    used: BTreeSet<(Face, u16)>,
}

impl Writer<'_> {
    fn colour(&self, colour: Colour) -> String {
        colour.on(self.figure.theme).to_string()
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Open(tooltip) => line!(self.body, "<g><title>{}</title>", escaped(tooltip)),
            Shape::Close => line!(self.body, "</g>"),
            Shape::Rect {
                at,
                size,
                fill,
                stroke,
            } => {
                let [x, y, width, height] = [at.0, at.1, size.0, size.1].map(short);
                let fill = fill.map_or("none".to_owned(), |fill| self.colour(fill));
                let stroke = stroke.map_or(String::new(), |stroke| {
                    format!(" stroke=\"{}\"", self.colour(stroke))
                });
                line!(
                    self.body,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
                     fill=\"{fill}\"{stroke}/>"
                );
            }
            Shape::Lines {
                lines,
                stroke,
                width,
                dashed,
            } => self.lines(lines, *stroke, *width, *dashed),
            Shape::Circle {
                at,
                radius,
                fill,
                stroke,
            } => {
                let [x, y, radius] = [at.0, at.1, *radius].map(short);
                let [fill, stroke] = [*fill, *stroke].map(|colour| self.colour(colour));
                line!(
                    self.body,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" \
                     stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
                );
            }
            Shape::Text { at, text, pen } => {
                let shaped = letters(text, pen.face);
                if self.letters == Letters::Reader && !shaped.complete {
                    self.foreign_text(*at, text, *pen);
                } else {
                    self.outlined_text(*at, text, &shaped, *pen);
                }
            }
        }
    }

    fn lines(&mut self, lines: &[Vec<Point>], stroke: Colour, width: f64, dashed: bool) {
        let stroke = self.colour(stroke);
        let width = short(width);
        if let [line] = lines
            && let [from, to] = line[..]
            && !dashed
        {
            let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(short);
            line!(
                self.body,
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{stroke}\" \
                 stroke-width=\"{width}\"/>"
            );
            return;
        }
        let mut data = String::new();
        for line in lines {
            for (at, (x, y)) in line.iter().enumerate() {
                let command = if at == 0 { 'M' } else { 'L' };
                let _ = write!(data, "{command}{} {}", short(*x), short(*y));
            }
        }
        let dashes = if dashed {
            " stroke-dasharray=\"6 4\""
        } else {
            ""
        };
        line!(
            self.body,
            "<path d=\"{data}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"{dashes}/>"
        );
    }

    fn outlined_text(&mut self, (x, y): Point, text: &str, shaped: &Shaped, pen: Pen) {
        let scale = pen.size / UNITS;
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
            self.colour(pen.colour),
            short(x),
            short(y)
        );
        for (id, at) in shaped.placed(text, pen.anchor) {
            self.used.insert((pen.face, id));
            let (prefix, letter) = (&self.prefix, pen.face.letter());
            let _ = write!(
                self.body,
                "<use href=\"#{prefix}{letter}{id}\" x=\"{}\"/>",
                short(at)
            );
        }
        self.body.push_str("\n</g>\n");
    }

    /// Text in the reader's own font, for scripts that the built-in one lacks.
    fn foreign_text(&mut self, (x, y): Point, text: &str, pen: Pen) {
        let anchor = match pen.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = match pen.face {
            Face::Regular => "normal",
            Face::Bold => "bold",
        };
        let [x, y, size, turn] = [x, y, pen.size, -pen.turn].map(short);
        let turn = match pen.turn {
            0.0 => String::new(),
            _ => format!(" transform=\"rotate({turn} {x} {y})\""),
        };
        line!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" font-family=\"sans-serif\" font-size=\"{size}\" \
             font-weight=\"{weight}\" text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{}</text>",
            self.colour(pen.colour),
            escaped(text)
        );
    }

    fn finish(self) -> String {
        let figure = self.figure;
        let [width, height] = [figure.width, figure.height].map(short);
        let [across, down] = [figure.width, figure.height].map(|side| short(side / figure.scale));
        let title = escaped(&figure.title);
        let mut out = String::with_capacity(self.body.len() + 4096);
        line!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {across} {down}\" role=\"img\" aria-label=\"{title}\">"
        );
        line!(out, "<title>{title}</title>");
        if !self.used.is_empty() {
            line!(out, "<defs>");
            for (face, id) in &self.used {
                let (prefix, letter) = (&self.prefix, face.letter());
                let path = outline(*face, *id, Dialect::Svg);
                line!(out, "<path id=\"{prefix}{letter}{id}\" d=\"{path}\"/>");
            }
            line!(out, "</defs>");
        }
        let paper = self.colour(Colour::Paper);
        line!(
            out,
            "<rect width=\"{across}\" height=\"{down}\" fill=\"{paper}\"/>"
        );
        out.push_str(&self.body);
        out.push_str("</svg>\n");
        out
    }
}

/// A coordinate with two decimals at most, which is more than any eye or printer resolves.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}
