//! Completion scripts.

use std::process::Command;

use crate::support::{Place, note};

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        place
            .judica(&format!("completions {shell}"))
            .exits(0)
            .says(&["judica", "eval", "reproduce", "calibrate", "timestamp"]);
    }
    place
        .judica("completions tcsh")
        .exits(2)
        .complains(&["tcsh", "bash"]);
}

#[test]
fn bash_accepts_its_script() {
    let place = Place::new();
    place.write(
        "judica.bash",
        place.judica("completions bash").exits(0).stdout,
    );
    match Command::new("bash")
        .args(["-n", "judica.bash"])
        .current_dir(place.path("."))
        .status()
    {
        Ok(status) => assert!(status.success()),
        Err(_) => note("bash is not here, its script was not tried"),
    }
}
