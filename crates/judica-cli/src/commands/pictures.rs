//! Figures as files: SVG, PDF, PNG, or one of each.

use std::path::{Path, PathBuf};

use judica_data::source::STDIN;
use judica_model::text::named;
use judica_report::figure::Figure;
use judica_report::figure::look::Look;

use super::files::{shown, write};
use crate::args::figure::FigureArgs;
use crate::failure::Failure;
use crate::screen;

/// Pixels for each unit of a figure: sharp on paper and on dense screens.
const PIXELS: f32 = 2.0;

/// What a figure can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Pdf,
    Png,
}

/// Every kind with its ending.
const KINDS: [(&str, Kind); 3] = [("svg", Kind::Svg), ("pdf", Kind::Pdf), ("png", Kind::Png)];

/// The files that a figure is drawn into, and how it is to look.
#[derive(Debug, Default)]
pub struct Pictures {
    files: Vec<(Kind, PathBuf)>,
    look: Look,
    scale: Option<f32>,
}

impl Pictures {
    /// Which files a name means: the one with its ending, or one of each.
    pub fn named(option: &str, output: &Path) -> Result<Self, Failure> {
        if output == Path::new(STDIN) {
            return Err(Failure::Usage(format!("{option} needs a file")));
        }
        let ending = output.extension().map(|ending| ending.to_ascii_lowercase());
        let kind = |ending: &str| KINDS.into_iter().find(|(known, _)| *known == ending);
        let files = match ending.as_ref().map(|ending| ending.to_str().unwrap_or("…")) {
            None => KINDS
                .map(|(ending, kind)| (kind, output.with_extension(ending)))
                .to_vec(),
            Some(ending) => match kind(ending) {
                Some((_, kind)) => vec![(kind, output.to_owned())],
                None => {
                    return Err(Failure::Usage(format!(
                        "{option} {}: a figure is .svg, .pdf or .png, not .{}",
                        shown(output),
                        judica_report::visible(ending)
                    )));
                }
            },
        };
        Ok(Pictures {
            files,
            ..Pictures::default()
        })
    }

    /// The same where one may be named.
    pub fn wanted(
        option: &str,
        output: Option<&Path>,
        figure: &FigureArgs,
    ) -> Result<Self, Failure> {
        let named = output.map(|path| Self::named(option, path));
        Ok(named.transpose()?.unwrap_or_default().looking(figure))
    }

    /// The same files with a figure of this look.
    pub fn looking(self, figure: &FigureArgs) -> Self {
        let look = figure.look();
        Pictures { look, ..self }
    }

    /// The same with so many pixels of a PNG for each of the figure's.
    pub fn scaled(self, scale: Option<f32>) -> Self {
        Pictures { scale, ..self }
    }

    /// The files.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|(_, path)| path)
    }

    /// Draws into the files that were named; nothing is drawn if there are none. What was asked
    /// for is drawn or refused: only what nobody asked for is made to fit.
    pub fn draw(&self, figure: impl FnOnce(&Look) -> Figure) -> Result<(), Failure> {
        if self.files.is_empty() {
            return Ok(());
        }
        let figure = figure(&self.look);
        let [width, height] = figure.size();
        for (option, asked, least) in [
            ("--width", self.look.width, width),
            ("--height", self.look.height, height),
        ] {
            if let Some(asked) = asked.filter(|asked| *asked < least) {
                return Err(Failure::Usage(format!(
                    "{option} {asked}: this figure takes at least {least} pixels to be readable \
                     with labels of {}; a smaller --font-size needs less",
                    self.look.font_size.unwrap_or(12.0)
                )));
            }
        }
        let has = |kind| self.files.iter().any(|(other, _)| *other == kind);
        if let Some(scale) = self.scale.filter(|_| has(Kind::Png)) {
            let largest = figure.largest_scale();
            if scale > largest {
                let message = format!("--scale {scale}: this figure takes at most {largest:.2}");
                return Err(Failure::Usage(message));
            }
        }
        for (kind, path) in &self.files {
            let bytes = match kind {
                Kind::Svg => figure.svg().into_bytes(),
                Kind::Pdf => figure.pdf(),
                Kind::Png => figure.png(self.scale.unwrap_or(PIXELS))?,
            };
            write(path, &bytes)?;
        }
        let unwritten = figure.unwritten();
        if !unwritten.is_empty() && (has(Kind::Pdf) || has(Kind::Png)) {
            let texts = unwritten.iter().map(|text| judica_report::visible(text));
            screen::tell(&format!(
                "note: the font of figures lacks letters of {}: in PDF and PNG they are \
                 empty boxes, an SVG keeps them as text",
                named(texts, unwritten.len())
            ));
        }
        Ok(())
    }
}
