//! Figures as files: SVG, PNG, or one of each.

use std::path::{Path, PathBuf};

use judica_data::source::STDIN;
use judica_report::figure::png::PngError;

use super::files::{shown, write};
use crate::failure::Failure;

/// Pixels for each unit of a figure: sharp on paper and on dense screens.
pub const PIXELS: f32 = 2.0;

/// The files that a figure is drawn into.
#[derive(Debug, Default)]
pub struct Pictures {
    /// As SVG.
    pub svg: Option<PathBuf>,
    /// As PNG.
    pub png: Option<PathBuf>,
}

impl Pictures {
    /// Which files a name means: the one with its ending, or one of each.
    pub fn named(option: &str, output: &Path) -> Result<Self, Failure> {
        if output == Path::new(STDIN) {
            return Err(Failure::Usage(format!("{option} needs a file")));
        }
        let ending = output.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Pictures {
                svg: Some(output.to_owned()),
                png: None,
            }),
            Some("png") => Ok(Pictures {
                svg: None,
                png: Some(output.to_owned()),
            }),
            None if ending.is_none() => Ok(Pictures {
                svg: Some(output.with_extension("svg")),
                png: Some(output.with_extension("png")),
            }),
            other => Err(Failure::Usage(format!(
                "{option} {}: a figure is .svg or .png, not .{}",
                shown(output),
                judica_report::visible(other.unwrap_or("…"))
            ))),
        }
    }

    /// The same where one may be named.
    pub fn wanted(option: &str, output: Option<&Path>) -> Result<Self, Failure> {
        output.map_or_else(|| Ok(Self::default()), |path| Self::named(option, path))
    }

    /// Draws into the files that were named; nothing is drawn for others.
    pub fn draw(
        &self,
        svg: impl FnOnce() -> String,
        png: impl FnOnce(f32) -> Result<Vec<u8>, PngError>,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.svg {
            write(path, svg().as_bytes())?;
        }
        if let Some(path) = &self.png {
            write(path, &png(PIXELS)?)?;
        }
        Ok(())
    }
}
