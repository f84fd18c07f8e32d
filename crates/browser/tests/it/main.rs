//! A real Chromium on pages of our own.

mod console;
mod crash;
mod emulate;
mod ends;
mod frames;
mod input;
mod policy;
mod script;
mod shot;
mod site;
mod windows;
