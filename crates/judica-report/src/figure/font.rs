//! The font that is part of the program: widths and outlines of its characters.

use std::fmt::Write;
use ttf_parser::{Face as Font, GlyphId, OutlineBuilder};
use unicode_width::UnicodeWidthChar;

use super::canvas::Anchor;
use super::label::visible_name;
use super::svg::short;

/// Which of the two faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Face {
    /// For nearly everything.
    Regular,
    /// For titles.
    Bold,
}

impl Face {
    /// A letter for names of outlines.
    pub fn letter(self) -> char {
        match self {
            Face::Regular => 'r',
            Face::Bold => 'b',
        }
    }

    /// `None` only if the font that was built in were broken.
    fn font(self) -> Option<Font<'static>> {
        let bytes = match self {
            Face::Regular => dejavu::sans::regular(),
            Face::Bold => dejavu::sans::bold(),
        };
        Font::parse(bytes, 0).ok()
    }
}

/// A character's number in the font and how far it moves the pen, in font units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    pub id: u16,
    pub advance: f64,
}

/// A text taken apart into characters of the font.
pub(super) struct Shaped {
    pub glyphs: Vec<Glyph>,
    /// Whether the font has all of them. What it has not is drawn as an empty box.
    pub complete: bool,
    /// The width of the whole, in font units.
    pub width: f64,
}

impl Shaped {
    /// The characters that leave ink, each with its number and its place along the line.
    pub fn placed(&self, text: &str, anchor: Anchor) -> Vec<(u16, f64)> {
        let mut at = -match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => self.width / 2.0,
            Anchor::End => self.width,
        };
        let mut placed = Vec::new();
        for (glyph, character) in self.glyphs.iter().zip(text.chars()) {
            if !character.is_whitespace() {
                placed.push((glyph.id, at));
            }
            at += glyph.advance;
        }
        placed
    }
}

/// The width of a column of text in a font that is not known, as a share of its size.
const COLUMN: f64 = 0.62;

/// Font units in the height of a line.
pub(super) const UNITS: f64 = 2048.0;

/// Takes a text apart. No ligatures and no kerning: labels are short.
pub(super) fn shape(text: &str, face: Face) -> Shaped {
    let mut shaped = Shaped {
        glyphs: Vec::new(),
        complete: true,
        width: 0.0,
    };
    let Some(font) = face.font() else {
        shaped.complete = false;
        return shaped;
    };
    for character in text.chars() {
        let id = font.glyph_index(character);
        shaped.complete &= id.is_some();
        let advance = match id {
            Some(id) => f64::from(font.glyph_hor_advance(id).unwrap_or(0)),
            // The reader's own font will draw it, which is about as wide as most.
            None => character.width().unwrap_or(0).max(1) as f64 * COLUMN * UNITS,
        };
        // The first glyph of a font is the empty box.
        let id = id.map_or(0, |id| id.0);
        shaped.glyphs.push(Glyph { id, advance });
        shaped.width += advance;
    }
    shaped
}

/// The width of a text at a font size.
pub(crate) fn width(text: &str, face: Face, size: f64) -> f64 {
    shape(text, face).width * size / UNITS
}

/// A name or sentence, made visible, as much of it as fits into `room`, with an ellipsis where
/// it is cut.
pub(super) fn fit(text: &str, face: Face, size: f64, room: f64) -> String {
    let text = visible_name(text);
    let room = room * UNITS / size;
    // No character that is cut away can matter, so a text of any length is cheap.
    let head: String = text.chars().take(MOST_CHARACTERS).collect();
    let shaped = shape(&head, face);
    if head.len() == text.len() && shaped.width <= room {
        return text;
    }
    let room = room - shape("\u{2026}", face).width;
    let mut at = 0.0;
    let mut short = String::new();
    for (glyph, character) in shaped.glyphs.iter().zip(head.chars()) {
        at += glyph.advance;
        if at > room {
            break;
        }
        short.push(character);
    }
    short.truncate(short.trim_end().len());
    short.push('\u{2026}');
    short
}
/// More than stand in any line of a figure.
const MOST_CHARACTERS: usize = 2000;

/// A sentence in lines that fit into `room`, broken at spaces and underscores; what is too
/// long for its line, or for `most` lines, is cut.
pub(super) fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let text = visible_name(text);
    let mut rest = text.as_str();
    let mut lines: Vec<String> = Vec::new();
    let fits = |line: &str| width(line, Face::Regular, size) <= room;
    while !rest.is_empty() {
        if lines.len() + 1 == most {
            lines.push(fit(rest, Face::Regular, size, room));
            break;
        }
        let breaks = rest.match_indices([' ', '_']).map(|(at, _)| at);
        let ends = breaks.chain([rest.len()]);
        // The first word stands in its line whether it fits or not.
        let end = ends
            .enumerate()
            .take_while(|(at, end)| *at == 0 || fits(&rest[..*end]))
            .last()
            .map_or(rest.len(), |(_, end)| end);
        if end > 0 {
            lines.push(fit(&rest[..end], Face::Regular, size, room));
        }
        rest = rest[end..].trim_start_matches([' ', '_']);
    }
    lines
}

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Svg,
    /// Which has no curves of the second degree.
    Pdf,
}

