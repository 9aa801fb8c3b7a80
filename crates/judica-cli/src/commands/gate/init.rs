//! `judica gate init`

use std::path::Path;

use judica_gate::check::init;
use judica_model::exit_code::ExitCode;

use crate::args::gate::InitArgs;
use crate::commands::files::write;
use crate::failure::Failure;
use crate::screen;

/// Writes a gates file to start from.
pub fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    // What goes to standard output is taken for a file of this folder.
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let text = init(&args.gated.path(), folder)?;
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
    screen::print(&format!(
        "wrote {}; read it, set thresholds, then: judica gate check {}{} --gates {}\n",
        args.out.display(),
        if args.gated.run.is_some() {
            ""
        } else {
            "--report "
        },
        args.gated.path().display(),
        args.out.display()
    ));
    Ok(ExitCode::Done)
}
