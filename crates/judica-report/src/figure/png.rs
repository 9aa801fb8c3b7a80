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

/// Draws an SVG whose text is outlines, `scale` pixels for each of its units; at most as many
/// as [`LARGEST_SIDE`] allows, so that a long strip loses sharpness before it is refused.
pub(super) fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree = Tree::from_str(svg, &Options::default())
        .map_err(|error| PngError::Svg(error.to_string()))?;
    let size = tree.size();
    let scale = scale
        .min(largest_scale(size.width(), size.height()))
        .max(0.0);
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

/// The most pixels for each unit that a figure can be drawn with.
pub(super) fn largest_scale(width: f32, height: f32) -> f32 {
    LARGEST_SIDE / width.max(height)
}
