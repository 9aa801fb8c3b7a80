//! A figure as PDF: one page, vectors only, no font, no date.
//!
//! Letters are outlines, each written once and placed as often as it is used, as in the SVG;
//! streams are not packed, so that the file is the same whatever packs it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Figure;
use super::canvas::{Pen, Point, Shape};
use super::font::{Dialect, Face, UNITS, outline, shape as letters};
use super::palette::Colour;
use super::svg::short;

/// Points of PDF in a pixel: 72 and 96 to an inch.
const POINTS: f64 = 0.75;
/// How far the handles of a quarter of a circle reach.
const QUARTER: f64 = 0.552_285;

/// Appends a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr, $($text:tt)*) => {{
        let _ = writeln!($out, $($text)*);
    }};
}

/// The whole file.
pub(super) fn document(figure: &Figure) -> Vec<u8> {
    let mut page = Page {
        figure,
        body: String::new(),
        used: BTreeMap::new(),
    };
    let height = figure.height * POINTS;
    let scale = figure.scale * POINTS;
    line!(
        page.body,
        "{scale:.6} 0 0 -{scale:.6} 0 {} cm",
        short(height)
    );
    page.fill(Colour::Paper);
    let (across, down) = (figure.width / figure.scale, figure.height / figure.scale);
    line!(page.body, "0 0 {} {} re f", short(across), short(down));
    for shape in &figure.shapes {
        page.shape(shape);
    }
    let size = format!("{} {}", short(figure.width * POINTS), short(height));
    let first = 6;
    let mut forms = String::new();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        String::new(),
        stream("", &page.body),
        format!(
            "<</Title {}/Producer (judica)>>",
            text_string(&figure.title)
        ),
    ];
    for (at, ((face, id), name)) in page.used.iter().enumerate() {
        let _ = write!(forms, "/{name} {} 0 R", first + at);
        let path = outline(*face, *id, Dialect::Pdf) + "f\n";
        // As large as the letters of the font can be.
        let kind = "/Type/XObject/Subtype/Form/BBox[-4096 -4096 8192 8192]";
        objects.push(stream(kind, &path));
    }
    objects[2] = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {size}]/Resources<</XObject<<{forms}>>>>\
         /Contents 4 0 R>>"
    );
    file(&objects)
}

/// Objects with their table, from the first to the last.
fn file(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = String::from("0000000000 65535 f \n");
    for (at, object) in objects.iter().enumerate() {
        line!(table, "{:010} 00000 n ", out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).bytes());
    }
    let (start, size) = (out.len(), objects.len() + 1);
    let end = format!(
        "xref\n0 {size}\n{table}trailer\n<</Size {size}/Root 1 0 R/Info 5 0 R>>\nstartxref\n\
         {start}\n%%EOF\n"
    );
    out.extend(end.bytes());
    out
}

fn stream(entries: &str, content: &str) -> String {
    let length = content.len();
    format!("<<{entries}/Length {length}>>\nstream\n{content}endstream")
}

/// A text of any script, which no character in it can end.
fn text_string(text: &str) -> String {
    let mut out = String::from("<FEFF");
    for unit in text.encode_utf16() {
        let _ = write!(out, "{unit:04X}");
    }
    out.push('>');
    out
}

struct Page<'f> {
    figure: &'f Figure,
    body: String,
    /// Outlines that are used, each with its name.
    used: BTreeMap<(Face, u16), String>,
}

impl Page<'_> {
    fn colour(&self, colour: Colour) -> String {
        let shares = colour
            .on(self.figure.theme)
            .0
            .map(|byte| f64::from(byte) / 255.0);
        let [red, green, blue] = shares.map(|share| format!("{share:.3}"));
        format!("{red} {green} {blue}")
    }

    fn fill(&mut self, colour: Colour) {
        let colour = self.colour(colour);
        line!(self.body, "{colour} rg");
    }

    fn stroke(&mut self, colour: Colour, width: f64) {
        let colour = self.colour(colour);
        line!(self.body, "{colour} RG {} w", short(width));
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            // Paper cannot be pointed at.
            Shape::Open(_) | Shape::Close => {}
            Shape::Rect {
                at,
                size,
                fill,
                stroke,
            } => {
                let [x, y, wide, high] = [at.0, at.1, size.0, size.1].map(short);
                if let Some(fill) = fill {
                    self.fill(*fill);
                    line!(self.body, "{x} {y} {wide} {high} re f");
                }
                if let Some(stroke) = stroke {
                    self.stroke(*stroke, 1.0);
                    line!(self.body, "{x} {y} {wide} {high} re S");
                }
            }
            Shape::Lines {
                lines,
                stroke,
                width,
                dashed,
            } => {
                self.stroke(*stroke, *width);
                let dashes = if *dashed { "[6 4] 0 d" } else { "[] 0 d" };
                line!(self.body, "{dashes}");
                for points in lines {
                    for (at, (x, y)) in points.iter().enumerate() {
                        let command = if at == 0 { 'm' } else { 'l' };
                        line!(self.body, "{} {} {command}", short(*x), short(*y));
                    }
                }
                line!(self.body, "S [] 0 d");
            }
            Shape::Circle {
                at,
                radius,
                fill,
                stroke,
            } => {
                self.fill(*fill);
                self.stroke(*stroke, 1.5);
                self.circle(*at, *radius);
            }
            Shape::Text { at, text, pen } => self.text(*at, text, *pen),
        }
    }

    fn circle(&mut self, (x, y): Point, r: f64) {
        let k = r * QUARTER;
        line!(self.body, "{} {} m", short(x + r), short(y));
        for (a, b, end) in [
            ((x + r, y + k), (x + k, y + r), (x, y + r)),
            ((x - k, y + r), (x - r, y + k), (x - r, y)),
            ((x - r, y - k), (x - k, y - r), (x, y - r)),
            ((x + k, y - r), (x + r, y - k), (x + r, y)),
        ] {
            let numbers = [a.0, a.1, b.0, b.1, end.0, end.1].map(short);
            line!(self.body, "{} c", numbers.join(" "));
        }
        line!(self.body, "b");
    }

    fn text(&mut self, (x, y): Point, text: &str, pen: Pen) {
        let shaped = letters(text, pen.face);
        let scale = pen.size / UNITS;
        let (sine, cosine) = pen.turn.to_radians().sin_cos();
        let (along, across) = (scale * cosine, scale * sine);
        line!(self.body, "q");
        self.fill(pen.colour);
        // The page has y downwards, letters have it upwards.
        line!(
            self.body,
            "{along:.6} {:.6} {:.6} {:.6} {} {} cm",
            -across,
            -across,
            -along,
            short(x),
            short(y)
        );
        let mut pen_at = 0.0;
        for (id, at) in shaped.placed(text, pen.anchor) {
            let letter = format!("{}{id}", pen.face.letter());
            line!(
                self.body,
                "1 0 0 1 {} 0 cm /{letter} Do",
                short(at - pen_at)
            );
            self.used.insert((pen.face, id), letter);
            pen_at = at;
        }
        line!(self.body, "Q");
    }
}
