//! Headless Chromium, driven over its debugging pipe.
//!
//! A [`Browser`] is a process with a profile that vanishes with it. A [`Page`] has a browser context of its own, so that
//! pages share nothing. Every frame, worker and popup is attached to before it runs: what it says, asks for or violates
//! lands in one ordered log, however early. [`Frame`]s can be evaluated in and clicked in, wherever they run.

mod browser;
mod connection;
mod console;
mod context;
mod dialog;
mod download;
mod element;
mod emulate;
mod error;
mod events;
mod find;
mod frame;
mod frames;
mod input;
mod keys;
mod launch;
mod log;
mod network;
mod page;
mod permission;
mod pipe;
mod process;
mod profile;
mod router;
mod script;
mod shot;
mod target;
mod violation;
mod worlds;

pub use browser::Browser;
pub use console::{Console, Exception};
pub use dialog::{Answer, Dialog, Dialogs};
pub use download::{Download, Progress};
pub use element::Rect;
pub use emulate::{Emulation, Scheme};
pub use error::Error;
pub use frame::Frame;
pub use frames::FrameInfo;
pub use launch::Options;
pub use log::{Entry, Event};
pub use network::Request;
pub use page::Page;
pub use permission::Setting;
pub use shot::Shot;
pub use target::Kind;
pub use violation::Violation;
