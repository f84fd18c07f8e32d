//! Message schemas: as the official ones judge, and in words a person can act on.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "helpers of tests, outside of test functions")]

mod engine;
mod messages;
mod mutate;
mod official;
mod sample;
mod tasks;
