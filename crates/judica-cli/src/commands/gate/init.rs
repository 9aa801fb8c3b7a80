//! `judica gate init`

use std::path::Path;

use judica_gate::check::init;
use judica_model::exit_code::ExitCode;
use judica_model::text::shell_path;

use crate::args::gate::InitArgs;
use crate::commands::files::{shown, write};
use crate::failure::Failure;
use crate::screen;

/// Writes a gates file to start from.
pub fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    let text = init(&args.gated.path())?;
    if args.out == Path::new("-") {
        screen::deliver(text.as_bytes())?;
        return Ok(ExitCode::Done);
    }
    if args.out.exists() && !args.force {
        let message = format!(
            "{} exists, and its thresholds may be chosen; --force overwrites it",
            args.out.display()
        );
        return Err(Failure::Usage(message));
    }
    write(&args.out, text.as_bytes())?;
    let [gates, gated] = [&args.out, &args.gated.path()].map(|path| shell_path(path));
    let check = match args.gated.run {
        // A run is what later ones are held against.
        Some(_) => format!("LATER --gates {gates} --baseline {gated}"),
        None => format!("--report {gated} --gates {gates}"),
    };
    screen::print(&format!(
        "wrote {}; read it, set thresholds, then: judica gate check {check}\n",
        shown(&args.out)
    ));
    Ok(ExitCode::Done)
}
