//! A figure as pixels.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// The most pixels along a side: a larger picture opens in few programs.
const LARGEST_SIDE: f32 = 16_000.0;

/// Why there are no pixels.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The picture is no SVG that can be drawn.
    #[error("the figure cannot be drawn: {0}")]
    Svg(String),
    /// It is too large or too small.
    #[error("a figure of {width} x {height} pixels cannot be drawn; draw fewer rows")]
    Size {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The pixels cannot be packed.
    #[error("the figure cannot be packed as PNG: {0}")]
    Encode(String),
}

/// The most pixels for each unit that a figure can be drawn with.
pub fn largest_scale(svg: &str) -> Result<f32, PngError> {
    let tree = Tree::from_str(svg, &Options::default())
        .map_err(|error| PngError::Svg(error.to_string()))?;
    Ok(LARGEST_SIDE / tree.size().width().max(tree.size().height()))
}

/// Draws a figure of this crate, `scale` pixels for each of its units (2 is sharp on paper
/// and on dense screens). The text of a figure is outlines already, so no font is needed;
/// ask for the figure with the function that is meant for pixels.
pub fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree = Tree::from_str(svg, &Options::default())
        .map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size();
    let largest = size.width().max(size.height());
    // A long strip loses sharpness before it is refused.
    let scale = scale.min(LARGEST_SIDE / largest).max(0.0);
    let (width, height) = (
        (size.width() * scale).ceil() as u32,
        (size.height() * scale).ceil() as u32,
    );
    let mut pixels = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    pixels
        .encode_png()
        .map_err(|error| PngError::Encode(error.to_string()))
}
