//! `judica view`

use std::process::{Command, Stdio};
use std::sync::Arc;

use judica_model::exit_code::ExitCode;
use judica_model::text::cut;
use judica_report::visible;
use judica_view::serve::Server;
use judica_view::viewer::{Opened, Viewer};

use super::families::FAMILIES;
use super::{check_folder, threads};
use crate::args::view::ViewArgs;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::screen;

/// The port where nobody names one: the same each time, so that addresses stay the same.
const PORT: u16 = 8417;

/// Serves the pages of a run, or of two, until the user ends it.
pub fn run(args: &ViewArgs) -> Result<ExitCode, Failure> {
    if let Some(why) = judica_view::why_no_beginning(&args.at) {
        let at = visible(&cut(&args.at, 80));
        return Err(Failure::Usage(format!("--at {at}: {why}")));
    }
    check_folder("--inputs", args.inputs.as_deref())?;
    check_folder("--screenshots", args.screenshots.as_deref())?;
    let paths = std::iter::once(&args.run).chain(&args.run_b);
    let runs = paths.map(|path| Opened::open(path.clone()));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let server = match args.port {
        Some(port) => Server::bind(port),
        None => Server::bind(PORT).or_else(|_| Server::bind(0)),
    };
    let server = server.map_err(|error| {
        let port = args.port.unwrap_or(PORT);
        Failure::System(format!("127.0.0.1:{port} cannot be listened on: {error}"))
    })?;
    let viewer = Arc::new(Viewer::new(
        runs,
        FAMILIES,
        args.inputs.clone(),
        args.screenshots.clone(),
        threads(args.threads),
    ));
    let url = server.url(&args.at);
    screen::print_exact(&format!("{url}\n"));
    screen::tell("served to this machine alone until Ctrl-C");
    viewer.learn(interrupted());
    if !args.no_open {
        open(&url);
    }
    let ended = server.run(viewer, &interrupted());
    ended.map_err(|error| Failure::System(format!("the server ended: {error}")))?;
    Ok(ExitCode::Done)
}

/// Asks the system for a browser. Where there is none the address stands on the screen.
fn open(url: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(url);
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Ok(mut started) = quiet.spawn() {
        std::thread::spawn(move || started.wait());
    }
}
