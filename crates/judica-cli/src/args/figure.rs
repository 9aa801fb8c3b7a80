//! What any command that draws lets people choose about its figure.

use clap::{Args, ValueEnum};
use judica_report::figure::look::{self, Look};

use super::number;

/// Size and paper of a figure. A command puts the option that names the figure's file into the
/// group `drawn`: without a figure there is nothing to choose.
#[derive(Debug, Default, Args)]
pub struct FigureArgs {
    /// Width of the figure in pixels; a PNG has twice as many, a PDF 96 to an inch
    /// [default: as the data need]
    #[arg(long, help_heading = "Figure", value_name = "PX", requires = "drawn",
          value_parser = number::side())]
    pub width: Option<u32>,
    /// Height of the figure in pixels [default: as the data need]
    #[arg(long, help_heading = "Figure", value_name = "PX", requires = "drawn",
          value_parser = number::side())]
    pub height: Option<u32>,
    /// Paper of the figure [default: light]
    #[arg(
        long,
        help_heading = "Figure",
        value_name = "THEME",
        requires = "drawn"
    )]
    pub theme: Option<Theme>,
    /// Height of the figure's labels in pixels; everything else in it grows with them [default: 12]
    #[arg(long, help_heading = "Figure", value_name = "PX", requires = "drawn",
          value_parser = number::font_size)]
    pub font_size: Option<f64>,
}

/// The paper of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark ink on white
    Light,
    /// Light ink on nearly black
    Dark,
}

impl FigureArgs {
    /// How the figure is to look.
    pub fn look(&self) -> Look {
        Look {
            width: self.width,
            height: self.height,
            theme: match self.theme {
                Some(Theme::Dark) => look::Theme::Dark,
                Some(Theme::Light) | None => look::Theme::Light,
            },
            font_size: self.font_size,
        }
    }
}
