//! Shapes and text of a picture, before they become a file.

use super::Figure;
use super::font::Face;
use super::label::shortened;
use super::look::Look;
use super::palette::Colour;
use crate::text::visible;

/// A place, in units of the layout.
pub(super) type Point = (f64, f64);

/// Which point of a text its position names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pen {
    pub size: f64,
    pub face: Face,
    pub colour: Colour,
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
            colour: Colour::Ink,
            anchor: Anchor::Start,
            turn: 0.0,
        }
    }

    pub fn bold(self) -> Self {
        let face = Face::Bold;
        Pen { face, ..self }
    }

    pub fn faint(self) -> Self {
        self.colour(Colour::Faint)
    }

    pub fn colour(self, colour: Colour) -> Self {
        Pen { colour, ..self }
    }

    pub fn middle(self) -> Self {
        let anchor = Anchor::Middle;
        Pen { anchor, ..self }
    }

    pub fn end(self) -> Self {
        let anchor = Anchor::End;
        Pen { anchor, ..self }
    }

    pub fn turn(self, turn: f64) -> Self {
        Pen { turn, ..self }
    }
}

/// One thing in a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// What follows says something when pointed at, up to the next [`Shape::Close`].
    Open(String),
    Close,
    Rect {
        at: Point,
        size: Point,
        fill: Option<Colour>,
        stroke: Option<Colour>,
    },
    /// Lines that look the same, each through its points.
    Lines {
        lines: Vec<Vec<Point>>,
        stroke: Colour,
        width: f64,
        dashed: bool,
    },
    Circle {
        at: Point,
        radius: f64,
        fill: Colour,
        stroke: Colour,
    },
    /// Text whose baseline goes through its place; nothing in it is invisible.
    Text {
        at: Point,
        text: String,
        pen: Pen,
    },
}

/// Nobody reads a longer tooltip.
const LONGEST_TOOLTIP: usize = 400;

/// A picture being drawn.
pub(super) struct Canvas {
    shapes: Vec<Shape>,
    look: Look,
}

impl Canvas {
    pub fn new(look: &Look) -> Self {
        Canvas {
            shapes: Vec::new(),
            look: *look,
        }
    }

    /// The width of the whole: what was asked for or else `natural`, and never less than
    /// what is needed for text to be read.
    pub fn wide(&self, natural: f64, least: f64) -> f64 {
        let asked = self
            .look
            .width
            .map(|width| f64::from(width) / self.look.scale());
        asked.unwrap_or(natural).max(least)
    }

    /// The height of a part, where all else is `others` high.
    pub fn high(&self, others: f64, natural: f64, least: f64) -> f64 {
        let asked = self
            .look
            .height
            .map(|height| f64::from(height) / self.look.scale());
        asked.map_or(natural, |asked| asked - others).max(least)
    }

    /// Begins a group that says something when pointed at.
    pub fn open(&mut self, tooltip: &str) {
        self.shapes
            .push(Shape::Open(shortened(tooltip, LONGEST_TOOLTIP)));
    }

    /// Ends it.
    pub fn close(&mut self) {
        self.shapes.push(Shape::Close);
    }

    pub fn rect(&mut self, at: Point, (wide, high): Point, fill: Colour) {
        self.shapes.push(Shape::Rect {
            at,
            size: (wide.max(0.0), high.max(0.0)),
            fill: Some(fill),
            stroke: None,
        });
    }

    /// An empty box.
    pub fn frame(&mut self, at: Point, (wide, high): Point, stroke: Colour) {
        self.shapes.push(Shape::Rect {
            at,
            size: (wide.max(0.0), high.max(0.0)),
            fill: None,
            stroke: Some(stroke),
        });
    }

    pub fn line(&mut self, from: Point, to: Point, stroke: Colour, width: f64) {
        self.lines(vec![vec![from, to]], stroke, width);
    }

    pub fn lines(&mut self, lines: Vec<Vec<Point>>, stroke: Colour, width: f64) {
        self.shapes.push(Shape::Lines {
            lines,
            stroke,
            width,
            dashed: false,
        });
    }

    /// A dashed line through points.
    pub fn dashed(&mut self, points: Vec<Point>, stroke: Colour) {
        self.shapes.push(Shape::Lines {
            lines: vec![points],
            stroke,
            width: 1.5,
            dashed: true,
        });
    }

    pub fn circle(&mut self, at: Point, radius: f64, fill: Colour, stroke: Colour) {
        self.shapes.push(Shape::Circle {
            at,
            radius,
            fill,
            stroke,
        });
    }

    /// A vertical interval with caps, which shows on any colour.
    pub fn whisker(&mut self, x: f64, top: f64, bottom: f64, cap: f64) {
        let lines = vec![
            vec![(x, top), (x, bottom)],
            vec![(x - cap, top), (x + cap, top)],
            vec![(x - cap, bottom), (x + cap, bottom)],
        ];
        self.lines(lines.clone(), Colour::Paper, 3.0);
        self.lines(lines, Colour::Ink, 1.2);
    }

    /// Text whose baseline goes through its place.
    pub fn text(&mut self, x: f64, y: f64, text: &str, pen: Pen) {
        self.shapes.push(Shape::Text {
            at: (x, y),
            text: visible(text),
            pen,
        });
    }

    /// The finished picture.
    pub fn finish(self, width: f64, height: f64, title: &str) -> Figure {
        let scale = self.look.scale();
        // What was asked for is met exactly; a part of a pixel more is a rounding error.
        let pixels = |side: f64| (side * scale - 1e-6).ceil().max(1.0);
        Figure {
            shapes: self.shapes,
            width: pixels(width),
            height: pixels(height),
            scale,
            theme: self.look.theme,
            title: visible(title),
        }
    }
}
