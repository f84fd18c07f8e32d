//! The `yardstick` command.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Small JSON values come and go with every message, which this allocator is made for.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    yardstick::main()
}
