//! The font that is part of the program: widths and outlines of its characters.

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::fmt::Write;

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
    fn font(self) -> Option<FontRef<'static>> {
        let bytes = match self {
            Face::Regular => dejavu::sans::regular(),
            Face::Bold => dejavu::sans::bold(),
        };
        FontRef::new(bytes).ok()
    }
}

/// A character's number in the font and how far it moves the pen, in font units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    pub id: u32,
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
    let characters = font.charmap();
    let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
    for character in text.chars() {
        let id = characters.map(character);
        shaped.complete &= id.is_some();
        let id = id.unwrap_or(GlyphId::NOTDEF);
        let advance = f64::from(metrics.advance_width(id).unwrap_or(0.0));
        shaped.glyphs.push(Glyph {
            id: id.to_u32(),
            advance,
        });
        shaped.width += advance;
    }
    shaped
}

/// The width of a text at a font size.
pub(crate) fn width(text: &str, face: Face, size: f64) -> f64 {
    shape(text, face).width * size / UNITS
}

/// The outline of a character as the data of an SVG path, in font units, y upwards.
pub(super) fn outline(face: Face, id: u32) -> String {
    let mut pen = PathPen::default();
    if let Some(font) = face.font()
        && let Some(glyph) = font.outline_glyphs().get(GlyphId::new(id))
    {
        let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
        // A glyph that cannot be drawn leaves a blank; the label's text stands beside it.
        let _ = glyph.draw(settings, &mut pen);
    }
    pen.data
}

#[derive(Default)]
struct PathPen {
    data: String,
}

impl PathPen {
    fn add(&mut self, command: char, numbers: &[f32]) {
        self.data.push(command);
        for (at, number) in numbers.iter().enumerate() {
            let separator = if at == 0 { "" } else { " " };
            let _ = write!(self.data, "{separator}{number}");
        }
    }
}

impl OutlinePen for PathPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[x, y]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[x, y]);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.add('Q', &[cx, cy, x, y]);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        self.add('C', &[cx0, cy0, cx1, cy1, x, y]);
    }

    fn close(&mut self) {
        self.data.push('Z');
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
    fn outlines_are_closed_paths() {
        let id = shape("o", Face::Bold).glyphs[0].id;
        let path = outline(Face::Bold, id);
        assert!(path.starts_with('M') && path.ends_with('Z'), "{path}");
        // An o has an outside and an inside.
        assert_eq!(path.matches('M').count(), 2);
        assert_eq!(outline(Face::Regular, u32::MAX), "");
    }
}