/// The outline of a character as the data of a path, in font units, y upwards.
pub(super) fn outline(face: Face, id: u16, dialect: Dialect) -> String {
    let mut pen = PathPen {
        dialect,
        at: (0.0, 0.0),
        start: (0.0, 0.0),
        line_home: None,
        data: String::new(),
    };
    if let Some(font) = face.font() {
        // A glyph that cannot be drawn leaves a blank; the label's text stands beside it.
        font.outline_glyph(GlyphId(id), &mut pen);
    }
    pen.data
}

struct PathPen {
    dialect: Dialect,
    at: (f32, f32),
    /// Where the contour began.
    start: (f32, f32),
    /// Where a line begins in the data that leads there, if it is the last thing said.
    line_home: Option<usize>,
    data: String,
}

impl PathPen {
    fn add(&mut self, command: char, numbers: &[f32]) {
        self.line_home = None;
        match self.dialect {
            Dialect::Svg => {
                self.data.push(command);
                for (at, number) in numbers.iter().enumerate() {
                    let separator = if at == 0 { "" } else { " " };
                    let _ = write!(self.data, "{separator}{number}");
                }
            }
            Dialect::Pdf => {
                for number in numbers {
                    let _ = write!(self.data, "{} ", short(f64::from(*number)));
                }
                let command = command.to_ascii_lowercase();
                self.data.push(if command == 'z' { 'h' } else { command });
                self.data.push('\n');
            }
        }
        if let [.., x, y] = numbers {
            self.at = (*x, *y);
        }
    }
}

impl OutlineBuilder for PathPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = (x, y);
        self.add('M', &[x, y]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let from = self.data.len();
        self.add('L', &[x, y]);
        self.line_home = (self.at == self.start).then_some(from);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        if self.dialect == Dialect::Svg {
            return self.add('Q', &[cx, cy, x, y]);
        }
        // The same curve has its two handles two thirds of the way to the one.
        let toward = |from: f32, handle: f32| from + (handle - from) * 2.0 / 3.0;
        let (x0, y0) = self.at;
        let first = (toward(x0, cx), toward(y0, cy));
        self.curve_to(first.0, first.1, toward(x, cx), toward(y, cy), x, y);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.add('C', &[cx0, cy0, cx1, cy1, x, y]);
    }

    fn close(&mut self) {
        // Closing a path draws that line.
        if let Some(from) = self.line_home {
            self.data.truncate(from);
        }
        self.add('Z', &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_knows_letters_and_says_what_it_lacks() {
        let plain = shape("Ab1 \u{2212}\u{3bc}", Face::Regular);
        assert!(plain.complete);
        assert_eq!(plain.glyphs.len(), 6);
        assert!(width("WWW", Face::Regular, 10.0) > width("iii", Face::Regular, 10.0));
        assert!(!shape("模", Face::Regular).complete);
    }

    #[test]
    fn what_does_not_fit_is_cut_and_says_so() {
        let room = width("abcdef", Face::Regular, 12.0);
        assert_eq!(fit("abcdef", Face::Regular, 12.0, room), "abcdef");
        let cut = fit("abcdefg", Face::Regular, 12.0, room);
        assert!(cut.ends_with('\u{2026}') && cut.starts_with("abc"), "{cut}");
        assert!(width(&cut, Face::Regular, 12.0) <= room);
        assert_eq!(fit("abc", Face::Regular, 12.0, 0.0), "\u{2026}");
        let huge = fit(&"x".repeat(1 << 20), Face::Regular, 6.0, 1e6);
        assert_eq!(huge.chars().count(), MOST_CHARACTERS + 1);
        let room = width("one two", Face::Regular, 12.0) + 0.1;
        assert_eq!(wrap("one two_three", 12.0, room, 9), ["one two", "three"]);
        assert_eq!(wrap("one two four six", 12.0, room, 1).len(), 1);
        assert_eq!(wrap(" _ ", 12.0, room, 3), ["_"]);
        assert_eq!(wrap("  ", 12.0, room, 3), [""; 0]);
        let lines = wrap("a b unbreakably-long c", 12.0, room, 9);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[1].ends_with('\u{2026}'));
    }

    #[test]
    fn outlines_are_closed_paths() {
        let id = shape("o", Face::Bold).glyphs[0].id;
        let path = outline(Face::Bold, id, Dialect::Svg);
        assert!(path.starts_with('M') && path.ends_with('Z'), "{path}");
        // An o has an outside and an inside.
        assert_eq!(path.matches('M').count(), 2);
        // No line leads back to where it began: closing does.
        let id = shape("-", Face::Regular).glyphs[0].id;
        let path = outline(Face::Regular, id, Dialect::Svg);
        assert_eq!(path, "M100 643L639 643L639 479L100 479Z");
        assert_eq!(outline(Face::Regular, u16::MAX, Dialect::Svg), "");
    }
}
