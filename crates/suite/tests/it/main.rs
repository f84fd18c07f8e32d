//! The suite, measured by itself.

extern crate yardstick_suite as suite;

mod proof;
mod reference;
mod registry;
mod stubborn;
