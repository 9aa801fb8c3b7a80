//! The `judica` program.

/// Chunks and columns are large, and are given back by another thread than asked for them. Most
/// systems' own allocators hand such memory back to the kernel, which then has to clear it for
/// the next chunk; that of static programs is slower still.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(judica_cli::main(std::env::args_os()).code())
}
