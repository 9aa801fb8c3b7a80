//! The `judica` program.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(judica_cli::main(std::env::args_os()).code())
}
