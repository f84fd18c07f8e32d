//! The bridge between View and host: whole sessions, good and bad.

mod broken;
mod captured;
mod random;
mod session;
