//! The `judica` program.

/// Static programs have the allocator of musl, which all threads wait for. Elsewhere that of the
/// system does as well, and takes less memory.
#[cfg(target_env = "musl")]
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(judica_cli::main(std::env::args_os()).code())
}
