//! Figures as SVG, PDF and PNG pictures.
//!
//! A figure is written by hand, byte for byte the same for the same data. Its text is
//! drawn as outlines of a font that is part of the program: it looks the same on a machine
//! without any font, and in a paper. Colours are those that people with any of the common
//! kinds of colour blindness tell apart, and no figure rests on colour alone. Whatever size
//! is asked for, text stays inside and is not written over other text: what does not fit is
//! cut and says so, and a figure that needs more room than was asked for takes it.
//!
//! * [`bars`], [`forest`], [`heatmap`], [`reliability`], [`scatter`], [`strip`]: the figures
//! * [`spark`]: tiny charts for cells of a page's table
//! * [`look`]: size and theme; [`Figure`]: what was drawn, and the files it becomes
//! * `canvas`, `sheet`, `font`, `label`, `place`: shapes and text; `axis`: ticks; `palette`,
//!   `diverging`: colours

mod axis;
pub mod bars;
mod canvas;
mod diverging;
mod font;
pub mod forest;
pub mod heatmap;
mod label;
pub mod look;
mod palette;
mod pdf;
mod place;
pub mod png;
pub mod reliability;
pub mod scatter;
mod sheet;
pub mod spark;
pub mod strip;
mod svg;

use canvas::Shape;
use look::Theme;
use png::PngError;
use svg::Letters;

/// A figure that was drawn and is no file yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    shapes: Vec<Shape>,
    /// In pixels, as is the height.
    width: f64,
    height: f64,
    /// Pixels for each unit that shapes are measured in.
    scale: f64,
    theme: Theme,
    title: String,
}

impl Figure {
    /// Its width and height in pixels. They are what was asked for, unless that was too little.
    pub fn size(&self) -> [u32; 2] {
        [self.width as u32, self.height as u32]
    }

    /// As an SVG file.
    pub fn svg(&self) -> String {
        svg::document(self, Letters::Reader, "")
    }

    /// As an SVG element of a page. Names in it begin with `prefix`, which must differ from
    /// figure to figure; there is no style, so no policy of the page stands in its way.
    pub fn inline_svg(&self, prefix: &str) -> String {
        svg::document(self, Letters::Reader, prefix)
    }

    /// Texts that the program's own font cannot write: PDF and PNG have empty boxes for their
    /// letters, where an SVG leaves them to the reader's fonts.
    pub fn unwritten(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for shape in &self.shapes {
            if let Shape::Text { text, pen, .. } = shape
                && !found.contains(&text.as_str())
                && !font::shape(text, pen.face).complete
            {
                found.push(text);
            }
        }
        found
    }

    /// As a PDF of one page, a pixel being 1/96 inch.
    pub fn pdf(&self) -> Vec<u8> {
        pdf::document(self)
    }

    /// As PNG, `scale` pixels of the file for each of the figure's (2 is sharp on paper and on
    /// dense screens); fewer where the file would be larger than most programs open.
    pub fn png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        png::render(&svg::document(self, Letters::Outlines, ""), scale)
    }

    /// The largest scale that [`png`](Self::png) keeps to.
    pub fn largest_scale(&self) -> f32 {
        png::largest_scale(self.width as f32, self.height as f32)
    }
}

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod pdf_tests;
#[cfg(test)]
mod tests;
