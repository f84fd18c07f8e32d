//! The `yardstick` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    yardstick::main()
}
