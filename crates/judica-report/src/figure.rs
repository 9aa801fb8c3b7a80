//! Figures as SVG and PNG pictures.
//!
//! A figure is written by hand, byte for byte the same for the same data. Its text is
//! drawn as outlines of a font that is part of the program: it looks the same on a machine
//! without any font, and in a paper. Colours are those that people with any of the common
//! kinds of colour blindness tell apart, and no figure rests on colour alone.
//!
//! * [`bars`], [`forest`], [`reliability`], [`scatter`], [`strip`]: the figures
//! * [`png`]: any of them as pixels
//! * `canvas`, `font`, `label`: shapes and text; `axis`: ticks; `palette`: colours

pub(crate) mod axis;
pub mod bars;
pub(crate) mod canvas;
pub(crate) mod font;
pub mod forest;
pub(crate) mod label;
mod palette;
pub mod png;
pub mod reliability;
pub mod scatter;
pub mod strip;

#[cfg(test)]
mod tests;
